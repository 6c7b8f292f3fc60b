package session_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestABatchBelongsToTheSessionOfItsSteps(t *testing.T) {
	r := newRig(t)
	call := action.Call{Verb: "page.batch", Caller: alice, Args: &action.Batch{Steps: []action.Step{{Verb: "page.back"}}}}
	_, _, err := r.Look(t.Context(), call)
	wants(t, fault.NotActive, err)
	s := r.start(alice, action.SessionStart{Name: "work"})
	for _, named := range []string{"", "work", s.ID} {
		call.Session = named
		facts, pin, err := r.Look(t.Context(), call)
		if err != nil || facts.Session.ID != s.ID || pin.Session != s.ID {
			t.Errorf("%q: %+v, %v", named, facts.Session, err)
		}
	}
	call.Caller = bob
	_, _, err = r.Look(t.Context(), call)
	wants(t, fault.SessionNotFound, err)
}
