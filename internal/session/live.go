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

// openSession is a session that is not over.
type openSession struct {
	id    string
	scope string
	run   string // whose browser it is: no call means it that does not name it

	turn    chan struct{} // holds one token: who has it acts on the page
	closing chan struct{} // closed when the end has begun
	ended   chan struct{} // closed when nothing is left but the record

	saving   sync.Mutex // one writer of the record at a time, so that the newest is stored last
	reaching sync.Mutex // one change of what it may reach at a time

	mu          sync.Mutex
	record      action.Session
	failures    failures
	dirty       bool
	box         sandbox.Box
	browser     Browser
	calls       map[*context.CancelCauseFunc]activity // in flight
	ending      *ending
	refusals    bucket
	oomKnown    int       // of its box for want of memory, that its agent knows of
	oomTold     int       // such kills that it was told of since it went anywhere
	clients     int       // of the browser's protocol
	sending     int       // requests of its pages that wait for a verdict
	frozen      time.Time // since when its box stands still, where the record says so
	wokenBy     string    // correlation id of the call that woke it up, until that is recorded
	injection   injection
	crawl       *crawl // the one that runs, nil when none does
	pause       pauseState
	network     action.Network // what it may reach, which people may widen
	terms       terms
	changed     chan struct{}                         // closed when the hold does, and made anew
	clientCalls map[*context.CancelCauseFunc]activity // clients of the protocol that are served, and what let them in

	lookups      lookupBudget // that agents have for what is not there
	credentialed bool         // credentials are being put into its browser, or were; see becomeCredentialed
}

// activity is something of a call's that goes on in a session.
type activity struct {
	call action.Call
	done chan struct{} // closed when it has ended
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

func newLive(record action.Session, network action.Network) *openSession {
	return &openSession{
		id: record.ID, scope: record.Scope, network: network, record: record,
		injection: newInjection(),
		turn:      make(chan struct{}, 1), closing: make(chan struct{}), ended: make(chan struct{}),
		calls: map[*context.CancelCauseFunc]activity{}, changed: make(chan struct{}), clientCalls: map[*context.CancelCauseFunc]activity{},
	}
}

// now returns a copy of the record as it is now.
func (o *openSession) now() action.Session {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.record
}

func (o *openSession) facts() action.SessionFacts {
	o.mu.Lock()
	defer o.mu.Unlock()
	return action.SessionFacts{
		ID: o.id, Box: o.record.Box, State: o.record.State,
		Actions: o.record.Actions, Failures: o.failures.row,
		Credentialed: o.isCredentialed(),
		Scripted:     o.pause.Scripted,
		Sending:      o.terms.Sending,
	}
}

// enter admits a call to an open session. The context it returns ends when the
// session does; leave must be called. A box that is frozen is thawed first.
// Faults: not_active, session_paused, cdp_error.
func (o *openSession) enter(ctx context.Context, call action.Call) (inside context.Context, leave func(), err error) {
	inside, leave, err = o.register(ctx, call)
	if err != nil {
		return nil, nil, err
	}
	if err := o.wake(inside, call); err != nil {
		leave()
		return nil, nil, err
	}
	return inside, leave, nil
}

func (o *openSession) register(ctx context.Context, call action.Call) (inside context.Context, leave func(), err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !isOpen(o.record.State) {
		return nil, nil, o.endedFault()
	}
	if err := o.checkPause(call); err != nil {
		return nil, nil, err
	}
	inside, leave = o.registerLocked(ctx, call)
	return inside, leave, nil
}

// registerLocked must be called with mu held.
func (o *openSession) registerLocked(ctx context.Context, call action.Call) (context.Context, func()) {
	inside, cancel := context.WithCancelCause(ctx)
	key := &cancel
	g := activity{call, make(chan struct{})}
	o.calls[key] = g
	o.touch()
	return inside, func() {
		defer close(g.done)
		cancel(nil)
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.calls, key)
		o.touch()
	}
}

func (o *openSession) touch() {
	o.record.LastUsed = time.Now().UTC()
	o.dirty = true
}

// takeTurn waits for the turn to act on the page. Who got it acts only if nobody
// holds the session by then. Faults: session_paused.
func (o *openSession) takeTurn(ctx context.Context, call action.Call) (release func(), err error) {
	select {
	case o.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", action.ErrNoTurn, context.Cause(ctx))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.checkPause(call); err != nil {
		<-o.turn
		return nil, err
	}
	return func() { <-o.turn }, nil
}

// end begins the end of the session, once. Calls in flight are cancelled.
func (o *openSession) end(e ending) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ending != nil {
		return
	}
	o.ending = &e
	o.record.State, o.record.Reason = closing, e.reason
	gone := o.endedFault()
	for cancel := range o.calls {
		(*cancel)(gone)
	}
	close(o.closing)
}

// endedFault is what a call to a session that is not open is told. mu must be held.
func (o *openSession) endedFault() *fault.Fault {
	f := notOpen(o.record)
	if o.ending != nil && o.ending.limit != "" {
		f = f.With("limit", o.ending.limit)
	}
	return f
}

// over returns the fault of a session that has begun to end, else nil.
func (o *openSession) over() *fault.Fault {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ending == nil {
		return nil
	}
	return o.endedFault()
}

// notOpen says of a session that it cannot be acted in, and what to do.
func notOpen(record action.Session) *fault.Fault {
	f := fault.New(fault.NotActive, "session %s is %s", label(record), record.State).With("state", record.State)
	switch {
	case record.Closed != nil:
		f.Message += ": it " + howItEnded(record)
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
