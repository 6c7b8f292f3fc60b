package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// heard records the change events of a page with the values that they commit.
const heard = `<script>window.heard = []; document.addEventListener('change', e => heard.push(e.target.value))</script>`

// valued returns what the answer of a call says that the field holds.
func valued(r action.Result) string {
	if v := r.Data.(*action.Acted).Value; v != nil {
		return *v
	}
	return "(nothing said)"
}

func TestOneEditCommitsOnce(t *testing.T) {
	tr := start(t)
	for name, c := range map[string]struct {
		html, text, want string
		clear            bool
	}{
		"replaced":         {`<input id=x value=old>`, "new", "new", true},
		"typed":            {`<input id=x>`, "blue", "blue", false},
		"appended":         {`<input id=x value=old>`, "er", "older", false},
		"number":           {`<input id=x type=number value=1>`, "3", "3", true},
		"number, appended": {`<input id=x type=number value=1>`, "3", "13", false},
		"email":            {`<input id=x type=email value=a@b.c>`, "d@e.f", "d@e.f", true},
		"date":             {`<input id=x type=date value=2026-01-02>`, "2026-02-03", "2026-02-03", true},
		"maxlength":        {`<input id=x maxlength=3 value=old>`, "longer", "lon", true},
		"text area":        {`<textarea id=x>old</textarea>`, "new", "new", true},
		"lines":            {`<textarea id=x>old</textarea>`, "a\nb", "a\nb", true},
		"keyed":            {`<input id=x value=old onkeydown="1">`, "new", "new", true},
		"emptied":          {`<input id=x value=old>`, "", "", true},
		"area emptied":     {`<textarea id=x onkeydown="1">old</textarea>`, "", "", true},
		"controlled": {`<input id=x value=old><script>let state = 'old'; x.addEventListener('input', () => { state = x.value.toUpperCase(); x.value = state })</script>`,
			"new", "NEW", true},
		"reads only what is whole": {`<input id=x type=number value=1><script>x.addEventListener('change', () => { if (!Number(x.value)) x.remove() })</script>`, "3", "3", true},
	} {
		tr.visit(`<title>t</title><label>Field ` + c.html + `</label><button id=b>Elsewhere</button>` + heard)
		r := tr.must("page.type", &action.Type{Locator: selector("#x"), Input: c.text, Clear: c.clear})
		if got := valued(r); got != c.want {
			t.Errorf("%s: the answer says %q, want %q", name, got, c.want)
		}
		if got := tr.eval(`JSON.stringify(heard)`); got != tr.eval(`JSON.stringify([x.value])`) || tr.eval(`x.value`) != c.want {
			t.Errorf("%s: committed %s, want %q once", name, got, c.want)
		}
		tr.must("page.click", &action.Click{Locator: selector("#b")})
		if got := tr.eval(`heard.length`); got != "1" {
			t.Errorf("%s: %s changes after leaving", name, tr.eval(`JSON.stringify(heard)`))
		}
	}
}

func TestTypingWhatAFieldHoldsCommitsNothing(t *testing.T) {
	tr := start(t)
	tr.visit(`<input id=x value=same><button id=b>Elsewhere</button>` + heard)
	tr.must("page.type", &action.Type{Locator: selector("#x"), Input: "same", Clear: true})
	tr.must("page.click", &action.Click{Locator: selector("#b")})
	tr.wantEval(`JSON.stringify(heard)`, "[]")
}

func TestTwoEditsCommitTwice(t *testing.T) {
	tr := start(t)
	tr.visit(`<input id=x><button id=b>Elsewhere</button>` + heard)
	tr.must("page.type", &action.Type{Locator: selector("#x"), Input: "one"})
	tr.must("page.type", &action.Type{Locator: selector("#x"), Input: " two"})
	tr.must("page.press", &action.Press{Locator: selector("#x"), Key: "3"})
	tr.must("page.click", &action.Click{Locator: selector("#b")})
	tr.wantEval(`heard.join()`, "one,one two,one two3")
}

// A field that goes away while it is typed into is told, with how much it got.
func TestAFieldThatGoesAwayIsTold(t *testing.T) {
	tr := start(t)
	for name, c := range map[string]struct{ script, said string }{
		"at the second key":      {`x.onkeydown = () => {}; x.oninput = () => { if (x.value.length === 2) x.remove() }`, "2 of 5"},
		"with its parent":        {`x.onkeydown = () => {}; x.oninput = () => { if (x.value.length === 2) p.remove() }`, "2 of 5"},
		"at a key":               {`let n = 0; x.onkeydown = () => { if (++n === 3) x.remove() }`, "2 of 5"},
		"replaced by other text": {`x.onkeydown = () => {}; x.oninput = () => { if (x.value.length === 2) p.textContent = 'Gone' }`, "2 of 5"},
	} {
		for _, delay := range []int{0, 1} {
			tr.visit(`<p id=p><input id=x value=old></p><script>` + c.script + `</script>`)
			f := tr.refuse(fault.PageChanged, "page.type", &action.Type{Locator: selector("#x"), Input: "abcde", Clear: true, Delay: delay})
			if !strings.Contains(f.Message, c.said) {
				t.Errorf("%s: %v, want %q", name, f, c.said)
			}
		}
	}
	for name, script := range map[string]string{
		"when it got the focus":          `x.onfocus = () => x.remove()`,
		"a frame of lines, at the focus": `x.onfocus = () => p.remove()`,
	} {
		tr.visit(`<p id=p><textarea id=x></textarea></p><script>` + script + `</script>`)
		for _, text := range []string{"abc", "a\nb"} {
			_, err := tr.do("page.type", &action.Type{Locator: selector("#x"), Input: text, Clear: true})
			if code := fault.CodeOf(err); code != fault.PageChanged && code != fault.NotActionable && code != fault.NotFound {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	tr.visit(`<p id=p><input id=x></p><script>x.onchange = () => p.remove()</script>`)
	tr.must("page.type", &action.Type{Locator: selector("#x"), Input: "abc"}) // all of it came
}

func TestSelectedTextIsReplaced(t *testing.T) {
	tr := start(t)
	for name, html := range map[string]string{
		"on focus":        `<input id=x value=0.00><script>x.onfocus = () => x.select()</script>`,
		"before":          `<input id=x value=0.00><script>x.onfocus = () => x.select(); x.focus()</script>`,
		"number":          `<input id=x type=number value=0.00><script>x.onfocus = () => x.select()</script>`,
		"keyed":           `<input id=x value=0.00 onkeydown="1"><script>x.onfocus = () => x.select()</script>`,
		"text area":       `<textarea id=x>0.00</textarea><script>x.onfocus = () => x.select()</script>`,
		"contenteditable": `<div id=x contenteditable role=textbox>0.00</div><script>x.onfocus = () => getSelection().selectAllChildren(x)</script>`,
	} {
		tr.visit(html)
		r := tr.must("page.type", &action.Type{Locator: selector("#x"), Input: "12.50"})
		if got := tr.eval(`x.value ?? x.innerText`); got != "12.50" || valued(r) != got {
			t.Errorf("%s: holds %q, and the answer says %q", name, got, valued(r))
		}
	}
	tr.visit(`<input id=x value=old><input id=y>`)
	tr.must("page.press", &action.Press{Locator: selector("#x"), Key: "Control+a"})
	tr.must("page.press", &action.Press{Locator: selector("#y"), Key: "z"})
	tr.must("page.type", &action.Type{Locator: selector("#x"), Input: "er"}) // nothing is selected any more for who looks
	tr.wantEval(`x.value`, "older")
	tr.visit(`<input id=x value="one two three">`)
	tr.must("page.click", &action.Click{Locator: selector("#x")})
	tr.eval(`x.setSelectionRange(4, 7)`)
	tr.must("page.type", &action.Type{Locator: selector("#x"), Input: "2"})
	tr.wantEval(`x.value`, "one 2 three")
	tr.must("page.type", &action.Type{Locator: selector("#x"), Input: "."})
	tr.wantEval(`x.value`, "one 2 three.")
}

func TestTheAnswerNeverHasASecretValue(t *testing.T) {
	tr := start(t)
	for _, field := range []string{`<input id=x aria-label="Card number" autocomplete=cc-number>`, `<input id=x name=otp>`, `<input id=x oninput="x.type='password'">`} {
		tr.visit(field)
		r := tr.must("page.type", &action.Type{Locator: selector("#x"), Input: "12"})
		if v := r.Data.(*action.Acted).Value; v != nil {
			t.Errorf("%s: %q", field, *v)
		}
	}
}
