package engine

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/browser/annotate"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const mostLabels = 1000 // on one picture; a person cannot tell more apart

// takeLabelled takes a picture and draws on it the references of the elements that
// can be acted on. The page does not notice.
func (ca *camera) takeLabelled(ctx context.Context, t *tab, c shot) ([]byte, error) {
	badges, err := ca.badges(ctx, t)
	if err != nil {
		return nil, err
	}
	return ca.takeMasked(ctx, t, c, badges)
}

// takeMasked takes a picture, covers the areas that no picture may show and draws
// badges. The areas must be the same before and after it is taken; otherwise it is
// taken again.
func (ca *camera) takeMasked(ctx context.Context, t *tab, c shot, badges []badge) ([]byte, error) {
	labels, err := ca.labels(ctx, t, badges, c.Clip)
	if err != nil {
		return nil, err
	}
	if len(labels) == 0 && !ca.credentialed() {
		if data, plain, err := ca.takePlain(ctx, t, c); plain || err != nil {
			return data, err
		}
	}
	before, err := ca.secrets.maskRects(ctx, t)
	for tries := 0; err == nil && tries < mostTries; tries++ {
		plain := len(labels) == 0 && len(before) == 0
		if !plain && c.Format == "webp" {
			return nil, errNotDrawnOn()
		}
		var data []byte
		if data, err = ca.take(ctx, t, c.drawable(plain)); err != nil {
			break
		}
		var after []injected.Rect
		if after, err = ca.secrets.maskRects(ctx, t); err != nil || !slices.Equal(before, after) {
			before = after
			continue
		}
		if plain {
			return data, nil
		}
		return ca.coveredOn(ctx, t, c, data, labels, after)
	}
	if err != nil {
		return nil, err
	}
	return nil, errMaskMoved()
}

// takePlain takes a picture while it is asked what must be covered. Without credentials
// these are fields of secrets, which do not come and go. plain is false if there is
// something to cover; then the picture is not returned.
func (ca *camera) takePlain(ctx context.Context, t *tab, c shot) (data []byte, plain bool, err error) {
	var covered []injected.Rect
	var unknown error
	var asking sync.WaitGroup
	asking.Go(func() { covered, unknown = ca.secrets.maskRects(ctx, t) })
	data, err = ca.take(ctx, t, c)
	asking.Wait()
	if err = cmp.Or(unknown, err); err != nil || len(covered) > 0 {
		return nil, false, err
	}
	return data, true, nil
}

// drawable is c as something can be drawn on what comes of it.
func (c shot) drawable(plain bool) shot {
	if !plain {
		c.Format, c.Quality = "png", nil
	}
	return c
}

// coveredOn covers parts of the tab's viewport on a picture, and draws labels.
func (ca *camera) coveredOn(ctx context.Context, t *tab, c shot, data []byte, labels []annotate.Label, covers []injected.Rect) ([]byte, error) {
	view, err := ca.geometry.layout(ctx, t)
	if err != nil {
		return nil, err
	}
	o := annotate.Options{Scale: int(max(1, math.Round(ca.scale()))), Most: 2 * most}
	if c.Quality != nil && c.Format == "jpeg" {
		o.Quality = max(1, *c.Quality)
	}
	for _, r := range covers {
		if on, seen := onPicture(view, c.Clip, r); seen {
			o.Covers = append(o.Covers, pixels(on, ca.scale()))
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

func (ca *camera) scale() float64 {
	return ca.options().metrics().Scale
}

// labels returns what to draw on a picture of the viewport, or of a clip of the
// document.
func (ca *camera) labels(ctx context.Context, t *tab, badges []badge, c *clip) ([]annotate.Label, error) {
	if len(badges) == 0 {
		return nil, nil
	}
	view, err := ca.geometry.layout(ctx, t)
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
			ca.notes.add("only the first %d of the elements on the picture have labels", mostLabels)
			break
		}
		labels = append(labels, annotate.Label{Text: m.ref, Box: pixels(on, ca.scale())})
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
func (ca *camera) badges(ctx context.Context, t *tab) ([]badge, error) {
	top, walk, err := ca.reader.start(ctx, t)
	if err != nil {
		return nil, err
	}
	walk.NoURLs = true
	all, err := ca.reader.readEach(ctx, t, top, walk)
	if err != nil {
		return nil, err
	}
	var badges []badge
	for _, p := range ca.places(t) {
		r := all[p.frame]
		if r == nil || r.err != nil || r.place.document != p.document {
			continue
		}
		boxes, err := ca.geometry.boxes(ctx, p, numbers(r.frame.Tree.Nodes, nil), true)
		if err != nil && (p.frame == t.root || !moved(err)) {
			return nil, err
		}
		for _, box := range boxes {
			ref := ca.refs.Ref(snapshot.Place{Document: p.document, Node: box.Node})
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
