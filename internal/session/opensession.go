package session

import (
	"cmp"
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
	run   string // whose browser it is: a call reaches it by its id only

	turn      chan struct{} // holds one token: whoever has it acts on the page
	closing   chan struct{} // closed when the end has begun
	ended     chan struct{} // closed when nothing is left but the record
	injection injection

	saving        sync.Mutex // one writer of the record at a time, so that the newest is stored last
	changingTerms sync.Mutex // one change of the terms at a time

	mu    sync.Mutex
	state sessionState // guarded by mu
}

// sessionState is what changes of a session. It has no lock of its own: the
// methods of openSession hold the session's while they use it.
type sessionState struct {
	record   action.Session
	terms    terms
	network  action.Network // what it may reach, which people may widen
	pause    pauseState
	ending   *ending       // nil as long as the session goes on
	changed  chan struct{} // closed when the pause or the browser changes, and made anew
	dirty    bool          // differs from what is stored
	failures failures
	refusals bucket

	box      sandbox.Box
	browser  Browser
	frozen   time.Time // since when its box is frozen, where the record says so
	wokenBy  string    // correlation id of the call that woke it up, until that is recorded
	oomKnown int       // out-of-memory kills in its box that its agent was told of
	oomTold  int       // such kills that its agent was told of since it last navigated

	calls       map[*context.CancelCauseFunc]activity // that are being done
	clientCalls map[*context.CancelCauseFunc]activity // that let in the DevTools clients that are served
	clients     int                                   // DevTools clients, those that attach included
	sending     int                                   // requests of its pages that wait for a verdict
	crawl       *crawl                                // nil when none runs

	lookups      lookupBudget // of its agent
	credentialed bool         // credentials are being put into its browser, or were; see markCredentialed
}

// activity is a call that is being done in a session.
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

func newOpenSession(record action.Session, network action.Network, of terms) *openSession {
	return &openSession{
		id: record.ID, scope: record.Scope, run: of.Run, injection: newInjection(),
		turn: make(chan struct{}, 1), closing: make(chan struct{}), ended: make(chan struct{}),
		state: sessionState{
			record: record, terms: of, network: network, changed: make(chan struct{}),
			calls: map[*context.CancelCauseFunc]activity{}, clientCalls: map[*context.CancelCauseFunc]activity{},
		},
	}
}

// with calls use with the state of the session, under its lock. use must not
// wait, and must not keep the state.
func (o *openSession) with(use func(st *sessionState)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	use(&o.state)
}

// changeOpen is with for a session that must be open. Faults: not_active.
func (o *openSession) changeOpen(change func(st *sessionState)) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !isOpen(o.state.record.State) {
		return o.state.endedFault()
	}
	change(&o.state)
	return nil
}

// snapshot returns a copy of the state as it is now. The maps of calls are not
// part of it.
func (o *openSession) snapshot() sessionState {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := o.state
	at.calls, at.clientCalls = nil, nil
	return at
}

// cleanSnapshot is snapshot for who stores the record.
func (o *openSession) cleanSnapshot() sessionState {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := o.state
	at.calls, at.clientCalls = nil, nil
	o.state.dirty = false
	return at
}

// now returns a copy of the record as it is now.
func (o *openSession) now() action.Session {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.state.record
}

// facts are what policy judges the session by.
func (o *openSession) facts() action.SessionFacts {
	o.mu.Lock()
	defer o.mu.Unlock()
	return action.SessionFacts{
		ID: o.id, Box: o.state.record.Box, State: o.state.record.State,
		Actions: o.state.record.Actions, Failures: o.state.failures.row,
		Credentialed: o.state.isCredentialed(),
		Scripted:     o.state.pause.Scripted,
		Sending:      o.state.terms.Sending,
	}
}

// stage returns the box and the browser; nil for what a session that starts has
// not got yet.
func (o *openSession) stage() stage {
	o.mu.Lock()
	defer o.mu.Unlock()
	return stage{box: o.state.box, browser: o.state.browser}
}

// enter admits a call to an open session. The context it returns ends when the
// session does; leave must be called. A box that is frozen is thawed first.
// Faults: not_active, session_paused, cdp_error.
func (o *openSession) enter(ctx context.Context, call action.Call) (inside context.Context, leave func(), err error) {
	inside, cancel := context.WithCancelCause(ctx)
	var finish func()
	var paused error
	err = o.changeOpen(func(st *sessionState) {
		if paused = st.checkPause(call); paused == nil {
			finish = st.begin(&cancel, call)
		}
	})
	if finish == nil {
		cancel(nil)
		return nil, nil, cmp.Or(err, paused)
	}
	leave = func() { o.finishCall(cancel, finish) }
	if err := o.wake(inside, call); err != nil {
		leave()
		return nil, nil, err
	}
	return inside, leave, nil
}

// register is enter for the call that starts the session.
func (o *openSession) register(ctx context.Context, call action.Call) (inside context.Context, leave func()) {
	inside, cancel := context.WithCancelCause(ctx)
	var finish func()
	o.with(func(st *sessionState) { finish = st.begin(&cancel, call) })
	return inside, func() { o.finishCall(cancel, finish) }
}

func (o *openSession) finishCall(cancel context.CancelCauseFunc, finish func()) {
	cancel(nil)
	o.with(func(*sessionState) { finish() })
}

// begin notes that a call is being done. finish must be called at its end.
func (s *sessionState) begin(cancel *context.CancelCauseFunc, call action.Call) (finish func()) {
	done := make(chan struct{})
	s.calls[cancel] = activity{call, done}
	s.touch()
	return func() {
		defer close(done)
		delete(s.calls, cancel)
		s.touch()
	}
}

// touch notes that the session is used now.
func (s *sessionState) touch() {
	s.record.LastUsed = time.Now().UTC()
	s.dirty = true
}

// signalChange wakes whoever waits for the pause or the browser to change.
func (s *sessionState) signalChange() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// takeTurn waits for the turn to act on the page. Faults: session_paused where
// somebody has paused the session by then.
func (o *openSession) takeTurn(ctx context.Context, call action.Call) (release func(), err error) {
	select {
	case o.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", action.ErrNoTurn, context.Cause(ctx))
	}
	at := o.snapshot()
	if err := at.checkPause(call); err != nil {
		<-o.turn
		return nil, err
	}
	return func() { <-o.turn }, nil
}

// open makes the session open with a box and its browser. It returns false when
// somebody has ended the session meanwhile.
func (s *sessionState) open(on stage) bool {
	s.box, s.browser = on.box, on.browser
	if s.ending != nil {
		return false
	}
	s.record.State, s.record.Hold, s.record.Egress = s.pause.state(), s.pause.Hold, on.box.Info().Egress
	page := on.browser.Page()
	s.record.Page = &page
	s.touch()
	return true
}

// end begins the end of the session, once. Calls that are being done are
// cancelled.
func (o *openSession) end(e ending) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state.ending != nil {
		return
	}
	o.state.ending = &e
	o.state.record.State, o.state.record.Reason = closing, e.reason
	gone := o.state.endedFault()
	for cancel := range o.state.calls {
		(*cancel)(gone)
	}
	close(o.closing)
}

// close makes the record that of a session that has ended, and returns it.
func (o *openSession) close(how ending) action.Session {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := time.Now().UTC()
	o.state.record.State, o.state.record.Reason, o.state.record.Closed = how.state, how.reason, &at
	o.state.record.Hold, o.state.pause = nil, pauseState{}
	return o.state.record
}

// endedFault is what a call to a session that is not open is told.
func (s *sessionState) endedFault() *fault.Fault {
	f := notOpenFault(s.record)
	if s.ending != nil && s.ending.limit != "" {
		f = f.With("limit", s.ending.limit)
	}
	return f
}

// over returns the fault of a session that has begun to end, else nil.
func (o *openSession) over() *fault.Fault {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state.ending == nil {
		return nil
	}
	return o.state.endedFault()
}

// notOpenFault says of a session that it cannot be acted in, and what to do.
func notOpenFault(record action.Session) *fault.Fault {
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
