package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// A page that listens to keys gets a key for each character, wherever it listens. Others
// get the text at once: they have no way to tell.
func TestTextIsTypedKeyByKeyWhereThePageListensToKeys(t *testing.T) {
	const field = `<form><label>Name <input id=q></label></form>`
	const count = `window.heard = ''; const note = e => { heard += e.type[3] };`
	tr := start(t)
	for name, c := range map[string]struct {
		html string
		want string // one letter for each key event: d, p and u
	}{
		"the field":           {field + `<script>` + count + `q.addEventListener('keydown', note)</script>`, "ddd"},
		"an attribute":        {`<input id=q onkeyup="heard += 'u'"><script>window.heard = ''</script>`, "uuu"},
		"an ancestor":         {field + `<script>` + count + `document.forms[0].addEventListener('keypress', note)</script>`, "ppp"},
		"the document":        {field + `<script>` + count + `document.addEventListener('keyup', note)</script>`, "uuu"},
		"the window":          {field + `<script>` + count + `window.addEventListener('keydown', note)</script>`, "ddd"},
		"window.onkeydown":    {field + `<script>` + count + `window.onkeydown = note</script>`, "ddd"},
		"only input":          {`<input id=q><script>window.heard = ''; q.addEventListener('input', e => { heard += e.data + ';' })</script>`, "abc;"},
		"nothing":             {field + `<script>window.heard = 'none'</script>`, "none"},
		"a limit of length":   {`<input id=q maxlength=2><script>window.heard = ''; q.addEventListener('input', e => { heard += e.data + ';' })</script>`, "a;b;"},
		"the button's parent": {`<div id=side><button>x</button></div>` + field + `<script>` + count + `side.addEventListener('keydown', note); q.addEventListener('input', e => { heard += e.data })</script>`, "abc"},
	} {
		tr.visit(c.html)
		tr.must("page.snapshot", &action.TakeSnapshot{}) // listeners are known from here on
		tr.must("page.type", &action.Type{Locator: selector("#q"), Input: "abc"})
		if got := tr.eval("heard"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if value := tr.eval("q.value"); !strings.HasPrefix("abc", value) || len(value) < 2 {
			t.Errorf("%s: the field has %q", name, value)
		}
	}
}
