package engine_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestWordsOfAScriptAreNoTextOfThePage(t *testing.T) {
	tr := start(t)
	tr.visit(`<!doctype html><title>Words</title><body><p id=out>waiting</p><div><style>.saved{}</style><template>saved</template><b>sav</b>ing</div>
<script>const later = "saved"</script>`)
	look := func(text string) bool {
		none := 0
		result, err := tr.Do(tr.ctx, "page.wait_for", &action.WaitFor{Locator: action.Locator{Text: text}, Timeout: &none}, action.Pin{})
		if err != nil {
			t.Fatal(err)
		}
		return result.Data.(*action.Waited).Found
	}
	if look("saved") {
		t.Error("the words of a script, a style or a template were found")
	}
	if !look("saving") || !look("waiting") {
		t.Error("text of the page was not found")
	}
	_, _, err := tr.Look(tr.ctx, "page.click", &action.Click{Locator: action.Locator{Text: "saved"}, Timing: action.Timing{Timeout: 50}})
	if fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a click on them: %v", err)
	}
}
