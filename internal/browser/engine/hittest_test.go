package engine_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func point(x, y float64) action.Locator { return action.Locator{X: &x, Y: &y} }

const spots = `<!doctype html><style>body {margin: 0} * {box-sizing: border-box} .at {position: absolute; width: 100px; height: 40px}</style>
<canvas class=at style="left:0;top:0;width:300px;height:200px" onclick="document.title = event.offsetX + ',' + event.offsetY"></canvas>
<button class=at style="left:400px;top:0" onclick="document.title='button'"><b>Delete</b></button>
<input class=at id=i style="left:400px;top:60px"><select class=at id=s style="left:400px;top:120px"><option>a<option>b</select>
<div class=at id=box style="left:400px;top:180px;overflow:auto"><div style="height:999px">tall</div></div>
<iframe class=at style="left:100px;top:300px;width:300px;height:150px;border:5px solid;padding:7px" srcdoc="<body style='margin:0'><div style='height:60px'></div><button style='width:100px;height:40px' onclick='parent.document.title=event.offsetX'>Inner</button>"></iframe>
<p class=at id=h style="left:500px;top:300px"></p><script>h.attachShadow({mode:'closed'}).innerHTML='<button style="width:100px;height:40px" onclick="document.title=\'closed\'">Closed</button>'</script>`

func TestAPointIsJudgedByWhatReceivesIt(t *testing.T) {
	tr := start(t)
	tr.visit(spots)
	for _, c := range []struct {
		x, y       float64
		role, name string
		title      string
	}{
		{123, 45, "canvas", "", "123,45"},
		{450, 20, "button", "Delete", "button"},
		{162, 392, "button", "Inner", "48"},
		{550, 320, "button", "Closed", "closed"},
	} {
		facts, _, err := tr.Look(tr.ctx, "page.click", &action.Click{Locator: point(c.x, c.y)})
		must(t, err)
		if e := facts.Element; e == nil || e.Role != c.role || e.Name != c.name {
			t.Errorf("%v,%v is judged as %+v", c.x, c.y, e)
		}
		tr.click(point(c.x, c.y))
		tr.wantTitle(c.title)
	}
}

func TestVerbsActAtAPoint(t *testing.T) {
	tr := start(t)
	tr.visit(spots)
	tr.must("page.type", &action.Type{Locator: point(450, 80), Input: "there"})
	tr.must("page.press", &action.Press{Locator: point(450, 80), Key: "!"})
	tr.wantEval(`i.value`, "there!")
	tr.must("page.select", &action.Select{Locator: point(450, 140), Values: []string{"b"}})
	tr.wantEval(`s.value`, "b")
	tr.must("page.scroll", &action.Scroll{AtX: new(430.0), AtY: new(200.0), Y: 120})
	tr.wantEval(`box.scrollTop`, "120")
	tr.must("page.hover", &action.Hover{Locator: point(450, 20)})
	tr.wantEval(`document.querySelector('button').matches(':hover')`, "true")
}

func TestAPointThatChangedHandsIsNotPressed(t *testing.T) {
	tr := start(t)
	tr.visit(spots)
	args := &action.Click{Locator: point(450, 20)}
	_, pin, err := tr.Look(tr.ctx, "page.click", args)
	must(t, err)
	tr.eval(`document.querySelector('button').insertAdjacentHTML('afterend', '<a class=at style="left:400px;top:0" href=/pay onclick="document.title=1">Pay</a>')`)
	_, err = tr.Do(tr.ctx, "page.click", args, pin)
	expect(t, fault.PageChanged, err)
	tr.wantTitle("")
}

func TestPointsThatAreNone(t *testing.T) {
	tr := start(t)
	tr.visit(spots)
	tr.refuse(fault.NotFound, "page.click", &action.Click{Locator: point(5000, 20)})
	tr.refuse(fault.InvalidRequest, "page.click", &action.Click{Locator: action.Locator{X: new(1.0)}})
	tr.refuse(fault.InvalidRequest, "page.wait_for", &action.WaitFor{Locator: point(1, 1)})
}
