package engine

import (
	"context"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// listenerCache are what is known of the listeners of a frame's document.
type listenerCache struct {
	mu       sync.Mutex
	document string // whose they are
	injected.Ears
}

// of returns what is known of a place's document. e.mu is held.
func (e *listenerCache) of(p place) *injected.Ears {
	if e.document != p.document {
		e.document, e.Ears = p.document, injected.Ears{}
	}
	return &e.Ears
}

// knows reports whether the listeners of a place's document were asked for.
func (e *listenerCache) knows(p place) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, ok := e.of(p).Asking()
	return ok
}

// syncListeners has a frame's world know what scripts listen on, and returns what is
// new. That it cannot be had makes a snapshot poorer, not wrong.
func (rd *reader) syncListeners(ctx context.Context, p place) (news injected.News, err error) {
	e := &p.frame.listeners
	e.mu.Lock()
	defer e.mu.Unlock()
	news, err = p.world.Heed(ctx, e.of(p))
	return news, rd.ignored(ctx, err)
}

// storeListeners is heed with listeners that were asked for.
func (rd *reader) storeListeners(ctx context.Context, p place, all injected.Listeners) (news injected.News, err error) {
	e := &p.frame.listeners
	e.mu.Lock()
	defer e.mu.Unlock()
	news, err = p.world.Heard(ctx, e.of(p), all)
	return news, rd.ignored(ctx, err)
}

func (rd *reader) ignored(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	rd.log().Debug("cannot read the listeners of a frame", "error", err)
	return nil
}
