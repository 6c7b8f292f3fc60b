package session_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// by makes a call over a connection.
func (r *rig) by(connection string, who action.Caller, verb, key string, args any) (action.Result, error) {
	c := action.Call{ID: "c1", Verb: verb, Caller: who, Session: key, Connection: connection, Args: args}
	_, pin, err := r.Look(r.t.Context(), c)
	if err != nil {
		return action.Result{}, err
	}
	return r.Do(r.t.Context(), c, pin)
}

func TestAnUnnamedCallUsesOnlyItsCallersSession(t *testing.T) {
	r := newRig(t)
	first, err := r.by("one", alice, "session.start", "", &action.SessionStart{Name: "first"})
	must(t, err)
	for name, call := range map[string]struct {
		who action.Caller
		by  string
	}{
		"another connection":             {alice, "two"},
		"another agent":                  {other, ""},
		"another agent, same connection": {other, "one"},
		"an operator":                    {admin, ""},
		"a viewer":                       {eye, ""},
	} {
		_, err := r.by(call.by, call.who, "page.snapshot", "", nil)
		wants(t, fault.NotActive, err, "no session of yours is open here", "first")
		if seen, err := r.by(call.by, call.who, "page.snapshot", "first", nil); err != nil || seen.Session != first.Session {
			t.Errorf("%s: named it is %q, %v", name, seen.Session, err)
		}
	}
	second, err := r.by("two", alice, "session.start", "", nil)
	must(t, err)
	for by, want := range map[string]string{"one": first.Session, "two": second.Session, "": second.Session} {
		if seen, err := r.by(by, alice, "page.snapshot", "", nil); err != nil || seen.Session != want {
			t.Errorf("by %q it is %q, want %q: %v", by, seen.Session, want, err)
		}
	}
	if _, err = r.by("one", alice, "session.close", "", nil); err != nil || r.show(alice, first.Session).State != "closed" || r.show(alice, second.Session).State != "open" {
		t.Errorf("the wrong session was closed: %v", err)
	}
}

func TestAConnectionKeepsItsSessionAfterARestart(t *testing.T) {
	keep := with(keep)
	r := newRig(t, keep)
	s, err := r.by("one", alice, "session.start", "", nil)
	must(t, err)
	r = r.again(keep)
	if seen, err := r.by("one", alice, "page.snapshot", "", nil); err != nil || seen.Session != s.Session {
		t.Errorf("it is %q: %v", seen.Session, err)
	}
	wants(t, fault.NotActive, errOf(r.by("two", alice, "page.snapshot", "", nil)))
}
