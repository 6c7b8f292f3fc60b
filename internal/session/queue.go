package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// mostQueued is how many starts wait at a time for an open session of others to
// end; more are refused.
const maxQueued = 100

// starter is a start that waits in the queue. look is told that the queue has
// moved on.
type starter struct{ look chan struct{} }

// enlist adds a session if its name is free and the limits allow one more. Where
// the gateway has as many as it may, it waits in the queue, first come first
// served, and tell learns its place. Faults: already_active, browser_disabled,
// limit_reached.
func (r *Registry) enlist(ctx context.Context, sess *openSession, tell func(place string)) error {
	r.mu.Lock()
	err := r.fits(sess)
	if err == nil && len(r.queue) == 0 {
		r.add(sess)
		r.mu.Unlock()
		return nil
	}
	if err != nil && !isFull(err) || r.config.StartQueue <= 0 || len(r.queue) >= maxQueued {
		r.mu.Unlock()
		return err
	}
	s := &starter{look: make(chan struct{}, 1)}
	s.look <- struct{}{}
	r.queue = append(r.queue, s)
	r.mu.Unlock()
	defer r.leaveQueue(s)
	return r.awaitTurn(ctx, sess, s, tell)
}

// awaitTurn waits until a start is the first of the queue and has room.
func (r *Registry) awaitTurn(ctx context.Context, sess *openSession, s *starter, tell func(place string)) error {
	timer := time.NewTimer(r.config.StartQueue)
	defer timer.Stop()
	told := 0
	for {
		select {
		case <-s.look:
		case <-timer.C:
			f := fault.From(r.full())
			f.Message += fmt.Sprintf("; none ended within %s (browser.start_queue_seconds)", r.config.StartQueue)
			return f
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		place, of, err := r.turn(sess, s)
		if place == 0 {
			return err
		}
		if tell != nil && place != told {
			tell(fmt.Sprintf("waiting for a free session: place %d of %d", place, of))
			told = place
		}
	}
}

// turn returns the place of a start in the queue, from 1. It is 0 when the
// session was added, or cannot be: err says why.
func (r *Registry) turn(sess *openSession, s *starter) (place, of int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err = r.fits(sess); err != nil && !isFull(err) {
		return 0, 0, err
	}
	if place = slices.Index(r.queue, s) + 1; place > 1 || err != nil {
		return place, len(r.queue), nil
	}
	r.add(sess)
	return 0, 0, nil
}

func (r *Registry) leaveQueue(s *starter) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = slices.DeleteFunc(r.queue, func(other *starter) bool { return other == s })
	r.moveQueue()
}

// moveQueue has the starts that wait look again. mu must be held.
func (r *Registry) moveQueue() {
	for _, s := range r.queue {
		select {
		case s.look <- struct{}{}:
		default: // it has not looked yet
		}
	}
}

const sessionsKey = "security.max_sessions"

// full is the fault of a start for which the gateway has no room.
func (r *Registry) full() error {
	return under(sessionsKey, "open sessions of all scopes", r.config.MaxSessions, r.config.MaxSessions)
}

func isFull(err error) bool { return fault.From(err).Details["limit"] == sessionsKey }
