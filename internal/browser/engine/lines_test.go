package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// sendsOnEnter is the script of a page whose field sends on Enter, by whatever event of a key.
const sendsOnEnter = `<script>window.sent = []; for (const kind of ['keydown', 'keypress', 'keyup']) x.addEventListener(kind, e => {
	if (e.key === 'Enter' && !e.shiftKey) { e.preventDefault(); sent.push(x.value ?? x.innerText) } })</script>`

// linesOfX are the lines of x that are not empty: innerText has an empty line between
// some of them.
const linesOfX = `x.innerText.replace(/\n+/g, '\n').replace(/\n$/, '')`

// A line break of a text is a line break: it is no Enter, which may send.
func TestALineBreakIsNoEnter(t *testing.T) {
	tr := start(t)
	const text = "Hello team\n\nthe\tbuild is green\n"
	for name, c := range map[string]struct{ html, want string }{
		"text area":       {`<textarea id=x></textarea>`, text},
		"contenteditable": {`<div id=x contenteditable role=textbox style="white-space:pre-wrap"></div>`, "Hello team\nthe\tbuild is green"},
		"input":           {`<form onsubmit="sent.push('form'); return false"><input id=x><button>Send</button></form>`, "Hello team  the\tbuild is green"},
		"input, labelled": {`<form onsubmit="sent.push('form'); return false"><label>Say <input id=x></label></form>`, "Hello team  the\tbuild is green"},
	} {
		for _, script := range []string{sendsOnEnter, `<script>sent = []</script>`} {
			for _, delay := range []int{0, 1} {
				tr.visit(c.html + script)
				tr.must("page.type", &action.Type{Locator: selector("#x"), Input: text, Delay: delay})
				if got := tr.eval(`x.value ?? ` + linesOfX); got != c.want {
					t.Errorf("%s, delay %d: holds %q, want %q", name, delay, got, c.want)
				}
				tr.wantEval(`sent.join()`, "")
			}
		}
	}
}

func TestALoneLineBreakSubmitsNoForm(t *testing.T) {
	tr := start(t)
	for _, field := range []string{`<input id=x>`, `<input id=x onkeydown="1">`, `<label id=l>Say <input id=x></label>`} {
		for _, delay := range []int{0, 1} {
			tr.visit(`<title>shop</title><form onsubmit="document.title = 'sent'; return false">` + field + `<button>Send</button></form>`)
			_, _ = tr.do("page.type", &action.Type{Locator: selector("label, input"), Input: "\n", Delay: delay})
			_, _ = tr.do("page.type", &action.Type{Locator: selector("label, input"), Input: "\nx", Delay: delay})
			tr.wantTitle("shop")
			tr.must("page.type", &action.Type{Locator: selector("#x"), Input: "a\n", Submit: true, Clear: true})
			tr.wantTitle("sent")
			tr.wantEval(`x.value`, "a")
		}
	}
}

// A text of many lines is inserted at once, with whatever it has.
func TestManyLinesAreInsertedAtOnce(t *testing.T) {
	tr := start(t)
	text := strings.Repeat("\ta<b && \"ü\"  &lt;<b>\n", 4000)
	for name, c := range map[string]struct{ html, read string }{
		"text area":       {`<textarea id=x>old</textarea>`, `x.value`},
		"keyed text area": {`<textarea id=x onkeydown="1">old</textarea>`, `x.value`},
		"contenteditable": {`<div id=x contenteditable role=textbox style="white-space:pre-wrap">old</div>`, `x.innerText`},
		"trusted types":   {`<meta http-equiv=Content-Security-Policy content="require-trusted-types-for 'script'"><textarea id=x>old</textarea>`, `x.value`},
		"pasted":          {`<div id=x contenteditable role=textbox>old</div><script>x.onpaste = e => { e.preventDefault(); x.model = e.clipboardData.getData('text/plain'); x.textContent = 'pasted' }</script>`, `x.model`},
	} {
		tr.visit(`<meta charset=utf-8>` + c.html + `<script>window.inputs = 0; x.addEventListener('input', e => inputs += e.isTrusted ? 1 : 1000)</script>`)
		tr.must("page.type", &action.Type{Locator: selector("#x"), Input: text, Clear: true})
		if got := tr.eval(c.read); strings.TrimRight(got, "\n") != strings.TrimRight(text, "\n") {
			t.Errorf("%s: holds %d characters of %d: %.200q", name, len(got), len(text), got)
		}
		if got := tr.eval(`inputs`); got != "1" && name != "pasted" {
			t.Errorf("%s: %s input events", name, got)
		}
	}
}

// White space of a text can be seen where the page does not collapse it by itself.
func TestLinesInRichTextLookAsTheyWereGiven(t *testing.T) {
	tr := start(t)
	tr.visit(`<div id=x contenteditable role=textbox>Dear all,<br></div>`)
	tr.must("page.type", &action.Type{Locator: selector("#x"), Input: " a  b\n  <i>c</i>\n\nd\te "})
	tr.wantEval(linesOfX+`.replaceAll('\u00a0', ' ').replace(/^Dear all,\n?/, '')`, " a  b\n  <i>c</i>\nd\te ")
	tr.wantEval(`x.querySelectorAll('i').length`, "0")
}

// An editor that refuses a paste, or does nothing with it, is typed into.
func TestAnEditorThatTakesNoPasteIsTypedInto(t *testing.T) {
	tr := start(t)
	for _, keys := range []string{"", `x.onkeydown = () => {};`} {
		tr.visit(`<div id=x contenteditable role=textbox style="white-space:pre-wrap"></div><script>` + keys + `x.onpaste = e => e.preventDefault()</script>`)
		tr.must("page.type", &action.Type{Locator: selector("#x"), Input: "a\nb"})
		tr.wantEval(`x.innerText`, "a\nb")
	}
}
