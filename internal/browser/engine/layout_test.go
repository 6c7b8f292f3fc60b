package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestMenusOpenUnderThePointerAndStayOpen(t *testing.T) {
	tr := start(t)
	tr.visit(fixture(t, "menu"))
	tr.refuse(fault.NotActionable, "page.click", &action.Click{Locator: selector("button"), Timing: action.Timing{Timeout: 200}})
	tr.must("page.hover", &action.Hover{Locator: selector("#top")})
	tr.must("page.hover", &action.Hover{Locator: selector("#sub")})
	if text := tr.snap(); !strings.Contains(text, `button "Deep"`) {
		t.Errorf("the open menu is not shown:\n%s", text)
	}
	tr.click(selector("button"))
	tr.wantTitle("chosen")
}

func TestWhatAStickyHeaderCoversIsScrolledClear(t *testing.T) {
	tr := start(t)
	tr.visit(fixture(t, "sticky"))
	for _, name := range []string{"Row 60", "Row 3", "Row 119", "Row 0", "Cell 39", "Cell 0", "Cell 20", "Row 85"} {
		for n := 0; n < 2; n++ { // once from afar, once where it is
			tr.click(named("button", name))
			tr.wantTitle(name)
		}
	}
	tr.eval(`scrollTo(0, 130)`) // rows 0 to 4 lie under the header
	for n := range 5 {
		name := fmt.Sprint("Row ", n)
		tr.click(named("button", name))
		tr.wantTitle(name)
	}
}

func TestScrollingLoadsMore(t *testing.T) {
	tr := start(t)
	tr.visit(fixture(t, "endless"))
	for _, entry := range []string{"Entry 15", "Entry 25", "Entry 35"} {
		tr.must("page.scroll", &action.Scroll{Y: 5000})
		w := tr.must("page.wait_for", &action.WaitFor{Locator: action.Locator{Text: entry}}).Data.(*action.Waited)
		if !w.Found {
			t.Fatalf("%s did not come", entry)
		}
	}
	if text := tr.must("page.extract", &action.Extract{}).Data.(*action.Extracted).Text; !strings.Contains(text, "Entry 35") {
		t.Error("the text does not show what was loaded")
	}
}

func TestRowsOfAVirtualListAreReachedByScrolling(t *testing.T) {
	tr := start(t)
	tr.visit(fixture(t, "virtual"))
	tr.refuse(fault.NotFound, "page.click", &action.Click{Locator: action.Locator{Text: "Row 500"}, Timing: action.Timing{Timeout: 200}})
	if at := tr.must("page.scroll", &action.Scroll{Locator: selector("#box"), Y: 9990}).Data.(*action.Scrolled); at.Y != 9990 {
		t.Errorf("scrolled to %+v", at)
	}
	tr.click(action.Locator{Text: "Row 501"})
	tr.wantTitle("Row 501")
}

func TestTheClickLandsOnTheElementHoweverItIsDrawn(t *testing.T) {
	tr := start(t)
	const b = `<button id=x onclick="document.title='hit'" style="position:absolute;left:300px;top:200px;width:120px;height:30px;%s">Go</button>`
	for name, html := range map[string]string{
		"turned":           fmt.Sprintf(b, "transform:rotate(45deg)"),
		"shrunk":           fmt.Sprintf(b, "transform:scale(.1)"),
		"sheared":          fmt.Sprintf(b, "transform:skewX(70deg)"),
		"in space":         `<div style="perspective:300px">` + fmt.Sprintf(b, "transform:rotateY(60deg) rotateX(30deg)") + `</div>`,
		"mirrored":         fmt.Sprintf(b, "transform:scaleX(-1)"),
		"turned over":      `<div style="transform:rotate(180deg);height:500px">` + fmt.Sprintf(b, "") + `</div>`,
		"zoomed":           `<div style="zoom:1.7">` + fmt.Sprintf(b, "") + `</div>`,
		"half off left":    fmt.Sprintf(b, "left:-90px"),
		"half off top":     fmt.Sprintf(b, "top:-20px"),
		"half off right":   `<style>html{overflow:hidden}</style>` + fmt.Sprintf(b, "left:770px"),
		"clipped":          fmt.Sprintf(b, "clip-path:polygon(0 0, 20% 0, 0 100%)"),
		"round":            fmt.Sprintf(b, "border-radius:50%;height:120px;overflow:hidden"),
		"overlap at right": fmt.Sprintf(b, "") + `<button style="position:absolute;left:310px;top:190px;width:200px;height:60px" onclick="document.title='wrong'">Wrong</button>`,
		"sliver":           fmt.Sprintf(b, "") + `<div style="position:absolute;left:300px;top:202px;width:130px;height:40px;background:#eee" onclick="document.title='wrong'">Lid</div>`,
		"children outside": `<a id=x href="javascript:void(document.title='hit')" style="position:absolute;left:300px;top:200px;width:0;height:0"><img style="position:absolute;left:40px;top:40px" width=50 height=50 src="data:image/gif;base64,R0lGODlhAQABAAAAACw="></a>`,
		"inline block in":  `<a id=x href="javascript:void(document.title='hit')"><div style="margin:80px;width:60px;height:40px;background:#ccc">Box</div></a>`,
		"svg":              `<svg width=300 height=300><a id=x href="javascript:void(document.title='hit')"><circle cx=200 cy=200 r=30 fill=red /></a></svg>`,
		"ring":             `<svg width=300 height=300><circle id=x cx=150 cy=150 r=100 fill=none stroke=red stroke-width=20 onclick="document.title='hit'" /></svg>`,
	} {
		t.Run(name, func(t *testing.T) {
			tr.visit(html)
			tr.must("page.click", &action.Click{Locator: selector("#x")})
			tr.wantTitle("hit")
		})
	}
}

func TestWhatCannotBePointedAtIsSaidSo(t *testing.T) {
	tr := start(t)
	for html, want := range map[string]string{
		`<button id=x style="width:0;height:0;border:0;padding:0;overflow:hidden">x</button>`:                                                                  "not visible",
		`<button id=x style="transform:scale(0)">x</button>`:                                                                                                   "not visible",
		`<div style="transform:rotateY(90deg);position:absolute;left:200px"><button id=x>x</button></div>`:                                                     "not visible",
		`<div style="perspective:99px;transform-style:preserve-3d"><button id=x style="transform:rotateY(180deg);backface-visibility:hidden">x</button></div>`: "covered",
		`<fieldset disabled><button id=x>x</button></fieldset>`:                                                                                                "disabled",
		`<div inert><button id=x>x</button></div>`:                                                                                                             "covered",
	} {
		tr.visit(html)
		f := tr.refuse(fault.NotActionable, "page.click", &action.Click{Locator: selector("#x"), Timing: action.Timing{Timeout: 250}})
		if f.Details["reason"] != want {
			t.Errorf("%s: %v, want %q", html, f, want)
		}
	}
}
