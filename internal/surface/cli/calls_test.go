package cli_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestCommandsPrintTheChangesOfThePage(t *testing.T) {
	d := &fakeGate{answer: func(c action.Call) (action.Result, error) {
		result := action.Result{Data: &action.Acted{OK: true}, Page: &action.Page{URL: "https://a.example/", Title: "A"}}
		if c.Changes {
			result.Changes = &action.Changes{Text: "in row \"Bob\":\n~ checkbox \"Watch\" [e7] checked\n", Errors: []string{"boom\x1b[2J"}}
		}
		return result, nil
	}}
	r := newRig(t, d)
	out, _, status := r.run("click", "e7")
	if status != 0 || !strings.HasSuffix(out, "\nin row \"Bob\":\n~ checkbox \"Watch\" [e7] checked\nconsole error: boom[2J\n") {
		t.Errorf("status %d:\n%s", status, out)
	}
	if out, _, _ := r.run("click", "e7", "--json"); !strings.Contains(out, `"changes"`) || !strings.Contains(out, `checkbox \"Watch\" [e7] checked`) {
		t.Errorf("JSON:\n%s", out)
	}
	if out, _, _ := r.run("click", "e7", "--quiet"); strings.Contains(out, "checkbox") {
		t.Errorf("quiet:\n%s", out)
	}
	d.taken()
	if _, _, status := r.run("snapshot"); status != 0 || d.taken()[0].Changes {
		t.Error("a snapshot asks for changes")
	}
}
