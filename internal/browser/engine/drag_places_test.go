package engine_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// TestADragGoesFromPointToPointOfOneElement: a canvas, a map and a slider are
// one element, and what is drawn or moved there begins and ends in it.
func TestADragGoesFromPointToPointOfOneElement(t *testing.T) {
	tr := start(t)
	tr.visit(`<body style="margin:0"><canvas id=paper width=400 height=300></canvas><script>
		window.line = [];
		paper.onpointerdown = e => line = ['down ' + e.offsetX + ',' + e.offsetY];
		paper.onpointerup = e => line.push('up ' + e.offsetX + ',' + e.offsetY);
	</script>`)
	tr.must("page.drag", &action.Drag{From: spot(50, 60), To: spot(250, 160)})
	tr.wantEval(`line.join()`, "down 50,60,up 250,160")
	if _, err := tr.do("page.drag", &action.Drag{From: spot(50, 60), To: spot(50, 60)}); err == nil {
		t.Error("a drag from a point to itself was made")
	}
}

// TestADropOnAnEntryIsADropOnItsLink: folders of a tree are list items that a
// link fills, and take drops where the link is.
func TestADropOnAnEntryIsADropOnItsLink(t *testing.T) {
	tr := start(t)
	tr.visit(`<ul role=tree style="padding:0;width:200px"><li role=treeitem id=folder style="list-style:none;padding:0 0 0 30px"><a href="#r" id=link style="display:block;height:30px">Receipts</a></li></ul>
	<div id=mail style="width:100px;height:40px;user-select:none">Mail</div><script>
		document.onmouseup = e => document.title = e.target.id;
	</script>`)
	tr.must("page.drag", dragged("#mail", "#folder"))
	tr.wantTitle("link")
}

// TestALineOfADrawingIsPointedAt: the grid of an editor of diagrams is made of
// lines, which have no width or no height.
func TestALineOfADrawingIsPointedAt(t *testing.T) {
	tr := start(t)
	tr.visit(`<body style="margin:0"><div id=node style="width:60px;height:20px;user-select:none">Node</div><svg width=400 height=300 style="display:block">
		<g stroke=#eee stroke-width=2><path d="M0 100 H400" fill=none id=path /><line x1=0 y1=200 x2=400 y2=200 /><line x1=200 y1=0 x2=200 y2=300 id=upright /></g></svg><script>
		document.onmouseup = e => document.title += ' ' + e.clientX + ',' + e.clientY;
	</script>`)
	to := dragged("#node", "")
	to.To = spot(200, 220)
	tr.must("page.drag", to)
	tr.wantTitle("200,220")
	tr.must("page.click", &action.Click{Locator: spot(100, 220)})
	tr.wantTitle("200,220 100,220")
	tr.must("page.click", &action.Click{Locator: action.Locator{Selector: "#upright"}})
	tr.wantTitle("200,220 100,220 200,170")
	tr.must("page.click", &action.Click{Locator: action.Locator{Selector: "#path"}})
	tr.wantTitle("200,220 100,220 200,170 100,120") // another line crosses its middle
}

func spot(x, y float64) action.Locator { return action.Locator{X: &x, Y: &y} }
