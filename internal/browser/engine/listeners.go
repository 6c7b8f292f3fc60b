package engine

import (
	"context"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// listenerCache keeps what is known of the listeners of a frame's document.
type listenerCache struct {
	mu       sync.Mutex
	document string    // that the listeners are of
	read     time.Time // when they were last asked for
	elements int       // how many elements had been added by then: injected.Stability.Elements
	injected.ListenerCache
}

// listenersLife is how long listeners are taken for known while no element is added.
// To ask for them after each act takes the browser longer than a small act itself.
const listenersLife = 2 * time.Second

// old reports whether the listeners must be read again in any case. e.mu is held.
func (e *listenerCache) old() bool { return time.Since(e.read) > listenersLife }

// of returns what is known of the frame's present document. e.mu is held.
func (e *listenerCache) of(p place) *injected.ListenerCache {
	if e.document != p.document {
		e.document, e.read, e.elements, e.ListenerCache = p.document, time.Time{}, 0, injected.ListenerCache{}
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
	of := e.of(p)
	e.read = time.Now()
	news, err = p.world.SyncListeners(ctx, of)
	return news, rd.ignored(ctx, err)
}

// hasListeners reports whether the listeners of a frame were read lately, and no
// element was added since. elements is how many were added until now.
func (rd *reader) hasListeners(p place, elements int) bool {
	e := &p.frame.listeners
	e.mu.Lock()
	defer e.mu.Unlock()
	e.of(p)
	grew := e.elements != elements
	e.elements = elements
	return !grew && !e.old()
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
