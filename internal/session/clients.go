package session

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// maxClients is how many DevTools clients a session's browser may have at the
// same time. Each gets every event of the browser.
const maxClients = 8

// attachment is a DevTools client that is attached to a session's browser.
type attachment struct {
	action.Attachment
	pages   *pages
	session *openSession
	call    action.Call // that attached it
}

// attach attaches a DevTools client to the session's browser. onMessage is called with
// each of its messages. Faults: as Look, limit_reached, cdp_error.
func (p *pages) attach(ctx context.Context, call action.Call, pin action.Pin, onMessage func(action.Message)) (action.Attachment, error) {
	if pin.Session != "" {
		call.Session = pin.Session
	}
	sess, err := p.sessions.admit(ctx, call)
	if err != nil {
		return nil, err
	}
	ctx, leave, err := sess.enter(ctx, call)
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := sess.checkBegin(call); err != nil {
		return nil, err
	}
	if err := sess.reserveClient(); err != nil {
		return nil, err
	}
	sess.noteScripted(call)
	inner, err := sess.stage().browser.Attach(ctx, onMessage)
	if err != nil {
		sess.releaseClient()
		return nil, p.failure(ctx, sess, call, err)
	}
	return &attachment{Attachment: inner, pages: p, session: sess, call: call}, nil
}

func (o *openSession) reserveClient() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state.clients >= maxClients {
		return fault.New(fault.LimitReached, "the session has %d clients of the protocol, which is all it may have", maxClients).
			Hinted("disconnect one").With("limit", "clients").With("max", maxClients)
	}
	o.state.clients++
	return nil
}

func (o *openSession) releaseClient() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.state.clients--
}

// Serve serves the client while the session is open. An attached client keeps the
// session from being idle. If the session ended, the fault says how in Details
// "ended": closed, failed, or left (to the next gateway).
func (a *attachment) Serve(ctx context.Context, wire action.Wire) error {
	defer a.session.releaseClient()
	inside, leave, err := a.session.enterClient(ctx, a.call)
	if err != nil {
		a.Attachment.Close()
		return a.session.serveFault(err)
	}
	defer leave()
	err = a.Attachment.Serve(inside, wire)
	if put := context.Cause(inside); fault.CodeOf(put) == fault.SessionPaused || fault.CodeOf(put) == fault.DeniedByPolicy {
		return put
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	if s := a.session.stage(); !s.alive() {
		a.session.lose(a.pages.log, s)
	}
	return a.session.serveFault(err)
}

// enterClient is enter for a client, which stays: it is disconnected when a
// person takes the session over, or when credentials are injected.
func (o *openSession) enterClient(ctx context.Context, call action.Call) (context.Context, func(), error) {
	inside, leave, err := o.enter(ctx, call)
	if err != nil {
		return nil, nil, err
	}
	inside, cancel := context.WithCancelCause(inside)
	done := make(chan struct{})
	o.with(func(st *sessionState) {
		if err := st.checkPause(call); err != nil {
			cancel(err)
		}
		if err := st.checkWithheld(call); err != nil {
			cancel(err)
		}
		st.clientCalls[&cancel] = activity{call, done}
	})
	return inside, func() {
		defer close(done)
		o.with(func(st *sessionState) { delete(st.clientCalls, &cancel) })
		cancel(nil)
		leave()
	}, nil
}

// Close detaches a client for which Serve was not called.
func (a *attachment) Close() {
	a.Attachment.Close()
	a.session.releaseClient()
}

// serveFault returns the fault for a client whose connection ended with err. If
// the session is over, the fault says how.
func (o *openSession) serveFault(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state.ending == nil {
		return err
	}
	how := o.state.ending.state
	if o.state.ending.keep {
		how = "left"
	}
	return o.state.endedFault().With("ended", how).Because(err)
}

// endpoint answers a client that asks over plain HTTP with the address of the
// session's WebSocket.
func (p *pages) endpoint(ctx context.Context, call action.Call) (action.Result, error) {
	sess, err := p.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	at := &action.CDPEndpoint{URL: "/v1/sessions/" + sess.id + "/browser/cdp"}
	return action.Result{Session: sess.id, Data: at, Notes: []string{"nothing was attached: connect a client of the browser's protocol there, over a WebSocket"}}, nil
}
