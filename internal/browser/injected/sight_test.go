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
)

// pixels is what the whole page looks like, once what was changed is drawn.
func (p *tab) pixels() image.Image {
	p.t.Helper()
	p.page(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))`)
	var shot struct{ Data []byte }
	must(p.t, p.Call(p.ctx, "Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true, "optimizeForSpeed": true}, &shot))
	picture, err := png.Decode(bytes.NewReader(shot.Data))
	must(p.t, err)
	return picture
}

// eye is a difference in one of red, green and blue that no eye finds in a
// letter: what the browser's own rounding makes of two equal colours is less.
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

// drawnDifferently reports whether a page looks otherwise with another word in
// the place of the one that is looked for. What is not as it should be is
// looked at again: a frame may have come in between, as of a size that changed.
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

// What is in a snapshot is what a person sees: the pixels say so.
func TestTextsAreShownAsAPersonSeesThem(t *testing.T) {
	var p *tab
	for i, w := range ways {
		if i%5 == 0 {
			p = blank(t) // with a time limit of its own
			must(t, p.Call(p.ctx, "Emulation.setDeviceMetricsOverride", map[string]any{"width": 480, "height": 240, "deviceScaleFactor": 1, "mobile": false}, nil))
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

// inSnapshot is what becomes of a text, as the documentation says it.
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
