package engine_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func (tr *trial) shot(a action.TakeScreenshot) (*action.Screenshot, image.Image) {
	tr.t.Helper()
	s := tr.must("page.screenshot", &a).Data.(*action.Screenshot)
	m, err := png.Decode(bytes.NewReader(s.Bytes))
	must(tr.t, err)
	return s, m
}

// twin is a picture without labels and the same one with them.
type twin struct{ plain, drawn image.Image }

func (tr *trial) twin(a action.TakeScreenshot) twin {
	tr.t.Helper()
	_, plain := tr.shot(a)
	a.Labels = true
	_, drawn := tr.shot(a)
	return twin{plain, drawn}
}

// block is where a picture has a colour, and on how many pixels.
func block(m image.Image, ink color.RGBA) (where image.Rectangle, pixels int) {
	var pix []uint8
	var stride int
	switch m := m.(type) {
	case *image.RGBA:
		pix, stride = m.Pix, m.Stride
	case *image.NRGBA:
		pix, stride = m.Pix, m.Stride
	}
	for i := 0; i < len(pix); i += 4 {
		if pix[i] == ink.R && pix[i+1] == ink.G && pix[i+2] == ink.B {
			x, y := i%stride/4, i/stride
			where = where.Union(image.Rect(x, y, x+1, y+1))
			pixels++
		}
	}
	return where, pixels
}

// labelled says at how many corners of a block of colour something is drawn,
// and whether in its middle.
func (p twin) labelled(ink color.RGBA) (corners int, middle, seen bool) {
	block, _ := block(p.plain, ink)
	on := func(at image.Point) bool { return color.RGBAModel.Convert(p.drawn.At(at.X, at.Y)) != ink }
	far := block.Max.Sub(image.Pt(1, 1))
	for _, at := range []image.Point{block.Min, far, {block.Min.X, far.Y}, {far.X, block.Min.Y}} {
		if on(at) {
			corners++
		}
	}
	return corners, on(block.Min.Add(far).Div(2)), !block.Empty()
}

var (
	red   = color.RGBA{R: 255, A: 255}
	green = color.RGBA{G: 255, A: 255}
	blue  = color.RGBA{B: 255, A: 255}
)

const blocks = `<style>body {margin: 0} .c {display: block; margin: 30px auto; border: 0; width: 120px; height: 60px; font-size: 0} #r {background: #f00} #g {background: #0f0} #b {background: #00f}</style>`

func TestLabelsLieOnTheirElements(t *testing.T) {
	for _, dpi := range []int{96, 192} {
		tr := start(t, func(o *engine.Options) { o.DPI = dpi })
		s := site(t, map[string]string{
			"/": blocks + `<button class=c id=r>Red</button><iframe id=f style="display:block;margin:20px auto;width:300px;height:150px"></iframe><div style="height:900px"></div>
				<button class=c id=b style="position:fixed;bottom:0;right:10px">Blue</button><script>f.src = location.href.replace('127.0.0.1', 'localhost') + 'in'</script>`,
			"/in": blocks + `<button class=c id=g>Green</button>`,
		})
		tr.must("page.goto", &action.Goto{URL: s.URL})
		tr.must("page.wait_for", &action.WaitFor{Locator: named("button", "Green")})
		for drawn := false; !drawn; { // the frame has a process of its own, which draws later
			_, m := tr.shot(action.TakeScreenshot{})
			where, _ := block(m, green)
			drawn = !where.Empty()
		}
		for name, a := range map[string]action.TakeScreenshot{"viewport": {}, "whole page": {FullPage: true}, "element": {Selector: "iframe"}} {
			shots := tr.twin(a)
			for ink, word := range map[color.RGBA]string{red: "red", green: "green", blue: "blue"} {
				if name == "element" && ink != green {
					continue
				}
				if corners, middle, seen := shots.labelled(ink); corners != 4 || middle || !seen {
					t.Errorf("%d dpi, %s, %s: seen %t, %d corners of 4 outlined, middle drawn over %t", dpi, name, word, seen, corners, middle)
				}
			}
		}
		tr.must("page.scroll", &action.Scroll{Y: 300})
		if corners, middle, seen := tr.twin(action.TakeScreenshot{FullPage: true}).labelled(red); corners != 4 || middle || !seen {
			t.Errorf("%d dpi, scrolled: seen %t, %d corners, middle %t", dpi, seen, corners, middle)
		}
	}
}

func TestLabelsLeaveOutWhatCannotBeSeen(t *testing.T) {
	tr := start(t)
	tr.visit(blocks + `<div style="position:relative"><button class=c id=x>Under</button><div style="position:absolute;inset:0;background:#f00">Cover</div></div>
		<div style="height:50px;overflow:auto"><div style="height:300px;background:#0f0"></div><button>Scrolled away</button></div><p style="background:#00f">No control</p>`)
	shots := tr.twin(action.TakeScreenshot{})
	for ink, word := range map[color.RGBA]string{red: "covered", green: "scrolled away", blue: "a text"} {
		if corners, middle, seen := shots.labelled(ink); corners != 0 || middle || !seen {
			t.Errorf("%s: seen %t, %d corners outlined, middle %t", word, seen, corners, middle)
		}
	}
}

func TestThePageDoesNotNoticeLabels(t *testing.T) {
	tr := start(t)
	tr.visit(`<button>One</button><a href=/x>Two</a><script>
		const whole = document.documentElement.outerHTML; let seen = 0
		new MutationObserver(all => seen += all.length).observe(document, {subtree: true, childList: true, attributes: true, characterData: true})
		addEventListener('resize', () => seen++)
		const told = () => seen + ' ' + (document.documentElement.outerHTML === whole) + ' ' + document.querySelectorAll('body *').length</script>`)
	before := tr.must("page.execute", &action.Execute{Expression: "told()"}).Data.(*action.Executed).Result
	tr.shot(action.TakeScreenshot{Labels: true})
	after := tr.must("page.execute", &action.Execute{Expression: "told()"}).Data.(*action.Executed).Result
	if before != after {
		t.Errorf("before %v, after %v", before, after)
	}
}

func TestLabelsAreTheSnapshotsReferencesAndComeAsJPEG(t *testing.T) {
	tr := start(t)
	tr.visit(`<button onclick="document.title = 'done'">Go</button>`)
	tr.shot(action.TakeScreenshot{Labels: true})
	if text := tr.snap(); !strings.Contains(text, `button "Go" [e1]`) {
		t.Errorf("the picture gave another reference:\n%s", text)
	}
	poor := tr.must("page.screenshot", &action.TakeScreenshot{Labels: true, Format: "jpeg", Quality: 1}).Data.(*action.Screenshot)
	fine := tr.must("page.screenshot", &action.TakeScreenshot{Labels: true, Format: "jpeg", Quality: 100}).Data.(*action.Screenshot)
	if poor.Format != "jpeg" || poor.Width != 800 || len(poor.Bytes) >= len(fine.Bytes) {
		t.Errorf("%s of %d, %d bytes against %d", poor.Format, poor.Width, len(poor.Bytes), len(fine.Bytes))
	}
	tr.refuse(fault.InvalidRequest, "page.screenshot", &action.TakeScreenshot{Labels: true, Format: "webp"})
}
