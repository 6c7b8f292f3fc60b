package bench

import (
	"fmt"
	"html"
	"net/http"
	"strings"
)

// mcpChoice says which option was chosen.
const mcpChoice = `<!doctype html><title>Choice</title><h1>Delivery</h1><label>Day <select id="day"><option>Monday<option>Tuesday<option>Wednesday<option>Thursday<option>Friday</select></label>
<label>Name <input id="name"></label><button type="button">Order</button><p role="status" id="last">Nothing chosen</p><script>
let n = 0;
document.getElementById('day').onchange = e => { n++; document.getElementById('last').textContent = 'Choice ' + n + ': ' + e.target.value; };
</script>`

// mcpKeys says which key was pressed.
const mcpKeys = `<!doctype html><title>Keys</title><h1>Board</h1><button type="button">Start</button> <a href="#rules">Rules</a><p role="status" id="last">No key</p><script>
let n = 0;
document.addEventListener('keydown', e => { n++; document.getElementById('last').textContent = 'Key ' + n + ': ' + e.key; });
</script>`

// mcpHints says which button the pointer is over.
const mcpHints = `<!doctype html><title>Hints</title><h1>Tools</h1><button type="button" id="copy">Copy</button> <button type="button" id="paste">Paste</button> <button type="button">Cut</button><p role="status" id="last">No hint</p><script>
let n = 0;
for (const id of ['copy', 'paste']) document.getElementById(id).onmouseenter = () => { n++; document.getElementById('last').textContent = 'Hint ' + n + ' for ' + id; };
</script>`

// mcpSubmit is a form whose submission a script handles.
const mcpSubmit = `<!doctype html><title>Message</title><h1>Write to us</h1><form id="form"><label>Name <input id="name" name="name"></label> <label>Mail <input name="mail" type="email"></label>
<label>Message <textarea name="message"></textarea></label> <button>Send</button></form><p role="status" id="last">Not sent</p><script>
document.getElementById('form').addEventListener('submit', async e => {
  e.preventDefault();
  await fetch('/sent', {method: 'POST', body: new FormData(e.target)});
  document.getElementById('last').textContent = 'Sent';
});
</script>`

// mcpControlled has a field that is controlled as React does it: one listener at
// the root hears every input event, a tracker on the element's own value property
// tells whether the value is new, the state is rendered into other elements, and
// the value and its attribute are then written from the state.
const mcpControlled = `<!doctype html><title>Controlled</title><h1>Profile</h1><div id="root"><label>Name <input id="name" value=""></label> <button type="button">Save</button><p id="hello">Hello</p><p id="length">0 letters</p></div><script>
const field = document.getElementById('name'), proto = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
let state = '', tracked = '';
Object.defineProperty(field, 'value', {configurable: true, get() { return proto.get.call(this); }, set(v) { tracked = '' + v; proto.set.call(this, v); }});
const render = () => {
  document.getElementById('hello').textContent = 'Hello ' + state;
  document.getElementById('length').textContent = state.length + ' letters';
  if (field.value !== state) field.value = state;
  if (field.getAttribute('value') !== state) field.setAttribute('value', state);
};
const heard = e => {
  const now = proto.get.call(e.target);
  if (e.target !== field || now === tracked) return;
  tracked = now;
  state = now;
  field.value = state;
  render();
};
for (const kind of ['input', 'change']) document.getElementById('root').addEventListener(kind, heard);
</script>`

// mcpDelegated has 50 listeners at the document, as pages have whose scripts
// delegate.
const mcpDelegated = `<!doctype html><title>Delegated</title><h1>Board</h1><label>Name <input id="name" class="field-7"></label> <button type="button">Save</button><p id="last">Nothing</p><script>
const kinds = ['click', 'input', 'change', 'keydown', 'keyup', 'focusin', 'focusout', 'mousedown', 'mouseup', 'pointerdown'];
for (let i = 0; i < 50; i++) document.addEventListener(kinds[i % kinds.length], e => {
  const t = e.target.closest && e.target.closest('.field-' + i % 10);
  if (t) document.getElementById('last').textContent = 'Heard ' + t.value;
});
</script>`

// mcpSuggest asks for suggestions when nothing was written for 300 ms, and says
// when it drew them.
const mcpSuggest = `<!doctype html><title>Search</title><h1>Library</h1><label>Search <input id="q" autocomplete="off"></label><p role="status" id="drawn"></p><ul id="list"></ul><p>Open from nine to five.</p><script>
let timer;
document.getElementById('q').addEventListener('input', e => {
  clearTimeout(timer);
  timer = setTimeout(async () => {
    const all = await (await fetch('/suggestions?q=' + encodeURIComponent(e.target.value))).json();
    document.getElementById('list').replaceChildren(...all.map(text => { const b = document.createElement('button'), l = document.createElement('li'); b.textContent = text; l.append(b); return l; }));
    document.getElementById('drawn').textContent = 'Drawn at ' + Date.now();
  }, 300);
});
</script>`

// suggestions answers the search box.
func suggestions(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	var all []string
	for i := range 5 {
		all = append(all, fmt.Sprintf("%q", fmt.Sprintf("Book %d about %s", i+1, html.EscapeString(r.FormValue("q")))))
	}
	fmt.Fprint(w, "["+strings.Join(all, ",")+"]")
}

// embedding is a page with two frames of its own origin and two of another.
func embedding(own, other string) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><title>Embedding</title><h1>Four panels</h1><button type="button">Refresh</button>`)
	for i, origin := range []string{own, other, own, other} {
		fmt.Fprintf(&b, `<iframe title="Panel %[2]d" width="400" height="300" src="%[1]s/panel/%[2]d"></iframe>`, origin, i+1)
	}
	return b.String()
}

// panel is what a frame of embedding shows.
func panel(number string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html><title>Panel</title><h2>Panel %s</h2><label>Filter %[1]s <input></label> <button type="button">Apply %[1]s</button><ul>`, number)
	for i := range 10 {
		fmt.Fprintf(&b, `<li><a href="/panel/%[1]s/%[2]d">Entry %[2]d of panel %[1]s</a>`, number, i+1)
	}
	return b.String() + `</ul>`
}
