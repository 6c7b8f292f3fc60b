package engine

import (
	"context"
	"strconv"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

const portraitQuality = 80 // of JPEG: letters of 10 pixels can be read, at a fifth of a PNG's bytes

// Portrait returns a JPEG of what can be seen of the page, with the element of
// a pin outlined, and of a drag what it would be dropped on. An element outside
// of the viewport is in the middle of a picture of that size. The page is not
// scrolled and has no part in the drawing; of a picture beyond the viewport it
// hears that it was resized, as of a screenshot of the whole page. Faults:
// page_changed, dialog_open, page_crashed, not_active, cdp_error.
func (b *Browser) Portrait(ctx context.Context, pin action.Pin) ([]byte, error) {
	t := b.current()
	if t == nil || t.id != pin.Tab {
		return nil, errChanged
	}
	if err := b.admit(t, "page.screenshot"); err != nil {
		return nil, err
	}
	ctx, leave := b.enter(ctx, t, findLimit)
	defer leave()
	marks, part, err := b.sitting(ctx, t, pin)
	if err == nil && part != nil { // measured anew as it will be drawn
		var show func()
		if show, err = b.hideBars(ctx, t); err == nil {
			defer show()
			marks, part, err = b.sitting(ctx, t, pin)
		}
	}
	if err != nil {
		return nil, err
	}
	quality := portraitQuality
	c := capture{Format: "jpeg", Quality: &quality, Fast: true, Clip: part, Beyond: part != nil}
	return b.captureWith(ctx, t, c, marks)
}

// sitting returns what a portrait outlines, and the part of the document to
// take where that is not the viewport.
func (b *Browser) sitting(ctx context.Context, t *tab, pin action.Pin) ([]badge, *clip, error) {
	marks, err := b.marks(ctx, t, pin)
	if err != nil {
		return nil, nil, err
	}
	view, err := b.geometry.layout(ctx, t)
	return marks, around(marks, view), err
}

// marks are what a portrait outlines, as far as it can be seen.
func (b *Browser) marks(ctx context.Context, t *tab, pin action.Pin) ([]badge, error) {
	spots := []struct{ word, document, node string }{{"here", pin.Document, pin.Node}}
	if pin.Drop.Node != "" {
		spots[0].word = "from"
		spots = append(spots, struct{ word, document, node string }{"onto", pin.Drop.Document, pin.Drop.Node})
	}
	var all []badge
	for _, s := range spots {
		node, err := strconv.Atoi(s.node)
		p, known := b.placeOf(t, s.document)
		if err != nil || !known {
			return nil, errChanged
		}
		boxes, err := b.geometry.boxes(ctx, p, []int{node}, false)
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
// viewport: one of the viewport's size, with the mark in its middle.
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
