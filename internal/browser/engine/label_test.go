package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestWhatHasAnIDIsJudgedByItsWordsToo(t *testing.T) {
	tr := start(t)
	tr.visit(`<div id=zone1 data-testid=z onclick="1">Delete account</div><i id=plain class=fa-trash onclick="1"></i><div id=long>` + strings.Repeat("word ", 100) + `</div>`)
	for id, want := range map[string]string{"#zone1": "z · Delete account", "#plain": "fa-trash", "#long": "long"} {
		facts, _, err := tr.Look(tr.ctx, "page.click", &action.Click{Locator: selector(id)})
		must(t, err)
		if facts.Element.Label != want {
			t.Errorf("%s is labelled %q, want %q", id, facts.Element.Label, want)
		}
	}
}

func TestANameThatBeliesTheTextIsJudgedByBoth(t *testing.T) {
	tr := start(t)
	tr.visit(`<button id=lie aria-label=Back>Delete everything</button><button id=more aria-label="Delete invoice 4">Delete</button>` +
		`<button id=sign aria-label=Close>×</button><button id=plain><span>Save</span><div>now</div></button><label>Act <select id=acts><option>Delete<option>Send</select></label>`)
	for id, want := range map[string]string{"#lie": "Delete everything", "#more": "", "#sign": "", "#plain": "", "#acts": ""} {
		facts, _, err := tr.Look(tr.ctx, "page.click", &action.Click{Locator: selector(id)})
		must(t, err)
		if facts.Element.Label != want {
			t.Errorf("%s is labelled %q, want %q", id, facts.Element.Label, want)
		}
	}
}
