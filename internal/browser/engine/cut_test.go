package engine_test

import (
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
)

func inked(m image.Image, ink color.RGBA) int {
	_, pixels := block(m, ink)
	return pixels
}

func TestElementScreenshotsHoldTheElementAndNothingElse(t *testing.T) {
	for _, dpi := range []int{96, 192} {
		tr := start(t, func(o *engine.Options) { o.DPI = dpi })
		scale := dpi / 96
		s := site(t, map[string]string{
			"/": `<style>body {margin: 0} .red {background: #f00; margin: 100px auto}</style><div class=red id=large style="width:1500px;height:1300px"></div><div class=red id=centre style="width:301px;height:50px"></div>
				<div id=box style="width:200px;height:100px;overflow:auto;border:7px solid"><div style="height:400px"></div><div id=inbox class=red style="width:90px;height:40px;margin:0"></div><div style="height:400px"></div></div>
				<div style="width:200px;height:100px;overflow:hidden"><div id=over class=red style="width:300px;height:400px;margin:0"></div></div>
				<iframe id=f style="width:250px;height:150px;border:5px solid;display:block;margin:50px"></iframe><script>f.src = location.href.replace('127.0.0.1', 'localhost') + 'in'</script>`,
			"/in": `<style>body {margin: 0}</style><div style="height:500px"></div><div id=low style="width:40px;height:30px;background:#f00"></div><div id=tall style="width:100px;height:600px;background:#f00"></div>`,
		})
		tr.must("page.goto", &action.Goto{URL: s.URL})
		tr.must("page.wait_for", &action.WaitFor{Locator: selector("#tall")})
		for id, want := range map[string]struct {
			width, height int
			cut           bool
		}{"#large": {1500, 1300, false}, "#centre": {301, 50, false}, "#inbox": {90, 40, false}, "#over": {200, 100, true}, "#low": {40, 30, false}, "#tall": {100, 150, true}} {
			r := tr.must("page.screenshot", &action.TakeScreenshot{Selector: id})
			_, m := tr.shot(action.TakeScreenshot{Selector: id})
			got := r.Data.(*action.Screenshot)
			if got.Width != want.width*scale || got.Height != want.height*scale || got.Cut != want.cut {
				t.Errorf("%d dpi, %s: %d × %d, cut %t, want %d × %d, %t", dpi, id, got.Width, got.Height, got.Cut, want.width*scale, want.height*scale, want.cut)
			}
			edge := 0
			if id == "#low" || id == "#tall" { // Chromium blends the edges of another process's frame
				edge = scale - 1
			}
			if inner := m.Bounds().Inset(edge); inked(m, red) < inner.Dx()*inner.Dy() {
				t.Errorf("%d dpi, %s: something else is on the picture", dpi, id)
			}
			if said := strings.Contains(strings.Join(r.Notes, " "), "scroll there"); said != want.cut {
				t.Errorf("%d dpi, %s: notes %q", dpi, id, r.Notes)
			}
		}
	}
}

func TestAPageTooLargeForAPictureIsCutAndSaysSo(t *testing.T) {
	tr := start(t)
	tr.visit(`<body style="margin:0"><div style="height:40000px;background:linear-gradient(red, blue)"></div>`)
	for _, format := range []string{"png", "jpeg", "webp"} {
		r := tr.must("page.screenshot", &action.TakeScreenshot{FullPage: true, Format: format})
		s := r.Data.(*action.Screenshot)
		if s.Width != 800 || s.Height != 16383 || !s.Cut || !strings.Contains(strings.Join(r.Notes, " "), "800 × 16383 of 800 × 40000 CSS pixels") {
			t.Errorf("%s: %d × %d, cut %t, notes %q", format, s.Width, s.Height, s.Cut, r.Notes)
		}
	}
	tr.visit(`<body style="margin:0"><div style="width:10000px;height:10000px"></div>`)
	s := tr.must("page.screenshot", &action.TakeScreenshot{FullPage: true}).Data.(*action.Screenshot)
	if !s.Cut || s.Width*s.Height > 32<<20 || s.Width != 10000 {
		t.Errorf("%d × %d, cut %t", s.Width, s.Height, s.Cut)
	}
}
