package engine_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// store is a site that counts what is paid: the server is the judge.
type store struct {
	*trial
	here, other, near string // its origin, one of another site, one of the same site
	paid              atomic.Int32
	mu                sync.Mutex
	what              string // was paid last
	pages             map[string]string
}

// pays is done at once: the request is over before the browser has handled the
// event.
const pays = `<script>const pay = what => { const x = new XMLHttpRequest(); x.open('POST', '/pay', false); x.send(what) }</script>`

const payButton = `<button id=pay style="width:100%;height:80px" onclick="pay('click')" onmouseup="pay('release')" onkeydown="pay('key')">Pay €900 now</button>`

// payFrame acts on every press and key in it, and on text.
const payFrame = pays + `<body style="margin:0">` + payButton + `<input id=note oninput="pay('text')"><script>
	for (const kind of ['pointerdown', 'mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu', 'keydown', 'keypress', 'beforeinput', 'input', 'drop']) document.addEventListener(kind, () => pay(kind))
	document.addEventListener('dragover', e => e.preventDefault())
	const want = document.getElementById(location.hash.slice(1)); if (want) want.focus()</script>`

func newStore(t *testing.T) *store {
	t.Helper()
	s := &store{trial: start(t), pages: map[string]string{"/frame": payFrame}}
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/pay" {
			what := make([]byte, 40)
			n, _ := r.Body.Read(what)
			s.mu.Lock()
			s.what = string(what[:n])
			s.mu.Unlock()
			s.paid.Add(1)
		}
		s.mu.Lock()
		html := s.pages[r.URL.Path]
		s.mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(strings.NewReplacer("OTHER", s.other, "NEAR", s.near).Replace(html)))
	})
	first, second := listen(t, serve), listen(t, serve)
	s.here, s.other, s.near = first.URL, elsewhere(first), second.URL
	return s
}

// in is the store for a part of the test.
func (s *store) in(t *testing.T) *store {
	trial := *s.trial
	trial.t = t
	s.trial = &trial
	return s
}

func (s *store) show(html string) {
	s.t.Helper()
	s.mu.Lock()
	s.pages["/"] = `<title>shop</title>` + pays + html + `<button id=on style="position:fixed;right:0;bottom:0" onclick="document.title='on'">Go on</button>`
	s.mu.Unlock()
	s.must("page.goto", &action.Goto{URL: s.here})
	s.paid.Store(0)
}

// unpaid makes a call that must pay nothing, and that is refused, if at all, as
// a page that changed. The session goes on.
func (s *store) unpaid(verb string, args any) error {
	s.t.Helper()
	_, err := s.do(verb, args)
	if n := s.paid.Load(); n != 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.t.Errorf("paid %d times, by %s: %v", n, s.what, err)
	}
	if err != nil {
		if code := fault.CodeOf(err); code != fault.PageChanged && code != fault.NotActionable {
			s.t.Errorf("refused as %v", err)
		}
		if fault.From(err).Hint == "" {
			s.t.Errorf("%v has no hint", err)
		}
	}
	return err
}

func (s *store) goesOn() {
	s.t.Helper()
	s.eval(`window.thief && clearInterval(thief); for (const f of document.querySelectorAll('iframe, dialog')) f.remove();
		new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(() => drawn(0))))`) // until then the browser sends input to the frames
	for range 3 { // the browser may give a press to a frame that has just gone: the result then says so
		if !lost(s.must("page.click", &action.Click{Locator: selector("#on")})) {
			break
		}
	}
	if s.title() != "on" { // after a drop over a frame that went, only a new document gets presses
		s.must("page.reload", &action.Reload{})
		s.must("page.click", &action.Click{Locator: selector("#on")})
	}
	s.wantTitle("on")
}

// lost reports whether a click says that the page did not receive it.
func lost(r action.Result) bool {
	return slices.ContainsFunc(r.Notes, func(note string) bool { return strings.Contains(note, "gave the input to nothing") })
}

const search = `<input id=q type=search aria-label="Search" style="width:200px;height:30px">`

// writes writes the button that pays into a frame: this removes every listener of
// the frame.
var writes = `<script>{ window.pay = pay; const d = f.contentDocument; d.open(); d.write(` + "`" + strings.ReplaceAll(payButton, "pay(", "parent.pay(") + "`" + `); d.close() }</script>`

// payLayouts are places of a button that pays, after a search field, with a
// script that gives it the focus.
var payLayouts = []struct{ name, html, focus string }{
	{"plain", search + payButton, `pay_().focus()`},
	{"fieldset", `<fieldset>` + search + `</fieldset><fieldset>` + payButton + `</fieldset>`, `pay_().focus()`},
	{"tabindex", strings.Replace(payButton, "<button", "<button tabindex=2", 1) + strings.Replace(search, "<input", "<input tabindex=1", 1), `pay_().focus()`},
	{"open root", search + `<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML=` + "`" + payButton + "`" + `</script>`, `h.shadowRoot.getElementById('pay').focus()`},
	{"closed root", search + `<div id=h></div><script>const r=h.attachShadow({mode:'closed'});r.innerHTML=` + "`" + payButton + "`" + `</script>`, `r.firstChild.focus()`},
	{"both in a closed root", `<div id=h></div><script>const r=h.attachShadow({mode:'closed'});r.innerHTML=` + "`" + search + payButton + "`" + `</script>`, `r.getElementById('pay').focus()`},
	{"frame", search + `<iframe id=f src="/frame"></iframe>`, `f.contentDocument.getElementById('pay').focus()`},
	{"frame of the same site", search + `<iframe id=f src="NEAR/frame#pay"></iframe>`, `f.focus()`},
	{"frame of another site", search + `<iframe id=f src="OTHER/frame#pay"></iframe>`, `f.focus()`},
	{"field in a frame of another site", search + `<iframe id=f src="OTHER/frame#note"></iframe>`, `f.focus()`},
	{"frame without scripts", search + `<iframe id=f sandbox="allow-forms" srcdoc="<form method=post action=/pay><input name=a autofocus><button>Pay</button></form>"></iframe>`, `f.focus()`},
	{"written frame", search + `<iframe id=f></iframe>` + writes, `f.contentDocument.getElementById('pay').focus()`},
	{"dialog", search + `<dialog id=d>` + strings.Replace(payButton, "<button", "<button autofocus", 1) + `</dialog>`, `d.showModal()`},
}

// theft is a script that moves the focus to the button, when something happens.
func theft(when, focus string) string {
	return `<script>const pay_ = () => document.getElementById('pay'); let once = true; const steal = () => { if (once) { once = false; ` + focus + ` } };` + when + `</script>`
}

// The search field, wherever it is.
var searchField = action.Locator{Role: "searchbox"}

func TestAKeyComesToTheElementThatItWasJudgedForOrToNone(t *testing.T) {
	ways := []struct {
		name, when string
		verb       string
		args       any
		refused    bool // surely: otherwise it may have come to the field
	}{
		{"Enter after the key moved it", `document.addEventListener('keydown', steal, true);`, "page.type", &action.Type{Locator: searchField, Input: "x", Submit: true}, false},
		{"Enter after the text moved it", `document.addEventListener('input', steal, true);`, "page.type", &action.Type{Locator: searchField, Input: "x", Submit: true}, true},
		{"text after a key moved it", `document.addEventListener('keyup', steal, true);`, "page.type", &action.Type{Locator: searchField, Input: "ab cd", Submit: true, Delay: 20}, true},
		{"a pressed key that moves it", `document.addEventListener('keydown', steal, true);`, "page.press", &action.Press{Locator: searchField, Key: "Enter"}, false},
		{"a timer", `document.addEventListener('focusin', () => setTimeout(steal, 20));`, "page.type", &action.Type{Locator: searchField, Input: "ab cd ef", Submit: true, Delay: 20}, true},
	}
	for _, l := range payLayouts {
		s := newStore(t)
		for _, w := range ways {
			if !testenv.Tried(l.name+w.name, 8) {
				continue
			}
			t.Run(strings.ReplaceAll(l.name+"/"+w.name, " ", "-"), func(t *testing.T) {
				s := s.in(t)
				s.show(l.html + theft(w.when, l.focus))
				err := s.unpaid(w.verb, w.args)
				if w.refused && err == nil {
					t.Error("nothing said that not all came to the field")
				}
				s.goesOn()
			})
		}
	}
}

// comes is a page with a frame that covers the place of the press while it is shown.
const comes = `<style>iframe{display:none;position:fixed;left:0;top:0;width:300px;height:200px;border:0;z-index:9}</style><iframe id=f src="SRC/frame"></iframe>
	<script>let reached = 0;
	for (const k of ['mousedown', 'mouseup']) addEventListener(k, () => reached++, true);
	const come = () => { f.style.display = 'block' }, go = () => { f.style.display = 'none' }</script>
	<button id=x style="width:120px;height:60px" onclick="document.title='next'">Next</button>`

func TestAPressComesToTheElementThatItWasJudgedForOrToNone(t *testing.T) {
	point := action.Locator{X: new(40.0), Y: new(30.0)}
	x := selector("#x")
	ways := []struct {
		name, when string
		verb       string
		args       any
	}{
		{"on mousemove", `addEventListener('mousemove', come)`, "page.click", &action.Click{Locator: x}},
		{"on pointermove", `addEventListener('pointermove', come)`, "page.click", &action.Click{Locator: x}},
		{"on mouseover", `x.addEventListener('mouseover', come)`, "page.click", &action.Click{Locator: x}},
		{"on pointerdown", `x.addEventListener('pointerdown', come)`, "page.click", &action.Click{Locator: x}},
		{"on mousedown", `x.addEventListener('mousedown', come)`, "page.click", &action.Click{Locator: x}},
		{"on mouseup", `x.addEventListener('mouseup', come)`, "page.click", &action.Click{Locator: x, ClickCount: 2}},
		{"at the second click", `x.addEventListener('click', come)`, "page.click", &action.Click{Locator: x, ClickCount: 2}},
		{"at the third click", `x.addEventListener('click', e => e.detail === 2 && come())`, "page.click", &action.Click{Locator: x, ClickCount: 3}},
		{"on mousemove, and away again", `addEventListener('mousemove', () => { come(); setTimeout(go, 1) })`, "page.click", &action.Click{Locator: x}},
		{"to a point", `addEventListener('mousemove', come)`, "page.click", &action.Click{Locator: point}},
		{"to the other button", `addEventListener('mousemove', come)`, "page.click", &action.Click{Locator: x, Button: "right"}},
		{"by a timer", `setInterval(() => f.style.display === 'block' ? go() : come(), 3)`, "page.click", &action.Click{Locator: x, ClickCount: 3, Timing: action.Timing{Timeout: 500}}},
		{"by an animation", `document.head.insertAdjacentHTML('beforeend', '<style>@keyframes k{from{left:-900px}50%{left:0}to{left:900px}}iframe{display:block;animation:k .05s infinite steps(3)}</style>')`, "page.click", &action.Click{Locator: x, ClickCount: 3, Timing: action.Timing{Timeout: 500}}},
		{"through it", `document.head.insertAdjacentHTML('beforeend', '<style>iframe{display:block;pointer-events:none}</style>'); addEventListener('mousemove', () => { f.style.pointerEvents = 'auto' })`, "page.click", &action.Click{Locator: x}},
		{"to focus a field", `x.insertAdjacentHTML('afterend', '<div id=e contenteditable tabindex=-1>text</div>'); addEventListener('mousemove', come)`, "page.type", &action.Type{Locator: selector("#e"), Input: "text"}},
		{"where something is dropped", `x.draggable = true; x.insertAdjacentHTML('afterend', '<div id=z style="width:200px;height:90px" ondragover="event.preventDefault()">Done</div>'); addEventListener('dragover', come); addEventListener('dragenter', come)`, "page.drag", &action.Drag{From: x, To: selector("#z")}},
		{"where the pointer stays", `addEventListener('mousemove', come)`, "page.hover", &action.Hover{Locator: x}},
		{"where a mouse lets go", `x.insertAdjacentHTML('afterend', '<div id=z style="width:200px;height:90px">Done</div>'); addEventListener('mousemove', e => e.buttons && e.clientY > 60 && come())`, "page.drag", &action.Drag{From: x, To: selector("#z")}},
	}
	told := map[string]bool{"on mousemove": true, "at the second click": true, "at the third click": true, "to a point": true, "to the other button": true, "through it": true, "where a mouse lets go": true} // where the frame is surely reached, as it has no process of its own
	for name, src := range map[string]string{"same origin": "", "same site": "NEAR", "another site": "OTHER"} {
		s := newStore(t)
		for _, w := range ways {
			if !testenv.Tried(name+w.name, 4) {
				continue
			}
			t.Run(strings.ReplaceAll(name+"/"+w.name, " ", "-"), func(t *testing.T) {
				s := s.in(t)
				s.show(strings.Replace(comes, "SRC", src, 1) + `<script>` + w.when + `</script>`)
				err := s.unpaid(w.verb, w.args)
				clicks := 1
				if c, ok := w.args.(*action.Click); ok {
					clicks = max(1, c.ClickCount)
				}
				early := err == nil && s.eval(`String(reached)`) == strconv.Itoa(2*clicks) // all came before the frame did
				if told[w.name] && src != "OTHER" && !early && fault.CodeOf(err) != fault.PageChanged {
					t.Errorf("what came to the frame is told of as %v", err)
				}
				s.goesOn()
			})
		}
	}
}

// TestAPressThatComesToNothingIsSaidToBeLost: a client may have the browser
// ignore input, and the browser itself gives some to a frame that has just gone.
func TestAPressThatComesToNothingIsSaidToBeLost(t *testing.T) {
	tr := start(t)
	tr.visit(`<button onclick="document.title = 'pressed'">Next</button><input>`)
	press := func() action.Result { return tr.must("page.click", &action.Click{Locator: selector("button")}) }
	key := func() action.Result {
		return tr.must("page.press", &action.Press{Locator: selector("button"), Key: "Home"})
	}
	if lost(press()) || lost(key()) {
		t.Error("input that came is said to be lost")
	}
	tr.wantTitle("pressed")
	g := tr.connect()
	g.follow()
	g.call(g.attached(anyPage).Session, "Input.setIgnoreInputEvents", map[string]any{"ignore": true})
	if !lost(press()) {
		t.Error("nothing says that a press was lost")
	}
	if !lost(key()) {
		t.Error("nothing says that a key was lost")
	}
	_, err := tr.do("page.type", &action.Type{Locator: selector("input"), Input: "abc", Delay: 1})
	if fault.CodeOf(err) != fault.PageChanged || !strings.Contains(err.Error(), "0 of 3 characters") {
		t.Errorf("typing that came to nothing is told of as %v", err)
	}
}

// TestInputComesToAWrittenDocument: editors write the document of their frame, which
// removes every listener of it, and once more when they draw anew.
func TestInputComesToAWrittenDocument(t *testing.T) {
	tr := start(t)
	tr.visit(`<iframe id=f></iframe><script>
		const write = () => { const d = f.contentDocument; d.open(); d.write('<input onkeydown=0><button onclick="parent.document.title += 1">Next</button>'); d.close() };
		write()</script>`)
	for _, want := range []string{"11", "1111"} {
		must := func(verb string, args any) {
			t.Helper()
			if lost(tr.must(verb, args)) {
				t.Errorf("%s came, and is said to be lost", verb)
			}
		}
		must("page.click", &action.Click{Locator: action.Locator{Role: "button"}, ClickCount: 2})
		must("page.type", &action.Type{Locator: action.Locator{Role: "textbox"}, Input: "abc", Delay: 1})
		tr.wantTitle(want)
		if got := tr.eval(`f.contentDocument.querySelector('input').value`); got != "abc" {
			t.Errorf("the field has %q", got)
		}
		tr.eval(`write()`)
	}
}

func TestAPressComesToNoOtherElementOfTheDocument(t *testing.T) {
	t.Parallel()
	const box = `<style>button,a,div{position:fixed;left:0;top:0;width:120px;height:60px}</style><script>const bin = () => { const b = document.createElement('button'); b.textContent = 'Delete'; for (const k of ['pointerdown', 'mousedown', 'mouseup', 'pointerup', 'click', 'dblclick']) b.addEventListener(k, () => pay(k)); return b }</script><button id=x>Next</button>`
	for name, c := range map[string]struct {
		when  string
		count int
	}{
		"at the second click":            {`x.onclick = () => x.replaceWith(bin())`, 2},
		"over it at the second click":    {`x.onclick = () => document.body.append(bin())`, 2},
		"at the third click":             {`x.onclick = e => e.detail === 2 && document.body.append(bin())`, 3},
		"when it is pressed":             {`x.onmousedown = () => document.body.append(bin())`, 1},
		"when the pointer is down":       {`x.onpointerdown = () => document.body.append(bin())`, 1},
		"in its place when it is":        {`x.onmousedown = () => x.replaceWith(bin())`, 1},
		"another form at the second":     {`document.body.insertAdjacentHTML('beforeend', '<form id=g onsubmit="event.preventDefault(); pay()"></form>'); x.type = 'button'; x.onclick = () => { x.type = 'submit'; x.setAttribute('form', 'g') }`, 2},
		"in a closed root of its parent": {`const h = document.createElement('div'); document.body.append(h); const r = h.attachShadow({mode: 'closed'}); x.onmousedown = () => r.append(bin())`, 1},
	} {
		if !testenv.Tried(name, 3) {
			continue
		}
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			s := newStore(t)
			s.show(box + `<script>` + c.when + `</script>`)
			_ = s.unpaid("page.click", &action.Click{Locator: selector("#x"), ClickCount: c.count})
			s.eval(`document.querySelectorAll('button:not(#on)').forEach(b => b.remove())`)
			s.goesOn()
		})
	}
}

func TestEnterIsForWhatItDidWhenItWasJudged(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		sent   bool
	}{
		"nothing changes":         {``, true},
		"the button is enabled":   {`b.disabled = true; q.oninput = () => { b.disabled = false }`, true},
		"the field has a note":    {`q.oninput = () => { q.setAttribute('aria-label', 'Search, 3 found') }`, true},
		"the button is another":   {`q.oninput = () => { b.textContent = 'Pay €900 now' }`, false},
		"the form goes elsewhere": {`q.oninput = () => { q.form.action = '/delete' }`, false},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			s := newStore(t)
			s.show(`<form onsubmit="event.preventDefault(); document.title = 'sent'">` + search + `<button id=b>Search</button></form><script>` + c.script + `</script>`)
			args := &action.Type{Locator: searchField, Input: "abc", Submit: true}
			if c.sent {
				s.must("page.type", args)
				s.wantTitle("sent")
				return
			}
			f := s.refuse(fault.PageChanged, "page.type", args)
			if !strings.Contains(f.Message, "3 of 4") {
				t.Errorf("%v does not say how far it got", f)
			}
			s.wantTitle("shop")
			s.must("page.press", &action.Press{Locator: searchField, Key: "Enter"}) // judged as what it does now
			s.wantTitle("sent")
		})
	}
}
