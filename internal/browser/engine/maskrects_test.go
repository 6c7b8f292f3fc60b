package engine_test

import (
	"bytes"
	"image"
	"image/draw"
	_ "image/jpeg"
	_ "image/png"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// written counts the magenta points of a picture: secrets in these tests are
// written in it, and nothing else is.
func written(m *image.RGBA) (n int) {
	for i := 0; i+3 < len(m.Pix); i += 4 {
		if m.Pix[i] > 0xb0 && m.Pix[i+1] < 0x50 && m.Pix[i+2] > 0xb0 {
			n++
		}
	}
	return n
}

// covered counts the points that are painted over.
func covered(m *image.RGBA) (n int) {
	for i := 0; i+3 < len(m.Pix); i += 4 {
		if m.Pix[i] == 0x5f && m.Pix[i+1] == 0x63 && m.Pix[i+2] == 0x68 {
			n++
		}
	}
	return n
}

func imageOf(t testing.TB, data []byte) *image.RGBA {
	t.Helper()
	m, _, err := image.Decode(bytes.NewReader(data))
	must(t, err)
	out := image.NewRGBA(m.Bounds())
	draw.Draw(out, out.Bounds(), m, m.Bounds().Min, draw.Src)
	return out
}

func (tr *trial) imaged(a action.TakeScreenshot) *image.RGBA {
	tr.t.Helper()
	return imageOf(tr.t, tr.must("page.screenshot", &a).Data.(*action.Screenshot).Bytes)
}

const magenta = `<style>body{margin:0;background:#fff;color:#000;font:16px sans-serif} .s, .s::before, .s::placeholder{color:#ff00ff !important;fill:#ff00ff} input,select,textarea{width:300px;opacity:1}</style>`

// ways has a known secret in every way in which a page shows text.
var ways = map[string]string{
	"a text":               `<p>Key: <span class=s>` + hiddenToken + `</span></p>`,
	"a text in pieces":     `<p class=s><b>` + hiddenToken[:9] + `</b><i>` + hiddenToken[9:20] + `</i>` + hiddenToken[20:] + `</p>`,
	"cells":                `<table class=s><tr><td>` + hiddenToken[:16] + `<td>` + hiddenToken[16:] + `</table>`,
	"broken lines":         `<p class=s style="width:60px;overflow-wrap:anywhere">` + hiddenToken + `</p>`,
	"capitals":             `<p class=s style="text-transform:uppercase">` + hiddenToken + `</p>`,
	"a field":              `<input class=s value="` + hiddenToken + `">`,
	"a field that is set":  `<input class=s id=f><script>f.value = "` + hiddenToken + `"</script>`,
	"a placeholder":        `<input class=s placeholder="` + hiddenToken + `">`,
	"a text area":          `<textarea class=s>` + hiddenToken + `</textarea>`,
	"a list":               `<select class=s><option>` + hiddenToken + `</select>`,
	"a list with a label":  `<select class=s><option label="` + hiddenToken + `"></select>`,
	"a button":             `<input type=submit class=s value="` + hiddenToken + `">`,
	"generated text":       `<style>.g::before{content:attr(data-k)}</style><p class="s g" data-k="` + hiddenToken + `"></p>`,
	"a picture's words":    `<img class=s width=400 height=40 src="/none.png" alt="` + hiddenToken + `">`,
	"a drawing":            `<svg width=400 height=40><text class=s x=5 y=20>` + hiddenToken + `</text></svg>`,
	"a closed shadow root": `<div id=h></div><script>h.attachShadow({mode:'closed'}).innerHTML = '<p style="color:#ff00ff">` + hiddenToken + `</p>'</script>`,
	"a turned box":         `<p class=s style="transform:translate(80px,90px) rotate(25deg);width:300px">` + hiddenToken + `</p>`,
	"a zoomed box":         `<p class=s style="zoom:1.5">` + hiddenToken + `</p>`,
	"a fixed box":          `<p class=s style="position:fixed;bottom:10px;left:30px">` + hiddenToken + `</p>`,
	"letters that lean":    `<p class=s style="font:italic bold 70px serif;margin:40px;overflow-wrap:anywhere;line-height:1.6">` + hiddenToken + `</p>`,
	"letters with a style": `<p class=s style="font-style:italic;letter-spacing:3px;text-decoration:underline;text-underline-offset:2px">` + hiddenToken + `</p>`,
	"a scrolled box":       `<div id=b style="height:60px;width:350px;overflow:auto"><p style="height:200px">x</p><p class=s>` + hiddenToken + `</p></div><script>b.scrollTop = 999</script>`,
	"far down":             `<div style="height:1500px"></div><p class=s>` + hiddenToken + `</p><script>scrollTo(0, 9999)</script>`,
	"a written-out frame":  `<iframe style="margin:20px;border:9px solid #ccc" srcdoc="<p style='color:#ff00ff'>` + hiddenToken + `"></iframe>`,
	"right to left":        `<p class=s dir=rtl>` + hiddenToken + ` שלום</p>`,
	"other letters before": `<p class=s>größe 😀 ` + hiddenToken + `</p>`,
}

func TestNoPictureShowsAKnownSecret(t *testing.T) {
	for name, html := range ways {
		if !testenv.Tried(name, 4) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			holds := false
			tr := start(t, holding, func(o *engine.Options) {
				o.Width, o.Height, o.DPI, o.Credentialed = 500, 400, 144, func() bool { return holds }
			})
			tr.visit(`<!DOCTYPE html>` + magenta + html + `<p>All the rest stays.</p>`)
			if written(tr.imaged(action.TakeScreenshot{})) == 0 {
				t.Error("without credentials there is nothing to see")
			}
			holds = true
			for _, a := range []action.TakeScreenshot{{}, {FullPage: true}, {Labels: true, Selector: "body"}} {
				m := tr.imaged(a)
				if n := written(m); n != 0 {
					t.Errorf("%+v: %d points of it are seen", a, n)
				}
				if size := m.Bounds().Dx() * m.Bounds().Dy(); a.Selector == "" && covered(m) > size/3 && name != "letters that lean" {
					t.Errorf("%+v: %d of %d points are covered", a, covered(m), size)
				}
			}
		})
	}
}

func TestASecretInAFrameOfAnotherSiteIsCovered(t *testing.T) {
	tr := start(t, holding)
	var s string
	inner := magenta + `<p style="margin:40px" class=s>` + hiddenToken + `</p><input type=password value=x>`
	site := site(t, map[string]string{"/": magenta + `<p>Around</p><iframe style="margin:30px;border:5px solid #ccc;width:500px" src="there"></iframe>`, "/inner": inner})
	s = elsewhere(site) + "/inner"
	outer := serve(t, magenta+`<p>Around</p><iframe style="margin:30px;border:5px solid #ccc;width:500px" src="`+s+`"></iframe>`)
	tr.must("page.goto", &action.Goto{URL: outer.URL})
	tr.must("page.wait_for", &action.WaitFor{Locator: selector("input")})
	if m := tr.imaged(action.TakeScreenshot{}); written(m) != 0 || covered(m) == 0 {
		t.Errorf("%d points are seen, %d covered", written(m), covered(m))
	}
}

func TestFieldsOfSecretsAreCoveredInEverySession(t *testing.T) {
	tr := start(t)
	tr.visit(magenta + `<label>Name <input value=ada></label><br><input class=s type=password value=hunter2 aria-label=Password><br>
		<input class=s id=otp autocomplete=one-time-code value=123456><br><input class=s name=cardnumber value=4242424242424242><br>
		<input class=s id=was type=password value=shown-now><script>was.type = 'text'</script>`)
	for _, a := range []action.TakeScreenshot{{}, {FullPage: true}, {Labels: true}, {Selector: "#otp"}, {Format: "jpeg"}} {
		if m := tr.imaged(a); written(m) != 0 || covered(m) == 0 && a.Format == "" {
			t.Errorf("%+v: %d points are seen, %d covered", a, written(m), covered(m))
		}
	}
	tr.refuse(fault.InvalidRequest, "page.screenshot", &action.TakeScreenshot{Format: "webp"})
	_, pin, err := tr.Look(tr.ctx, "page.hover", &action.Hover{Locator: selector("#otp")})
	must(t, err)
	picture, err := tr.TargetScreenshot(tr.ctx, pin)
	must(t, err)
	if n := written(imageOf(t, picture)); n != 0 {
		t.Errorf("%d points are seen in the picture of a question", n)
	}
}

func TestAPictureOfWhatMovesIsRefused(t *testing.T) {
	tr := start(t, holding)
	tr.visit(magenta + `<p class=s id=k style="position:absolute">` + hiddenToken + `</p><script>
		let n = 0; const move = () => { k.style.left = (n += 7) % 300 + 'px'; setTimeout(move, 0) }; move()</script>`)
	if f := tr.refuse(fault.PageChanged, "page.screenshot", &action.TakeScreenshot{}); !strings.Contains(f.Hint, "rests") {
		t.Errorf("it is refused with %q", f.Hint)
	}
}

func TestPicturesWithoutSecretsAreAsTheyWere(t *testing.T) {
	tr := start(t, holding)
	tr.visit(magenta + `<p class=s>Nothing of note</p>`)
	m := tr.imaged(action.TakeScreenshot{})
	if covered(m) != 0 || written(m) == 0 {
		t.Errorf("%d points covered, %d seen", covered(m), written(m))
	}
	tr.must("page.screenshot", &action.TakeScreenshot{Format: "webp"})
}

func TestAPageWithAKnownSecretIsNotPrinted(t *testing.T) {
	for name, html := range map[string]string{
		"a text": `<p>` + hiddenToken, "pieces": `<p><b>` + hiddenToken[:9] + `</b>` + hiddenToken[9:], "what only paper shows": `<style>@media screen{p{display:none}}</style><p>` + hiddenToken,
		"an attribute": `<style>@media print{p::after{content:attr(data-k)}}</style><p data-k="` + hiddenToken + `">x`, "a value": `<input id=f><script>f.value = "` + hiddenToken[:9] + `" + "` + hiddenToken[9:] + `"</script>`,
		"a frame": `<iframe srcdoc="<p>` + hiddenToken + `"></iframe>`,
	} {
		if !testenv.Tried(name, 2) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			tr := start(t, holding)
			tr.visit(html)
			if f := tr.refuse(fault.DeniedByPolicy, "page.pdf", &action.PrintPDF{}); !strings.Contains(f.Hint, "snapshot") {
				t.Errorf("it is refused with %q", f.Hint)
			}
		})
	}
	tr := start(t, holding)
	tr.visit(`<p>Nothing of note`)
	if pdf := tr.must("page.pdf", &action.PrintPDF{}).Data.(*action.PDF); !bytes.HasPrefix(pdf.Bytes, []byte("%PDF")) {
		t.Error("a page without secrets is not printed")
	}
}
