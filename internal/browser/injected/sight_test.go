package injected_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/golden"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// pixels returns a picture of the whole page after changes are painted.
func (p *tab) pixels() image.Image {
	p.t.Helper()
	p.page(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))`)
	var shot struct{ Data []byte }
	must(p.t, p.Call(p.ctx, "Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true, "optimizeForSpeed": true}, &shot))
	picture, err := png.Decode(bytes.NewReader(shot.Data))
	must(p.t, err)
	return picture
}

// eye is the largest invisible difference of a colour channel in a letter. The
// browser's rounding of equal colours differs by less.
const eye = 8

func apart(a, b color.RGBA) bool {
	far := func(x, y uint8) bool { return max(x, y)-min(x, y) > eye }
	return far(a.R, b.R) || far(a.G, b.G) || far(a.B, b.B)
}

func rgba(picture image.Image) *image.RGBA {
	out := image.NewRGBA(picture.Bounds())
	draw.Draw(out, out.Bounds(), picture, out.Bounds().Min, draw.Src)
	return out
}

// differ reports whether two pictures differ in any pixel.
func differ(a, b image.Image) bool {
	if a.Bounds() != b.Bounds() {
		return true
	}
	one, two := rgba(a), rgba(b)
	if bytes.Equal(one.Pix, two.Pix) {
		return false
	}
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			if apart(one.RGBAAt(x, y), two.RGBAAt(x, y)) {
				return true
			}
		}
	}
	return false
}

// drawnDifferently reports whether a page looks different if another word
// replaces the one that is searched for. An unexpected result is checked again,
// because a frame may have been painted in between, for example after a change
// of size.
func (p *tab) drawnDifferently(html string, should bool) bool {
	p.t.Helper()
	drawn := !should
	for look := 0; look < 4 && drawn != should; look++ {
		p.show(strings.ReplaceAll(html, "WALNUT", "WILLOW"))
		without := p.pixels()
		p.show(html)
		drawn = differ(p.pixels(), without)
	}
	return drawn
}

// A snapshot contains the text that a person sees, as the pixels show.
func TestTextsAreShownAsAPersonSeesThem(t *testing.T) {
	p := blank(t)
	must(t, p.Call(p.ctx, "Emulation.setDeviceMetricsOverride", map[string]any{"width": 480, "height": 240, "deviceScaleFactor": 1, "mobile": false}, nil))
	for _, w := range ways {
		if !testenv.Tried(w.name, 3) {
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			p.t = t
			html := `<p>before</p>` + w.html + `<p>after</p>`
			should := w.sight == seen || w.sight == unshown || w.sight == unreadable || w.sight == silenced
			if p.drawnDifferently(html, should) != should {
				t.Errorf("drawn: %v, and the table says %q: %s", !should, w.sight, w.html)
			}
			tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
			must(t, err)
			out, shown := flatten(t, tree), w.sight == seen || w.sight == reached || w.sight == spoken || w.sight == missed
			if strings.Contains(out, "WALNUT") != shown {
				t.Errorf("it is %q, and the snapshot of %s is %s", w.sight, w.html, out)
			}
			text, err := p.frame.Text(p.ctx)
			must(t, err)
			if strings.Contains(text.Text, "WALNUT") && (w.sight == unseen || w.sight == unreadable) {
				t.Errorf("the text shows it: %q", text.Text)
			}
			if !strings.Contains(out, "before") || !strings.Contains(out, "after") {
				t.Errorf("the rest of the page is missing: %s", out)
			}
		})
	}
}

// inSnapshot returns how a snapshot treats a text, according to the
// documentation.
func (s sight) inSnapshot() string {
	switch s {
	case seen, reached, missed:
		return "shown"
	case spoken:
		return "the name"
	}
	return "left out"
}

func TestTheDocumentationHasEveryWay(t *testing.T) {
	var table strings.Builder
	table.WriteString("| text | a person | snapshot |\n|---|---|---|\n")
	for _, w := range ways {
		fmt.Fprintf(&table, "| %s | %s | %s |\n", w.name, w.sight, w.sight.inSnapshot())
	}
	golden.Part(t, "../../../docs/hidden-text.md", "ways", table.String())
}
