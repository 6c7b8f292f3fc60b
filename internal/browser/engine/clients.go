package engine

import (
	"cmp"
	"context"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/cdpproxy"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/tasks"
)

// Frames refuse input that no act announced to them. While a client of the
// protocol is attached, which sends input of its own, they let it through, but
// for the moment in which an act of ours is under way.

// refuseScript is what every world begins with, whatever a gateway before this
// one left in it.
const refuseScript = "\n__glovebox.run('admit', 'false')"

var admitScript = map[string]any{"source": "__glovebox.run('admit', 'true')", "worldName": injected.World}

// attachedClients is how many clients are attached. Its lock orders what frames are
// told; it is taken before Browser.mu.
type attachedClients struct {
	mu      sync.Mutex
	clients int
}

// admit lets clients' input through, for one client more. The function that it
// returns undoes it.
func (cl *clients) admit(ctx context.Context) (leave func(), err error) {
	cl.attached.mu.Lock()
	cl.attached.clients++
	var sent []*cdp.Pending
	if cl.attached.clients == 1 {
		sent = cl.admitAll(true)
	}
	cl.attached.mu.Unlock()
	leave = sync.OnceFunc(func() {
		cl.attached.mu.Lock()
		defer cl.attached.mu.Unlock()
		if cl.attached.clients--; cl.attached.clients == 0 {
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

// admitAll tells all frames, and those to come.
func (cl *clients) admitAll(all bool) []*cdp.Pending {
	cl.mu.Lock()
	var tabs []*tab
	for _, t := range cl.tabs {
		tabs = append(tabs, t)
	}
	var sent []*cdp.Pending
	for _, t := range cl.sessions {
		if t.tab != nil && t.worlds {
			sent = append(sent, t.admit(all, &cl.own)...)
		}
	}
	cl.mu.Unlock()
	for _, t := range tabs {
		sent = append(sent, cl.admitIn(t, all)...)
	}
	return sent
}

// admit has the documents to come of a target let all input through, or not any
// more. Browser.mu is held.
func (t *target) admit(all bool, own *tasks.Group) []*cdp.Pending {
	if all {
		t.admits = t.session.Send("Page.addScriptToEvaluateOnNewDocument", admitScript)
		return []*cdp.Pending{t.admits}
	}
	if t.admits == nil {
		return nil
	}
	added, session := t.admits, t.session
	t.admits = nil
	own.Go(func() { // it was sent before: the answer comes, or the connection ends
		var script struct {
			ID string `json:"identifier"`
		}
		if added.Wait(context.Background(), &script) == nil {
			session.Send("Page.removeScriptToEvaluateOnNewDocument", script)
		}
	})
	return nil
}

// admitInWorlds is for a target whose documents to come have our script now.
func (cl *clients) admitInWorlds(t *target) []*cdp.Pending {
	cl.attached.mu.Lock()
	defer cl.attached.mu.Unlock()
	cl.mu.Lock()
	defer cl.mu.Unlock()
	t.worlds = true
	if cl.attached.clients == 0 {
		return nil
	}
	return t.admit(true, &cl.own)
}

// admitIn tells the frames of a tab.
func (cl *clients) admitIn(t *tab, all bool) []*cdp.Pending {
	var sent []*cdp.Pending
	for _, p := range cl.places(t) {
		if params, err := p.world.Request("admit", all); err == nil {
			sent = append(sent, p.session.Send("Runtime.callFunctionOn", params))
		}
	}
	return sent
}

// exclusively keeps clients' input from a tab, until the function that it returns is
// called. Without clients it does nothing, and costs nothing.
func (cl *clients) exclusively(ctx context.Context, t *tab) func() {
	cl.attached.mu.Lock()
	if cl.attached.clients == 0 {
		cl.attached.mu.Unlock()
		return func() {}
	}
	sent := cl.admitIn(t, false)
	cl.attached.mu.Unlock()
	for _, p := range sent {
		_ = p.Wait(ctx, nil) // a frame that goes away needs no guard
	}
	return func() {
		cl.attached.mu.Lock()
		defer cl.attached.mu.Unlock()
		if cl.attached.clients > 0 {
			cl.admitIn(t, true)
		}
	}
}

// clientSession is a client's place; whoever gives it up is no client any more.
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

// Attach gives a client of the protocol a place at the browser beside the
// verbs: it sees the session's tabs and what it makes itself. What pages load
// is guarded for it too. heed is told of each of its calls. Faults:
// not_active, cdp_error.
func (b *Browser) Attach(ctx context.Context, heed func(action.Message)) (action.Attachment, error) {
	ctx, cancel := context.WithTimeout(ctx, setupLimit)
	defer cancel()
	client, err := cdpproxy.Open(ctx, b.conn, (*relayView)(b), heed)
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

// relayView is the browser as clients' relays see it.
type relayView Browser

func (h *relayView) Home() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return cmp.Or(h.context, h.home)
}

// Downloads is how they are handled, for every context.
func (h *relayView) Downloads() map[string]any {
	h.mu.Lock()
	defer h.mu.Unlock()
	behaviour := h.downloadBehaviour()
	delete(behaviour, "browserContextId")
	return behaviour
}

// Uploads is where the files are that pages may be given.
func (h *relayView) Uploads() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.options.Uploads
}

func (h *relayView) World() string { return injected.World }

// Judge asks the guard about a document.
func (h *relayView) Judge(address string) error {
	h.mu.Lock()
	guard := h.options.Guard
	h.mu.Unlock()
	return allowed(guard, address)
}

// Keeps reports whether a dialog of a target is a verb's: one opened under it,
// or it is running and is about to be told.
func (h *relayView) Keeps(target string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := (*Browser)(h).tabOfTarget(target)
	if t == nil {
		return false
	}
	return len(t.running) > 0 || t.dialog != nil && t.dialog.kept
}

// tabOfTarget returns the tab that a target is, or is a frame of. b.mu is held.
func (b *base) tabOfTarget(id string) *tab {
	if t := b.tabs[id]; t != nil {
		return t
	}
	for _, t := range b.sessions {
		if t.id == id {
			return t.tab
		}
	}
	return nil
}

// clients are the clients of the protocol that are attached, whose input frames
// let through.
type clients struct {
	*base
	attached attachedClients
}
