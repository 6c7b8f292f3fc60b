package engine

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// mostTries is how often a picture is taken anew because what is covered on it
// was not where it had been.
const mostTries = 5

// veiled returns what no picture shows, in the tab's viewport: fields whose
// values are secrets, and, in a session with credentials, known secrets that the
// page has written down. Of a frame that does not say it is all of it.
func (b *Browser) veiled(ctx context.Context, t *tab) ([]injected.Rect, error) {
	var all []injected.Rect
	for _, p := range b.places(t) {
		found, err := b.guarded(ctx, t, p)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if b.credentialed() {
		spelled, err := b.spelled(ctx, t)
		if err != nil {
			return nil, err
		}
		all = append(all, spelled...)
	}
	return settled(all), nil
}

// overhang is how far letters are covered beyond their box, in CSS pixels: bold
// and slanted ones do not keep to it.
const overhang = 2

// settled are rectangles on whole pixels, in order, so that two lists can be
// compared.
func settled(all []injected.Rect) []injected.Rect {
	for i, r := range all {
		x, y := math.Floor(r.X)-overhang, math.Floor(r.Y)-overhang
		all[i] = injected.Rect{X: x, Y: y, Width: math.Ceil(r.X+r.Width) + overhang - x, Height: math.Ceil(r.Y+r.Height) + overhang - y}
	}
	slices.SortFunc(all, func(a, b injected.Rect) int {
		return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X), cmp.Compare(a.Height, b.Height), cmp.Compare(a.Width, b.Width))
	})
	return slices.Compact(all)
}

// guarded returns where the fields of a frame are whose values are secrets.
func (b *Browser) guarded(ctx context.Context, t *tab, p place) ([]injected.Rect, error) {
	if p.frame == t.root {
		return b.fieldsOf(ctx, p)
	}
	inner, stop := context.WithTimeout(ctx, childLimit)
	defer stop()
	found, err := b.fieldsOf(inner, p)
	if err != nil && ctx.Err() == nil {
		return b.geometry.windowOf(ctx, p.frame)
	}
	return found, err
}

func (b *Browser) fieldsOf(ctx context.Context, p place) ([]injected.Rect, error) {
	nodes, err := p.world.Guarded(ctx, b.credentialed())
	if err != nil {
		return nil, err
	}
	boxes, err := b.geometry.boxes(ctx, p, nodes, false)
	return rects(boxes), err
}

func rects(boxes []injected.Box) []injected.Rect {
	var all []injected.Rect
	for _, box := range boxes {
		all = append(all, box.Rect)
	}
	return all
}

// windowOf returns where a frame is shown; nothing where it has gone.
func (g *geometry) windowOf(ctx context.Context, f *frame) ([]injected.Rect, error) {
	parent, main, ok := g.embedder(f)
	if main || !ok {
		return nil, nil
	}
	number, err := g.ownerOf(ctx, f, parent)
	if err == nil {
		var boxes []injected.Box
		boxes, err = g.boxes(ctx, parent, []int{number}, false)
		return rects(boxes), err
	}
	if moved(err) {
		return nil, nil
	}
	return nil, err
}

func errRestless() error {
	return fault.New(fault.PageChanged, "what no picture may show moved while it was taken, %d times", mostTries).
		Hinted("wait until the page rests, and take it again; or read it with page.snapshot")
}
