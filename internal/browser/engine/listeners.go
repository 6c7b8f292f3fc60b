package engine

import (
	"context"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// listenerCache keeps what is known of the listeners of a frame's document.
type listenerCache struct {
	mu       sync.Mutex
	document string // that the listeners are of
	injected.ListenerCache
}

// of returns what is known of the frame's present document. e.mu is held.
func (e *listenerCache) of(p place) *injected.ListenerCache {
	if e.document != p.document {
		e.document, e.ListenerCache = p.document, injected.ListenerCache{}
	}
	return &e.ListenerCache
}

// knows reports whether the listeners of the frame's document were read before.
func (e *listenerCache) knows(p place) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, ok := e.of(p).Query()
	return ok
}

// syncListeners tells our script in a frame on which elements the page's scripts
// listen, and returns what is new. If the browser cannot say it, a snapshot only
// shows less.
func (rd *reader) syncListeners(ctx context.Context, p place) (news injected.NewListeners, err error) {
	e := &p.frame.listeners
	e.mu.Lock()
	defer e.mu.Unlock()
	news, err = p.world.SyncListeners(ctx, e.of(p))
	return news, rd.ignored(ctx, err)
}

// storeListeners is syncListeners with listeners that were read before.
func (rd *reader) storeListeners(ctx context.Context, p place, all injected.Listeners) (news injected.NewListeners, err error) {
	e := &p.frame.listeners
	e.mu.Lock()
	defer e.mu.Unlock()
	news, err = p.world.StoreListeners(ctx, e.of(p), all)
	return news, rd.ignored(ctx, err)
}

func (rd *reader) ignored(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	rd.log().Debug("cannot read the listeners of a frame", "error", err)
	return nil
}
