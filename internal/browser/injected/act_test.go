package injected_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

func number(f float64) string { return fmt.Sprint(f) }

func TestFocusPlacesTheCaretOrSelectsTheText(t *testing.T) {
	p := open(t, `<input id=i value=abc><textarea id=a>abc</textarea><div id=c contenteditable>abc</div><input id=n type=number value=5><input id=e type=email value=a@b.c>
<script>window.log=[];for(const e of [i,a,c,n,e_=document.getElementById('e')])for(const k of ['input','change'])e.addEventListener(k,()=>log.push(e.id+k))</script>`)
	for _, selector := range []string{"#i", "#a", "#c", "#n", "#e"} {
		p.page(`document.activeElement.blur(), getSelection().removeAllRanges()`)
		for _, all := range []bool{false, true, false} { // at last what is selected stays so
			selected := p.page(`getSelection() + ''`)
			r, err := p.frame.Focus(p.ctx, injected.Focus{Node: p.node(selector), All: all})
			must(t, err)
			if !r.OK {
				t.Errorf("%s has no focus", selector)
			}
			if got, whole := p.page(`getSelection() + ''`), p.page(`(e => e.value ?? e.textContent)(document.querySelector('`+selector+`'))`); (got == whole) != (all || selected == whole) {
				t.Errorf("%s has %q selected of %q, all: %v", selector, got, whole, all)
			}
		}
	}
	if got := p.page(`log.join()`); got != "" {
		t.Errorf("events %v", got)
	}
	p.page(`i.blur()`)
	p.page(`getSelection().removeAllRanges()`)
	p.page(`i.setSelectionRange(0, 0)`)
	p.page(`i.value = 'abc'`)
	must(t, func() error { _, err := p.frame.Focus(p.ctx, injected.Focus{Node: p.node("#i")}); return err }())
	if got := p.page(`i.selectionStart + ',' + i.selectionEnd`); got != "3,3" {
		t.Errorf("caret at %v", got)
	}
	must(t, func() error {
		_, err := p.frame.Focus(p.ctx, injected.Focus{Node: p.node("#i"), All: true})
		return err
	}())
	if got := p.page(`i.selectionStart + ',' + i.selectionEnd`); got != "0,3" {
		t.Errorf("selected %v", got)
	}
}

func TestChooseSelectsByValueOrLabel(t *testing.T) {
	p := open(t, `<select id=s><option value=1>One<option value=2>Two  words<option value=3 disabled>Three</select><select id=m multiple><option>a<option>b<option selected>c</select><input id=i>
<script>window.log=[];for(const k of ['input','change'])document.addEventListener(k,e=>log.push(e.target.id+k))</script>`)
	for _, c := range []struct {
		selector string
		values   []string
		want     string
	}{
		{"#s", []string{"2"}, "ok [2]"},
		{"#s", []string{"two words"}, "ok [2]"},
		{"#s", []string{"One"}, "ok [1]"},
		{"#s", []string{"Nine"}, "missing Nine [One Two words]"},
		{"#s", []string{"1", "2"}, "single"},
		{"#s", []string{"3"}, "disabled 3"},
		{"#m", []string{"a", "b"}, "ok [a b]"},
		{"#m", []string{"a", "z"}, "missing z [a b c]"},
		{"#i", []string{"a"}, "not a select"},
	} {
		r, err := p.frame.Choose(p.ctx, injected.Choice{Node: p.node(c.selector), Values: c.values})
		must(t, err)
		got := r.Error
		if r.OK {
			got = fmt.Sprint("ok ", r.Selected)
		}
		if r.Missing != "" {
			got += " " + r.Missing
		}
		if r.Options != nil {
			got += fmt.Sprint(" ", r.Options)
		}
		if got != c.want {
			t.Errorf("%s %v: %s, want %s", c.selector, c.values, got, c.want)
		}
	}
	if got := p.page(`log.join()`); got != "sinput,schange,sinput,schange,minput,mchange" {
		t.Errorf("events %v", got)
	}
	if got := p.page(`[...m.selectedOptions].map(o => o.value).join()`); got != "a,b" {
		t.Errorf("selected %v", got)
	}
}

func TestScroll(t *testing.T) {
	p := open(t, `<div style="height:4000px;width:3000px">tall</div><p id=end>end</p>`)
	r, err := p.frame.Scroll(p.ctx, injected.Scroll{X: 40, Y: 300})
	must(t, err)
	if r.X != 40 || r.Y != 300 || r.MaxY < 3000 {
		t.Errorf("scrolled to %+v", r)
	}
	r, err = p.frame.Scroll(p.ctx, injected.Scroll{Node: p.node("#end")})
	must(t, err)
	if r.Y < 3000 {
		t.Errorf("the end is not in view: %+v", r)
	}
	p = open(t, `<style>html,body{height:100%;margin:0;overflow:hidden}#s{height:100%;overflow:auto}</style><div id=s><div style="height:5000px">x</div></div>`)
	r, err = p.frame.Scroll(p.ctx, injected.Scroll{Y: 250})
	must(t, err)
	if r.Y != 250 || p.page(`s.scrollTop`) != 250.0 {
		t.Errorf("the pane did not scroll: %+v", r)
	}
}

func TestEmbeddedFindsAFramesPlace(t *testing.T) {
	p := open(t, `<body style="margin:0"><div style="height:1000px"></div><iframe id=f style="margin-left:30px;border:5px solid;padding:7px;width:300px;height:200px" srcdoc="<button>in</button>"></iframe><div style="height:1000px"></div>`)
	e, err := p.frame.Embedded(p.ctx, injected.Embedded{Node: p.node("#f"), X: 10, Y: 20, Scroll: true})
	must(t, err)
	if e.By != "" || e.X != 52 || e.X-e.Left != 10 || e.Y-e.Top != 20 || e.Y < 0 || e.Y > 720 {
		t.Errorf("embedded at %+v", e)
	}
	p.page(`document.body.insertAdjacentHTML('beforeend', '<div id=veil style="position:fixed;inset:0">Veil</div>')`)
	e, err = p.frame.Embedded(p.ctx, injected.Embedded{Node: p.node("#f"), X: 10, Y: 20})
	must(t, err)
	if e.By != `div#veil "Veil"` {
		t.Errorf("covered by %q", e.By)
	}
}

func TestWaitFor(t *testing.T) {
	p := open(t, `<p id=gone>Loading</p>`)
	p.page(`setTimeout(() => { gone.remove(); history.pushState(0, '', '/done?x'); document.body.insertAdjacentHTML('beforeend', '<p id=there hidden>Ready</p>') }, 40); setTimeout(() => there.hidden = false, 80); 0`)
	for name, c := range map[string]injected.Conditions{
		"attached": {Query: injected.Query{Selector: "#there"}},
		"visible":  {Query: injected.Query{Selector: "#there"}, State: "visible"},
		"detached": {Query: injected.Query{Selector: "#gone"}, State: "detached"},
		"hidden":   {Query: injected.Query{Selector: "#gone"}, State: "hidden"},
		"text":     {Query: injected.Query{Text: "Ready"}, State: "visible"},
		"textGone": {TextGone: "Loading"},
		"url":      {URL: "/done"},
	} {
		c.Wait = 5000
		w, err := p.frame.Wait(p.ctx, c)
		must(t, err)
		if !w.Found {
			t.Errorf("%s did not come", name)
		}
	}
	for name, c := range map[string]injected.Conditions{
		"attached": {Query: injected.Query{Selector: "#no"}},
		"detached": {Query: injected.Query{Selector: "#there"}, State: "detached"},
		"textGone": {TextGone: "Ready"},
		"url":      {URL: "/nowhere"},
	} {
		c.Wait = 30
		w, err := p.frame.Wait(p.ctx, c)
		must(t, err)
		if w.Found {
			t.Errorf("%s was found", name)
		}
	}
}

func TestTextIsWhatAPersonReads(t *testing.T) {
	p := open(t, `<title>T</title><h1>Head</h1><p>One <b>two</b><br>three</p><table><tr><td>a<td>b</table><script>no</script><textarea>no</textarea><p style="display:none">no</p>`)
	text, err := p.frame.Text(p.ctx)
	must(t, err)
	if text.Title != "T" || text.Text != "Head\nOne two\nthree\na b" {
		t.Errorf("got %+v", text)
	}
	p.page(`document.body.textContent = 'x'.repeat(3 << 20)`)
	text, err = p.frame.Text(p.ctx)
	must(t, err)
	if !text.Cut || len(text.Text) > 1<<20+10 {
		t.Errorf("%d bytes, cut %v", len(text.Text), text.Cut)
	}
}

func TestClosedShadowRootsAreRead(t *testing.T) {
	p := open(t, `<x-a></x-a><div id=plain></div><section id=text>fallback</section><p>light</p><script>
document.querySelector('x-a').attachShadow({mode:'closed'}).innerHTML = '<button id=in>In custom</button><x-b></x-b>';
plain.attachShadow({mode:'closed'}).innerHTML = '<button>In plain</button>';
text.attachShadow({mode:'closed'}).innerHTML = '<a href=#>In section</a><input type=password value=S3CRET>';
</script>`)
	p.page(`customElements.define('x-b', class extends HTMLElement { constructor() { super(); this.attachShadow({mode:'closed'}).innerHTML = '<button>Nested</button>' } })`)
	n, err := p.frame.Pierce(p.ctx)
	must(t, err)
	if n != 4 {
		t.Errorf("%d closed roots were found, want 4", n)
	}
	tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
	must(t, err)
	out := flatten(t, tree)
	for _, want := range []string{"In custom", "In plain", "In section", "Nested", "light"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not in %s", want, out)
		}
	}
	if strings.Contains(out, "S3CRET") {
		t.Errorf("a closed root leaks: %s", out)
	}
	f := p.find(injected.Query{Role: "button", Name: "In custom"})
	if f.Matches != 1 {
		t.Fatalf("found %+v", f)
	}
	r, err := p.frame.Ready(p.ctx, injected.Pinned{Node: f.Node, Kind: injected.ForClick})
	must(t, err)
	if !r.OK {
		t.Errorf("not ready: %+v", r)
	}
	if n, err := p.frame.Pierce(p.ctx); err != nil || n != 0 {
		t.Errorf("asked again: %d, %v", n, err)
	}
}

func TestAdoptNumbersAFramesOwner(t *testing.T) {
	p := open(t, `<iframe id=f srcdoc="<button>in</button>"></iframe>`)
	var tree struct {
		FrameTree struct {
			ChildFrames []struct{ Frame struct{ ID string } }
		}
	}
	must(t, p.Call(p.ctx, "Page.getFrameTree", nil, &tree))
	var owner struct{ BackendNodeID int64 }
	must(t, p.Call(p.ctx, "DOM.getFrameOwner", map[string]any{"frameId": tree.FrameTree.ChildFrames[0].Frame.ID}, &owner))
	adopted, err := p.frame.Adopt(p.ctx, owner.BackendNodeID)
	must(t, err)
	if adopted != p.node("#f") {
		t.Errorf("number %d, want %d", adopted, p.node("#f"))
	}
	backend, err := p.frame.Backend(p.ctx, adopted)
	must(t, err)
	if backend != owner.BackendNodeID {
		t.Errorf("backend node %d, want %d", backend, owner.BackendNodeID)
	}
	shot, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
	must(t, err)
	if len(shot.Nodes) != 1 || !shot.Nodes[0].Frame || shot.Nodes[0].Number != adopted {
		t.Errorf("snapshot %+v", shot.Nodes)
	}
}
