package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/cdpproxy"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/guarded"
	"github.com/gloveboxhq/glovebox/internal/tasks"
)

// Frames refuse input that no act announced to them. While a client of the protocol
// is attached, which sends input of its own, they accept all input, except while an
// act of the engine sends its own.

// refuseScript runs first in every isolated world, also in one that an earlier
// gateway process left accepting.
const refuseScript = "\n__glovebox.run('admit', 'false')"

var admitScript = map[string]any{"source": "__glovebox.run('admit', 'true')", "worldName": injected.World}

// clients makes frames accept the input of attached clients of the protocol.
type clients struct {
	*base
	mu       sync.Mutex // orders what frames are told; the lock of the state is taken after it
	attached int
}

// admit makes frames accept clients' input, for one more client. The function that
// it returns undoes that.
func (cl *clients) admit(ctx context.Context) (leave func(), err error) {
	cl.mu.Lock()
	cl.attached++
	var sent []*cdp.Pending
	if cl.attached == 1 {
		sent = cl.admitAll(true)
	}
	cl.mu.Unlock()
	leave = sync.OnceFunc(func() {
		cl.mu.Lock()
		defer cl.mu.Unlock()
		if cl.attached--; cl.attached == 0 {
			cl.admitAll(false)
		}
	})
	for _, p := range sent {
		if err := p.Wait(ctx, nil); ctx.Err() != nil {
			leave()
			return nil, err
		}
	}
	return leave, nil
}

// admitAll makes all frames and all later documents accept clients' input, or not.
func (cl *clients) admitAll(all bool) []*cdp.Pending {
	var tabs []*tab
	var sent []*cdp.Pending
	cl.state.Do(func(s *state) {
		tabs = slices.Collect(maps.Values(s.tabs))
		for _, t := range s.sessions {
			if t.tab != nil && t.hasScript {
				sent = append(sent, t.admitLater(all, &cl.own)...)
			}
		}
	})
	for _, t := range tabs {
		sent = append(sent, cl.admitIn(t, all)...)
	}
	return sent
}

// admitLater makes the later documents of a target accept all input, or not any more.
func (t *target) admitLater(all bool, own *tasks.Group) []*cdp.Pending {
	if all {
		t.admission = t.session.Send("Page.addScriptToEvaluateOnNewDocument", admitScript)
		return []*cdp.Pending{t.admission}
	}
	if t.admission == nil {
		return nil
	}
	added, session := t.admission, t.session
	t.admission = nil
	own.Go(func() { // it was sent: the answer comes, or the connection ends
		var script struct {
			ID string `json:"identifier"`
		}
		if added.Wait(context.Background(), &script) == nil {
			session.Send("Page.removeScriptToEvaluateOnNewDocument", script)
		}
	})
	return nil
}

// admitInWorlds is called for a target whose later documents get our script.
func (cl *clients) admitInWorlds(t *target) []*cdp.Pending {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	return guarded.Get(cl.state, func(*state) []*cdp.Pending {
		t.hasScript = true
		if cl.attached == 0 {
			return nil
		}
		return t.admitLater(true, &cl.own)
	})
}

// admitIn makes the frames of a tab accept clients' input, or not.
func (cl *clients) admitIn(t *tab, all bool) []*cdp.Pending {
	var sent []*cdp.Pending
	for _, p := range cl.places(t) {
		if params, err := p.world.Request("admit", all); err == nil {
			sent = append(sent, p.session.Send("Runtime.callFunctionOn", params))
		}
	}
	return sent
}

// exclusively makes a tab refuse clients' input until the function that it returns
// is called. Without clients it does nothing.
func (cl *clients) exclusively(ctx context.Context, t *tab) func() {
	cl.mu.Lock()
	if cl.attached == 0 {
		cl.mu.Unlock()
		return func() {}
	}
	sent := cl.admitIn(t, false)
	cl.mu.Unlock()
	for _, p := range sent {
		_ = p.Wait(ctx, nil) // a frame that is gone accepts nothing
	}
	return func() {
		cl.mu.Lock()
		defer cl.mu.Unlock()
		if cl.attached > 0 {
			cl.admitIn(t, true)
		}
	}
}

// clientSession is the attachment of a client. Its end ends the client's input.
type clientSession struct {
	action.Attachment
	leave func()
}

func (a clientSession) Serve(ctx context.Context, client action.Wire) error {
	defer a.leave()
	return a.Attachment.Serve(ctx, client)
}

func (a clientSession) Close() {
	a.leave()
	a.Attachment.Close()
}

// Attach lets a client of the protocol use the browser besides the verbs. It sees the
// session's tabs and what it creates itself. What pages load is guarded for it, too.
// onMessage is called with each of its calls. Faults: not_active, cdp_error.
func (b *Browser) Attach(ctx context.Context, onMessage func(action.Message)) (action.Attachment, error) {
	ctx, cancel := context.WithTimeout(ctx, setupLimit)
	defer cancel()
	client, err := cdpproxy.Open(ctx, b.conn, (*relayView)(b), onMessage)
	if err != nil {
		return nil, err
	}
	leave, err := b.clients.admit(ctx)
	if err != nil {
		client.Close()
		return nil, err
	}
	return clientSession{client, leave}, nil
}

// AdmitInput has pages accept input that no act announced, as a person's at the
// display is, until leave is called.
func (b *Browser) AdmitInput(ctx context.Context) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, setupLimit)
	defer cancel()
	return b.clients.admit(ctx)
}

// relayView is the browser for the proxy of a client.
type relayView Browser

func (h *relayView) Home() string {
	return guarded.Get(h.state, func(s *state) string { return cmp.Or(s.context, s.home) })
}

// Downloads returns how downloads are handled in every browser context.
func (h *relayView) Downloads() map[string]any {
	behaviour := guarded.Get(h.state, (*state).downloadBehaviour)
	delete(behaviour, "browserContextId")
	return behaviour
}

// Uploads returns the folder of the files that pages may get.
func (h *relayView) Uploads() string { return h.options().Uploads }

func (h *relayView) World() string { return injected.World }

// Judge asks the guard about a document.
func (h *relayView) Judge(address string) error { return allowed(h.options().Guard, address) }

// Keeps reports whether a dialog of a target belongs to a verb: it opened while the
// verb ran, or the verb runs and will be told of it.
func (h *relayView) Keeps(target string) bool {
	return guarded.Get(h.state, func(s *state) bool {
		t := s.tabOfTarget(target)
		return t != nil && (len(t.running) > 0 || t.dialog != nil && t.dialog.kept)
	})
}
