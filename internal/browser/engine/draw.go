package engine

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// The browser drops input for a document that has not been drawn yet, and
// routes it to a frame of another process by what is drawn. Both cost two
// frames of waiting, once, and nothing after. What is out of sight is never
// drawn: hence the bound, of more than a busy machine takes for two frames.
const (
	twoFrames = "() => new Promise(done => { setTimeout(done, 1000); requestAnimationFrame(() => requestAnimationFrame(() => done())) })"
	firstDraw = "() => performance.getEntriesByType('paint').length > 0 || (" + twoFrames + ")()"
)

// drawn waits until the tab's document, and that of the frame acted in, have
// been drawn once.
func (g *geometry) drawn(ctx context.Context, t *tab, p place) error {
	if err := g.rootDrawn(ctx, t); err != nil || p.frame == t.root {
		return err
	}
	return g.drawnOnce(ctx, p)
}

// rootDrawn does so for the tab's own document. Until then no animation moves
// in it either, so that what will move looks still.
func (g *geometry) rootDrawn(ctx context.Context, t *tab) error {
	root, err := g.main(ctx, t)
	if err != nil {
		return err
	}
	return g.drawnOnce(ctx, root)
}

func (g *geometry) drawnOnce(ctx context.Context, p place) error {
	g.mu.Lock()
	known := p.frame.drawn == p.document
	g.mu.Unlock()
	if known {
		return nil
	}
	if err := await(ctx, p, firstDraw); err != nil {
		return err
	}
	g.mu.Lock()
	p.frame.drawn = p.document
	g.mu.Unlock()
	return nil
}

// presented waits until a frame of another process is drawn where the layout
// has it, if that is not where it was before.
func (g *geometry) presented(ctx context.Context, f *frame, parent place, e injected.Embedding) error {
	here := injected.Embedding{Left: e.Left, Top: e.Top, ScaleX: e.ScaleX, ScaleY: e.ScaleY}
	g.mu.Lock()
	apart := f.target != parent.frame.target
	known := f.shown == here
	f.shown = here
	g.mu.Unlock()
	if !apart || known {
		return nil
	}
	return await(ctx, parent, twoFrames)
}

// await runs a function of no arguments in a frame and waits for its promise.
func await(ctx context.Context, p place, function string) error {
	return p.world.Session.Call(ctx, "Runtime.callFunctionOn", map[string]any{
		"functionDeclaration": function, "uniqueContextId": p.world.Unique, "awaitPromise": true,
	}, nil)
}
