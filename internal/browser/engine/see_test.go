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

func TestSnapshotJoinsFramesAndGivesRefs(t *testing.T) {
	tr := start(t)
	s := site(t, map[string]string{
		"/":      `<title>Main</title><h1>Top</h1><button onclick="document.title='clicked'">Go</button><iframe src="/frame"></iframe><iframe id=x></iframe><script>x.src = location.href.replace('127.0.0.1', 'localhost') + 'other'</script>`,
		"/frame": `<a href="/">Same site</a>`,
		"/other": `<input aria-label="Other field"><input type=password value=hunter2><x-c></x-c><script>customElements.define('x-c', class extends HTMLElement { constructor() { super(); this.attachShadow({mode: 'closed'}).innerHTML = '<button>Deep</button>' } })</script>`,
	})
	tr.must("page.goto", &action.Goto{URL: s.URL})
	snap := tr.must("page.snapshot", &action.TakeSnapshot{}).Data.(*action.Snapshot)
	for _, want := range []string{`page "Main"`, `heading "Top" level=1`, `button "Go" [e`, `link "Same site" [e`, `textbox "Other field" [e`, `(protected)`, `button "Deep" [e`} {
		if !strings.Contains(snap.Text, want) {
			t.Errorf("%q is not in\n%s", want, snap.Text)
		}
	}
	if strings.Contains(snap.Text, "hunter2") {
		t.Error("a password is in the snapshot")
	}
	ref := refOf(t, snap.Text, `button "Go"`)
	tr.must("page.click", &action.Click{Locator: action.Locator{Ref: "@" + ref}})
	tr.wantTitle("clicked")
	tr.must("page.type", &action.Type{Locator: action.Locator{Ref: refOf(t, snap.Text, `textbox "Other field"`)}, Input: "typed"})
	again := tr.must("page.snapshot", &action.TakeSnapshot{}).Data.(*action.Snapshot)
	if refOf(t, again.Text, `button "Go"`) != ref || !strings.Contains(again.Text, `value="typed"`) {
		t.Errorf("the second snapshot is\n%s", again.Text)
	}
	tree := tr.must("page.snapshot", &action.TakeSnapshot{Format: "tree"}).Data.(*action.Snapshot).Tree
	if tree == nil || tree.Role != "RootWebArea" || len(tree.Children) == 0 {
		t.Errorf("tree %+v", tree)
	}
	part := tr.must("page.snapshot", &action.TakeSnapshot{Ref: ref}).Data.(*action.Snapshot)
	if strings.Contains(part.Text, "Top") {
		t.Errorf("narrowed to a button:\n%s", part.Text)
	}
	tr.must("page.reload", &action.Reload{})
	tr.refuse(fault.StaleRef, "page.click", &action.Click{Locator: action.Locator{Ref: ref}})
	tr.refuse(fault.StaleRef, "page.snapshot", &action.TakeSnapshot{Ref: ref})
	tr.refuse(fault.InvalidRequest, "page.snapshot", &action.TakeSnapshot{Format: "pdf"})
}

// refOf returns the reference on the line that begins with what.
func refOf(t *testing.T, text, what string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, what+" [")
	ref, _, closed := strings.Cut(rest, "]")
	if !found || !closed {
		t.Fatalf("no reference for %s in\n%s", what, text)
	}
	return ref
}

func TestScreenshotClipsRightWhenScrolledAndAtAnyDPI(t *testing.T) {
	for _, dpi := range []int{96, 192} {
		tr := start(t, func(o *engine.Options) { o.DPI = dpi })
		tr.visit(`<style>body {margin: 0; height: 2000px; background: white} #b {position: absolute; left: 50px; top: 1500px; width: 40px; height: 30px; background: red}</style><div id=b></div>`)
		tr.must("page.scroll", &action.Scroll{Y: 333})
		scale := dpi / 96
		size := func(a action.TakeScreenshot, width, height int) *action.Screenshot {
			t.Helper()
			s := tr.must("page.screenshot", &a).Data.(*action.Screenshot)
			if s.Width != width*scale || s.Height != height*scale || len(s.Bytes) == 0 {
				t.Errorf("%+v at %d dpi: %d×%d, want %d×%d", a, dpi, s.Width, s.Height, width*scale, height*scale)
			}
			return s
		}
		for _, format := range []string{"png", "jpeg", "webp"} {
			size(action.TakeScreenshot{Format: format}, 800, 600)
		}
		reddish(t, size(action.TakeScreenshot{Selector: "#b"}, 40, 30), 1, 1)
		tr.must("page.scroll", &action.Scroll{Y: -2000})
		reddish(t, size(action.TakeScreenshot{FullPage: true}, 800, 2000), 70*scale, 1515*scale)
		tr.refuse(fault.InvalidRequest, "page.screenshot", &action.TakeScreenshot{Format: "gif"})
		tr.refuse(fault.InvalidRequest, "page.screenshot", &action.TakeScreenshot{Format: "jpeg", Quality: 101})
		tr.refuse(fault.InvalidRequest, "page.screenshot", &action.TakeScreenshot{Quality: 50})
		tr.refuse(fault.InvalidRequest, "page.screenshot", &action.TakeScreenshot{Ref: "e1", Selector: "h1"})
		tr.refuse(fault.InvalidSelector, "page.screenshot", &action.TakeScreenshot{Selector: "#"})
	}
}

func reddish(t *testing.T, s *action.Screenshot, x, y int) {
	t.Helper()
	var picture image.Image
	picture, err := png.Decode(bytes.NewReader(s.Bytes))
	must(t, err)
	red := color.RGBA{R: 255, A: 255}
	if got := color.RGBAModel.Convert(picture.At(x, y)); got != red {
		t.Errorf("pixel %d,%d is %v, want %v", x, y, got, red)
	}
	if got := color.RGBAModel.Convert(picture.At(picture.Bounds().Max.X-1, picture.Bounds().Max.Y-1)); s.Width < 100 && got != red {
		t.Errorf("the far corner is %v", got)
	}
}

func TestScreenshotOfAnElementInAFrame(t *testing.T) {
	tr := start(t)
	s := site(t, map[string]string{
		"/":   `<body style="margin:0"><div style="height:900px"></div><iframe id=x style="border:3px solid;height:200px"></iframe><script>x.src = location.href.replace('127.0.0.1', 'localhost') + 'in'</script>`,
		"/in": `<div style="height:500px"></div><div id=b style="width:40px;height:30px;background:red"></div>`,
	})
	tr.must("page.goto", &action.Goto{URL: s.URL})
	shot := tr.must("page.screenshot", &action.TakeScreenshot{Selector: "#b"}).Data.(*action.Screenshot)
	if shot.Width < 40 || shot.Width > 41 || shot.Height < 30 || shot.Height > 31 {
		t.Errorf("%d×%d, want 40×30", shot.Width, shot.Height)
	}
	reddish(t, shot, 20, 15)
}

func TestExtract(t *testing.T) {
	tr := start(t)
	s := tr.visit(`<title>The &#8206;title</title><p>Seen</p><p style="display:none">Unseen</p>`)
	got := tr.must("page.extract", &action.Extract{}).Data.(*action.Extracted)
	if got.Mode != "text" || got.Text != "Seen" || got.URL != s.URL+"/" || got.Title != "The title" {
		t.Errorf("%+v", got)
	}
	tr.refuse(fault.InvalidRequest, "page.extract", &action.Extract{Mode: "html"})
}
