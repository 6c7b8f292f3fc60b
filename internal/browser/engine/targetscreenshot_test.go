package engine_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// picture takes a picture of what a call would act on.
func (tr *trial) picture(verb string, args any) image.Image {
	tr.t.Helper()
	_, pin, err := tr.Look(tr.ctx, verb, args)
	must(tr.t, err)
	data, err := tr.TargetScreenshot(tr.ctx, pin)
	must(tr.t, err)
	m, err := jpeg.Decode(bytes.NewReader(data))
	must(tr.t, err)
	return m
}

// near counts the pixels of about a colour: JPEG keeps none exactly.
func near(m image.Image, ink color.RGBA) (where image.Rectangle, pixels int) {
	off := func(a uint32, b uint8) bool { d := int(a>>8) - int(b); return d > 40 || d < -40 }
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
			r, g, b, _ := m.At(x, y).RGBA()
			if !off(r, ink.R) && !off(g, ink.G) && !off(b, ink.B) {
				where = where.Union(image.Rect(x, y, x+1, y+1))
				pixels++
			}
		}
	}
	return where, pixels
}

var (
	firstInk  = color.RGBA{R: 0xb7, G: 0x1c, B: 0x1c}
	secondInk = color.RGBA{R: 0x0d, G: 0x47, B: 0xa1}
)

const rows = `<style>body {margin: 0; background: #fff; color: #fff} button {display: block; position: absolute; left: 300px; width: 200px; height: 80px; border: 0; background: #0a0; color: #0a0}</style>`

func TestAPortraitOutlinesTheElementWithoutThePageKnowing(t *testing.T) {
	tr := start(t)
	s := site(t, map[string]string{"/": rows + `<button style="top:100px">Near</button><button style="top:3000px">Far</button><div style="height:5000px"></div>
		<script>news = []; for (const e of ['resize', 'scroll', 'blur', 'focus', 'visibilitychange']) addEventListener(e, () => news.push(e), true);
		new MutationObserver(() => news.push('mutation')).observe(document, {subtree: true, childList: true, attributes: true})</script>`})
	tr.must("page.goto", &action.Goto{URL: s.URL})
	for name, hears := range map[string]string{"Near": "", "Far": "resize"} {
		m := tr.picture("page.click", &action.Click{Locator: named("button", name)})
		block, _ := near(m, color.RGBA{G: 0xaa})
		mark, pixels := near(m, firstInk)
		if m.Bounds().Dx() != 800 || m.Bounds().Dy() != 600 || block.Dx() < 190 || pixels < 400 || !block.In(mark.Inset(-1)) || mark.Dy() > 120 {
			t.Errorf("%s: %v, outlined with %d pixels in %v, the element in %v", name, m.Bounds(), pixels, mark, block)
		}
		after := "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done([scrollY, innerWidth, innerHeight, [...new Set(news.splice(0))]].join()))))"
		if got := tr.must("page.execute", &action.Execute{Expression: after, AwaitPromise: true}).Data.(*action.Executed); fmt.Sprint(got.Result) != "0,800,600,"+hears {
			t.Errorf("%s: the page heard %v", name, got.Result)
		}
	}
}

func TestAPortraitOfADragHasBothEnds(t *testing.T) {
	tr := start(t)
	s := site(t, map[string]string{"/": rows + `<button style="top:20px">Card</button><button style="top:300px">Bin</button>`})
	tr.must("page.goto", &action.Goto{URL: s.URL})
	m := tr.picture("page.drag", &action.Drag{From: named("button", "Card"), To: named("button", "Bin")})
	from, _ := near(m, firstInk)
	onto, _ := near(m, secondInk)
	if from.Empty() || onto.Empty() || from.Max.Y > 150 || onto.Min.Y < 250 {
		t.Errorf("outlined from %v onto %v", from, onto)
	}
}

func TestNoPortraitOfAnotherPage(t *testing.T) {
	tr := start(t)
	s := site(t, map[string]string{"/": rows + `<button style="top:20px">Card</button>`, "/other": "other"})
	tr.must("page.goto", &action.Goto{URL: s.URL})
	_, pin, err := tr.Look(tr.ctx, "page.click", &action.Click{Locator: named("button", "Card")})
	must(t, err)
	tr.must("page.goto", &action.Goto{URL: s.URL + "/other"})
	if _, err := tr.TargetScreenshot(tr.ctx, pin); fault.CodeOf(err) != fault.PageChanged {
		t.Errorf("a picture of another document: %v", err)
	}
}
