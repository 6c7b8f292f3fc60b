package session_test

import (
	"slices"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestANewNetworkIsForSessionsThatStartAfterIt(t *testing.T) {
	r := newRig(t)
	before := r.start(alice, action.SessionStart{})
	must(t, r.SetNetwork(action.Network{Navigation: []string{"new.example"}, Subresources: "same-site"}))
	after := r.start(alice, action.SessionStart{})
	if !slices.Equal(after.Allow, []string{"new.example"}) || !slices.Contains(before.Allow, "app.example") {
		t.Errorf("before %v, after %v", before.Allow, after.Allow)
	}
	_, err := r.call(t.Context(), alice, "session.start", "", &action.SessionStart{Allow: []string{"app.example"}})
	wants(t, fault.BlockedDomain, err, "app.example")
	if !r.door.Judge(before.Box, "https://app.example/").Allowed || r.door.Judge(after.Box, "https://app.example/").Allowed {
		t.Error("the door does not hold them apart")
	}
}

func TestANetworkThatCannotBeReadChangesNothing(t *testing.T) {
	r := newRig(t)
	if err := r.SetNetwork(action.Network{Navigation: []string{"https://app.example/"}}); fault.CodeOf(err) != fault.InvalidRequest {
		t.Fatalf("error %v", err)
	}
	if s := r.start(alice, action.SessionStart{}); !slices.Contains(s.Allow, "app.example") {
		t.Errorf("allowed %v", s.Allow)
	}
}
