package session

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// maxQueued is how many starts may wait for a free place; further ones are
// refused.
const maxQueued = 100

// starter is a waiting start. look receives a value when the queue has moved.
type starter struct{ look chan struct{} }

// roster is the state of a directory. It has no lock: only the directory's
// methods use it.
type roster struct {
	config Config
	byID   map[string]*openSession
	queue  []*starter
	shut   bool // no more sessions may start
}

func newDirectory(config Config, store recordStore, notices *endNotices, work *sync.WaitGroup) *directory {
	return &directory{
		config: config, store: store, notices: notices, work: work,
		open: roster{config: config, byID: map[string]*openSession{}},
	}
}

// enlist adds a session if its name is free and the limits allow it. If the
// gateway has its maximum of sessions, the start waits in a queue, first come
// first served, and tell is called with its place. Faults: already_active,
// browser_disabled, limit_reached.
func (d *directory) enlist(ctx context.Context, sess *openSession, tell func(place string)) error {
	s, err := d.addOrQueue(sess)
	if s == nil {
		return err
	}
	defer d.leaveQueue(s)
	return d.awaitTurn(ctx, sess, s, tell)
}

// addOrQueue adds a session, or queues its start if the gateway is full. The
// starter is nil unless the start was queued.
func (d *directory) addOrQueue(sess *openSession) (*starter, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.open.fits(sess)
	if err == nil && len(d.open.queue) == 0 {
		d.open.add(sess, d.work)
		return nil, nil
	}
	if err != nil && !isFull(err) || d.config.StartQueue <= 0 || len(d.open.queue) >= maxQueued {
		return nil, err
	}
	s := &starter{look: make(chan struct{}, 1)}
	s.look <- struct{}{}
	d.open.queue = append(d.open.queue, s)
	return s, nil
}

// awaitTurn waits until a start is first in the queue and can be added.
func (d *directory) awaitTurn(ctx context.Context, sess *openSession, s *starter, tell func(place string)) error {
	timer := time.NewTimer(d.config.StartQueue)
	defer timer.Stop()
	told := 0
	for {
		select {
		case <-s.look:
		case <-timer.C:
			f := fault.From(d.open.full())
			f.Message += fmt.Sprintf("; none ended within %s (browser.start_queue_seconds)", d.config.StartQueue)
			return f
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		place, of, err := d.turn(sess, s)
		if place == 0 {
			return err
		}
		if tell != nil && place != told {
			tell(fmt.Sprintf("waiting for a free session: place %d of %d", place, of))
			told = place
		}
	}
}

// turn returns the place of a start in the queue, from 1. It is 0 if the session
// was added or cannot be added; err says why.
func (d *directory) turn(sess *openSession, s *starter) (place, of int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err = d.open.fits(sess); err != nil && !isFull(err) {
		return 0, 0, err
	}
	if place = slices.Index(d.open.queue, s) + 1; place > 1 || err != nil {
		return place, len(d.open.queue), nil
	}
	d.open.add(sess, d.work)
	return 0, 0, nil
}

func (d *directory) leaveQueue(s *starter) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open.queue = slices.DeleteFunc(d.open.queue, func(other *starter) bool { return other == s })
	d.open.moveQueue()
}

// adopt adds a session of an earlier process without checking limits.
func (d *directory) adopt(sess *openSession) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open.add(sess, d.work)
}

// remove removes a session that has ended completely.
func (d *directory) remove(sess *openSession) {
	d.mu.Lock()
	delete(d.open.byID, sess.id)
	d.open.moveQueue()
	d.mu.Unlock()
	close(sess.ended)
	d.work.Done()
}

// shut refuses all starts from now on.
func (d *directory) shut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open.shut = true
	d.open.moveQueue()
}

// add adds a session. The background work is not over before the session is.
func (r *roster) add(sess *openSession, work *sync.WaitGroup) {
	r.byID[sess.id] = sess
	work.Add(1)
}

// moveQueue wakes the waiting starts.
func (r *roster) moveQueue() {
	for _, s := range r.queue {
		select {
		case s.look <- struct{}{}:
		default: // already signalled
		}
	}
}

// fits returns why a session cannot be added: its name is taken, or a limit is
// reached.
func (r *roster) fits(sess *openSession) error {
	if r.shut {
		return fault.New(fault.BrowserDisabled, "the gateway is shutting down").Hinted("try again when it is back")
	}
	all, mine, asked := 0, 0, sess.now()
	for _, other := range r.byID {
		record := other.now()
		if err := checkProfileFree(asked, record); err != nil {
			return err
		}
		if record.State == closing {
			continue
		}
		all++
		if record.Scope != sess.scope {
			continue
		}
		mine++
		if record.Name != "" && record.Name == asked.Name {
			return fault.New(fault.AlreadyActive, "a session named %s is open already", record.Name).
				Hinted("address it by its name, close it first, or choose another name").With("session", record.ID)
		}
	}
	if err := under("security.max_concurrent_sessions", "open sessions of a scope", mine, r.config.MaxConcurrent); err != nil {
		return err
	}
	if r.config.MaxSessions >= 0 && all >= r.config.MaxSessions {
		return r.full()
	}
	return nil
}

const sessionsKey = "security.max_sessions"

// full is the fault of a start when the gateway is full.
func (r *roster) full() error {
	return under(sessionsKey, "open sessions of all scopes", r.config.MaxSessions, r.config.MaxSessions)
}

func isFull(err error) bool { return fault.From(err).Details["limit"] == sessionsKey }

func under(key, what string, have, most int) error {
	if most < 0 || have < most {
		return nil
	}
	return fault.New(fault.LimitReached, "%s: at most %d %s", key, most, what).
		Hinted("close a session that is not needed any more, or wait").With("limit", key).With("max", most).With(fault.WaitKey, slotWait)
}

// slotWait is the number of seconds after which a caller should try again when
// all sessions are in use.
const slotWait = 30
