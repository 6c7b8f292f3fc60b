package session

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// mostClients is how many clients of the protocol a session's browser has at a
// time: each hears of everything that happens in it.
const mostClients = 8

// attachment is a client's place at a session's browser.
type attachment struct {
	action.Attachment
	r    *Registry
	l    *live
	call action.Call // that let it in
}

// Attach gives a client of the browser's protocol a place at the session's
// browser. heed is told of each of its calls. Faults: as Look, limit_reached,
// cdp_error.
func (r *Registry) Attach(ctx context.Context, call action.Call, pin action.Pin, heed func(action.Message)) (action.Attachment, error) {
	if pin.Session != "" {
		call.Session = pin.Session
	}
	l, err := r.admit(ctx, call)
	if err != nil {
		return nil, err
	}
	ctx, leave, err := l.enter(ctx, call)
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := l.begins(call); err != nil {
		return nil, err
	}
	if err := l.seat(); err != nil {
		return nil, err
	}
	l.remembers(call)
	inner, err := l.stage().browser.Attach(ctx, heed)
	if err != nil {
		l.unseat()
		return nil, r.failure(ctx, l, call, err)
	}
	return &attachment{Attachment: inner, r: r, l: l, call: call}, nil
}

func (l *live) seat() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.clients >= mostClients {
		return fault.New(fault.LimitReached, "the session has %d clients of the protocol, which is all it may have", mostClients).
			Hinted("disconnect one").With("limit", "clients").With("max", mostClients)
	}
	l.clients++
	return nil
}

func (l *live) unseat() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clients--
}

// Serve serves as long as the session is open. An attached client keeps it
// from being idle. The fault of a session that ended says how in Details
// "ended": closed, failed, or left (to the next gateway).
func (a *attachment) Serve(ctx context.Context, wire action.Wire) error {
	defer a.l.unseat()
	inside, leave, err := a.l.wire(ctx, a.call)
	if err != nil {
		a.Attachment.Close()
		return a.l.told(err)
	}
	defer leave()
	err = a.Attachment.Serve(inside, wire)
	if put := context.Cause(inside); fault.CodeOf(put) == fault.SessionPaused || fault.CodeOf(put) == fault.DeniedByPolicy {
		return put
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	if s := a.l.stage(); !s.alive() {
		a.r.lose(a.l, s)
	}
	return a.l.told(err)
}

// wire is enter for a client that stays: it is put out when somebody takes the
// session from it, or credentials are put into it.
func (l *live) wire(ctx context.Context, call action.Call) (context.Context, func(), error) {
	inside, leave, err := l.enter(ctx, call)
	if err != nil {
		return nil, nil, err
	}
	inside, cancel := context.WithCancelCause(inside)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.bars(call); err != nil {
		cancel(err)
	}
	if err := l.withholds(call); err != nil {
		cancel(err)
	}
	g := going{call, make(chan struct{})}
	l.wires[&cancel] = g
	return inside, func() {
		defer close(g.left)
		l.mu.Lock()
		delete(l.wires, &cancel)
		l.mu.Unlock()
		cancel(nil)
		leave()
	}, nil
}

// Close gives the place up.
func (a *attachment) Close() {
	a.Attachment.Close()
	a.l.unseat()
}

func (l *live) stage() stage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return stage{box: l.box, browser: l.browser}
}

// told is what a client is told whose serving ended with err: that the session
// is over, and how, where it is.
func (l *live) told(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ending == nil {
		return err
	}
	how := l.ending.state
	if l.ending.keep {
		how = "left"
	}
	return l.gone().With("ended", how).Because(err)
}

// endpoint answers a client that asks over plain HTTP: where the WebSocket of
// the session is.
func (r *Registry) endpoint(ctx context.Context, call action.Call) (action.Result, error) {
	l, err := r.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	at := &action.CDPEndpoint{URL: "/v1/sessions/" + l.id + "/browser/cdp"}
	return action.Result{Session: l.id, Data: at, Notes: []string{"nothing was attached: connect a client of the browser's protocol there, over a WebSocket"}}, nil
}
