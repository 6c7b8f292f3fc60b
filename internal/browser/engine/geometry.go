package engine

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// boxes returns where elements of a frame are seen in the tab's viewport, by
// their numbers: what scroll containers and frames leave of them.
func (g *geometry) boxes(ctx context.Context, p place, nodes []int, uncovered bool) ([]injected.Box, error) {
	if len(nodes) == 0 {
		return nil, nil
	}
	found, err := p.world.Boxes(ctx, injected.Boxing{Nodes: nodes, Embedded: p.frame.parent != nil, Uncovered: uncovered})
	if err != nil {
		return nil, err
	}
	return g.toTab(ctx, p.frame, found)
}

// toTab turns boxes of a frame's viewport into ones of the tab's.
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

// toParent turns boxes of a frame's viewport into ones of its parent's.
func (g *geometry) toParent(ctx context.Context, f *frame, parent place, boxes []injected.Box) ([]injected.Box, error) {
	number, err := g.ownerOf(ctx, f, parent)
	if err != nil {
		return nil, err
	}
	at, err := parent.world.Embedded(ctx, injected.Embedded{Node: number})
	if err != nil {
		return nil, err
	}
	windows, err := parent.world.Boxes(ctx, injected.Boxing{Nodes: []int{number}, Embedded: parent.frame.parent != nil})
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

// intersection is where two boxes overlap; its sides may be negative.
func intersection(a, b injected.Rect) injected.Rect {
	x, y := max(a.X, b.X), max(a.Y, b.Y)
	return injected.Rect{X: x, Y: y, Width: min(a.X+a.Width, b.X+b.Width) - x, Height: min(a.Y+a.Height, b.Y+b.Height) - y}
}

// The browser drops input for a document that has not been drawn yet, and
// routes it to a frame of another process by what is drawn. Both cost two
// frames of waiting, once, and nothing after. What is out of sight is never
// drawn: hence the bound, of more than a busy machine takes for two frames.
const (
	twoFrames  = "() => new Promise(done => { setTimeout(done, 1000); requestAnimationFrame(() => requestAnimationFrame(() => done())) })"
	firstPaint = "() => performance.getEntriesByType('paint').length > 0 || (" + twoFrames + ")()"
)

// waitPainted waits until the tab's document, and that of the frame acted in, have
// been drawn once.
func (g *geometry) waitPainted(ctx context.Context, t *tab, p place) error {
	if err := g.waitRootPainted(ctx, t); err != nil || p.frame == t.root {
		return err
	}
	return g.waitFirstPaint(ctx, p)
}

// waitRootPainted does so for the tab's own document. Until then no animation moves
// in it either, so that what will move looks still.
func (g *geometry) waitRootPainted(ctx context.Context, t *tab) error {
	root, err := g.main(ctx, t)
	if err != nil {
		return err
	}
	return g.waitFirstPaint(ctx, root)
}

func (g *geometry) waitFirstPaint(ctx context.Context, p place) error {
	g.mu.Lock()
	known := p.frame.painted == p.document
	g.mu.Unlock()
	if known {
		return nil
	}
	if err := runIn(ctx, p, firstPaint); err != nil {
		return err
	}
	g.mu.Lock()
	p.frame.painted = p.document
	g.mu.Unlock()
	return nil
}

// waitPlaced waits until a frame of another process is drawn where the layout
// has it, if that is not where it was before.
func (g *geometry) waitPlaced(ctx context.Context, f *frame, parent place, e injected.Embedding) error {
	here := injected.Embedding{Left: e.Left, Top: e.Top, ScaleX: e.ScaleX, ScaleY: e.ScaleY}
	g.mu.Lock()
	apart := f.target != parent.frame.target
	known := f.placed == here
	f.placed = here
	g.mu.Unlock()
	if !apart || known {
		return nil
	}
	return runIn(ctx, parent, twoFrames)
}

// runIn runs a function of no arguments in a frame and waits for its promise.
func runIn(ctx context.Context, p place, function string) error {
	return p.world.Session.Call(ctx, "Runtime.callFunctionOn", map[string]any{
		"functionDeclaration": function, "uniqueContextId": p.world.Unique, "awaitPromise": true,
	}, nil)
}

// geometry says where things are in the viewport of the tab, and waits until
// they are drawn there.
type geometry struct{ *base }

// point turns a point of a frame's viewport into one of the tab's. by names
// what covers a frame on the way; it is empty when nothing does.
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

// inOtherProcess reports whether a frame has another process than its tab.
func (g *geometry) inOtherProcess(t *tab, p place) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return p.frame.target != nil && p.frame.target != t.main
}
