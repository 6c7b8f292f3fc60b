package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// held are tabs and menu items as jQuery UI and Bootstrap make them: the link
// inside reacts, the element around it does not.
const held = `<!doctype html><title>none</title><style>li { padding: 12px; margin: 4px; border: 3px solid; list-style: none } .full { padding: 0; border: 0; width: 90px } .full a { display: block; height: 30px }</style>
	<ul role=tablist><li role=tab id=ui aria-labelledby=a1><a id=a1 role=presentation tabindex=-1 href="#one" onclick="document.title='tab'">Prices</a><span onclick="document.title='closed'"> x</span></li></ul>
	<ul role=menu><li role=menuitem id=menu><button onclick="document.title='menu'">Rename</button></li>
	<li role=menuitem id=full class=full><a href="#two" onclick="document.title='full'">Export</a></li></ul>
	<ul><li id=entry><a href="#three" onclick="document.title='entry'">Plain entry</a></li></ul>
	<div role=tab id=file onclick="if (event.target === this) document.title='file'" style="padding:20px;width:200px">main.go <button aria-label=Close onclick="document.title='shut'">x</button></div>
	<div role=tab id=two onclick="document.title='outer'" style="padding:20px;width:200px">Both <a href="#x" onclick="document.title='x'">one</a> <a href="#y" onclick="document.title='y'">two</a></div>`

func TestAClickGoesToWhatReactsInside(t *testing.T) {
	tr := start(t)
	for id, want := range map[string]struct{ title, tag, name string }{
		"ui": {"tab", "a", "Prices"}, "menu": {"menu", "button", "Rename"}, "full": {"full", "a", "Export"}, "entry": {"entry", "a", "Plain entry"},
		"file": {"file", "div", "main.go Close"}, "two": {"outer", "div", "Both one two"},
	} {
		tr.visit(held)
		click := &action.Click{Locator: selector("#" + id)}
		facts, pin, err := tr.Look(tr.ctx, "page.click", click)
		must(t, err)
		if e := facts.Element; e.Tag != want.tag || e.Name != want.name || (want.tag == "a") != strings.Contains(e.LinkURL, "#") {
			t.Errorf("%s is judged as %+v", id, e)
		}
		r, err := tr.Do(tr.ctx, "page.click", click, pin)
		must(t, err)
		if e := r.Data.(*action.Acted).Element; e.Tag != want.tag {
			t.Errorf("%s: %+v was clicked", id, e)
		}
		tr.wantTitle(want.title)
	}
}

// What is judged is what is pressed: a page that gives the element another
// inside after the look is not obeyed.
func TestWhatReactsInsideIsPinned(t *testing.T) {
	tr := start(t)
	tr.visit(held)
	click := &action.Click{Locator: selector("#menu")}
	_, pin, err := tr.Look(tr.ctx, "page.click", click)
	must(t, err)
	tr.eval(`document.querySelector('#menu').innerHTML = "<button onclick=\"document.title='deleted'\">Rename</button>"`)
	_, err = tr.Do(tr.ctx, "page.click", click, pin)
	expect(t, "page_changed", err)
	tr.wantTitle("none")
}
