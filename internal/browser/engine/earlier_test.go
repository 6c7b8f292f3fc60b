package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// What changed after an answer is in the next one, which says so.
func TestWhatCameAfterAnAnswerIsSaidInTheNext(t *testing.T) {
	tr := start(t)
	s := serve(t, `<!doctype html><button id=b onclick="out.textContent = 'pressed'">Do</button><p id=out>idle</p><p id=later>nothing</p>`)
	tr.told(bot, "page.goto", &action.Goto{URL: s.URL})
	click := &action.Click{Locator: selector("#b")}
	if got := tr.told(bot, "page.click", click); got.Earlier || !strings.Contains(got.Text, "pressed") {
		t.Errorf("%+v", got)
	}
	if got := tr.told(bot, "page.hover", &action.Hover{Locator: selector("#b")}); got.Earlier {
		t.Errorf("%+v", got)
	}
	tr.eval(`later.textContent = 'saved'; out.textContent = 'idle'; 0`)
	if got := tr.told(bot, "page.click", click); !got.Earlier || !strings.Contains(got.Text, "saved") {
		t.Errorf("%+v", got)
	}
	if got := tr.told(bot, "page.click", click); got.Earlier {
		t.Errorf("%+v", got)
	}
}
