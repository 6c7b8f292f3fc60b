package engine_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestCheckMakesAControlSoAndLeavesOneThatIs(t *testing.T) {
	tr := start(t)
	tr.visit(`<script>let changes = 0</script><div onchange="changes++">
		<label><input type=checkbox id=terms> Terms</label>
		<label><input type=radio name=r id=one checked> One</label><label><input type=radio name=r id=two> Two</label></div>
		<div role=switch id=dark aria-checked=false tabindex=0 onclick="changes++; ariaChecked = ariaChecked === 'true' ? 'false' : 'true'">Dark</div><button id=b>Save</button>`)
	for i, c := range []struct {
		selector string
		checked  *bool
		state    string // afterwards
		changes  string
	}{
		{"#terms", nil, "terms.checked", "1"},
		{"#terms", nil, "terms.checked", "1"},
		{"#terms", new(false), "!terms.checked", "2"},
		{"#terms", new(false), "!terms.checked", "2"},
		{"#two", new(true), "two.checked", "3"},
		{"#one", nil, "one.checked", "4"},
		{"#dark", nil, "dark.ariaChecked === 'true'", "5"},
		{"#dark", new(false), "dark.ariaChecked === 'false'", "6"},
	} {
		tr.must("page.check", &action.SetChecked{Locator: selector(c.selector), Checked: c.checked})
		if got := tr.eval(`String(` + c.state + `) + ' ' + changes`); got != "true "+c.changes {
			t.Errorf("call %d of %s: %s, want true %s", i+1, c.selector, got, c.changes)
		}
	}
	tr.refuse(fault.NotActionable, "page.check", &action.SetChecked{Locator: selector("#b")})
	tr.refuse(fault.NotActionable, "page.check", &action.SetChecked{Locator: selector("#one"), Checked: new(false)})
}
