package engine_test

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func dragged(from, to string) *action.Drag {
	return &action.Drag{From: selector(from), To: selector(to), Timing: action.Timing{Timeout: 3000}}
}

func TestDragAndDropCarriesItsData(t *testing.T) {
	tr := start(t)
	tr.visit(fixture(t, "drag"))
	r := tr.must("page.drag", dragged("#card", "#zone")).Data.(*action.Acted)
	if !r.OK || r.Element == nil || r.Element.Label != "card · Card" {
		t.Errorf("acted %+v on %+v", r, r.Element)
	}
	tr.wantEval(`zone.textContent + ' ' + zone.dataset.entered`, "Done + the card 1")
	tr.wantEval(`log.join()`, "mousedown,dragstart card,drop zone,dragend card")
	tr.must("page.drag", dragged("#card", "#far")) // out of sight until it is carried there
	tr.wantEval(`far.textContent`, "Far + the card")
	drop := dragged("#card", "#zone")
	drop.X, drop.Y = new(150.0), new(70.0)
	tr.must("page.drag", drop)
	tr.wantEval(`zone.dataset.at`, "150,70")
	tr.click(selector("#trash")) // no button is left pressed
	tr.wantEval(`log.slice(-3).join()`, "mousedown,mouseup,click trash")
}

func TestDraggingBySomethingElseThanTheBrowser(t *testing.T) {
	tr := start(t)
	tr.visit(fixture(t, "sort"))
	tr.must("page.drag", dragged("li:nth-child(1)", "li:nth-child(3)"))
	tr.wantTitle("BCAD")
	tr.must("page.drag", dragged("li:nth-child(4)", "li:nth-child(1)"))
	tr.wantTitle("DBCA")
	slide := dragged("#thumb", "#track")
	slide.X, slide.Y = new(200.0), new(10.0)
	tr.must("page.drag", slide)
	tr.wantEval(`thumb.style.left`, "190px")
}

func TestADragGoesFromAPointToAPoint(t *testing.T) {
	tr := start(t)
	tr.visit(`<!doctype html><body style="margin:0"><canvas id=c width=300 height=200></canvas>
<script>const log = []; for (const type of ['mousedown', 'mouseup']) c.addEventListener(type, e => log.push(type + ' ' + e.clientX + ',' + e.clientY))</script>`)
	at := func(x, y float64) action.Locator { return action.Locator{X: &x, Y: &y} }
	tr.must("page.drag", &action.Drag{From: at(20, 30), To: at(120, 140)})
	tr.wantEval(`log.join()`, "mousedown 20,30,mouseup 120,140")
	tr.must("page.drag", &action.Drag{From: selector("canvas"), To: at(10, 15)})
	tr.wantEval(`log[3]`, "mouseup 10,15")
	tr.refuse(fault.InvalidRequest, "page.drag", &action.Drag{From: selector("canvas"), To: selector("canvas")})
	tr.refuse(fault.NotFound, "page.drag", &action.Drag{From: at(20, 30), To: at(5000, 140)})
}

func TestADragThatThePageDoesNotWantLeavesNothingBehind(t *testing.T) {
	tr := start(t)
	tr.visit(fixture(t, "drag"))
	tr.must("page.drag", dragged("#fixed", "#zone"))
	tr.wantEval(`zone.textContent`, "Done")
	tr.must("page.drag", dragged("#card", "#fixed")) // takes no drop
	tr.wantEval(`log.filter(l => l.startsWith('drop')).length`, "0")
	tr.must("page.drag", dragged("#card", "#zone"))
	tr.wantEval(`zone.textContent`, "Done + the card")
}

func TestBothEndsOfADragAreLookedAtAndPinned(t *testing.T) {
	tr := start(t)
	tr.visit(fixture(t, "drag"))
	facts, pin, err := tr.Look(tr.ctx, "page.drag", dragged("#card", "#trash"))
	must(t, err)
	if facts.Element == nil || facts.Onto == nil || !strings.Contains(facts.Onto.Label, "Trash") || facts.Destination != nil {
		t.Errorf("element %+v onto %+v, to %+v", facts.Element, facts.Onto, facts.Destination)
	}
	for _, change := range []string{`trash.textContent = 'Keep'`, `card.textContent = 'Other'`} {
		_, pin, err = tr.Look(tr.ctx, "page.drag", dragged("#card", "#trash"))
		must(t, err)
		tr.eval(change)
		_, err = tr.Do(tr.ctx, "page.drag", dragged("#card", "#trash"), pin)
		expect(t, fault.PageChanged, err)
	}
	pin.Drop = action.Spot{}
	_, err = tr.Do(tr.ctx, "page.drag", dragged("#card", "#trash"), pin)
	expect(t, fault.PageChanged, err)
	tr.wantEval(`log.join()`, "")
	tr.refuse(fault.InvalidRequest, "page.drag", dragged("#card", "#card"))
	tr.refuse(fault.MissingSelector, "page.drag", &action.Drag{From: selector("#card")})
	tr.refuse(fault.NotFound, "page.drag", dragged("#none", "#zone"))
	away := dragged("#card", "#zone")
	away.X = new(900.0)
	tr.refuse(fault.NotActionable, "page.drag", away)
	tr.wantEval(`log.join()`, "")
}

func TestDraggingIntoAndInsideFrames(t *testing.T) {
	for name, at := range map[string]func(*httptest.Server) string{
		"of the same origin": func(s *httptest.Server) string { return s.URL },
		"of another site":    elsewhere,
	} {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			s := site(t, map[string]string{
				"/in": fixture(t, "drag"),
				"/": `<body style="margin:0"><div draggable=true ondragstart="event.dataTransfer.setData('text/plain', 'outer')" style="width:90px;height:40px">Outer</div>
					<iframe style="margin:20px;width:400px;height:300px"></iframe><script>document.querySelector('iframe').src = new URLSearchParams(location.search).get('in') + '/in'</script>`,
			})
			tr.visitAt(s.URL + "/?in=" + url.QueryEscape(at(s)))
			drag := func(from, to, becomes string) {
				t.Helper()
				tr.must("page.drag", &action.Drag{From: action.Locator{Text: from}, To: action.Locator{Text: to}})
				if text := tr.must("page.extract", &action.Extract{}).Data.(*action.Extracted).Text; !strings.Contains(text, becomes) {
					t.Errorf("%s was not dropped on %s: %q", from, to, text)
				}
			}
			drag("Outer", "Done", "Done + outer")
			drag("Card", "Trash", "Trash + the card")
		})
	}
}

func TestADialogInTheMiddleOfADragLeavesNoButtonPressed(t *testing.T) {
	tr := start(t)
	tr.visit(`<div id=a style="height:50px" onmousedown="alert('no')">A</div><div id=b style="height:50px" onclick="document.title='clicked'" onmousemove="if (event.buttons) document.title='pressed'">B</div>`)
	_, err := tr.do("page.drag", dragged("#a", "#b"))
	expect(t, fault.DialogOpen, err)
	tr.must("page.dialog", &action.AnswerDialog{Accept: true})
	tr.click(selector("#b"))
	tr.wantTitle("clicked")
}
