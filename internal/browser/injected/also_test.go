package injected_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// facts returns the facts of the element that a selector finds.
func (p *tab) facts(selector string) injected.Facts {
	p.t.Helper()
	f, err := p.frame.Facts(p.ctx, p.node(selector))
	must(p.t, err)
	return f
}

func TestEveryNameAPersonGetsIsToldOf(t *testing.T) {
	p := open(t, `<style>.d::before{content:"Delete "}.a::after{content:"x" / "Delete account"}.n::before{content:"Delete ";display:none}
.t::before{content:attr(data-word)}.r{direction:rtl;unicode-bidi:bidi-override}</style>
<button id=before class=d>account</button><button id=alt class=a></button><button id=none class=n>account</button><button id=attr class=t data-word="Erase ">it</button>
<input id=v value="Delete account"><button id=by aria-labelledby=v>Next</button>
<button id=nested>Go <input value="Delete it"></button><button id=titled title="Delete all">x7</button>
<button id=said aria-label="Next">Delete</button><button id=reversed class=r>eteleD</button><button id=plain>Next</button>
<button id=deep><span class=d><i>files</i></span></button>`)
	for selector, want := range map[string]string{
		"#before": "Delete account", "#alt": "Delete account", "#attr": "Erase it", "#by": "Delete account", "#nested": "Delete it",
		"#titled": "Delete all", "#said": "Delete", "#reversed": "Delete", "#deep": "Delete files",
	} {
		if f := p.facts(selector); !strings.Contains(f.Name+" · "+f.Also+" · "+f.Label, want) {
			t.Errorf("%s: %q, also %q, label %q; %q is missing", selector, f.Name, f.Also, f.Label, want)
		}
	}
	if f := p.facts("#before"); f.Name != "Delete account" || !strings.Contains(f.Also, "account") {
		t.Errorf("drawn content is no part of the name: %q, also %q", f.Name, f.Also)
	}
	before := p.facts("#by").Print
	if p.page(`v.value = 'Keep'`); p.facts("#by").Print == before {
		t.Error("the value of a field that labels is not pinned")
	}
	if f := p.facts("#plain"); f.Also != "" {
		t.Errorf("a plain button has other names: %q", f.Also)
	}
	if f := p.facts("#none"); strings.Contains(f.Name+f.Also, "Delete") {
		t.Errorf("what is not laid out counts: %+v", f.Element)
	}
	snapshot, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
	must(t, err)
	if shown, err := json.Marshal(snapshot); err != nil || !strings.Contains(string(shown), "Delete account") {
		t.Error("the snapshot does not show what a style sheet writes")
	}
}

func TestPointingAtAnElementDoesNotChangeWhatIsPinned(t *testing.T) {
	p := open(t, `<style>#b[data-on]::after{content:" Saves the page"}</style><button id=b title="Save it">Save</button>`)
	before := p.facts("#b")
	p.page(`b.dataset.on = '1'; b.removeAttribute('title')`)
	if after := p.facts("#b"); after.Print != before.Print || after.Name == before.Name {
		t.Errorf("%q became %q, print %s", before.Name, after.Name, after.Print)
	}
}

func TestButtonsInEditableContentArePressed(t *testing.T) {
	p := open(t, `<div contenteditable id=host>text <button id=b>Delete account</button><span id=r role=button>Delete</span><span id=l onclick="x()">Delete</span><b id=t>bold</b></div>`)
	for selector, editable := range map[string]bool{"#host": true, "#t": true, "#b": false, "#r": false, "#l": false} {
		if f := p.facts(selector); f.Editable != editable {
			t.Errorf("%s: editable is %t", selector, f.Editable)
		}
	}
	p.page(`document.designMode = 'on'`)
	if f := p.facts("#b"); f.Editable || f.Role != "button" {
		t.Errorf("a button of a document in design mode: %+v", f.Element)
	}
}

func TestWhatAnActOrdersIsToldOf(t *testing.T) {
	p := open(t, `<form action=/search><input type=hidden name=action value=delete><input type=hidden name=_method value=delete><input type=hidden name=csrf value=x><button id=s>Search</button></form>
<a id=m href=/items/5 data-method=delete data-confirm="Are you sure?">Item</a><a id=h href="#" onclick="x()">Refund</a><a id=p href=/items>Items</a>
<div role=dialog aria-label="Delete repository?"><p>All data will be lost</p><button id=y>Yes</button><button>Cancel</button></div>
<ul><li>Order 5 <button id=c>Cancel</button></li></ul><button id=e aria-expanded=false>Zap</button><button id=x aria-expanded=false aria-controls=s>Menu</button>
<span id=f role=tab>Zap</span><div role=tablist><span role=tab id=g>One</span><span role=tab>Two</span></div><button id=i><img src="/i/trash-can.png?1"></button>
<form><textarea id=t>A text</textarea><button id=k>Save</button></form><form><textarea>A text</textarea><button id=u>Save</button></form><form><textarea></textarea><button id=v>Save</button></form><script>t.value = ' '</script>
<button id=w><svg class="x"><title>Delete</title></svg></button>`)
	if f := p.facts("#s"); !strings.Contains(f.Orders, "action=delete") || !strings.Contains(f.Orders, "_method=delete") || strings.Contains(f.Orders, "csrf") {
		t.Errorf("orders of a form: %q", f.Orders)
	}
	if f := p.facts("#m"); !strings.Contains(f.Orders, "data-method=delete") || !strings.Contains(f.Orders, "data-confirm=Are you sure?") {
		t.Errorf("orders of a link: %q", f.Orders)
	}
	if h, plain := p.facts("#h"), p.facts("#p"); !h.Scripted || plain.Scripted {
		t.Errorf("scripted: %t, %t", h.Scripted, plain.Scripted)
	}
	if f := p.facts("#y"); !strings.Contains(f.Dialog, "Delete repository?") || !strings.Contains(f.Dialog, "All data will be lost") || f.Beside != "Cancel" {
		t.Errorf("a dialog: %q, beside %q", f.Dialog, f.Beside)
	}
	if f := p.facts("#c"); f.Item != "Order 5" || f.Dialog != "" {
		t.Errorf("an entry: %q, dialog %q", f.Item, f.Dialog)
	}
	for selector, emptied := range map[string]bool{"#k": true, "#u": false, "#v": false} {
		if f := p.facts(selector); f.Emptied != emptied {
			t.Errorf("%s: emptied is %t", selector, f.Emptied)
		}
	}
	for selector, toggle := range map[string]bool{"#e": false, "#x": true, "#f": false, "#g": true} {
		if f := p.facts(selector); f.Toggle != toggle {
			t.Errorf("%s: toggle is %t", selector, f.Toggle)
		}
	}
	if f := p.facts("#i"); !strings.Contains(f.Label, "trash-can") {
		t.Errorf("an image without a name: %q", f.Label)
	}
	if f := p.facts("#w"); !strings.Contains(f.Name+f.Label, "Delete") {
		t.Errorf("a drawing with a title: %q, label %q", f.Name, f.Label)
	}
}
