package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// changes are ways in which a page may change after an agent was shown a
// reference. Whether the element is still the one that was shown is up to
// the page's own objects: the reference stands as long as they do.
var changes = map[string]struct {
	script string // with x, an element that has a reference
	kept   bool   // the reference is to reach the same element
}{
	"nothing":               {``, true},
	"another parent":        {`const p = document.createElement('section'); document.body.append(p); p.append(x)`, true},
	"reordered":             {`x.closest('main')?.prepend(x.parentNode)`, true},
	"twins in front":        {`x.parentNode.before(x.parentNode.cloneNode(true))`, true},
	"out and in again":      {`const p = x.parentNode; x.remove(); p.append(x)`, true},
	"not laid out between":  {`const d = x.style.display; x.style.display = 'none'; x.offsetTop; x.style.display = d`, true},
	"other attributes":      {`x.className = 'other'; x.id = 'n' + Math.random()`, true},
	"same-document address": {`history.pushState(null, '', '?' + Math.random())`, true},
	"fragment":              {`location.hash = 'f' + Math.random()`, true},
	"into a shadow root":    {`const h = document.createElement('div'); document.body.append(h); note(h, markOf(x)); h.attachShadow({mode: 'open'}).append(x)`, true},
	"into a closed one":     {`const h = document.createElement('div'); document.body.append(h); note(h, markOf(x)); h.attachShadow({mode: 'closed'}).append(x)`, true},
	"wrapped":               {`const p = document.createElement('b'); x.replaceWith(p); p.append(x)`, true},

	"removed":                  {`x.remove()`, false},
	"a clone in its place":     {`x.replaceWith(x.cloneNode(true))`, false},
	"made anew":                {`x.outerHTML = x.outerHTML`, false},
	"another key":              {`const n = x.cloneNode(true); x.remove(); x.isConnected; document.querySelector('main').append(n)`, false},
	"inner HTML of its parent": {`x.parentNode.innerHTML = x.parentNode.innerHTML`, false},
	"its parent replaced":      {`x.parentNode.replaceWith(x.parentNode.cloneNode(true))`, false},
	"into a template":          {`document.createElement('template').content.append(x)`, false},
	"into another document":    {`document.implementation.createHTMLDocument('').body.append(x)`, false},
	"into a frame":             {`const f = document.createElement('iframe'); document.body.append(f); const c = x.cloneNode(true); f.contentDocument.body.append(x); document.querySelector('main').append(c)`, false},
	"into a loose shadow":      {`document.createElement('div').attachShadow({mode: 'open'}).append(x)`, false},
}

// rewrites are changes of the whole document.
var rewrites = map[string]string{
	"inner HTML of the body": `document.body.innerHTML = document.body.innerHTML`,
	"written anew":           `const html = document.querySelector('main').outerHTML; document.open(); document.write(html); document.close()`,
	"its root replaced":      `document.replaceChild(document.documentElement.cloneNode(true), document.documentElement)`,
	"parsed again":           `document.documentElement.innerHTML = document.documentElement.innerHTML`,
}

// marked is a browser at the page of marks, with the references that a
// snapshot of it shows.
type marked struct {
	*trial
	refs map[string]string // by the name of the control
	at   string            // its address
}

func markedPage(t *testing.T) *marked {
	t.Helper()
	html, err := os.ReadFile("testdata/marks.html")
	must(t, err)
	m := &marked{trial: start(t, func(o *engine.Options) { o.Files = folders{up: t.TempDir(), down: t.TempDir()} })}
	m.at = m.visit(string(html)).URL
	m.shown()
	return m
}

// shown takes a snapshot and notes what its references are of.
func (m *marked) shown() {
	m.t.Helper()
	m.must("page.snapshot", &action.TakeSnapshot{})
	m.refs = map[string]string{}
	for _, name := range []string{"click", "type", "hover", "select", "press", "from", "onto", "upload", "fill", "scroll", "read"} {
		facts, _, err := m.Look(m.ctx, "page.hover", &action.Hover{Locator: selector(".x." + name)})
		must(m.t, err)
		m.refs[name] = facts.Element.Ref
	}
}

func (m *marked) ref(name string) action.Locator { return action.Locator{Ref: m.refs[name]} }

// change does a change to all marked elements.
func (m *marked) change(script string) {
	m.t.Helper()
	m.eval(`for (const x of xs()) { ` + script + ` } heard.length = 0; 0`)
}

var oneFile = []action.NewFile{{Name: "a.txt", Bytes: []byte("a")}}

// verbsByRef act by a reference. events are what the page hears of it, at the
// element of the reference: kind and control.
func (m *marked) verbsByRef() map[string]struct {
	do     func() (action.Result, error)
	events []string
} {
	soon := action.Timing{Timeout: 1000}
	by := func(verb string, args any) func() (action.Result, error) {
		return func() (action.Result, error) { return m.do(verb, args) }
	}
	type act = struct {
		do     func() (action.Result, error)
		events []string
	}
	return map[string]act{
		"click":  {by("page.click", &action.Click{Locator: m.ref("click"), Timing: soon}), []string{"mousedown click", "mouseup click", "click click"}},
		"type":   {by("page.type", &action.Type{Locator: m.ref("type"), Input: "ab", Timing: soon}), []string{"keydown type"}},
		"hover":  {by("page.hover", &action.Hover{Locator: m.ref("hover"), Timing: soon}), []string{"mousemove hover"}},
		"select": {by("page.select", &action.Select{Locator: m.ref("select"), Values: []string{"two"}, Timing: soon}), []string{"change select"}},
		"press":  {by("page.press", &action.Press{Locator: m.ref("press"), Key: "a", Timing: soon}), []string{"keydown press"}},
		"drag":   {by("page.drag", &action.Drag{From: m.ref("from"), To: m.ref("onto"), Timing: soon}), []string{"mousedown from", "mouseup onto"}},
		"upload": {by("page.upload", &action.Upload{Locator: m.ref("upload"), Files: oneFile, Timing: soon}), []string{"change upload"}},
		"fill_secret": {by("page.fill_secret", &engine.Filling{FillSecret: action.FillSecret{Locator: m.ref("fill"), Secret: "password", Timing: soon},
			Value: credentials.Keep(canary), Origin: m.at}), []string{"input fill"}},
	}
}

// told are the events that count, of what the page has heard: kind and mark.
func (m *marked) told() []string {
	m.t.Helper()
	var heard []string
	must(m.t, json.Unmarshal([]byte(m.eval(`JSON.stringify(heard.splice(0))`)), &heard))
	return heard
}

// hits checks what the page heard of one act: the events that were meant, at
// the very elements, and none of their kind anywhere else; or a fault and no
// event that changes anything.
func (m *marked) hits(verb string, events []string, err error) {
	m.t.Helper()
	heard := m.told()
	m.eval(`document.activeElement?.blur(); heard.length = 0; 0`) // or it would change when the next one takes the focus
	for _, line := range heard {
		kind, mark, _ := strings.Cut(line, " ")
		name, _, _ := strings.Cut(mark, ":")
		if kind == "mousemove" && verb != "hover" || kind == "scroll" || kind == "click" && verb == "drag" {
			continue // the pointer passes, what is out of view is scrolled to, and what holds both ends of a drag hears a click
		}
		if !slices.ContainsFunc(events, func(e string) bool { return strings.HasSuffix(e, " "+name) }) {
			m.t.Errorf("%s: the page heard %s of %q (fault: %v)", verb, kind, name, err)
		}
	}
	for _, want := range events {
		there := slices.ContainsFunc(heard, func(line string) bool { return strings.HasPrefix(line, want+":") })
		if there != (err == nil) {
			m.t.Errorf("%s: fault %v, and the page heard %q: %v", verb, err, want, heard)
		}
	}
}

func TestReferencesHitTheSameElementOrNone(t *testing.T) {
	m := markedPage(t)
	for name, c := range changes {
		if !testenv.Tried(name, 3) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			m.t = t
			m.must("page.goto", &action.Goto{URL: m.at})
			m.shown()
			m.change(c.script)
			for verb, act := range m.verbsByRef() {
				_, err := act.do()
				if c.kept && err != nil {
					t.Errorf("%s: %v", verb, err)
				}
				if !c.kept {
					m.stale(verb, err)
				}
				m.hits(verb, act.events, err)
			}
			m.reads(c.kept)
		})
	}
}

// stale expects that an element is not what was shown.
func (m *marked) stale(verb string, err error) {
	m.t.Helper()
	if code := fault.CodeOf(err); err == nil || code != fault.StaleRef && code != fault.PageChanged {
		m.t.Errorf("%s: %v, want stale_ref", verb, err)
	}
}

// reads looks at an element by its reference, in each way there is.
func (m *marked) reads(kept bool) {
	m.t.Helper()
	for verb, args := range map[string]any{
		"page.screenshot": &action.TakeScreenshot{Ref: m.refs["read"]},
		"page.snapshot":   &action.TakeSnapshot{Ref: m.refs["read"]},
		"page.scroll":     &action.Scroll{Locator: m.ref("scroll"), Y: 40},
		"page.wait_for":   &action.WaitFor{Locator: m.ref("read")},
	} {
		r, err := m.do(verb, args)
		if !kept {
			m.stale(verb, err)
			continue
		}
		must(m.t, err)
		switch data := r.Data.(type) {
		case *action.Screenshot:
			m.green(data)
		case *action.Snapshot:
			if !strings.Contains(data.Text, `"Read" [`+m.refs["read"]+"]") {
				m.t.Errorf("narrowed to %s", data.Text)
			}
		case *action.Waited:
			if !data.Found {
				m.t.Error("it was not found")
			}
		}
	}
	m.wantEval(`String(kept.scroll.isConnected && kept.scroll.ownerDocument === document && kept.scroll.scrollTop > 0)`, fmt.Sprint(kept))
}

// green checks that a picture is one of the element that is green.
func (m *marked) green(shot *action.Screenshot) {
	m.t.Helper()
	picture, err := png.Decode(bytes.NewReader(shot.Bytes))
	must(m.t, err)
	size := picture.Bounds().Size()
	if r, g, b, _ := picture.At(size.X/2, size.Y/2).RGBA(); r>>8 > 40 || g>>8 < 160 || b>>8 > 60 {
		m.t.Errorf("the picture of %v shows %d %d %d", size, r>>8, g>>8, b>>8)
	}
}

func TestReferencesToADocumentThatIsGone(t *testing.T) {
	m := markedPage(t)
	again := func() { m.must("page.goto", &action.Goto{URL: m.at}) }
	ways := map[string]func(){
		"navigation to the same address": again,
		"reload":                         func() { m.must("page.reload", &action.Reload{}) },
		"back and forward": func() {
			m.must("page.goto", &action.Goto{URL: "about:blank"})
			m.must("page.back", &action.None{})
		},
		"forward": func() {
			m.must("page.back", &action.None{})
			m.must("page.forward", &action.None{})
		},
		"crash": func() {
			must(t, engine.Kill(m.Browser, m.tabs()[0].ID))
			again()
		},
		"the page's own": func() {
			m.eval(`setTimeout(() => location.search = 'again'); 0`)
			m.must("page.wait_for", &action.WaitFor{URL: "again"})
		},
	}
	for name, script := range rewrites {
		ways[name] = func() { m.eval(script + "; 0") }
	}
	for name, way := range ways {
		if !testenv.Tried(name, 3) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			m.t = t
			again()
			m.shown()
			way()
			for verb, act := range m.verbsByRef() {
				_, err := act.do()
				m.stale(verb, err)
			}
			m.must("page.wait_for", &action.WaitFor{})
			if heard := m.eval(`String(globalThis.heard?.filter(line => !/^(mousemove|scroll)/.test(line)) ?? '')`); heard != "" {
				t.Errorf("the new document heard %s", heard)
			}
		})
	}
}
