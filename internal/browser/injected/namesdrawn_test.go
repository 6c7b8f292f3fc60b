package injected_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// Generated content is read from every kind of style sheet, however a page adds
// it. Style sheets without generated content are recognised.
func TestNamesHaveWhatAnyStyleSheetWrites(t *testing.T) {
	const rule = `#b::before{content:"Delete "}`
	for name, page := range map[string]string{
		"style":        `<style>` + rule + `</style><button id=b>all</button>`,
		"grouped":      `<style>@media all{@layer x{@supports (color:red){` + rule + `}}}</style><button id=b>all</button>`,
		"nested":       `<style>body{#b{&::before{content:"Delete "}}}</style><button id=b>all</button>`,
		"declarations": `<style>#b::before{color:red;@media all{content:"Delete "}}</style><button id=b>all</button>`,
		"inside":       `<style>#b::before{&:not(x){color:red}@supports (color:red){@media all{content:"Delete "}}}</style><button id=b>all</button>`,
		"a variable":   `<style>#b{--x:"Delete "}#b::before{content:var(--x)}</style><button id=b>all</button>`,
		"one colon":    `<style>#b:BEFORE{content:"Delete "}</style><button id=b>all</button>`,
		"escaped":      `<style>#b::\62 efore{content:"Delete "}</style><button id=b>all</button>`,
		"imported":     `<style>@import url('data:text/css,%23b::before{content:"Delete "}');</style><button id=b>all</button>`,
		"foreign":      `<link rel=stylesheet href='data:text/css,%23b::before{content:"Delete "}'><button id=b>all</button>`,
		"many rules":   `<style>` + strings.Repeat(`i{color:red}`, 1000) + rule + `</style><button id=b>all</button>`,
		"adopted":      `<button id=b>all</button><script>const s = new CSSStyleSheet(); s.replaceSync('#b::before{content:"Delete "}'); document.adoptedStyleSheets = [s]</script>`,
		"inserted":     `<style></style><button id=b>all</button><script>document.styleSheets[0].insertRule('#b::before{content:"Delete "}')</script>`,
		"rewritten":    `<style>i{content:"Delete "}</style><button id=b>all</button><script>document.styleSheets[0].cssRules[0].selectorText = '#b::before'</script>`,
		"clobbered":    `<form name=styleSheets></form><style>` + rule + `</style><button id=b>all</button>`,
		"of the host":  `<button id=b><span id=h>all</span></button><script>h.attachShadow({mode:'open'}).innerHTML = '<style>:host::before{content:"Delete "}</style><slot></slot>'</script>`,
		"of the slot":  `<div id=h><button id=b>all</button></div><script>h.attachShadow({mode:'open'}).innerHTML = '<style>::slotted(button)::before{content:"Delete "}</style><slot></slot>'</script>`,
		"in the shade": `<button id=b><span id=h></span></button><script>h.attachShadow({mode:'open'}).innerHTML = '<style>i::before{content:"Delete "}</style><i>all</i>'</script>`,
	} {
		p := open(t, page)
		if f := p.facts("#b"); f.Name != "Delete all" {
			t.Errorf("%s: %q, also %q", name, f.Name, f.Also)
		}
	}
}

func TestSnapshotsShowWhatIsDrawnInNames(t *testing.T) {
	p := open(t, `<style>.d::before{content:"Price: "}.s::after{content:"*" / "required"}</style><h2 class=d>3 €</h2><label class=s>Name <input></label>
<table><tr><td class=d>4 €</td><td class=d></td><td>plain</td></tr></table>`)
	read, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
	must(t, err)
	tree := flatten(t, read)
	for _, want := range []string{`"n":"Price: 3 €"`, `"n":"Name required"`, `"n":"Price: 4 €"`, `"n":"Price:"`, `"n":"plain"`} {
		if !strings.Contains(tree, want) {
			t.Errorf("%s is not in %s", want, tree)
		}
	}
}

// Symbols that people see, and the text that explains them.
func TestSnapshotsShowNamesOfWhatHasNoRole(t *testing.T) {
	p := blank(t)
	for html, want := range map[string]string{
		`<div aria-label="4 of 5">★★★★☆</div>`:                  `{"r":"generic","n":"4 of 5","c":[{"t":"★★★★☆"}]}`,
		`<p>Rated <abbr title="4 of 5">★★★★☆</abbr></p>`:        `{"r":"generic","n":"4 of 5","c":[{"t":"★★★★☆"}]}`,
		`<ul><li aria-label="4 of 5">★★★★☆</ul>`:                `{"r":"listitem","n":"4 of 5","c":[{"t":"★★★★☆"}]}`,
		`<i aria-label=Late style="border:9px solid red"></i>`:  `{"r":"generic","n":"Late"}`,
		`<div aria-label="Four stars">Four stars</div>`:         `[{"t":"Four stars"}]`,
		`<div aria-label="Part"><button>Go</button></div>`:      `[{"r":"button","n":"Go"`,
		`<h2><span aria-label="4 of 5">★★★★☆</span> rated</h2>`: `{"r":"heading","n":"4 of 5 rated","l":2}`,
	} {
		p.show(html)
		tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
		must(t, err)
		if out := flatten(t, tree); !strings.Contains(out, want) {
			t.Errorf("%s is %s, want %s", html, out, want)
		}
	}
}

// The computation of names ends for labels that refer to each other and for
// elements that own each other.
func TestNamesInCirclesEnd(t *testing.T) {
	p := open(t, `<label id=la for=a aria-labelledby=w>A<input type=checkbox id=b></label><label id=lb for=b>B<input type=checkbox id=a></label><p id=w>W <input id=c type=checkbox></p><label for=c aria-labelledby=la>C</label>
<script>let h = ''; for (let i = 0; i < 40; i++) h += '<div id=o' + i + ' role=button aria-owns="' + Array.from({length: 40}, (_, j) => 'o' + j).join(' ') + '" aria-labelledby="' + Array.from({length: 40}, (_, j) => 'o' + j).join(' ') + '"><span aria-labelledby="o1 o2 o3 o4 a b"></span>x</div>'; document.body.insertAdjacentHTML('beforeend', h)</script>`)
	for _, selector := range []string{"#a", "#b", "#c", "#o0", "#o39"} {
		if f := p.facts(selector); f.Name == "" {
			t.Errorf("%s has no name", selector)
		}
	}
}

// No name and no other name contains the value of a protected field, whatever
// refers to the field.
func TestNamesNeverHoldProtectedValues(t *testing.T) {
	n := newNamings(t)
	secrets := []string{
		`<input type=password value=hunter2 id=s@>`, `<input name=password value=hunter2 id=s@>`, `<input autocomplete=cc-number value=hunter2 id=s@>`, `<textarea name=secret id=s@>hunter2</textarea>`,
		`<textarea role=button name=secret id=s@>hunter2</textarea>`, `<textarea style="-webkit-text-security:disc" role=note id=s@>hunter2</textarea>`,
		`<span contenteditable style="-webkit-text-security:disc" id=s@>hunter2</span>`, `<span contenteditable role=button style="-webkit-text-security:disc" id=s@>hunter2</span>`,
		`<span contenteditable role=combobox style="-webkit-text-security:disc" id=s@><b>hunter2</b></span>`, `<input type=password role=button value=hunter2 id=s@>`,
	}
	var cases []string
	for _, place := range append(holders, `<button>Go ~</button>`, `<h2 aria-labelledby=s@>x</h2>~`, `<h2 aria-labelledby=w@>x</h2><div id=w@ hidden>~</div>`, `<h2>x <b aria-labelledby=s@>y</b></h2><p hidden>~</p>`, `<div aria-owns=s@ role=button>x</div>~`, `~`) {
		for _, secret := range secrets {
			cases = append(cases, strings.ReplaceAll(strings.ReplaceAll(place, "~", secret), "@", fmt.Sprint(len(cases))))
		}
	}
	list, err := json.Marshal(cases)
	must(t, err)
	n.page(putCases + "(" + string(list) + ")")
	var names map[string][3]string
	n.eval("__names()", &names)
	var others []string
	n.eval("__others()", &others)
	if len(names) < len(cases) || len(others) < len(cases) {
		t.Fatalf("%d names and %d others of %d cases", len(names), len(others), len(cases))
	}
	for number, name := range names {
		if strings.Contains(strings.Join(name[:], " "), "hunter2") {
			t.Errorf("%s is named %q", number, name)
		}
	}
	for _, other := range others {
		if strings.Contains(other, "hunter2") {
			t.Errorf("other names are %q", other)
		}
	}
}
