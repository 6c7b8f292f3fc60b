package engine

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// geometry converts positions in frames to positions in the tab's viewport, and
// waits until frames are painted there.
type geometry struct{ *base }

// boxes returns the boxes of elements of a frame in the tab's viewport. Of each
// box it returns the part that scroll containers and frames leave visible.
func (g *geometry) boxes(ctx context.Context, p place, nodes []int, uncovered bool) ([]injected.Box, error) {
	if len(nodes) == 0 {
		return nil, nil
	}
	found, err := p.world.Boxes(ctx, injected.BoxQuery{Nodes: nodes, Embedded: p.parent != nil, Uncovered: uncovered})
	if err != nil {
		return nil, err
	}
	return g.toTab(ctx, p.frame, found)
}

// toTab converts boxes from a frame's viewport to the tab's.
func (g *geometry) toTab(ctx context.Context, f *frame, found []injected.Box) ([]injected.Box, error) {
	for len(found) > 0 {
		parent, main, ok := g.embedder(f)
		if !ok {
			return nil, errMoved
		}
		if main {
			return found, nil
		}
		var err error
		if found, err = g.toParent(ctx, f, parent, found); err != nil {
			return nil, err
		}
		f = parent.frame
	}
	return found, nil
}

// toParent converts boxes from a frame's viewport to its parent's.
func (g *geometry) toParent(ctx context.Context, f *frame, parent place, boxes []injected.Box) ([]injected.Box, error) {
	number, err := g.ownerOf(ctx, f, parent)
	if err != nil {
		return nil, err
	}
	at, err := parent.world.Embedded(ctx, injected.Embedded{Node: number})
	if err != nil {
		return nil, err
	}
	windows, err := parent.world.Boxes(ctx, injected.BoxQuery{Nodes: []int{number}, Embedded: parent.parent != nil})
	if err != nil || at.Gone || len(windows) == 0 {
		return nil, err
	}
	seen := boxes[:0]
	for _, box := range boxes {
		box.Rect = injected.Rect{X: at.Left + box.X*at.ScaleX, Y: at.Top + box.Y*at.ScaleY, Width: box.Width * at.ScaleX, Height: box.Height * at.ScaleY}
		whole := box.Rect
		box.Rect = intersection(whole, windows[0].Rect)
		box.Cut = box.Cut || box.Width < whole.Width-1 || box.Height < whole.Height-1
		if box.Width >= 1 && box.Height >= 1 {
			seen = append(seen, box)
		}
	}
	return seen, nil
}

// intersection returns where two boxes overlap. Without an overlap its width or
// height is negative.
func intersection(a, b injected.Rect) injected.Rect {
	x, y := max(a.X, b.X), max(a.Y, b.Y)
	return injected.Rect{X: x, Y: y, Width: min(a.X+a.Width, b.X+b.Width) - x, Height: min(a.Y+a.Height, b.Y+b.Height) - y}
}

// The browser drops input for a document that was not painted yet, and routes
// input to frames of other processes by what was painted. For each, the engine
// waits once for two animation frames, or until the browser says that it has painted.
// What is not visible is never painted: hence a limit, which is longer than a busy
// machine takes for two animation frames.
const (
	twoFrames  = "() => new Promise(done => { setTimeout(done, 1000); requestAnimationFrame(() => requestAnimationFrame(() => done())) })"
	firstPaint = "() => Promise.race([new Promise(done => new PerformanceObserver((_, o) => { o.disconnect(); done() }).observe({type: 'paint', buffered: true})), (" + twoFrames + ")()])"
)

// waitPainted waits until the tab's document and that of the frame were painted
// once.
func (g *geometry) waitPainted(ctx context.Context, t *tab, p place) error {
	if err := g.waitRootPainted(ctx, t); err != nil || p.frame == t.root {
		return err
	}
	return g.waitFirstPaint(ctx, p)
}

// waitRootPainted waits until the tab's own document was painted once. Before that,
// no animation runs in it, and what will move seems to be still.
func (g *geometry) waitRootPainted(ctx context.Context, t *tab) error {
	root, err := g.main(ctx, t)
	if err != nil {
		return err
	}
	return g.waitFirstPaint(ctx, root)
}

func (g *geometry) waitFirstPaint(ctx context.Context, p place) error {
	if guarded.Get(g.state, func(*state) bool {
		return p.frame.painted == p.document || p.frame.unique == p.document && p.frame.events["firstPaint"]
	}) {
		return nil
	}
	if err := runIn(ctx, p, firstPaint); err != nil {
		return err
	}
	g.state.Do(func(*state) { p.frame.painted = p.document })
	return nil
}

// waitPlaced waits until a frame of another process is painted at its present
// place, if it was moved since the last time.
func (g *geometry) waitPlaced(ctx context.Context, f *frame, parent place, e injected.Embedding) error {
	here := injected.Embedding{Left: e.Left, Top: e.Top, ScaleX: e.ScaleX, ScaleY: e.ScaleY}
	painted := guarded.Get(g.state, func(*state) bool {
		known := f.placed == here
		f.placed = here
		return known || f.target == parent.frame.target
	})
	if painted {
		return nil
	}
	return runIn(ctx, parent, twoFrames)
}

// runIn runs a function without arguments in a frame and waits for its promise.
func runIn(ctx context.Context, p place, function string) error {
	return p.world.Session.Call(ctx, "Runtime.callFunctionOn", map[string]any{
		"functionDeclaration": function, "uniqueContextId": p.world.Unique, "awaitPromise": true,
	}, nil)
}

// point converts a point from a frame's viewport to the tab's. by names what covers
// a frame at that point; it is empty if nothing does.
func (g *geometry) point(ctx context.Context, p place, x, y float64) (px, py float64, by string, err error) {
	f := p.frame
	for {
		parent, main, ok := g.embedder(f)
		if !ok {
			return 0, 0, "", errMoved
		}
		if main {
			return x, y, by, nil
		}
		number, err := g.ownerOf(ctx, f, parent)
		if err != nil {
			return 0, 0, "", err
		}
		e, err := parent.world.Embedded(ctx, injected.Embedded{Node: number, X: x, Y: y, Scroll: true})
		if err != nil {
			return 0, 0, "", err
		}
		if e.Gone {
			return 0, 0, "", errChanged
		}
		if by == "" {
			by = e.By
		}
		if err := g.waitPlaced(ctx, f, parent, e); err != nil {
			return 0, 0, "", err
		}
		x, y, f = e.X, e.Y, parent.frame
	}
}

// inOtherProcess reports whether a frame runs in another process than its tab.
func (g *geometry) inOtherProcess(t *tab, p place) bool {
	return guarded.Get(g.state, func(*state) bool { return p.frame.target != nil && p.frame.target != t.main })
}
