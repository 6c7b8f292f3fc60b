package session_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/session"
)

// TestAPeekHasNoEffect looks at a session that has used up its limit, without a
// call. The look of a call would end the session.
func TestAPeekHasNoEffect(t *testing.T) {
	r := newRig(t, with(func(c *session.Config) { c.MaxActions = 1 }))
	s := r.start(alice, action.SessionStart{})
	_, err := r.call(t.Context(), alice, "page.back", s.ID, nil)
	must(t, err)
	call := action.Call{ID: "c1", Verb: "page.back", Caller: admin, Session: s.ID, Peek: true}
	facts, _, err := r.Look(t.Context(), call)
	must(t, err)
	if facts.Session.Actions != 1 || r.show(alice, s.ID).State != "open" {
		t.Errorf("facts %+v, session %s", facts.Session, r.show(alice, s.ID).State)
	}
	call.Peek = false
	_, _, err = r.Look(t.Context(), call)
	wants(t, fault.LimitReached, err)
}
