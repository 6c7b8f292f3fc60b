package engine_test

import (
	"embed"
	"encoding/json"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

//go:embed testdata/*.html testdata/*.js
var fixtures embed.FS

// fixture is a page of testdata.
func fixture(t testing.TB, name string) string {
	t.Helper()
	page, err := fixtures.ReadFile("testdata/" + name + ".html")
	must(t, err)
	return string(page)
}

// eval is the value of an expression in the page's own world, as text.
func (tr *trial) eval(expression string) string {
	tr.t.Helper()
	r := tr.must("page.execute", &action.Execute{Expression: expression, AwaitPromise: true})
	value, err := json.Marshal(r.Data.(*action.Executed).Result)
	must(tr.t, err)
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

func (tr *trial) wantEval(expression, want string) {
	tr.t.Helper()
	if got := tr.eval(expression); got != want {
		tr.t.Errorf("%s is %q, want %q at %s", expression, got, want, tr.t.Name())
	}
}

func (tr *trial) click(l action.Locator) *action.Acted {
	tr.t.Helper()
	return tr.must("page.click", &action.Click{Locator: l}).Data.(*action.Acted)
}

// snap is the page's snapshot as text.
func (tr *trial) snap() string {
	tr.t.Helper()
	return tr.must("page.snapshot", &action.TakeSnapshot{}).Data.(*action.Snapshot).Text
}

func named(role, name string) action.Locator { return action.Locator{Role: role, Name: name} }
