package engine

import (
	"cmp"
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdpproxy"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// Attach gives a client of the protocol a place at the browser beside the
// verbs: it sees the session's tabs and what it makes itself. What pages load
// is guarded for it too. heed is told of each of its calls. Faults:
// not_active, cdp_error.
func (b *Browser) Attach(ctx context.Context, heed func(action.Message)) (action.Attachment, error) {
	ctx, cancel := context.WithTimeout(ctx, setupLimit)
	defer cancel()
	client, err := cdpproxy.Open(ctx, b.conn, (*beside)(b), heed)
	if err != nil {
		return nil, err
	}
	leave, err := b.come(ctx)
	if err != nil {
		client.Close()
		return nil, err
	}
	return attended{client, leave}, nil
}

// beside is the browser as clients' relays see it.
type beside Browser

func (h *beside) Home() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return cmp.Or(h.context, h.home)
}

// Downloads is how they are handled, for every context.
func (h *beside) Downloads() map[string]any {
	h.mu.Lock()
	defer h.mu.Unlock()
	behaviour := (*Browser)(h).downloadBehaviour()
	delete(behaviour, "browserContextId")
	return behaviour
}

// Uploads is where the files are that pages may be given.
func (h *beside) Uploads() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.options.Uploads
}

func (h *beside) World() string { return injected.World }

// Judge asks the guard about a document.
func (h *beside) Judge(address string) error {
	h.mu.Lock()
	guard := h.options.Guard
	h.mu.Unlock()
	return allowed(guard, address)
}

// Keeps reports whether a dialog of a target is a verb's: one opened under it,
// or it is running and is about to be told.
func (h *beside) Keeps(target string) bool {
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
