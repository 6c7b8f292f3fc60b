package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	boxes = `<div id=code>` +
		`<span><input aria-label="Digit 1" maxlength=1></span><span><input aria-label="Digit 2" maxlength=1></span>` +
		`<span><input aria-label="Digit 3" maxlength=1></span><span><input aria-label="Digit 4" maxlength=1></span></div>
		<script>const f = [...document.querySelectorAll('#code input')], shown = () => f.map(x => x.value || '_').join('');</script>`
	advances = `<script>f.forEach((x, i) => { x.oninput = () => { if (x.value && f[i + 1]) f[i + 1].focus() } })</script>`
)

func typed(css, text string) *action.Type {
	return &action.Type{Locator: selector(css), Input: text}
}

// TestACodeIsTypedOverItsBoxes: pages pass the focus on from box to box as they like.
func TestACodeIsTypedOverItsBoxes(t *testing.T) {
	tr := start(t)
	for name, page := range map[string]string{
		"on input":       boxes + advances,
		"later":          boxes + `<script>f.forEach((x, i) => { x.oninput = () => setTimeout(() => f[i + 1]?.focus(), 40) })</script>`,
		"on keyup":       boxes + `<script>f.forEach((x, i) => { x.onkeyup = () => f[i + 1]?.focus() })</script>`,
		"in a form":      `<form action=/code><fieldset>` + boxes + `</fieldset><button>Send</button></form>` + advances,
		"numbers":        strings.ReplaceAll(boxes, "maxlength", "type=tel inputmode=numeric maxlength") + advances,
		"first named":    strings.ReplaceAll(strings.Replace(boxes, "Digit 1", "Enter the code", 1), "Digit", "") + advances,
		"set on keydown": boxes + `<script>f.forEach((x, i) => { x.onkeydown = e => { if (/^\d$/.test(e.key)) { e.preventDefault(); x.value = e.key; f[i + 1]?.focus() } } })</script>`,
		"drawn by state": boxes + `<script>const state = ['', '', '', '']; let at = 0;
			const draw = () => queueMicrotask(() => { f.forEach((x, i) => { x.value = state[i] }); f[at].focus(); f[at].select() });
			f.forEach((x, i) => { x.onkeydown = e => { if (e.key.length === 1) { e.preventDefault(); state[i] = e.key; at = Math.min(i + 1, 3); draw() } } })</script>`,
		"a paste": boxes + `<script>f[0].onpaste = e => { e.preventDefault(); [...e.clipboardData.getData('text/plain')].forEach((c, i) => { f[i].value = c }) }</script>`,
		"in a shadow root": `<x-code></x-code><script>const root = document.querySelector('x-code').attachShadow({mode: 'open'}); root.innerHTML = '` + strings.Split(boxes, "\n")[0] + `';
			const f = [...root.querySelectorAll('input')], shown = () => f.map(x => x.value || '_').join('')</script>` + advances,
	} {
		tr.visit(page)
		r, err := tr.do("page.type", typed("#code input", "4829"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := tr.eval("shown()"); got != "4829" {
			t.Errorf("%s: the boxes hold %q", name, got)
		}
		if v := r.Data.(*action.Acted).Value; name != "a paste" && (v == nil || *v != "4829") {
			t.Errorf("%s: the result says %v", name, v)
		}
	}
}

func TestACodeIsTypedOverBoxesThatHaveAnother(t *testing.T) {
	tr := start(t)
	tr.visit(boxes + advances + `<script>f.forEach(x => { x.value = '7' })</script>`)
	args := typed("#code input", "48")
	args.Clear = true
	tr.must("page.type", args)
	tr.wantEval("shown()", "4877")
}

func TestEachBoxOfACodeIsToldOfOneChange(t *testing.T) {
	tr := start(t)
	tr.visit(boxes + advances + `<button id=b>Else</button><script>let heard = ''; document.onchange = e => { heard += e.target.value }</script>`)
	tr.must("page.type", typed("#code input", "4829"))
	tr.click(selector("#b"))
	tr.wantEval("heard", "4829")
}

// A box that does not pass the focus on gets the text as every field does.
func TestABoxThatStandsAloneGetsItsText(t *testing.T) {
	tr := start(t)
	for _, page := range []string{boxes, `<div id=code><input maxlength=1><script>const f = [document.querySelector('input')], shown = () => f[0].value</script></div>`,
		boxes + `<script>document.onpaste = e => e.preventDefault()</script>`} {
		tr.visit(page)
		tr.must("page.type", typed("#code input", "48"))
		if got := tr.eval("shown().replaceAll('_', '')"); got != "4" {
			t.Errorf("the boxes hold %q", got)
		}
	}
}

// TestATextDoesNotGoOnInAFieldThatWasNotJudged: what comes after the first character
// reaches only boxes that were judged with the first.
func TestATextDoesNotGoOnInAFieldThatWasNotJudged(t *testing.T) {
	tr := start(t)
	const first = `<input id=a aria-label="Digit 1" maxlength=1 oninput="b.focus()">`
	for name, page := range map[string]string{
		"a longer field":    first + `<input id=b aria-label="Digit 2" maxlength=2><input aria-label="Digit 3" maxlength=1>`,
		"a password":        first + `<input id=b aria-label="Digit 2" maxlength=1 type=password><input aria-label="Digit 3" maxlength=1>`,
		"a secret by name":  first + `<input id=b aria-label="PIN" maxlength=1>`,
		"a number":          first + `<input id=b aria-label="Digit 2" maxlength=1 type=number><input aria-label="Digit 3" maxlength=1>`,
		"another name":      first + `<input id=b aria-label="Shares to sell" maxlength=1>`,
		"another field":     strings.Replace(first, "maxlength", "name=code maxlength", 1) + `<input id=b aria-label="Digit 2" name=amount maxlength=1>`,
		"another form":      `<div>` + first + `<form action=/pay><input id=b aria-label="Digit 2" maxlength=1></form></div>`,
		"another fieldset":  `<div>` + first + `<fieldset><input id=b aria-label="Digit 2" maxlength=1></fieldset></div>`,
		"one before it":     `<input id=b aria-label="Digit 0" maxlength=1>` + first,
		"one box left out":  first + `<input aria-label="Digit 2" maxlength=1><input id=b aria-label="Digit 3" maxlength=1>`,
		"a field between":   first + `<input aria-label="Name"><input id=b aria-label="Digit 2" maxlength=1>`,
		"far away":          `<div><div><div><div><div>` + first + `</div></div></div></div></div><input id=b aria-label="Digit 2" maxlength=1>`,
		"a box not drawn":   first + `<input id=b aria-label="Digit 2" maxlength=1 style="width:0;height:0;padding:0;border:0">`,
		"a button":          first + `<button id=b>Pay</button><input aria-label="Digit 2" maxlength=1>`,
		"an editable field": first + `<p id=b contenteditable>text</p><input aria-label="Digit 2" maxlength=1>`,
		"a locked box":      first + `<input id=b aria-label="Digit 2" maxlength=1 readonly><input aria-label="Digit 3" maxlength=1>`,
	} {
		tr.visit(page + `<script>let heard = ''; for (const kind of ['keydown', 'keypress', 'beforeinput', 'input', 'click']) b.addEventListener(kind, e => { heard += e.type + ' ' })</script>`)
		_, err := tr.do("page.type", typed("#a", "48 "))
		if fault.CodeOf(err) != fault.PageChanged {
			t.Errorf("%s: %v", name, err)
		}
		if heard := tr.eval("heard"); heard != "" {
			t.Errorf("%s: it got %s", name, heard)
		}
	}
}

// The page cannot make another box of one that was passed on to already.
func TestABoxThatBecomesAPasswordGetsNoMore(t *testing.T) {
	tr := start(t)
	tr.visit(boxes + `<script>f[0].oninput = () => f[1].focus(); f[1].oninput = () => { f[1].type = 'password'; f[1].value = '' }</script>`)
	tr.refuse(fault.PageChanged, "page.type", typed("#code input", "4829"))
	tr.wantEval("shown()", "4___")
}
