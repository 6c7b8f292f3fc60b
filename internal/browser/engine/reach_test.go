package engine_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// corners are the places of a page where a control is easily missed. Each has
// a button whose name says where it is.
var corners = map[string]string{
	"/": `<title></title><style>iframe { width: 240px; height: 60px }</style><script>addEventListener('message', e => document.title += e.data + ';'); const say = where => top.postMessage(where, '*')</script>
		<button onclick="say('page')">page</button>
		<iframe src="/near"></iframe><iframe src="ELSEWHERE/far"></iframe>
		<iframe srcdoc="<button onclick=&quot;top.postMessage('srcdoc', '*')&quot;>srcdoc</button>"></iframe>
		<iframe sandbox=allow-scripts src="/sandboxed"></iframe>
		<div><template shadowrootmode=open><button onclick="say('declared open')">declared open</button></template></div>
		<div><template shadowrootmode=closed><button onclick="say('declared closed')">declared closed</button></template></div>
		<div><template shadowrootmode=closed><section><template shadowrootmode=closed><button onclick="say('closed in closed')">closed in closed</button></template></section></template></div>
		<div><template shadowrootmode=closed><slot></slot></template><button onclick="say('slotted')">slotted</button></div>
		<div><template shadowrootmode=closed><iframe src="/inshadow"></iframe></template></div>
		<div id=opened></div><x-late></x-late>
		<script>opened.attachShadow({mode: 'open'}).innerHTML = '<button onclick="say(\'open\')">open</button>';
		customElements.define('x-late', class extends HTMLElement { constructor() { super(); this.attachShadow({mode: 'closed'}).innerHTML = '<button onclick="say(\'custom\')">custom</button>' } })</script>`,
	"/near":      `<button onclick="top.postMessage('near', '*')">near</button><iframe srcdoc="<button onclick=&quot;top.postMessage('in near', '*')&quot;>in near</button>"></iframe>`,
	"/far":       `<button onclick="top.postMessage('far', '*')">far</button><iframe src="HERE/back"></iframe>`,
	"/back":      `<button onclick="top.postMessage('back', '*')">back</button>`,
	"/sandboxed": `<button onclick="top.postMessage('sandboxed', '*')">sandboxed</button>`,
	"/inshadow":  `<div><template shadowrootmode=closed><button onclick="top.postMessage('in a shadow', '*')">in a shadow</button></template></div>`,
}

func TestControlsOfEveryCornerAreShownAndPressed(t *testing.T) {
	tr := start(t)
	var here, other string
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(strings.NewReplacer("ELSEWHERE", other, "HERE", here).Replace(corners[r.URL.Path])))
	}))
	here, other = s.URL, elsewhere(s)
	tr.must("page.goto", &action.Goto{URL: here})
	tr.must("page.wait_for", &action.WaitFor{NetworkIdle: true})
	refs := map[string]string{}
	for _, line := range regexp.MustCompile(`button "([^"]+)" \[(e\d+)\]`).FindAllStringSubmatch(tr.snap(), -1) {
		refs[line[1]] = line[2]
	}
	for _, where := range []string{"page", "near", "in near", "far", "back", "srcdoc", "sandboxed", "open", "custom", "declared open", "declared closed",
		"closed in closed", "slotted", "in a shadow"} {
		if refs[where] == "" {
			t.Errorf("%s is not in the snapshot", where)
			continue
		}
		tr.eval("document.title = ''; 0")
		if _, err := tr.do("page.click", &action.Click{Locator: action.Locator{Ref: refs[where]}}); err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		if heard := tr.eval(`new Promise(done => { const look = () => document.title ? done(document.title) : setTimeout(look, 10); look() })`); heard != where+";" {
			t.Errorf("%s: the page heard %q", where, heard)
		}
	}
}
