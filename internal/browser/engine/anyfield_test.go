package engine_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// The role field stands for all roles of fields, so that a name is enough.
func TestAFieldIsFoundByItsNameAlone(t *testing.T) {
	tr := start(t)
	tr.visit(`<form><label>Age <input id=age type=number></label><label>Colour <input id=colour type=color></label><label>Volume <input id=volume type=range max=10></label>
		<label>Notes <textarea id=notes></textarea></label><label>Find <input id=find type=search></label><label>Born <input id=born type=date></label>
		<label>Size <select id=size><option>S<option>M</select></label><div id=rich role=textbox contenteditable aria-label=Rich></div>
		<button type=button>Age</button><h2>Notes</h2><label>Twice <input></label><label>Twice <textarea></textarea></label></form>`)
	named := func(name string) action.Locator { return action.Locator{Role: "field", Name: name, Strict: true} }
	for id, c := range map[string]struct{ name, text string }{
		"age": {"Age", "7"}, "colour": {"Colour", "#ff0000"}, "volume": {"Volume", "4"}, "notes": {"Notes", "some"}, "find": {"Find", "it"}, "born": {"Born", "2001-02-03"},
	} {
		tr.must("page.type", &action.Type{Locator: named(c.name), Input: c.text, Clear: true})
		if got := tr.eval(`document.querySelector('#` + id + `').value`); got != c.text {
			t.Errorf("%s holds %v", c.name, got)
		}
	}
	tr.must("page.type", &action.Type{Locator: named("Rich"), Input: "text", Clear: true})
	tr.must("page.select", &action.Select{Locator: named("Size"), Values: []string{"M"}})
	tr.refuse(fault.Ambiguous, "page.type", &action.Type{Locator: named("Twice"), Input: "x"})
}

// The role control stands for all that can be acted on.
func TestAControlIsFoundByItsNameAlone(t *testing.T) {
	tr := start(t)
	tr.visit(`<h1>Save</h1><p>Save</p><div onclick="hit('around')"><button onclick="event.stopPropagation(); hit('button')">Save</button></div>
		<button aria-label=Settings onclick="hit('icon')">⚙</button><a href="#x" onclick="hit('link')">Details</a><div id=plain onclick="hit('plain')">Open the drawer</div>
		<label><input type=checkbox onclick="hit('box')"> Newsletter</label><button disabled>Send</button><button>Twice</button><a href="#y">Twice</a>
		<script>var hits = ''; function hit(what) { hits = what }</script>`)
	named := func(name string) action.Locator { return action.Locator{Role: "control", Name: name, Strict: true} }
	for name, want := range map[string]string{"Save": "button", "Settings": "icon", "Details": "link", "Open the drawer": "plain", "Newsletter": "box"} {
		tr.must("page.click", &action.Click{Locator: named(name)})
		if got := tr.eval("hits"); got != want {
			t.Errorf("a click on %s reached %s, want %s", name, got, want)
		}
	}
	tr.refuse(fault.NotActionable, "page.click", &action.Click{Locator: named("Send")})
	tr.refuse(fault.Ambiguous, "page.click", &action.Click{Locator: named("Twice")})
}
