package session

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// live is a session that is not over.
type live struct {
	id    string
	scope string
	run   string // whose browser it is: no call means it that does not name it

	turn    chan struct{} // holds one token: who has it acts on the page
	closing chan struct{} // closed when the end has begun
	ended   chan struct{} // closed when nothing is left but the record

	saving   sync.Mutex // one writer of the record at a time, so that the newest is stored last
	reaching sync.Mutex // one change of what it may reach at a time

	mu        sync.Mutex
	record    action.Session
	failures  failures
	dirty     bool
	box       sandbox.Box
	browser   Browser
	calls     map[*context.CancelCauseFunc]going // in flight
	ending    *ending
	refusals  bucket
	kills     int       // of its box for want of memory, that its agent knows of
	shortOf   int       // such kills that it was told of since it went anywhere
	clients   int       // of the browser's protocol
	sending   int       // requests of its pages that wait for a verdict
	frozen    time.Time // since when its box stands still, where the record says so
	wokenBy   string    // correlation id of the call that woke it up, until that is recorded
	injection injection
	crawl     *crawl // the one that runs, nil when none does
	control   control
	network   action.Network // what it may reach, which people may widen
	terms     terms
	changed   chan struct{}                      // closed when the hold does, and made anew
	wires     map[*context.CancelCauseFunc]going // clients of the protocol that are served, and what let them in

	questions    allowance // that agents have for what is not there
	credentialed bool      // credentials are being put into its browser, or were; see becomeCredentialed
}

// going is something of a call's that goes on in a session.
type going struct {
	call action.Call
	left chan struct{} // closed when it has ended
}

// ending is why a session is over. The first one counts.
type ending struct {
	state   string // closed or failed
	reason  string // for people
	limit   string // configuration key of the limit that was reached, if one was
	pauses  bool   // not over: a person decides whether it goes on
	keep    bool   // not over: left to the next process
	discard bool   // its profile stays as it was before the session
	call    string // correlation id of the call that ended it, if one did
	by      string // actor of that call
}

func newLive(record action.Session, network action.Network) *live {
	return &live{
		id: record.ID, scope: record.Scope, network: network, record: record,
		injection: newInjection(),
		turn:      make(chan struct{}, 1), closing: make(chan struct{}), ended: make(chan struct{}),
		calls: map[*context.CancelCauseFunc]going{}, changed: make(chan struct{}), wires: map[*context.CancelCauseFunc]going{},
	}
}

// now returns a copy of the record as it is now.
func (l *live) now() action.Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.record
}

func (l *live) facts() action.SessionFacts {
	l.mu.Lock()
	defer l.mu.Unlock()
	return action.SessionFacts{
		ID: l.id, Box: l.record.Box, State: l.record.State,
		Actions: l.record.Actions, Failures: l.failures.row,
		Credentialed: l.isCredentialed(),
		Scripted:     l.control.Scripted,
		Sending:      l.terms.Sending,
	}
}

// enter admits a call to an open session. The context it returns ends when the
// session does; leave must be called. A box that is frozen is thawed first.
// Faults: not_active, session_paused, cdp_error.
func (l *live) enter(ctx context.Context, call action.Call) (inside context.Context, leave func(), err error) {
	inside, leave, err = l.comeIn(ctx, call)
	if err != nil {
		return nil, nil, err
	}
	if err := l.wake(inside, call); err != nil {
		leave()
		return nil, nil, err
	}
	return inside, leave, nil
}

func (l *live) comeIn(ctx context.Context, call action.Call) (inside context.Context, leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !isOpen(l.record.State) {
		return nil, nil, l.gone()
	}
	if err := l.bars(call); err != nil {
		return nil, nil, err
	}
	inside, leave = l.register(ctx, call)
	return inside, leave, nil
}

// register must be called with mu held.
func (l *live) register(ctx context.Context, call action.Call) (context.Context, func()) {
	inside, cancel := context.WithCancelCause(ctx)
	key := &cancel
	g := going{call, make(chan struct{})}
	l.calls[key] = g
	l.touch()
	return inside, func() {
		defer close(g.left)
		cancel(nil)
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.calls, key)
		l.touch()
	}
}

func (l *live) touch() {
	l.record.LastUsed = time.Now().UTC()
	l.dirty = true
}

// take waits for the turn to act on the page. Who got it acts only if nobody
// holds the session by then. Faults: session_paused.
func (l *live) take(ctx context.Context, call action.Call) (release func(), err error) {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", action.ErrNoTurn, context.Cause(ctx))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.bars(call); err != nil {
		<-l.turn
		return nil, err
	}
	return func() { <-l.turn }, nil
}

// end begins the end of the session, once. Calls in flight are cancelled.
func (l *live) end(e ending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ending != nil {
		return
	}
	l.ending = &e
	l.record.State, l.record.Reason = closing, e.reason
	gone := l.gone()
	for cancel := range l.calls {
		(*cancel)(gone)
	}
	close(l.closing)
}

// gone is what a call to a session that is not open is told. mu must be held.
func (l *live) gone() *fault.Fault {
	f := notOpen(l.record)
	if l.ending != nil && l.ending.limit != "" {
		f = f.With("limit", l.ending.limit)
	}
	return f
}

// over returns the fault of a session that has begun to end, else nil.
func (l *live) over() *fault.Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ending == nil {
		return nil
	}
	return l.gone()
}

// notOpen says of a session that it cannot be acted in, and what to do.
func notOpen(record action.Session) *fault.Fault {
	f := fault.New(fault.NotActive, "session %s is %s", label(record), record.State).With("state", record.State)
	switch {
	case record.Closed != nil:
		f.Message += ": it " + parting(record)
	case record.Reason != "":
		f.Message += ": " + record.Reason
	}
	if record.State == starting {
		return f.Hinted("wait until its start has answered")
	}
	return f.Hinted("start a new session")
}

func label(record action.Session) string {
	if record.Name != "" {
		return record.Name
	}
	return record.ID
}
