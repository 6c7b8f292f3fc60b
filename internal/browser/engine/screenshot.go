package engine

import (
	"bytes"
	"cmp"
	"context"
	"image"
	_ "image/jpeg" // to read the size of what the browser sends
	_ "image/png"
	"math"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/capture"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// How large a picture may be. A side is limited by Chromium's surfaces (16384
// device pixels) and by WebP (RFC 9649 section 2.7: 14 bits, and 16383 in
// Chromium's encoder); the whole is limited by the memory of the box, four bytes a
// pixel in each of several copies.
const (
	longest = 16383    // device pixels of a side
	most    = 32 << 20 // device pixels
)

// camera takes pictures of pages and prints them.
type camera struct {
	*base
	geometry *geometry
	elements *elements
	reader   *reader
	secrets  *secretAreas
}

type clip struct {
	X      float64 `json:"x"` // of the document, CSS pixels
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	Scale  float64 `json:"scale"`
}

type shot struct {
	Format  string `json:"format"`
	Quality *int   `json:"quality,omitempty"`
	Clip    *clip  `json:"clip,omitempty"`
	Beyond  bool   `json:"captureBeyondViewport"`
	Fast    bool   `json:"optimizeForSpeed"` // zlib at its quickest, which takes a third less time
}

// screenshot captures the viewport, the whole page or one element.
func (ca *camera) screenshot(ctx context.Context, t *tab, a *action.TakeScreenshot, _ action.Pin) (any, error) {
	c := shotOf(a)
	if a.Ref != "" || a.Selector != "" || a.FullPage {
		show, err := ca.hideScrollbars(ctx, t)
		if err != nil {
			return nil, err
		}
		defer show()
	}
	cut := false
	var err error
	switch {
	case a.Ref != "" || a.Selector != "":
		c.Clip, cut, err = ca.clipOf(ctx, t, action.Locator{Ref: a.Ref, Selector: a.Selector})
	case a.FullPage:
		c.Clip, cut, err = ca.wholePage(ctx, t)
	}
	if err != nil {
		return nil, err
	}
	c.Beyond = c.Clip != nil
	take := ca.takeLabelled
	if !a.Labels {
		take = func(ctx context.Context, t *tab, c shot) ([]byte, error) { return ca.takeMasked(ctx, t, c, nil) }
	}
	data, err := take(ctx, t, c)
	if err != nil {
		return nil, err
	}
	width, height, err := sizeOf(c.Format, data)
	if err != nil {
		return nil, err
	}
	return &action.Screenshot{Format: c.Format, Width: width, Height: height, Cut: cut, Bytes: data}, nil
}

func (ca *camera) take(ctx context.Context, t *tab, c shot) ([]byte, error) {
	var taken struct {
		Data []byte `json:"data"`
	}
	err := t.main.session.Call(ctx, "Page.captureScreenshot", c, &taken)
	return taken.Data, err
}

func shotOf(a *action.TakeScreenshot) shot {
	c := shot{Format: cmp.Or(a.Format, "png"), Fast: true}
	if c.Format != "png" {
		c.Quality = new(cmp.Or(a.Quality, 80))
	}
	return c
}

type layout struct {
	Content struct {
		Width  float64 `json:"width"`
		Height float64 `json:"height"`
	} `json:"cssContentSize"`
	Laid struct {
		Width  float64 `json:"clientWidth"` // without scroll bars
		Height float64 `json:"clientHeight"`
	} `json:"cssLayoutViewport"`
	Viewport visualViewport `json:"cssVisualViewport"`
}

// visualViewport is the part of a page that is seen.
type visualViewport struct {
	X       float64 `json:"pageX"`
	Y       float64 `json:"pageY"`
	Width   float64 `json:"clientWidth"`
	Height  float64 `json:"clientHeight"`
	OffsetX float64 `json:"offsetX"` // from the layout viewport
	OffsetY float64 `json:"offsetY"`
	Scale   float64 `json:"scale"` // by which it is enlarged
	Zoomed  float64 `json:"zoom"`  // by the browser
}

// Zoom returns how large a CSS pixel is on the display.
func (v visualViewport) Zoom() float64 { return cmp.Or(v.Scale, 1) * cmp.Or(v.Zoomed, 1) }

func (g *geometry) layout(ctx context.Context, t *tab) (layout, error) {
	var l layout
	if g.isHeld(t) {
		return l, injected.ErrNoMessages
	}
	err := t.main.session.Call(ctx, "Page.getLayoutMetrics", nil, &l)
	return l, err
}

func (ca *camera) wholePage(ctx context.Context, t *tab) (c *clip, cut bool, err error) {
	l, err := ca.geometry.layout(ctx, t)
	if err != nil {
		return nil, false, err
	}
	c, cut = ca.bounded(clip{Width: l.Content.Width, Height: l.Content.Height, Scale: 1})
	return c, cut, nil
}

// clipOf returns where an element is seen in the document, after it was
// scrolled into view: what loads late has then been asked for. cut says that a
// part of it is not.
func (ca *camera) clipOf(ctx context.Context, t *tab, l action.Locator) (c *clip, cut bool, err error) {
	h, err := ca.elements.locate(ctx, t, l, action.Timing{})
	if err != nil {
		return nil, false, err
	}
	if _, err := h.place.world.Scroll(ctx, injected.Scroll{Node: h.node}); err != nil {
		return nil, false, err
	}
	box, cut, err := ca.seen(ctx, h)
	if err != nil {
		return nil, false, err
	}
	lay, err := ca.geometry.layout(ctx, t)
	if err != nil {
		return nil, false, err
	}
	box.X, box.Y = box.X+lay.Viewport.X, box.Y+lay.Viewport.Y
	r := snapped(box.Rect)
	c, larger := ca.bounded(clip{X: r.X, Y: r.Y, Width: r.Width, Height: r.Height, Scale: 1})
	return c, cut || larger, nil
}

// snapped is a box as Chromium paints it: from one whole CSS pixel to another,
// whatever the scale is.
func snapped(r injected.Rect) injected.Rect {
	x, y := math.Round(r.X), math.Round(r.Y)
	return injected.Rect{X: x, Y: y, Width: math.Round(r.X+r.Width) - x, Height: math.Round(r.Y+r.Height) - y}
}

// seen returns where an element is seen in the tab's viewport once the frames
// around it have been scrolled to it. Fault: not_actionable when it is nowhere.
func (ca *camera) seen(ctx context.Context, h match) (box injected.Box, cut bool, err error) {
	facts, err := h.place.world.Facts(ctx, h.node)
	if err != nil {
		return box, false, err
	}
	r := facts.Rect
	if _, _, _, err = ca.geometry.point(ctx, h.place, r.X+r.Width/2, r.Y+r.Height/2); err != nil {
		return box, false, err
	}
	boxes, err := ca.geometry.boxes(ctx, h.place, []int{h.node}, false)
	if err != nil {
		return box, false, err
	}
	if len(boxes) == 0 {
		return box, false, fault.New(fault.NotActionable, "nothing of the element can be seen").
			With("reason", "not visible").Hinted("take a screenshot of the page instead")
	}
	if cut = boxes[0].Cut; cut {
		ca.notes.add("the picture shows the part of the element that what it scrolls in shows: scroll there for the rest")
	}
	return boxes[0], cut, nil
}

// bounded cuts what is larger than a picture may be, and says so.
func (ca *camera) bounded(c clip) (*clip, bool) {
	scale := ca.scale()
	side := math.Floor(longest / scale)
	width, height := c.Width, c.Height
	c.Width = max(1, min(width, side))
	c.Height = max(1, min(height, side, math.Floor(most/(c.Width*scale*scale))))
	cut := c.Width < width || c.Height < height
	if cut {
		ca.notes.add("the picture was cut to %g × %g of %g × %g CSS pixels: take the rest as elements, or scroll to it", c.Width, c.Height, width, height)
	}
	return &c, cut
}

// sizeOf reads the size of a picture in pixels.
func sizeOf(format string, data []byte) (width, height int, err error) {
	if format == "webp" {
		return capture.WebPSize(data)
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	return c.Width, c.Height, err
}

// hideScrollbars hides the scrollbars until show is called. A picture that extends
// beyond the viewport has none, and centred or wrapped content is then elsewhere:
// so the page is measured without them. Chromium lays a page out again only for
// another size.
func (ca *camera) hideScrollbars(ctx context.Context, t *tab) (show func(), err error) {
	l, err := ca.geometry.layout(ctx, t)
	if err != nil {
		return nil, err
	}
	size := ca.options().metrics()
	if l.Laid.Width >= float64(size.Width) && l.Laid.Height >= float64(size.Height) {
		return func() {}, nil // there are none
	}
	set := func(hidden bool) {
		size := ca.options().metrics()
		other := size
		other.Width++
		t.main.session.Send("Emulation.setScrollbarsHidden", map[string]bool{"hidden": hidden})
		t.main.session.Send("Emulation.setDeviceMetricsOverride", other)
		t.main.session.Send("Emulation.setDeviceMetricsOverride", size)
	}
	set(true)
	return func() { set(false) }, nil
}
