package engine

import (
	"context"
	"image"
	"maps"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// chromeHeight is the height of the tab strip and the address bar of a window, in CSS
// pixels (Chromium 150 to 156). While a viewport is emulated, the protocol tells only
// the size of the emulated one. Where another bar is shown, points are mapped to other
// elements; as what is judged is what is acted on, that is wrong, but not unsafe.
const chromeHeight = 87

// windowBounds is where the window of a tab is on the display, in CSS pixels.
type windowBounds struct {
	Bounds struct {
		Left   float64 `json:"left"`
		Top    float64 `json:"top"`
		Width  float64 `json:"width"`
		Height float64 `json:"height"`
	} `json:"bounds"`
}

// PagePoint converts a point of the display to the viewport of the active tab, in CSS
// pixels. inside is false for a point where the tab shows nothing of its page. Where
// the window and the page are comes from the browser, not from the page. Faults:
// not_active, dialog_open, cdp_error.
func (b *Browser) PagePoint(ctx context.Context, p image.Point) (x, y float64, inside bool, err error) {
	t := b.current()
	if t == nil {
		return 0, 0, false, b.toFault(ctx, action.VerbMouseMove.Name, setupLimit, b.noTabReason())
	}
	if err := b.admit(ctx, t, action.VerbMouseMove.Name); err != nil {
		return 0, 0, false, err
	}
	ctx, cancel := context.WithTimeout(ctx, setupLimit)
	defer cancel()
	var window windowBounds
	asked := b.root.Send("Browser.getWindowForTarget", map[string]string{"targetId": t.id})
	laid, err := b.geometry.layout(ctx, t)
	if err == nil {
		err = asked.Wait(ctx, &window)
	}
	if err != nil {
		return 0, 0, false, b.toFault(ctx, action.VerbMouseMove.Name, setupLimit, err)
	}
	size, at := b.options().metrics(), window.Bounds
	left, top := float64(p.X)/size.Scale-at.Left, float64(p.Y)/size.Scale-at.Top-chromeHeight
	inside = left >= 0 && top >= 0 && left < min(float64(size.Width), at.Width) && top < min(float64(size.Height), at.Height-chromeHeight)
	scale := laid.Viewport.Zoom()
	return left/scale + laid.Viewport.OffsetX, top/scale + laid.Viewport.OffsetY, inside, nil
}

// FocusedField returns a reference to the element that has the focus, empty if it
// takes no text. Faults: not_active, dialog_open, cdp_error.
func (b *Browser) FocusedField(ctx context.Context) (ref string, err error) {
	t := b.current()
	name := action.VerbKeyType.Name
	if t == nil {
		return "", b.toFault(ctx, name, findLimit, b.noTabReason())
	}
	if err := b.admit(ctx, t, name); err != nil {
		return "", err
	}
	inner, leave := b.enter(ctx, t, findLimit)
	defer leave()
	h, err := b.elements.focused(inner, t, action.Pin{})
	if err != nil {
		return "", b.endedBy(inner, t, name, findLimit, nil, err)
	}
	if !h.facts.Editable && !h.facts.Protected {
		return "", nil
	}
	return b.elements.refs.Ref(snapshot.Place{Document: h.place.document, Node: h.node}), nil
}

// RefuseInput has all pages refuse input that no act announced, also while clients of
// the protocol are attached, until again is called.
func (b *Browser) RefuseInput(ctx context.Context) (again func()) {
	tabs := guarded.Get(b.state, func(s *state) []*tab { return slices.Collect(maps.Values(s.tabs)) })
	undo := make([]func(), 0, len(tabs))
	for _, t := range tabs {
		undo = append(undo, b.clients.exclusively(ctx, t))
	}
	return func() {
		for _, one := range undo {
			one()
		}
	}
}

// ShowActive has the window show the active tab: input to the display can show another
// one, and a tab that is not shown is not painted. Without a tab it does nothing.
func (b *Browser) ShowActive(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, setupLimit)
	defer cancel()
	if t := b.current(); t != nil {
		_ = b.root.Call(ctx, "Target.activateTarget", map[string]string{"targetId": t.id}, nil) // a tab that is gone is not shown
	}
}

// Painted waits until the active tab was painted twice: input that the browser had
// before has then reached the page. It waits a second at most.
func (b *Browser) Painted(ctx context.Context) error {
	t := b.current()
	if t == nil {
		return nil
	}
	p, err := b.main(ctx, t)
	if err == nil {
		err = runIn(ctx, p, twoFrames)
	}
	if err != nil && ctx.Err() != nil {
		return fault.New(fault.ActionTimeout, "the page was not painted in time").Because(err)
	}
	return nil // a page that is gone gets no input
}
