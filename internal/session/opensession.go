package session

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// openSession is a session that is not over.
type openSession struct {
	id    string
	scope string
	run   string // the run that uses it: calls must name its id

	turn      chan struct{} // holds one value: a call must take it to act on the page
	closing   chan struct{} // closed when the session starts to end
	ended     chan struct{} // closed when only the record is left
	injection injection
	feeds     feeds
	pasted    pasted
	inputHeld atomic.Bool // input to the display may have left a key or button pressed
	agentHeld agentHeld

	saving        sync.Mutex // serialises writes of the record, so that the newest is stored last
	changingTerms sync.Mutex // serialises changes of the terms

	mu    sync.Mutex
	state sessionState // guarded by mu
}

// sessionState is the mutable state of a session. It has no lock: the methods of
// openSession hold the session's lock while they use it.
type sessionState struct {
	record   action.Session
	terms    terms
	network  action.Network // what it may reach; people can widen it
	pause    pauseState
	ending   *ending       // nil until the session ends
	changed  chan struct{} // closed and replaced when the pause or the browser changes
	dirty    bool          // differs from what is stored
	failures failures
	refusals bucket

	box      sandbox.Box
	browser  Browser
	frozen   time.Time // when its box was frozen, if the record says so
	wokenBy  string    // correlation id of the call that thawed it, until that is recorded
	oomKnown int       // out-of-memory kills in its box that were reported to its agent
	oomTold  int       // such kills that were reported since the last navigation

	calls       map[*context.CancelCauseFunc]activity // running calls
	clientCalls map[*context.CancelCauseFunc]activity // the calls that attached the DevTools clients
	clients     int                                   // DevTools clients, including attaching ones
	sending     int                                   // requests of its pages that wait for a decision
	viewers     map[*context.CancelCauseFunc]activity // who watches the picture
	crawl       *crawl                                // nil if none runs
	asked       time.Time                             // when an agent last stopped waiting for the person that it asked for

	lookups      lookupBudget // of its agent
	credentialed bool         // credentials are being injected, or were; see markCredentialed
}

// activity is a running call.
type activity struct {
	call action.Call
	done chan struct{} // closed when it has ended
}

// ending says why a session ended. The first one counts.
type ending struct {
	state   string // closed or failed
	reason  string // for people
	limit   string // configuration key of the reached limit, if any
	pauses  bool   // paused: a person decides whether it continues
	keep    bool   // left to the next process
	discard bool   // its profile is not saved
	call    string // correlation id of the call that ended it, if any
	by      string // actor of that call
}

func newOpenSession(record action.Session, network action.Network, of terms) *openSession {
	return &openSession{
		id: record.ID, scope: record.Scope, run: of.Run, injection: newInjection(),
		turn: make(chan struct{}, 1), closing: make(chan struct{}), ended: make(chan struct{}),
		state: sessionState{
			record: record, terms: of, network: network, changed: make(chan struct{}),
			calls: map[*context.CancelCauseFunc]activity{}, clientCalls: map[*context.CancelCauseFunc]activity{},
			viewers: map[*context.CancelCauseFunc]activity{},
		},
	}
}

// with calls use with the session's state, under its lock. use must not block,
// and must not keep the state.
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

// snapshot returns a copy of the current state, without the maps of calls.
func (o *openSession) snapshot() sessionState {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := o.state
	at.calls, at.clientCalls, at.viewers = nil, nil, nil
	return at
}

// cleanSnapshot is snapshot for storing the record.
func (o *openSession) cleanSnapshot() sessionState {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := o.state
	at.calls, at.clientCalls, at.viewers = nil, nil, nil
	o.state.dirty = false
	return at
}

// now returns a copy of the current record.
func (o *openSession) now() action.Session {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.state.record
}

// shown is now with the page that the browser shows at the moment: a person may have
// gone on.
func (o *openSession) shown() action.Session {
	record := o.now()
	if browser := o.stage().browser; browser != nil && isOpen(record.State) {
		if page := browser.Page(); page.URL != "" {
			record.Page = &page
		}
	}
	return record
}

// facts returns the session's facts for the policy.
func (o *openSession) facts() action.SessionFacts {
	o.mu.Lock()
	defer o.mu.Unlock()
	held := ""
	if hold := o.state.pause.Hold; hold != nil {
		held = hold.Code
	}
	return action.SessionFacts{
		ID: o.id, Box: o.state.record.Box, State: o.state.record.State, Held: held,
		Actions: o.state.record.Actions, Failures: o.state.failures.row,
		Credentialed: o.state.isCredentialed(),
		Scripted:     o.state.pause.Scripted,
		Sending:      o.state.terms.Sending,
	}
}

// stage returns the box and the browser; nil for what a starting session has not
// got yet.
func (o *openSession) stage() stage {
	o.mu.Lock()
	defer o.mu.Unlock()
	return stage{box: o.state.box, browser: o.state.browser}
}

// enter admits a call to an open session. The returned context ends when the
// session does; leave must be called. A frozen box is thawed first. Faults:
// not_active, session_paused, cdp_error.
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

// begin records a running call. finish must be called at its end.
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

// touch records that the session is used now.
func (s *sessionState) touch() {
	s.record.LastUsed = time.Now().UTC()
	s.dirty = true
}

// signalChange wakes everything that waits for a change of the pause or the
// browser.
func (s *sessionState) signalChange() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// takeTurn waits for the turn to act on the page. release may be called twice. Faults:
// session_paused if the session is paused by then.
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
	return sync.OnceFunc(func() { <-o.turn }), nil
}

// open makes the session open with a box and its browser. It returns false if the
// session was ended meanwhile.
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

// end starts the end of the session, once. Running calls are cancelled.
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
	o.state.signalChange()
}

// close changes the record to that of an ended session, and returns it.
func (o *openSession) close(how ending) action.Session {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := time.Now().UTC()
	o.state.record.State, o.state.record.Reason, o.state.record.Closed = how.state, how.reason, &at
	o.state.record.Hold, o.state.pause = nil, pauseState{}
	return o.state.record
}

// endedFault is the fault of a call to a session that is not open.
func (s *sessionState) endedFault() *fault.Fault {
	f := notOpenFault(s.record)
	if s.ending != nil && s.ending.limit != "" {
		f = f.With("limit", s.ending.limit)
	}
	return f
}

// over returns the fault of a session that has started to end, otherwise nil.
func (o *openSession) over() *fault.Fault {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state.ending == nil {
		return nil
	}
	return o.state.endedFault()
}

// notOpenFault says that a session is not open, and what to do.
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
