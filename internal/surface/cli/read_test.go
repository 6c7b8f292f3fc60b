package cli_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestMatchesAreSanitized(t *testing.T) {
	r := newRig(t, &fakeGate{answer: func(action.Call) (action.Result, error) {
		return action.Result{Data: &action.Matches{Total: 9, Matches: []action.Match{
			{Role: "button", Name: "Save\x1b[2J", Ref: "e1", Path: []string{"main"}}, {Role: "text", Text: "a\nforged"},
		}}}, nil
	}})
	out, _, status := r.run("find", "save")
	want := "e1     button Save[2J\n       main\n-      text \n       a forged\n2 of 9\n"
	if status != 0 || out != want {
		t.Errorf("status %d, printed %q, want %q", status, out, want)
	}
	if _, complaint, status := r.run("find", "a", "b"); status == 0 || !strings.Contains(complaint, "arg") {
		t.Errorf("two texts: %d %q", status, complaint)
	}
}
