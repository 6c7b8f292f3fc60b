package injected_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

func (p *tab) ready(selector string, kind injected.Kind, wait int) injected.Readiness {
	p.t.Helper()
	for {
		r, err := p.frame.Ready(p.ctx, injected.Pinned{Node: p.node(selector), Kind: kind, Wait: wait})
		must(p.t, err)
		if r.Pierce == 0 {
			return r
		}
		must(p.t, p.frame.PierceAt(p.ctx, r.Pierce)) // as the page engine does
	}
}

func TestReadySaysWhyNot(t *testing.T) {
	const style = `<style>#x{width:100px;height:40px}</style>`
	for name, c := range map[string]struct {
		html string
		kind injected.Kind
		want string
		by   string
	}{
		"hidden":             {`<button id=x style="display:none">x</button>`, injected.ForClick, "not visible", ""},
		"invisible":          {`<button id=x style="visibility:hidden">x</button>`, injected.ForClick, "not visible", ""},
		"no size":            {`<div id=x style="width:0;height:0"></div>`, injected.ForClick, "not visible", ""},
		"disabled":           {`<button id=x disabled>x</button>`, injected.ForClick, "disabled", ""},
		"disabled fieldset":  {`<fieldset disabled><input id=x></fieldset>`, injected.ForType, "disabled", ""},
		"aria-disabled":      {`<div aria-disabled=true><button id=x>x</button></div>`, injected.ForClick, "disabled", ""},
		"disabled label":     {`<label id=x>a <input disabled></label>`, injected.ForClick, "disabled", ""},
		"read only":          {`<input id=x readonly>`, injected.ForType, "not editable", ""},
		"not a field":        {`<button id=x>x</button>`, injected.ForType, "not editable", ""},
		"a checkbox":         {`<input type=checkbox id=x>`, injected.ForType, "not editable", ""},
		"not a select":       {`<input id=x>`, injected.ForSelect, "not a select", ""},
		"covered":            {`<button id=x>x</button><div class="modal big" style="position:fixed;inset:0">Cookie consent</div>`, injected.ForClick, "covered", `div.modal "Cookie consent"`},
		"pointer-events":     {`<button id=x style="pointer-events:none">x</button>`, injected.ForClick, "covered", "body"},
		"off screen for all": {`<button id=x style="position:fixed;left:-900px">x</button>`, injected.ForClick, "out of reach", ""},
		"a frame":            {`<iframe id=x></iframe>`, injected.ForClick, "a frame", ""},
		"keys for a frame":   {`<iframe id=x></iframe>`, injected.ForFocus, "a frame", ""},
		"all of it a button": {`<div id=x><button style="width:100px;height:40px">Delete</button></div>`, injected.ForClick, "covered", `button "Delete"`},
		"all of it a frame":  {`<div id=x><iframe style="border:0;width:100px;height:40px"></iframe></div>`, injected.ForClick, "covered", "iframe"},
		"all of it a link":   {`<p id=x><a href=/away style="display:block;height:40px">Delete</a></p>`, injected.ForClick, "covered", `a "Delete"`},
		"a closed root":      {`<div id=x></div><script>x.attachShadow({mode:'closed'}).innerHTML='<button style="width:100px;height:40px">Delete</button>'</script>`, injected.ForClick, "covered", `button "Delete"`},
		"moving":             {`<style>@keyframes m{to{transform:translateX(500px)}}</style><button id=x style="animation:m 3s infinite alternate">x</button>`, injected.ForClick, "moving", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, style+c.html)
			r := p.ready("#x", c.kind, 0)
			if r.OK || r.Wait != c.want || !strings.HasPrefix(r.By, c.by) {
				t.Errorf("got %+v, want %s by %s", r, c.want, c.by)
			}
		})
	}
}

func TestReadyPointsAtWhatIsHit(t *testing.T) {
	for name, html := range map[string]string{
		"plain":                 `<button id=x>x</button>`,
		"far below":             `<div style="height:4000px"></div><button id=x>x</button>`,
		"in a scroller":         `<div style="height:90px;overflow:auto"><div style="height:900px"></div><button id=x>x</button></div>`,
		"behind a sticky head":  `<div style="position:fixed;top:0;height:200px;width:100%;background:red"></div><button id=x style="position:absolute;top:150px;height:20px">x</button><div style="height:3000px"></div>`,
		"centre is covered":     `<button id=x style="position:absolute;left:0;top:0;width:200px;height:100px">x</button><div style="position:absolute;left:60px;top:20px;width:80px;height:60px;background:red"></div>`,
		"wrapped link":          `<div style="width:120px">some words go here <a id=x href=#>and a link that wraps over lines</a></div>`,
		"beside a control":      `<div id=x style="width:300px;height:60px;text-align:center"><button>Delete</button></div>`,
		"child is hit":          `<button id=x><svg width=30 height=30><rect width=30 height=30 /></svg></button>`,
		"label over a checkbox": `<label style="position:relative;display:block;width:99px;height:30px"><input id=x type=checkbox style="opacity:0"><span style="position:absolute;inset:0;background:#eee"></span></label>`,
		"checkbox by its label": `<input type=checkbox id=x style="display:none"><label for=x>Draw</label>`,
		"contents":              `<div id=x style="display:contents" onclick=1><span>text</span></div>`,
		"still animation":       `<style>@keyframes c{to{color:red}}</style><button id=x style="animation:c 3s infinite">x</button>`,
		"open shadow":           `<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML='<button id=x>x</button>'</script>`,
		"slotted":               `<div id=h><button id=x>x</button></div><script>h.attachShadow({mode:'open'}).innerHTML='<div><slot></slot></div>'</script>`,
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, html)
			p.page(`window.hits = 0; addEventListener('click', e => hits++, true); 0`)
			r := p.ready("#x", injected.ForClick, 0)
			if !r.OK {
				t.Fatalf("not ready: %+v", r)
			}
			deepest := `(() => { let e = document.elementFromPoint(` + number(r.X) + `, ` + number(r.Y) + `); while (e && e.shadowRoot) e = e.shadowRoot.elementFromPoint(` + number(r.X) + `, ` + number(r.Y) + `); return e && (e.closest('#x') || e.closest('label')) ? 'hit' : e && e.outerHTML })()`
			if got := p.page(deepest); got != "hit" {
				t.Errorf("the point %v,%v hits %v", r.X, r.Y, got)
			}
		})
	}
}

func TestReadyWaitsInThePage(t *testing.T) {
	p := open(t, `<button id=x disabled>x</button><div id=o style="position:fixed;inset:0">overlay</div>`)
	p.page(`setTimeout(() => x.disabled = false, 50); setTimeout(() => o.remove(), 100); 0`)
	if r := p.ready("#x", injected.ForClick, 5000); !r.OK {
		t.Errorf("not ready: %+v", r)
	}
	p = open(t, `<button id=x style="position:absolute;left:0;transition:left .15s linear">x</button>`)
	node := p.node("#x")
	p.page(`x.style.left = '300px'; 0`)
	r, err := p.frame.Ready(p.ctx, injected.Pinned{Node: node, Kind: injected.ForClick, Wait: 5000})
	must(t, err)
	if !r.OK || r.Rect.X < 299 {
		t.Errorf("the button was taken for still at %+v", r)
	}
}

func TestReadyRefusesWhatIsNotTheSame(t *testing.T) {
	p := open(t, `<button id=x>Save</button><a id=l href=/a>A</a>`)
	for selector, change := range map[string]string{"#x": `x.textContent = 'Delete'`, "#l": `l.href = '/b'`} {
		f := p.find(injected.Query{Selector: selector})
		p.page(change)
		r, err := p.frame.Ready(p.ctx, injected.Pinned{Node: f.Node, Print: f.Facts.Print, Kind: injected.ForClick, Wait: 5000})
		must(t, err)
		if r.OK || !r.Changed {
			t.Errorf("%s: %+v", change, r)
		}
	}
	node := p.node("#x")
	p.page(`x.remove()`)
	r, err := p.frame.Ready(p.ctx, injected.Pinned{Node: node, Kind: injected.ForClick, Wait: 5000})
	must(t, err)
	if r.OK || !r.Gone {
		t.Errorf("removed: %+v", r)
	}
}

func TestReadyWaitsForWhatAScriptMoves(t *testing.T) {
	p := open(t, `<button id=x style="position:absolute;left:0">x</button>`)
	f := p.find(injected.Query{Selector: "#x"})
	p.page(`{let n = 0; const step = () => { x.style.left = ++n * 10 + 'px'; if (n < 10) requestAnimationFrame(step) }; step()}; 0`)
	r, err := p.frame.Ready(p.ctx, injected.Pinned{Node: f.Node, Kind: injected.ForClick, Rect: &f.Facts.Rect, Wait: 5000})
	must(t, err)
	if !r.OK || r.Rect.X != 100 {
		t.Errorf("ready at %+v", r)
	}
}
