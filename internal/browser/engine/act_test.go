package engine_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func TestClickReachesTheElement(t *testing.T) {
	tr := start(t)
	for name, html := range map[string]string{
		"plain":       `<button onclick="document.title='ok'">Go</button>`,
		"far down":    `<div style="height:3000px"></div><button onclick="document.title='ok'">Go</button>`,
		"overlapped":  `<button style="width:200px;height:40px" onclick="document.title='ok'">Go</button><div style="position:absolute;left:60px;top:0;width:100px;height:60px;background:red"></div>`,
		"late":        `<script>setTimeout(() => { document.body.innerHTML = '<button onclick="document.title=\'ok\'">Go</button>' }, 200)</script>`,
		"enabled":     `<button disabled onclick="document.title='ok'">Go</button><script>setTimeout(() => { document.querySelector('button').disabled = false }, 200)</script>`,
		"moving":      `<style>@keyframes m {from {transform: translateX(0)} to {transform: translateX(400px)}} button {animation: m 300ms linear}</style><button onclick="document.title='ok'">Go</button>`,
		"open shadow": `<div id=h></div><script>h.attachShadow({mode: 'open'}).innerHTML = '<button onclick="document.title=\'ok\'">Go</button>'</script>`,
		"wrapped":     `<a href="javascript:void(document.title='ok')" style="display:inline"><span>x</span><br><button onclick="document.title='ok'">Go</button></a>`,
	} {
		t.Run(name, func(t *testing.T) {
			tr.visit(html)
			r := tr.must("page.click", &action.Click{Locator: selector("button")})
			if a := r.Data.(*action.Acted); !a.OK || a.Matches != 1 || a.Element.Name != "Go" || a.Element.Role != "button" {
				t.Errorf("acted %+v on %+v", a, a.Element)
			}
			tr.wantTitle("ok")
		})
	}
}

func TestClickByEveryLocator(t *testing.T) {
	tr := start(t)
	tr.visit(`<button onclick="document.title+='a'">Save</button><button onclick="document.title+='b'">Save as</button>
		<button hidden>Save</button><p onclick="document.title+='p'">Some plain text</p>
		<x-c></x-c><script>customElements.define('x-c', class extends HTMLElement { constructor() { super();
		this.attachShadow({mode: 'closed'}).innerHTML = '<button onclick="document.title+=\'c\'">Deep</button>' } })</script>`)
	one := 1
	for _, c := range []struct {
		locator action.Locator
		title   string
	}{
		{selector("button"), "a"},
		{action.Locator{Role: "button", Name: "save"}, "aa"},
		{action.Locator{Role: "button", Name: "as"}, "aab"},
		{action.Locator{Role: "button", Index: &one}, "aabb"},
		{action.Locator{Text: "plain"}, "aabbp"},
		{action.Locator{Role: "button", Name: "Deep"}, "aabbpc"},
		{action.Locator{Selector: "p", Role: "button", Text: "Save"}, "aabbpcp"}, // which the gate refuses
	} {
		click := &action.Click{Locator: c.locator}
		_, err := tr.doUnchecked("page.click", click, click)
		must(t, err)
		tr.wantTitle(c.title)
	}
	soon := action.Timing{Timeout: 200}
	tr.refuse(fault.Ambiguous, "page.click", &action.Click{Locator: action.Locator{Role: "button", Strict: true}})
	tr.refuse(fault.InvalidSelector, "page.click", &action.Click{Locator: selector("b[")})
	tr.refuse(fault.NotFound, "page.click", &action.Click{Locator: selector("#none"), Timing: soon})
	tr.refuse(fault.MissingSelector, "page.click", &action.Click{})
	tr.refuse(fault.StaleRef, "page.click", &action.Click{Locator: action.Locator{Ref: "e999"}})
	tr.refuse(fault.InvalidRequest, "page.click", &action.Click{Locator: selector("p"), Button: "fourth"})
	tr.refuse(fault.InvalidRequest, "page.click", &action.Click{Locator: selector("p"), Modifiers: []string{"Hyper"}})
}

func TestClickSaysWhyItCannot(t *testing.T) {
	tr := start(t)
	tr.visit(`<button id=off disabled>Off</button><button id=gone style="visibility:hidden">Gone</button>
		<button id=under>Under</button><div class=modal style="position:fixed;inset:0;background:#fff8">Cookie consent</div>`)
	soon := action.Timing{Timeout: 250}
	for id, want := range map[string]string{"#off": "disabled", "#gone": "not visible", "#under": "covered"} {
		f := tr.refuse(fault.NotActionable, "page.click", &action.Click{Locator: selector(id), Timing: soon})
		if f.Details["reason"] != want {
			t.Errorf("%s: %v with %v, want %s", id, f, f.Details, want)
		}
		if want == "covered" && !strings.Contains(f.Message, "div.modal") {
			t.Errorf("what covers is not named: %v", f)
		}
	}
}

func TestClickKinds(t *testing.T) {
	tr := start(t)
	tr.visit(`<button onclick="document.title+='c'+(event.ctrlKey?'^':'')" ondblclick="document.title+='d'" oncontextmenu="document.title+='m';return false" onauxclick="document.title+='x'+event.button">B</button>`)
	b := selector("button")
	tr.must("page.click", &action.Click{Locator: b, ClickCount: 2})
	tr.wantTitle("ccd")
	tr.must("page.click", &action.Click{Locator: b, Button: "right"})
	tr.must("page.click", &action.Click{Locator: b, Button: "middle"})
	tr.must("page.click", &action.Click{Locator: b, Modifiers: []string{"Control", "Shift"}})
	tr.wantTitle("ccdmx2x1c^")
}

func TestActInFrames(t *testing.T) {
	tr := start(t)
	var s, other string
	mux := http.NewServeMux()
	page := func(path string, html func() string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(html()))
		})
	}
	page("/{$}", func() string {
		return `<h1>Top</h1><div style="height:1500px"></div><iframe style="margin:30px;border:7px solid;padding:11px" src="/same"></iframe><iframe width=500 height=300 src="` + other + `/other"></iframe>`
	})
	page("/same", func() string {
		return `<div style="height:700px"></div><button onclick="top.postMessage('s','*');document.title='s'">Same</button>`
	})
	page("/other", func() string {
		return `<button onclick="this.textContent='done other'">Other</button><input id=o><iframe src="` + s + `/nested"></iframe>`
	})
	page("/nested", func() string {
		return `<div style="height:400px"></div><button onclick="this.textContent='done nested'">Nested</button>`
	})
	server := listen(t, mux)
	s, other = server.URL, elsewhere(server)
	tr.must("page.goto", &action.Goto{URL: server.URL})
	for _, name := range []string{"Same", "Other", "Nested"} {
		r := tr.must("page.click", &action.Click{Locator: action.Locator{Role: "button", Name: name}})
		if u := r.Data.(*action.Acted).Element.FrameURL; u == "" || u == server.URL+"/" {
			t.Errorf("%s is in frame %q", name, u)
		}
	}
	tr.must("page.type", &action.Type{Locator: selector("#o"), Input: "héllo"})
	tr.must("page.press", &action.Press{Locator: selector("#o"), Key: "End"})
	tr.must("page.press", &action.Press{Key: "!"})
	text := tr.must("page.extract", &action.Extract{}).Data.(*action.Extracted).Text
	for _, want := range []string{"Top", "Same", "done other", "done nested"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	facts, _, err := tr.Look(tr.ctx, "page.press", &action.Press{Key: "a"})
	must(t, err)
	if facts.Element.Tag != "input" || !strings.HasPrefix(facts.Element.FrameURL, other) {
		t.Errorf("the focus is in %+v", facts.Element)
	}
	value := tr.must("page.wait_for", &action.WaitFor{Locator: action.Locator{Role: "textbox"}})
	if !value.Data.(*action.Waited).Found {
		t.Error("the text box of the other site's frame was not found")
	}
}

func TestCoveredFrameIsNotClickedThrough(t *testing.T) {
	tr := start(t)
	s := site(t, map[string]string{
		"/":      `<iframe src="/in" style="position:absolute;left:0;top:0"></iframe><div id=veil style="position:absolute;inset:0;background:#fffa">Veil</div>`,
		"/in":    `<button onclick="parent.document.title='through'">In</button>`,
		"/moved": ``,
	})
	tr.must("page.goto", &action.Goto{URL: s.URL})
	f := tr.refuse(fault.NotActionable, "page.click", &action.Click{Locator: action.Locator{Role: "button", Name: "In"}, Timing: action.Timing{Timeout: 300}})
	if !strings.Contains(f.Message, "veil") {
		t.Errorf("%v does not name what covers the frame", f)
	}
	tr.wantTitle("")
}

func TestPinsHold(t *testing.T) {
	tr := start(t)
	for name, change := range map[string]string{
		"renamed": `b.textContent = 'Delete everything'`,
		"removed": `b.remove()`,
		"swapped": `b.replaceWith(b.cloneNode(true))`,
		"leads":   `b.setAttribute('formaction', '/evil')`,
	} {
		t.Run(name, func(t *testing.T) {
			tr.visit(`<form><button id=b onclick="document.title='clicked';return false">Save</button></form><i id=x onclick="` + strings.ReplaceAll(change, `"`, `'`) + `">x</i>`)
			args := &action.Click{Locator: selector("#b")}
			_, pin, err := tr.Look(tr.ctx, "page.click", args)
			must(t, err)
			tr.must("page.click", &action.Click{Locator: selector("#x")})
			_, err = tr.Do(tr.ctx, "page.click", args, pin)
			expect(t, fault.PageChanged, err)
			tr.wantTitle("")
		})
	}
	tr.visit(`<button>Save</button>`)
	args := &action.Click{Locator: selector("button")}
	_, pin, err := tr.Look(tr.ctx, "page.click", args)
	must(t, err)
	tr.must("page.reload", &action.Reload{})
	_, err = tr.Do(tr.ctx, "page.click", args, pin)
	expect(t, fault.PageChanged, err)
	_, err = tr.Do(tr.ctx, "page.click", args, action.Pin{})
	expect(t, fault.PageChanged, err)
	_, _, err = tr.Look(tr.ctx, "page.fly", args)
	expect(t, fault.UnknownAction, err)
	_, err = tr.Do(tr.ctx, "page.click", &action.Hover{}, pin)
	expect(t, fault.InvalidRequest, err)
}

func TestClickThatNavigates(t *testing.T) {
	tr := start(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<title>one</title><a href="/slow">link</a><form action="/slow" method=post><input name=q><button>Send</button></form><a id=frag href="#here">frag</a><a id=none href="/204">none</a><a id=dl download href="/slow">dl</a>`))
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		testwait.Latency(r.Context(), 150*time.Millisecond)
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<title>%s</title>`, r.Method)
	})
	mux.HandleFunc("/204", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	s := listen(t, mux)
	again := func() { tr.must("page.goto", &action.Goto{URL: s.URL}) }
	again()
	facts, pin, err := tr.Look(tr.ctx, "page.click", &action.Click{Locator: selector("a")})
	must(t, err)
	if facts.Destination == nil || facts.Destination.URL != s.URL+"/slow" {
		t.Errorf("destination %+v", facts.Destination)
	}
	r, err := tr.Do(tr.ctx, "page.click", &action.Click{Locator: selector("a")}, pin)
	must(t, err)
	if !r.Data.(*action.Acted).NewPage || r.Page.Title != "GET" || r.Page.URL != s.URL+"/slow" {
		t.Errorf("after the link: %+v at %+v", r.Data, r.Page)
	}
	again()
	if r = tr.must("page.click", &action.Click{Locator: selector("button")}); r.Page.Title != "POST" {
		t.Errorf("after the form: %+v", r.Page)
	}
	again()
	if r = tr.must("page.type", &action.Type{Locator: selector("input"), Input: "x", Submit: true}); r.Page.Title != "POST" {
		t.Errorf("after Enter: %+v", r.Page)
	}
	again()
	if r = tr.must("page.click", &action.Click{Locator: selector("#frag")}); r.Data.(*action.Acted).NewPage || r.Page.URL != s.URL+"/#here" {
		t.Errorf("after the fragment: %+v at %+v", r.Data, r.Page)
	}
	if r = tr.must("page.click", &action.Click{Locator: selector("#none")}); r.Data.(*action.Acted).NewPage {
		t.Errorf("after 204: %+v at %+v", r.Data, r.Page)
	}
	r = tr.must("page.click", &action.Click{Locator: selector("#dl")})
	for tr.ctx.Err() == nil && !strings.Contains(strings.Join(r.Notes, "\n"), "download was refused") {
		r = tr.must("page.wait_for", &action.WaitFor{}) // the browser tells of it after the click
	}
}

func TestPopupBecomesTheActiveTab(t *testing.T) {
	for _, link := range []string{
		`<a target=_blank href="/pop">open</a>`,
		`<a href="javascript:void window.open('/pop')">open</a>`,
	} {
		tr := start(t)
		s := site(t, map[string]string{"/": `<title>opener</title>` + link, "/pop": `<title>popup</title><button onclick="window.close()">Close</button>`})
		tr.must("page.goto", &action.Goto{URL: s.URL})
		r := tr.must("page.click", &action.Click{Locator: selector("a")})
		if r.Page.URL != s.URL+"/pop" || r.Page.Title != "popup" || len(r.Notes) != 1 {
			t.Errorf("after %s: %+v, notes %q", link, r.Page, r.Notes)
		}
		tr.wantTitle("popup")
		if strings.Contains(link, "window.open") {
			if _, err := tr.do("page.click", &action.Click{Locator: selector("button")}); err != nil {
				expect(t, fault.PageChanged, err)
			}
			tr.wantTitle("opener")
		}
	}
}

func TestTheGuardIsAskedBeforeEveryDocument(t *testing.T) {
	var refused []action.Refusal
	tr, told := guarded(t)
	var other string
	hits := make(chan string, 20)
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Host, "localhost") {
			hits <- r.URL.Path
		}
		if r.URL.Path == "/redirect" {
			http.Redirect(w, r, other+"/redirected", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<title>here</title><a id=top href="%[1]s/link">a</a> <a id=pop target=_blank href="%[1]s/popup">b</a><iframe src="%[1]s/frame?token=secret"></iframe>`, other)
	})
	s := listen(t, mux)
	other = elsewhere(s)
	for _, u := range []string{other + "/direct", s.URL + "/redirect"} {
		f := tr.refuse(fault.BlockedDomain, "page.goto", &action.Goto{URL: u})
		if f.Message != "localhost is not allowed" {
			t.Errorf("%s: %v", u, f)
		}
	}
	tr.must("page.goto", &action.Goto{URL: s.URL})
	r := tr.must("page.click", &action.Click{Locator: selector("#pop")})
	if len(r.Notes) < 2 {
		t.Errorf("popup: notes %q", r.Notes)
	}
	tr.must("page.goto", &action.Goto{URL: s.URL})
	r = tr.must("page.click", &action.Click{Locator: selector("#top")})
	if !strings.Contains(strings.Join(r.Notes, "\n"), "blocked: localhost is not allowed") {
		t.Errorf("link: notes %q", r.Notes)
	}
	for len(told) > 0 {
		refused = append(refused, <-told)
	}
	if len(refused) < 5 {
		t.Errorf("told of %d refusals: %+v", len(refused), refused)
	}
	for _, r := range refused {
		if r.Host != "localhost" || strings.Contains(r.URL, "secret") || !r.Page || r.Top == strings.HasSuffix(r.URL, "/frame") {
			t.Errorf("refusal %+v", r)
		}
	}
	if len(hits) > 0 {
		t.Errorf("the refused host was asked for %s", <-hits)
	}
}

func TestABrowserWithoutAGuardLoadsNothing(t *testing.T) {
	tr := start(t, func(o *engine.Options) { o.Guard = nil })
	s := serve(t, "<title>in</title>")
	tr.refuse(fault.BlockedDomain, "page.goto", &action.Goto{URL: s.URL})
	tr.Configure(engine.Options{Guard: openAll, Width: 640, Height: 480})
	tr.must("page.goto", &action.Goto{URL: s.URL})
	shot := tr.must("page.screenshot", &action.TakeScreenshot{}).Data.(*action.Screenshot)
	if shot.Width != 640 || shot.Height != 480 {
		t.Errorf("the viewport is %d×%d", shot.Width, shot.Height)
	}
}
