package engine_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// TestWhatIsShownOfAControlWithoutANameFindsIt: icons without a name are shown
// by their title, class or file. An agent looks for them, and acts on them, by
// what it was shown.
func TestWhatIsShownOfAControlWithoutANameFindsIt(t *testing.T) {
	tr := start(t)
	tr.visit(`<style>.b {width:30px;height:30px;display:inline-block;background:#ccc;cursor:pointer}</style>
	<button class="b fa-trash" onclick="document.title += ' trash'"></button>
	<div class="b" title="Pause selected" onclick="document.title += ' pause'"></div>
	<button class="fa-save-all" style="width:30px;height:30px" onclick="document.title += ' icon'"></button><button onclick="document.title += ' named'">Save all</button>`)
	for _, look := range []*action.Find{{Text: "fa-trash"}, {Role: "button", Name: "fa-trash"}, {Text: "pause selected"}} {
		found := tr.must("page.find", look).Data.(*action.Matches)
		if found.Total != 1 || found.Matches[0].Ref == "" {
			t.Errorf("%+v found %+v", look, found)
		}
	}
	for _, l := range []action.Locator{
		{Role: "button", Name: "fa-trash"}, {Role: "generic", Name: "Pause selected"},
		{Role: "button", Name: "save"}, // a name comes before what stands for one
	} {
		tr.click(l)
	}
	tr.wantTitle("trash pause named")
}
