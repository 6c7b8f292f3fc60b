package session_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/session"
)

// queued is a start that may wait.
type queued struct {
	mu     sync.Mutex
	places []string
	done   chan error
	cancel context.CancelFunc
}

func (r *rig) queue(who action.Caller, name string) *queued {
	ctx, cancel := context.WithCancel(r.t.Context())
	q := &queued{done: make(chan error, 1), cancel: cancel}
	go func() {
		c := action.Call{ID: "c1", Verb: "session.start", Caller: who, Args: &action.SessionStart{Name: name}, Progress: func(phase string) {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.places = append(q.places, phase)
		}}
		_, pin, err := r.Look(ctx, c)
		if err == nil {
			_, err = r.Do(ctx, c, pin)
		}
		q.done <- err
	}()
	synctest.Wait()
	return q
}

func (q *queued) wants(t *testing.T, places ...string) {
	t.Helper()
	q.mu.Lock()
	defer q.mu.Unlock()
	if !slices.Equal(q.places, places) {
		t.Errorf("places %q, want %q", q.places, places)
	}
}

func fullRig(t *testing.T) *rig {
	return newRig(t, with(func(c *session.Config) { c.MaxSessions, c.StartQueue = 1, 30*time.Second }))
}

func TestStartsWaitInTheOrderOfTheirArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := fullRig(t)
		r.start(alice, action.SessionStart{Name: "first"})
		second, third := r.queue(bob, "second"), r.queue(alice, "third")
		second.wants(t, "waiting for a free session: place 1 of 1")
		third.wants(t, "waiting for a free session: place 2 of 2")
		must(t, errOf(r.call(t.Context(), alice, "session.close", "first", nil)))
		must(t, <-second.done)
		synctest.Wait()
		third.wants(t, "waiting for a free session: place 2 of 2", "waiting for a free session: place 1 of 1")
		must(t, errOf(r.call(t.Context(), bob, "session.close", "second", nil)))
		must(t, <-third.done)
	})
}

func TestAWaitingStartTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := fullRig(t)
		r.start(alice, action.SessionStart{})
		late, gone := r.queue(bob, "late"), r.queue(bob, "gone")
		gone.cancel()
		if err := <-gone.done; !errors.Is(err, context.Canceled) {
			t.Errorf("the cancelled start returned %v", err)
		}
		wants(t, fault.LimitReached, <-late.done, "security.max_sessions", "none ended within 30s")
		last := r.queue(bob, "last")
		last.wants(t, "waiting for a free session: place 1 of 1") // it is first now
		last.cancel()
		<-last.done
	})
}

func TestAShutdownEndsTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := fullRig(t)
		r.start(alice, action.SessionStart{})
		q := r.queue(bob, "next")
		go r.end()
		wants(t, fault.BrowserDisabled, <-q.done, "shutting down")
		synctest.Wait()
	})
}

func TestOnlyTheLimitOfAllSessionsIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(func(c *session.Config) { c.MaxSessions, c.MaxConcurrent, c.StartQueue = 2, 1, 30*time.Second }))
		r.start(alice, action.SessionStart{Name: "work"})
		wants(t, fault.LimitReached, <-r.queue(alice, "more").done, "security.max_concurrent_sessions")
		wants(t, fault.AlreadyActive, <-r.queue(alice, "work").done)
	})
}

func TestASessionCanHaveAShorterIdleLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		s := r.start(alice, action.SessionStart{Name: "short", Timeout: 60_000})
		if s.Timeout != 60_000 {
			t.Errorf("the idle limit is %d", s.Timeout)
		}
		r.start(alice, action.SessionStart{Name: "long"})
		time.Sleep(61 * time.Second)
		synctest.Wait()
		wants(t, fault.NotActive, errOf(r.call(t.Context(), alice, "page.click", "short", &action.Click{})), "idle for 1m0s, the limit of timeout of session.start")
		must(t, errOf(r.call(t.Context(), alice, "page.click", "long", &action.Click{})))
		for _, bad := range []int{300_001, 4999} {
			err := errOf(r.call(t.Context(), alice, "session.start", "", &action.SessionStart{Timeout: bad}))
			wants(t, fault.InvalidRequest, err)
			if fault.From(err).Details["field"] != "timeout" {
				t.Errorf("%v", fault.From(err).Details)
			}
		}
	})
}
