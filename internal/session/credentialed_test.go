package session_test

import (
	"runtime"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

var content = &action.Content{}

func TestACallIsCheckedAgainAfterAnInjection(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	call := action.Call{ID: "c1", Verb: "page.content", Caller: alice, Session: s.ID, Args: content}
	facts, pin, err := r.Look(t.Context(), call)
	must(t, err)
	if facts.Session.Credentialed {
		t.Error("a session without credentials has some")
	}
	must(t, r.MarkCredentialed(t.Context(), s.ID))
	_, err = r.Do(t.Context(), call, pin)
	wants(t, fault.DeniedByPolicy, err, "page.snapshot")
	facts, _, err = r.Look(t.Context(), call)
	must(t, err)
	if !facts.Session.Credentialed {
		t.Error("the next call is judged as without credentials")
	}
	call.Caller = admin
	_, err = r.Do(t.Context(), call, pin)
	must(t, err)
}

func TestAnInjectionDisconnectsClientsOfAgents(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	began := make(chan struct{}, 2)
	r.page(s.Box).began = began
	serve := func(who action.Caller) <-chan error {
		place, err := r.Attach(t.Context(), action.Call{Verb: "cdp.attach", Caller: who}, action.Pin{Session: s.ID}, nil)
		must(t, err)
		served := make(chan error, 1)
		go func() { served <- place.Serve(t.Context(), nil) }()
		<-began
		return served
	}
	agents, operators := serve(alice), serve(admin)
	must(t, r.MarkCredentialed(t.Context(), s.ID))
	wants(t, fault.DeniedByPolicy, <-agents, "page verbs")
	select {
	case err := <-operators:
		t.Errorf("an operator's client was disconnected: %v", err)
	default:
	}
	_, err := r.Attach(t.Context(), action.Call{Verb: "cdp.attach", Caller: alice}, action.Pin{Session: s.ID}, nil)
	wants(t, fault.DeniedByPolicy, err, "page verbs")
}

func TestAnInjectionCancelsScriptsOfAgents(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	hold := make(chan struct{})
	defer close(hold)
	r.page(s.Box).set(func(t *tab) { t.hold = hold })
	call := action.Call{ID: "c1", Verb: "page.execute", Caller: alice, Session: s.ID, Args: &action.Execute{Expression: "1"}}
	_, pin, err := r.Look(t.Context(), call)
	must(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := r.Do(t.Context(), call, pin)
		done <- err
	}()
	for busy := 0; busy == 0; runtime.Gosched() {
		r.page(s.Box).set(func(t *tab) { busy = t.running })
	}
	must(t, r.MarkCredentialed(t.Context(), s.ID))
	wants(t, fault.DeniedByPolicy, <-done, "page.snapshot")
}
