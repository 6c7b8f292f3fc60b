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
	return g.inTab(ctx, p.frame, found)
}

// inTab turns boxes of a frame's viewport into ones of the tab's.
func (g *geometry) inTab(ctx context.Context, f *frame, found []injected.Box) ([]injected.Box, error) {
	for len(found) > 0 {
		parent, main, ok := g.embedder(f)
		if !ok {
			return nil, errMoved
		}
		if main {
			return found, nil
		}
		var err error
		if found, err = g.outward(ctx, f, parent, found); err != nil {
			return nil, err
		}
		f = parent.frame
	}
	return found, nil
}

// outward turns boxes of a frame's viewport into ones of its parent's.
func (g *geometry) outward(ctx context.Context, f *frame, parent place, boxes []injected.Box) ([]injected.Box, error) {
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
		box.Rect = common(whole, windows[0].Rect)
		box.Cut = box.Cut || box.Width < whole.Width-1 || box.Height < whole.Height-1
		if box.Width >= 1 && box.Height >= 1 {
			seen = append(seen, box)
		}
	}
	return seen, nil
}

// common is where two boxes overlap; its sides may be negative.
func common(a, b injected.Rect) injected.Rect {
	x, y := max(a.X, b.X), max(a.Y, b.Y)
	return injected.Rect{X: x, Y: y, Width: min(a.X+a.Width, b.X+b.Width) - x, Height: min(a.Y+a.Height, b.Y+b.Height) - y}
}
