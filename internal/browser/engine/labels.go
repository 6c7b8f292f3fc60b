package engine

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/browser/annotate"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const mostLabels = 1000 // on one picture; a person cannot tell more apart

// captureLabelled draws the references of what can be acted on onto the
// picture after it was taken: the page has no part in it.
func (b *Browser) captureLabelled(ctx context.Context, t *tab, c capture) ([]byte, error) {
	badges, err := b.badges(ctx, t)
	if err != nil {
		return nil, err
	}
	return b.captureWith(ctx, t, c, badges)
}

// captureWith draws badges onto the picture after it was taken, and covers what
// no picture shows, which is where it was before and after it was taken.
func (b *Browser) captureWith(ctx context.Context, t *tab, c capture, badges []badge) ([]byte, error) {
	labels, err := b.labels(ctx, t, badges, c.Clip)
	if err != nil {
		return nil, err
	}
	before, err := b.veiled(ctx, t)
	for tries := 0; err == nil && tries < mostTries; tries++ {
		plain := len(labels) == 0 && len(before) == 0
		if !plain && c.Format == "webp" {
			return nil, errNotDrawnOn()
		}
		var data []byte
		if data, err = b.capture(ctx, t, c.drawable(plain)); err != nil {
			break
		}
		if plain && !b.credentialed() { // fields of secrets do not come and go
			return data, nil
		}
		var after []injected.Rect
		if after, err = b.veiled(ctx, t); err != nil || !slices.Equal(before, after) {
			before = after
			continue
		}
		if plain {
			return data, nil
		}
		return b.coveredOn(ctx, t, c, data, labels, after)
	}
	if err != nil {
		return nil, err
	}
	return nil, errRestless()
}

// drawable is c as something can be drawn on what comes of it.
func (c capture) drawable(plain bool) capture {
	if !plain {
		c.Format, c.Quality = "png", nil
	}
	return c
}

// coveredOn covers parts of the tab's viewport on a picture, and draws labels.
func (b *Browser) coveredOn(ctx context.Context, t *tab, c capture, data []byte, labels []annotate.Label, veiled []injected.Rect) ([]byte, error) {
	view, err := b.geometry.layout(ctx, t)
	if err != nil {
		return nil, err
	}
	o := annotate.Options{Scale: int(max(1, math.Round(b.scale()))), Most: 2 * most}
	if c.Quality != nil && c.Format == "jpeg" {
		o.Quality = max(1, *c.Quality)
	}
	for _, r := range veiled {
		if on, seen := onPicture(view, c.Clip, r); seen {
			o.Covers = append(o.Covers, pixels(on, b.scale()))
		}
	}
	return annotate.Draw(data, labels, o)
}

func errNotDrawnOn() error {
	return fault.New(fault.InvalidRequest, "something of the page is covered on pictures, and webp is not drawn on").
		Hinted("use png or jpeg").With("field", "format")
}

// onPicture is where a part of the tab's viewport is on a picture of it, or of a
// clip of the document, in CSS pixels; seen is false where it is not on it.
func onPicture(view layout, c *clip, r injected.Rect) (on injected.Rect, seen bool) {
	part := clip{X: view.Viewport.X, Y: view.Viewport.Y, Width: view.Viewport.Width, Height: view.Viewport.Height}
	if c != nil {
		part = *c
	}
	r.X += view.Viewport.X - part.X
	r.Y += view.Viewport.Y - part.Y
	on = intersection(snapped(r), injected.Rect{Width: part.Width, Height: part.Height})
	return on, on.Width >= 1 && on.Height >= 1
}

func (b *Browser) scale() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.options.metrics().Scale
}

// labels returns what to draw on a picture of the viewport, or of a clip of the
// document.
func (b *Browser) labels(ctx context.Context, t *tab, badges []badge, c *clip) ([]annotate.Label, error) {
	view, err := b.geometry.layout(ctx, t)
	if err != nil {
		return nil, err
	}
	var labels []annotate.Label
	for _, m := range badges {
		on, seen := onPicture(view, c, m.rect)
		if !seen {
			continue
		}
		if len(labels) == mostLabels {
			b.notes.add("only the first %d of the elements on the picture have labels", mostLabels)
			break
		}
		labels = append(labels, annotate.Label{Text: m.ref, Box: pixels(on, b.scale())})
	}
	return labels, nil
}

func pixels(r injected.Rect, scale float64) image.Rectangle {
	at := func(x float64) int { return int(math.Round(x * scale)) }
	return image.Rect(at(r.X), at(r.Y), at(r.X+r.Width), at(r.Y+r.Height))
}

// badge is a reference or a word, and where its element is in the tab's viewport.
type badge struct {
	ref  string
	rect injected.Rect
}

// badges returns what a snapshot gives references to, with the same ones, in
// all frames, as far as it can be seen. A frame that goes away meanwhile is
// left out.
func (b *Browser) badges(ctx context.Context, t *tab) ([]badge, error) {
	top, walk, err := b.reader.start(ctx, t)
	if err != nil {
		return nil, err
	}
	walk.NoURLs = true
	all, err := b.reader.readEach(ctx, t, top, walk)
	if err != nil {
		return nil, err
	}
	var badges []badge
	for _, p := range b.places(t) {
		r := all[p.frame]
		if r == nil || r.err != nil || r.place.document != p.document {
			continue
		}
		boxes, err := b.geometry.boxes(ctx, p, numbers(r.frame.Tree.Nodes, nil), true)
		if err != nil && (p.frame == t.root || !moved(err)) {
			return nil, err
		}
		for _, box := range boxes {
			ref := b.refs.Ref(snapshot.Place{Document: p.document, Node: box.Node})
			badges = append(badges, badge{ref: ref, rect: box.Rect})
		}
	}
	slices.SortStableFunc(badges, func(a, b badge) int { return cmp.Compare(a.rect.Y, b.rect.Y) })
	return badges, nil
}

// numbers lists the elements of a tree that a snapshot gives references to.
func numbers(nodes []*injected.Node, to []int) []int {
	for _, n := range nodes {
		if n.Number != 0 && !n.Frame {
			to = append(to, n.Number)
		}
		to = numbers(n.Children, to)
	}
	return to
}
