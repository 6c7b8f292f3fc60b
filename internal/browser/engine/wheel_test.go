package engine_test

import (
	"net/http/httptest"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const zooms = `<body style="margin:0"><div id=m role=application aria-label=Map style="width:300px;height:200px"><canvas width=300 height=200></canvas></div><script>
	let z = 1;
	const zoom = e => { e.preventDefault(); z += Math.sign(-e.deltaY); document.title = z + ' at ' + e.clientX + ',' + e.clientY };
</script>`

// TestAnElementGetsTheWheelIfNothingScrolls: maps and drawings zoom or move by it.
func TestAnElementGetsTheWheelIfNothingScrolls(t *testing.T) {
	tr := start(t)
	const long = `<div style="height:3000px"></div>`
	for name, page := range map[string]string{
		"a listener":       zooms + `<script>m.addEventListener('wheel', zoom, {passive: false})</script>`,
		"a property":       zooms + `<script>m.onwheel = zoom</script>`,
		"the old event":    zooms + `<script>m.addEventListener('mousewheel', zoom)</script>`,
		"a part":           zooms + `<script>document.querySelector('canvas').onwheel = zoom</script>`,
		"of a long page":   zooms + long + `<script>m.onwheel = zoom</script>`,
		"a listener above": zooms + `<script>document.addEventListener('wheel', zoom, {passive: false})</script>`,
	} {
		tr.visit(page)
		tr.must("page.scroll", &action.Scroll{Locator: selector("#m"), Y: -200})
		if got := tr.eval("document.title + ' ' + scrollY"); got != "2 at 150,100 0" {
			t.Errorf("%s: %q", name, got)
		}
		tr.must("page.scroll", &action.Scroll{Locator: selector("#m"), Y: 200})
		if got := tr.eval("document.title + ' ' + scrollY"); got != "1 at 150,100 0" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestAMapInAFrameGetsTheWheel(t *testing.T) {
	tr := start(t)
	for name, at := range map[string]func(*httptest.Server) string{"same origin": func(s *httptest.Server) string { return s.URL }, "another site": elsewhere} {
		t.Run(name, func(t *testing.T) {
			s := site(t, map[string]string{"/in": zooms + `<p id=p>none</p><script>m.onwheel = e => { zoom(e); p.textContent = 'zoom ' + z }</script>`})
			tr.visit(`<iframe width=400 height=300 src="` + at(s) + `/in"></iframe>`)
			tr.must("page.scroll", &action.Scroll{Locator: named("application", "Map"), Y: -200})
			tr.must("page.wait_for", &action.WaitFor{Locator: action.Locator{Text: "zoom 2"}})
		})
	}
}

// A listener that lets the wheel pass does not keep the page from scrolling, nor does one
// that is around a box that scrolls, or that is not where the element is.
func TestThePageScrollsUnlessItTakesTheWheel(t *testing.T) {
	tr := start(t)
	for name, c := range map[string]struct{ page, want string }{
		"it only listens": {zooms + `<div style="height:3000px"></div><script>m.onwheel = () => { document.title = 'heard' }</script>`, "heard 200 0"},
		"a box scrolls":   {`<body style="margin:0"><div id=m style="height:100px;overflow:auto"><p style="height:900px;margin:0"></div><script>document.addEventListener('wheel', e => { e.preventDefault(); document.title = 'heard' }, {passive: false})</script>`, " 0 200"},
		"it is covered":   {zooms + `<div style="position:fixed;inset:0"></div><div style="height:3000px"></div><script>m.onwheel = zoom</script>`, " 200 0"},
	} {
		tr.visit(c.page)
		tr.must("page.scroll", &action.Scroll{Locator: selector("#m"), Y: 200})
		if got := tr.eval("document.title + ' ' + scrollY + ' ' + m.scrollTop"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestAPageWithoutScrollBarsGetsTheWheel(t *testing.T) {
	tr := start(t)
	tr.visit(zooms + `<script>addEventListener('wheel', zoom, {passive: false})</script>`)
	tr.must("page.scroll", &action.Scroll{Y: -200})
	tr.wantEval("z", "2")
	tr.visit(zooms + `<div style="height:3000px"></div><script>addEventListener('wheel', zoom, {passive: false})</script>`)
	tr.must("page.scroll", &action.Scroll{Y: 200})
	tr.wantEval("z + ' ' + scrollY", "1 200")
}
