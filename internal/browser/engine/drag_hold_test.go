package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const sortable = `<style>li {padding: 8px; user-select: none; touch-action: none}</style><ul id=u style="width:160px;padding:0"><li id=a>One<li id=b>Two<li id=c>Three</ul><script>
	const order = () => u.innerText.replace(/\s+/g, ' ').trim();
	const drop = (held, e) => { const o = document.elementFromPoint(e.clientX, e.clientY)?.closest('li'); if (held && o && o !== held) o.after(held) };
</script>`

// heldList is a list whose entries can be dragged after a time; a move before then ends that.
func heldList(press, move, release, time string) string {
	return sortable + `<script>
	let held = null, timer, at;
	u.addEventListener('` + press + `', e => { const li = e.target.closest('li'); at = e; timer = setTimeout(() => { held = li; li.style.opacity = .5 }, ` + time + `) });
	addEventListener('` + move + `', e => { if (!held && at && Math.hypot(e.clientX - at.clientX, e.clientY - at.clientY) > 5) clearTimeout(timer) });
	addEventListener('` + release + `', e => { clearTimeout(timer); drop(held, e); held = at = null });
</script>`
}

func (tr *trial) notesOfDrag(from, to string) string {
	tr.t.Helper()
	return strings.Join(tr.must("page.drag", dragged(from, to)).Notes, " ")
}

func TestADragRestsWhereThePageTakesOnlyWhatIsHeld(t *testing.T) {
	tr := start(t)
	for name, page := range map[string]string{
		"pointer": heldList("pointerdown", "pointermove", "pointerup", "250"),
		"mouse":   heldList("mousedown", "mousemove", "mouseup", "200"),
	} {
		for _, known := range []bool{false, true} {
			tr.visit(page)
			if known {
				tr.must("page.snapshot", &action.TakeSnapshot{}) // listeners are known from here on
			}
			notes := tr.notesOfDrag("#a", "#c")
			if got := tr.eval("order()"); got != "Two Three One" || strings.Contains(notes, "did not begin") {
				t.Errorf("%s, listeners known %v: %q, notes %q", name, known, got, notes)
			}
		}
	}
}

func TestADragThatDidNotBeginIsToldOf(t *testing.T) {
	tr := start(t)
	for name, c := range map[string]struct {
		page  string
		began bool
	}{
		"held for long":   {heldList("pointerdown", "pointermove", "pointerup", "1000000"), false},
		"no drag":         {sortable, false},
		"by a handle":     {sortable + `<script>u.onpointerdown = e => { if (e.target.id === 'handle') e.target.remove() }</script>`, false},
		"text":            {strings.Replace(sortable, "user-select: none", "", 1), false},
		"a style":         {sortable + `<script>onpointermove = e => { if (e.buttons) a.style.left = e.clientX + 'px' }</script>`, true},
		"capture":         {sortable + `<script>a.onpointerdown = e => a.setPointerCapture(e.pointerId)</script>`, true},
		"drag and drop":   {strings.Replace(sortable, "<li id=a", "<li draggable=true id=a", 1), true},
		"a canvas":        {`<canvas id=a></canvas><canvas id=c></canvas>`, true},
		"a shadow root":   {sortable + `<div id=d></div><script>const r = d.attachShadow({mode: 'open'}); r.innerHTML = '<p>x'; onpointermove = e => { if (e.buttons) r.firstChild.textContent += '.' }</script>`, true},
		"something later": {sortable + `<script>onpointerup = () => { a.title = 'dropped' }</script>`, true},
	} {
		tr.visit(c.page)
		tr.must("page.snapshot", &action.TakeSnapshot{})
		if notes := tr.notesOfDrag("#a", "#c"); strings.Contains(notes, "did not begin") == c.began {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
	tr.visit(`<input type=range id=r value=0 style="width:200px">`)
	slide := &action.Drag{From: spot(16, 16), To: spot(150, 16)}
	if notes := strings.Join(tr.must("page.drag", slide).Notes, " "); strings.Contains(notes, "did not begin") {
		t.Errorf("a slider: notes %q", notes)
	}
}

const through = sortable + `<script>
	let from = null;
	u.onpointerdown = e => { from = e.target.closest('li'); e.preventDefault() };
	onpointermove = e => { if (from) for (const li of u.children) li.style.pointerEvents = 'none' };
	onpointerup = e => {
		if (!from) return;
		for (const li of u.children) li.style.pointerEvents = '';
		drop(from, e);
		from = null;
	};
</script>`

func TestADropReachesAnItemThatTakesNoPointerWhileItIsDragged(t *testing.T) {
	tr := start(t)
	tr.visit(through)
	tr.notesOfDrag("#a", "#c")
	tr.wantEval("order()", "Two Three One")
	tr.visit(strings.ReplaceAll(through, "onpointermove", "u.onpointerover"))
	tr.notesOfDrag("#c", "#a")
	tr.wantEval("order()", "One Three Two")
}

// Only what the item is in may be below it, and no control: that was not judged.
func TestADropDoesNotReachWhatIsBehindAnItem(t *testing.T) {
	tr := start(t)
	for name, page := range map[string]string{
		"a button below":  `<button style="position:absolute;left:0;top:0;width:300px;height:300px" onpointerup="document.title='pressed'">Delete</button><style>#u {position: relative}</style>` + through,
		"a button above":  through + `<script>onpointermove = () => { if (!from) return; const d = document.createElement('button'); d.style.cssText = 'position:fixed;inset:0'; d.onclick = d.onpointerup = () => { document.title = 'pressed' }; document.body.append(d) }</script>`,
		"a button around": strings.Replace(strings.Replace(through, "<ul id=u", `<div role=button onpointerup="document.title='pressed'"><ul id=u`, 1), "</ul>", "</ul></div>", 1),
	} {
		tr.visit(page)
		if name == "a button below" {
			tr.eval(`u.style.pointerEvents = 'none'; for (const li of u.children) li.style.pointerEvents = 'auto'`)
		}
		args := dragged("#a", "#c")
		args.Timeout = 500
		_, err := tr.do("page.drag", args)
		if code := fault.CodeOf(err); code != fault.NotActionable && code != fault.PageChanged {
			t.Errorf("%s: %v", name, err)
		}
		if got := tr.eval("document.title"); got == "pressed" {
			t.Errorf("%s: it was pressed", name)
		}
	}
}
