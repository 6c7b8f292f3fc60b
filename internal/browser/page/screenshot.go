package page

import (
	"bytes"
	"context"
	"image"
	_ "image/jpeg" // to read the size of what the browser sends
	_ "image/png"
	"math"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/inpage"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const largest = 16384 // device pixels of a side: what Chromium can draw in one surface

type clip struct {
	X      float64 `json:"x"` // of the document, CSS pixels
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	Scale  float64 `json:"scale"`
}

type capture struct {
	Format  string `json:"format"`
	Quality *int   `json:"quality,omitempty"`
	Clip    *clip  `json:"clip,omitempty"`
	Beyond  bool   `json:"captureBeyondViewport"`
	Fast    bool   `json:"optimizeForSpeed"` // zlib at its quickest: a third less time (EVIDENCE, "Speed")
}

// screenshot captures the viewport, the whole page or one element.
func (b *Browser) screenshot(ctx context.Context, t *tab, a *action.TakeScreenshot, _ action.Pin) (any, error) {
	c, err := captureOf(a)
	if err != nil {
		return nil, err
	}
	switch {
	case a.Ref != "" || a.Selector != "":
		c.Clip, err = b.clipOf(ctx, t, action.Locator{Ref: a.Ref, Selector: a.Selector})
	case a.FullPage:
		c.Clip, err = b.wholePage(ctx, t)
	}
	if err != nil {
		return nil, err
	}
	c.Beyond = c.Clip != nil
	var shot struct {
		Data []byte `json:"data"`
	}
	if err := t.main.session.Call(ctx, "Page.captureScreenshot", c, &shot); err != nil {
		return nil, err
	}
	width, height, err := sizeOf(c.Format, shot.Data)
	if err != nil {
		return nil, err
	}
	return &action.Screenshot{Format: c.Format, Width: width, Height: height, Bytes: shot.Data}, nil
}

func captureOf(a *action.TakeScreenshot) (capture, error) {
	c := capture{Format: a.Format, Fast: true}
	switch a.Format {
	case "":
		c.Format = "png"
	case "png":
	case "jpeg", "webp":
		quality := a.Quality
		if quality == 0 {
			quality = 80
		}
		if quality < 0 || quality > 100 {
			return c, fault.New(fault.InvalidRequest, "quality %d is out of range", quality).Hinted("give 1 to 100")
		}
		c.Quality = &quality
	default:
		return c, fault.New(fault.InvalidRequest, "format %q is not known", a.Format).Hinted("use png, jpeg or webp")
	}
	return c, nil
}

type layout struct {
	Content struct {
		Width  float64 `json:"width"`
		Height float64 `json:"height"`
	} `json:"cssContentSize"`
	Viewport struct {
		X float64 `json:"pageX"`
		Y float64 `json:"pageY"`
	} `json:"cssVisualViewport"`
}

func (b *Browser) wholePage(ctx context.Context, t *tab) (*clip, error) {
	var l layout
	if err := t.main.session.Call(ctx, "Page.getLayoutMetrics", nil, &l); err != nil {
		return nil, err
	}
	return b.bounded(clip{Width: l.Content.Width, Height: l.Content.Height, Scale: 1}), nil
}

// clipOf returns where an element is in the document, after it was scrolled
// into view: what loads late has then been asked for.
func (b *Browser) clipOf(ctx context.Context, t *tab, l action.Locator) (*clip, error) {
	h, err := b.locate(ctx, t, l, findLimit)
	if err != nil {
		return nil, err
	}
	if _, err := h.place.world.Scroll(ctx, inpage.Scroll{Node: h.node}); err != nil {
		return nil, err
	}
	facts, err := h.place.world.Facts(ctx, h.node)
	if err != nil {
		return nil, err
	}
	r := facts.Rect
	if facts.Gone || r.Width < 1 || r.Height < 1 {
		return nil, fault.New(fault.NotActionable, "the element has no size: there is nothing to see").
			With("reason", "not visible").Hinted("take a screenshot of the page instead")
	}
	// The far corner first: bringing it into view may move the near one.
	if _, _, _, err = b.point(ctx, h.place, r.X+r.Width, r.Y+r.Height); err != nil {
		return nil, err
	}
	x, y, _, err := b.point(ctx, h.place, r.X, r.Y)
	if err != nil {
		return nil, err
	}
	farX, farY, _, err := b.point(ctx, h.place, r.X+r.Width, r.Y+r.Height)
	if err != nil {
		return nil, err
	}
	var lay layout
	if err := t.main.session.Call(ctx, "Page.getLayoutMetrics", nil, &lay); err != nil {
		return nil, err
	}
	left, top := math.Floor(x+lay.Viewport.X), math.Floor(y+lay.Viewport.Y)
	return b.bounded(clip{
		X: left, Y: top, Scale: 1,
		Width:  math.Ceil(farX+lay.Viewport.X) - left,
		Height: math.Ceil(farY+lay.Viewport.Y) - top,
	}), nil
}

// bounded cuts what is larger than a surface, and says so.
func (b *Browser) bounded(c clip) *clip {
	b.mu.Lock()
	defer b.mu.Unlock()
	most := math.Floor(largest / b.options.metrics().Scale)
	if c.Width > most || c.Height > most {
		b.note("the picture was cut at %d pixels: the page is larger", largest)
	}
	c.Width, c.Height = max(1, min(c.Width, most)), max(1, min(c.Height, most))
	return &c
}

// sizeOf reads the size of a picture in pixels.
func sizeOf(format string, data []byte) (width, height int, err error) {
	if format == "webp" {
		return sizeOfWebP(data)
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	return c.Width, c.Height, err
}
