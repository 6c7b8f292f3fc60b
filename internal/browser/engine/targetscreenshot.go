package engine

import (
	"context"
	"strconv"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

const targetQuality = 80 // of JPEG: letters of 10 pixels can be read, at a fifth of a PNG's bytes

// targetScreenshot implements Browser.TargetScreenshot.
func (ca *camera) targetScreenshot(ctx context.Context, pin action.Pin) ([]byte, error) {
	t := ca.current()
	if t == nil || t.id != pin.Tab {
		return nil, errChanged
	}
	if err := ca.admit(ctx, t, action.VerbPageScreenshot.Name); err != nil {
		return nil, err
	}
	ctx, leave := ca.enter(ctx, t, findLimit)
	defer leave()
	quality := targetQuality
	c := shot{Format: "jpeg", Quality: &quality, Fast: true}
	if ca.isHeld(t) {
		return ca.takeMasked(ctx, t, c, nil)
	}
	marks, part, err := ca.outlines(ctx, t, pin)
	if err == nil && part != nil { // measured anew as it will be drawn
		var show func()
		if show, err = ca.hideScrollbars(ctx, t); err == nil {
			defer show()
			marks, part, err = ca.outlines(ctx, t, pin)
		}
	}
	if err != nil {
		return nil, err
	}
	c.Clip, c.Beyond = part, part != nil
	return ca.takeMasked(ctx, t, c, marks)
}

// outlines returns the elements of a pin, and the part of the document to take
// where the first of them is not in the viewport.
func (ca *camera) outlines(ctx context.Context, t *tab, pin action.Pin) ([]badge, *clip, error) {
	marks, err := ca.marks(ctx, t, pin)
	if err != nil {
		return nil, nil, err
	}
	view, err := ca.geometry.layout(ctx, t)
	return marks, around(marks, view), err
}

// marks are the visible boxes of the elements of a pin, each with a word.
func (ca *camera) marks(ctx context.Context, t *tab, pin action.Pin) ([]badge, error) {
	spots := []struct{ word, document, node string }{{"here", pin.Document, pin.Node}}
	if pin.Drop.Node != "" {
		spots[0].word = "from"
		spots = append(spots, struct{ word, document, node string }{"onto", pin.Drop.Document, pin.Drop.Node})
	}
	var all []badge
	for _, s := range spots {
		node, err := strconv.Atoi(s.node)
		p, known := ca.placeOf(t, s.document)
		if err != nil || !known {
			return nil, errChanged
		}
		boxes, err := ca.geometry.boxes(ctx, p, []int{node}, false)
		if err != nil {
			return nil, err
		}
		for _, box := range boxes {
			all = append(all, badge{ref: s.word, rect: box.Rect})
		}
	}
	return all, nil
}

// around is the part of the document to take when the first mark is not in the
// viewport: a part of the viewport's size with the mark in its middle.
func around(marks []badge, view layout) *clip {
	v := view.Viewport
	if len(marks) == 0 {
		return nil
	}
	m := marks[0].rect
	seen := intersection(m, injected.Rect{Width: v.Width, Height: v.Height})
	if seen.Width >= min(m.Width, v.Width)-1 && seen.Height >= min(m.Height, v.Height)-1 {
		return nil
	}
	x, y := v.X+m.X+m.Width/2-v.Width/2, v.Y+m.Y+m.Height/2-v.Height/2
	return &clip{
		X: max(0, min(x, view.Content.Width-v.Width)), Y: max(0, min(y, view.Content.Height-v.Height)),
		Width: v.Width, Height: v.Height, Scale: 1,
	}
}

// TargetScreenshot returns a JPEG of the visible part of the page with the element of a pin
// outlined, and for a drag also the element that it would be dropped on. For an
// element outside of the viewport it is a part of that size with the element in its
// middle. The page is not scrolled and cannot change the drawing; a picture beyond
// the viewport makes it see a resize, as a screenshot of the whole page does. Of a page whose
// next document is held it is the viewport, without an outline.
// Faults: page_changed, dialog_open, page_crashed, not_active, cdp_error.
func (b *Browser) TargetScreenshot(ctx context.Context, pin action.Pin) ([]byte, error) {
	return b.camera.targetScreenshot(ctx, pin)
}
