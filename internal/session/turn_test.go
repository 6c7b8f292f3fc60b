package session_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// TestACallCancelledInTheQueueDoesNothing also checks that its fault says so.
func TestACallCancelledInTheQueueDoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		s := r.start(alice, action.SessionStart{})
		page, hold := r.page(s.Box), make(chan struct{})
		page.set(func(p *tab) { p.hold = hold })
		runs, waits := make(chan error, 1), make(chan error, 1)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { runs <- errOf(r.call(t.Context(), alice, "page.click", s.ID, &action.Click{})) }()
		synctest.Wait()
		go func() { waits <- errOf(r.call(ctx, alice, "page.click", s.ID, &action.Click{})) }()
		synctest.Wait()
		cancel()
		if err := <-waits; !errors.Is(err, action.ErrNoTurn) || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		close(hold)
		must(t, <-runs)
		if n := r.show(alice, s.ID).Actions; n != 1 {
			t.Errorf("%d actions were counted", n)
		}
	})
}

// TestANoticeIsAddedOnceToAnAnswerOfTheAgent checks that a notice is in exactly
// one answer that the agent receives.
func TestANoticeIsAddedOnceToAnAnswerOfTheAgent(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	r.QueueNotice(s.ID, "the call before was cancelled")
	r.QueueNotice("s-none", "nobody hears this")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	look := func(ctx context.Context, who action.Caller) []string {
		t.Helper()
		result, err := r.call(ctx, who, "page.snapshot", s.ID, nil)
		must(t, err)
		return result.Notes
	}
	for what, notes := range map[string][]string{"an operator": look(t.Context(), admin), "a caller that has gone": look(gone, alice)} {
		if len(notes) != 0 {
			t.Errorf("%s got the notes %q", what, notes)
		}
	}
	quiet := action.Call{ID: "c1", Verb: "page.snapshot", Caller: alice, Session: s.ID, Quiet: true}
	_, pin, err := r.Look(t.Context(), quiet)
	must(t, err)
	if result, err := r.Do(t.Context(), quiet, pin); err != nil || len(result.Notes) != 0 {
		t.Errorf("an answer without a place for notes has %q: %v", result.Notes, err)
	}
	if notes := look(t.Context(), alice); len(notes) != 1 || notes[0] != "the call before was cancelled" {
		t.Errorf("notes %q", notes)
	}
	if notes := look(t.Context(), alice); len(notes) != 0 {
		t.Errorf("notes again: %q", notes)
	}
}
