package engine_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// twoFrames serves a page with a frame of its own site and one of another, each
// with a button that says by what document it was pressed.
func twoFrames(t *testing.T) (tr *trial, outer string) {
	t.Helper()
	var other string
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<title></title><script>addEventListener('message', e => document.title += e.data)</script>
			<div id=one><iframe id=near src="/in?near"></iframe></div><div id=two><iframe id=far src="%s/in?far"></iframe></div><button id=own>Own</button>`, other)
	})
	mux.HandleFunc("/in", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<button onclick="top.postMessage('%s;', '*')">Press</button>`, r.URL.RawQuery)
	})
	s := listen(t, mux)
	outer, other = s.URL, elsewhere(s)
	return start(t), outer
}

// refsOf returns the references that a snapshot shows of what has a name, in
// the order of the page.
func (tr *trial) refsOf(role, name string) []string {
	tr.t.Helper()
	var refs []string
	for _, m := range tr.must("page.find", &action.Find{Role: role, Name: name}).Data.(*action.Matches).Matches {
		refs = append(refs, m.Ref)
	}
	return refs
}

// frameChanges are ways in which a frame may become another document, with
// the address that both its frames then have where they were.
var frameChanges = map[string]string{
	"navigated":                  `f.src = f.src + '2'`,
	"reloaded":                   `f.src = f.src`,
	"removed and added":          `const p = f.parentNode; f.remove(); p.append(f)`,
	"moved":                      `document.body.append(f)`,
	"made anew":                  `f.outerHTML = f.outerHTML`,
	"of a text":                  `f.srcdoc = '<button onclick="top.postMessage(\'text;\', \'*\')">Press</button>'`,
	"swapped to another process": `f.src = location.origin === new URL(f.src).origin ? far : near`,
	"its parent made anew":       `f.parentNode.innerHTML = f.parentNode.innerHTML`,
}

func TestReferencesIntoFramesThatChange(t *testing.T) {
	tr, outer := twoFrames(t)
	for name, script := range frameChanges {
		if !testenv.Tried(name, 3) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			tr.t = t
			tr.must("page.goto", &action.Goto{URL: outer})
			before := tr.refsOf("button", "Press")
			if len(before) != 2 {
				t.Fatalf("%d buttons in frames", len(before))
			}
			tr.eval(`const near = document.getElementById('near').src, far = document.getElementById('far').src, all = [...document.querySelectorAll('iframe')];
				Promise.all(all.map(f => { const name = f.id; ` + script + `; return new Promise(done => document.getElementById(name).addEventListener('load', done, {once: true})) })).then(() => 0)`)
			for _, ref := range before {
				tr.refuse(fault.StaleRef, "page.click", &action.Click{Locator: action.Locator{Ref: ref}})
			}
			tr.wantTitle("")
			for _, ref := range tr.refsOf("button", "Press") {
				tr.must("page.click", &action.Click{Locator: action.Locator{Ref: ref}})
			}
			if got := tr.heardTwice(); strings.Count(got, ";") != 2 {
				t.Errorf("the new frames told %q", got)
			}
		})
	}
}

// heardTwice waits for two messages of frames, which come in their own time.
func (tr *trial) heardTwice() string {
	tr.t.Helper()
	return tr.eval(`new Promise(done => { const look = () => document.title.split(';').length > 2 ? done(document.title) : setTimeout(look, 10); look() })`)
}

func TestReferencesStandForTheirTabAlone(t *testing.T) {
	tr := start(t)
	html := `<button onclick="document.title += '!'">Go</button>`
	s := tr.visit(html)
	first := tr.tabs()[0].ID
	one := tr.refsOf("button", "Go")[0]
	second := tr.must("tab.open", &action.OpenTab{URL: s.URL}).Data.(*action.Tab).ID
	two := tr.refsOf("button", "Go")[0]
	if one == two {
		t.Fatalf("both tabs have %s", one)
	}
	press := func(ref string) error {
		_, err := tr.do("page.click", &action.Click{Locator: action.Locator{Ref: ref}})
		return err
	}
	expect(t, fault.StaleRef, press(one))
	tr.wantTitle("")
	tr.must("tab.activate", &action.ByID{ID: first})
	expect(t, fault.StaleRef, press(two))
	tr.wantTitle("")
	must(t, press(one))
	tr.wantTitle("!")
	tr.must("tab.close", &action.ByID{ID: second})
	expect(t, fault.StaleRef, press(two))
	must(t, press(one))
	tr.wantTitle("!!")
	tr.must("tab.close", &action.ByID{ID: first})
	tr.must("page.goto", &action.Goto{URL: s.URL})
	expect(t, fault.StaleRef, press(one))
	tr.wantTitle("")
}

func TestReferencesOfABrowserThatWasTakenUpAgain(t *testing.T) {
	tr := start(t)
	tr.visit(`<button onclick="document.title += '!'">Go</button><button onclick="document.title += '?'">Other</button>`)
	old := append(tr.refsOf("button", "Other"), tr.refsOf("button", "Go")...)
	must(t, tr.Browser.Close()) // the gateway ends; the browser stays
	b, err := engine.Open(tr.ctx, tr.wire.join(), engine.Options{Width: 800, Height: 600, Guard: openAll, Owns: openAll, Life: 1})
	must(t, err)
	tr.Browser = b
	again := tr.refsOf("button", "Go")
	for _, ref := range old {
		if ref == again[0] {
			t.Errorf("%s was given before", ref)
		}
		tr.refuse(fault.StaleRef, "page.click", &action.Click{Locator: action.Locator{Ref: ref}})
	}
	tr.wantTitle("")
	tr.must("page.click", &action.Click{Locator: action.Locator{Ref: again[0]}})
	tr.wantTitle("!")
}

// A button that is replaced while it is pressed, or gives its place away, gets
// nothing more, nor does what took its place.
func TestWhatGivesItsPlaceAwayDuringAClick(t *testing.T) {
	m := markedPage(t)
	for _, kind := range []string{"mousemove", "pointerover", "pointerdown", "mousedown", "pointerup", "mouseup"} {
		for _, way := range []string{
			`x.replaceWith(x.cloneNode(true))`,
			`x.style.display = 'none'; for (const twin of document.querySelectorAll('.twin')) { twin.style.position = 'fixed'; twin.style.inset = 0 }`,
			`x.style.display = 'none'; x.parentNode.append(document.querySelector('.twin'))`,
		} {
			m.must("page.goto", &action.Goto{URL: m.at})
			m.shown()
			m.change(`if (x === kept.click) x.addEventListener('` + kind + `', () => { ` + way + ` }, {once: true})`)
			_, err := m.do("page.click", &action.Click{Locator: m.ref("click")})
			if err != nil {
				m.stale("click", err)
			}
			for _, line := range m.told() {
				if heard, _, _ := strings.Cut(line, " "); strings.HasSuffix(line, " another") && (heard == "mousedown" || heard == "click") {
					t.Errorf("after %s, %s: the page heard %s", kind, way, line)
				}
			}
		}
	}
}

// steps are what random pages do to their rows; a and b are two of them.
var steps = []string{
	`a.after(b)`, `a.before(b)`, `a.remove()`, `list.append(a)`, `a.replaceWith(a.cloneNode(true))`, `b.after(a.cloneNode(true))`,
	`a.innerHTML = a.innerHTML`, `list.innerHTML = list.innerHTML`, `list.replaceChildren(...[...list.children].reverse())`,
	`a.append(...b.childNodes)`, `b.replaceChildren(...[...a.childNodes].map(n => n.cloneNode(true)))`, `a.style.display = 'none'`, `a.style.display = ''`,
	`{const h = document.createElement('li'); h.attachShadow({mode: 'open'}).append(...a.childNodes); list.append(h)}`,
	`{const h = document.createElement('li'); h.attachShadow({mode: 'closed'}).append(...a.childNodes); list.append(h)}`,
	`{const f = document.createDocumentFragment(); f.append(a); list.prepend(f)}`,
	`document.adoptNode(a)`, `list.prepend(document.importNode(a, true))`,
	`{const f = document.createElement('iframe'); list.append(f); f.contentDocument.body.append(...a.childNodes)}`,
	`list.outerHTML = list.outerHTML; list = document.getElementById('list')`,
	`history.pushState(null, '', '#' + Math.random())`,
}

const randomPage = `<meta charset=utf-8><ul id=list></ul><script>
	let list = document.getElementById('list'), heard = []; const marks = new WeakMap(), rows = [];
	for (let i = 0; i < 6; i++) { const li = document.createElement('li'), b = document.createElement('button'); b.textContent = 'Row'; marks.set(b, i); li.append(b); list.append(li); rows.push(li); b.addEventListener('click', e => { e.stopPropagation(); heard.push(marks.get(e.currentTarget)) }) }
	addEventListener('click', e => heard.push('another'));
	const row = i => { const all = list.children; return all.length ? all[i % all.length] : rows[i % rows.length] };
	const step = (script, i, j) => { const a = row(i), b = row(j); try { new Function('a', 'b', 'list', script + '; return list')(a, b, list); list = document.getElementById('list') } catch (e) { if (!/HierarchyRequest|NotSupported|NoModification|InvalidState/.test(e.name)) throw e } };
	</script>`

func TestNoHistoryOfAPageMakesAReferenceHitAnother(t *testing.T) {
	tr := start(t)
	s := serve(t, randomPage)
	rapid.Check(t, func(r *rapid.T) {
		tr.must("page.goto", &action.Goto{URL: s.URL})
		refs := tr.refsOf("button", "Row")
		if len(refs) != 6 {
			r.Fatalf("%d rows", len(refs))
		}
		for range rapid.IntRange(1, 6).Draw(r, "acts") {
			var history strings.Builder
			for range rapid.IntRange(0, 4).Draw(r, "steps") {
				script, i, j := rapid.SampledFrom(steps).Draw(r, "step"), rapid.IntRange(0, 7).Draw(r, "a"), rapid.IntRange(0, 7).Draw(r, "b")
				fmt.Fprintf(&history, "step(%q, %d, %d);", script, i, j)
			}
			tr.eval(history.String() + "0")
			at := rapid.IntRange(0, 5).Draw(r, "row")
			_, err := tr.do("page.click", &action.Click{Locator: action.Locator{Ref: refs[at]}, Timing: action.Timing{Timeout: 150}})
			heard := tr.eval(`JSON.stringify(heard.splice(0))`)
			if want := fmt.Sprintf("[%d]", at); err == nil && heard != want {
				r.Fatalf("a click on row %d was heard by %s", at, heard)
			}
			if err != nil && heard != "[]" {
				r.Fatalf("a click that is refused with %v was heard by %s", err, heard)
			}
		}
	})
}
