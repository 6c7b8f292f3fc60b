package gate_test

import (
	"context"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// TestChangesAreReportedOnlyToReadersOfThePage checks that only callers who may
// take a snapshot of the resulting page get a report of changes.
func TestChangesAreReportedOnlyToReadersOfThePage(t *testing.T) {
	back := action.Call{Verb: "page.back", Caller: agent, Args: &action.None{}, Changes: true}
	rule := policy.Rule{Tools: []string{"page.snapshot"}, Hosts: []string{"app.example.com"}, Action: "deny", Description: "not to be read"}
	other := rule
	other.Hosts = []string{"elsewhere.example.com"}
	for name, c := range map[string]struct {
		rules []policy.Rule
		told  bool
	}{
		"without rules":         {nil, true},
		"another host's rule":   {[]policy.Rule{other}, true},
		"snapshots are refused": {[]policy.Rule{rule}, false},
	} {
		h := openWith(t, policy.Config{Enabled: true, Trusted: []string{"app.example.com"}, Rules: c.rules})
		h.fakeSessions.changes = &action.Changes{Text: "+ text \"Saved\""}
		result, err := h.Call(context.Background(), back)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if told := result.Changes != nil; told != c.told || (len(result.Notes) == 0) != c.told {
			t.Errorf("%s: told %v, notes %q", name, told, result.Notes)
		}
	}
}

func TestVerbsWithoutChangeReportsAreNotAskedForThem(t *testing.T) {
	h := open(t)
	h.fakeSessions.changes = &action.Changes{Text: "+ text \"Saved\""}
	result, err := h.Call(context.Background(), action.Call{Verb: "page.snapshot", Caller: agent, Args: &action.TakeSnapshot{}, Changes: true})
	if err != nil || result.Changes != nil {
		t.Errorf("%+v, %v", result, err)
	}
}
