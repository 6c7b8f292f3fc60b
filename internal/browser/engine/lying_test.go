package engine_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// strict refuses what changes something, and every address that says it deletes.
func (e *effects) strict(_ context.Context, r action.Request) (action.Ruling, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if harmless[r.Method] && !strings.Contains(r.URL, "delete") {
		return action.Ruling{}, nil
	}
	e.asked = append(e.asked, r)
	if e.let {
		return action.Ruling{Effect: true}, nil
	}
	return action.Ruling{}, fault.New(fault.DeniedByPolicy, "not this").Hinted("try another")
}

// counted is the handler, and counts requests whose address says that it deletes.
func (e *effects) counted(pages map[string]string) http.Handler {
	plain := e.handler(pages)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if harmless[r.Method] && strings.Contains(r.URL.Path, "delete") {
			e.mu.Lock()
			e.came = append(e.came, r.Method+" "+r.URL.Path)
			e.mu.Unlock()
		}
		plain.ServeHTTP(w, r)
	})
}

func (e *effects) reached() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.came)
}

// What a page has its browser fetch ahead of a visit is held like the visit, and a
// page that is rendered ahead sends nothing unjudged. Speculation rules fetch past
// the protocol: a policy of the box switches them off.
func TestNothingIsFetchedAheadUnjudged(t *testing.T) {
	e := &effects{}
	ahead := func(kind, rules string) string {
		return "(() => { const s = document.createElement('script'); s.type = 'speculationrules'; s.textContent = JSON.stringify({" + kind + ": [" + rules + "]}); document.head.append(s) })()"
	}
	link := func(rel, href, more string) string {
		return "(() => { const l = document.createElement('link'); l.rel = '" + rel + "'; l.href = '" + href + "'; " + more + "; document.head.append(l) })()"
	}
	site := listen(t, e.counted(map[string]string{
		"/": "<title>start</title><a href=/ahead>go</a>", "/ahead": "<title>ahead</title><script>fetch('/from-ahead', {method: 'POST'}).catch(() => {})</script>",
	}))
	tr := start(t, func(o *engine.Options) { o.Outgoing = e.strict })
	for _, way := range []struct{ path, script string }{
		{"/items/1/delete", link("prefetch", "/items/1/delete", "")},
		{"/items/2/delete", link("prefetch", "/items/2/delete", "l.as = 'document'")},
		{"/items/3/delete", link("preload", "/items/3/delete", "l.as = 'fetch'")},
		{"/items/4/delete.js", link("modulepreload", "/items/4/delete.js", "")},
		{"/items/5/delete", link("stylesheet", "/items/5/delete", "")},
		{"/items/6/delete", link("icon", "/items/6/delete", "")},
		{"/items/8/delete", "new Image().src = '/items/8/delete'"},
		{"/items/9/delete", "(() => { const a = document.createElement('audio'); a.src = '/items/9/delete'; a.load() })()"},
		{"/items/10/delete", "(() => { const e = document.createElement('object'); e.data = '/items/10/delete'; document.body.append(e) })()"},
		{"/items/11/delete", "import('/items/11/delete')"},
		{"/items/12/delete", "new FontFace('x', 'url(/items/12/delete)').load()"},
		{"/items/13/delete", "(() => { const s = document.createElementNS('http://www.w3.org/2000/svg', 'svg'); s.innerHTML = '<image href=\"/items/13/delete\" />'; document.body.append(s) })()"},
		{"/items/14/delete", "new EventSource('/items/14/delete')"},
		{"/items/15/delete", "document.body.style.background = 'url(/items/15/delete)'"},
	} {
		tr.must("page.goto", &action.Goto{URL: site.URL})
		_, _ = tr.do("page.execute", &action.Execute{Expression: "void (" + way.script + ")"})
		if way.path == "/items/6/delete" { // headless browsers load no icons
			continue
		}
		e.wanted(t, way.path)
	}
	for _, script := range []string{
		ahead("prerender", "{urls: ['/ahead'], eagerness: 'immediate'}"), link("prerender", "/ahead", ""),
		ahead("prerender", "{source: 'document', eagerness: 'immediate'}"),
	} {
		tr.must("page.goto", &action.Goto{URL: site.URL})
		_, _ = tr.do("page.execute", &action.Execute{Expression: "void (" + script + ")"})
		time.Sleep(200 * time.Millisecond)
	}
	tr.must("page.goto", &action.Goto{URL: site.URL + "/ahead"}) // what is sent on a visit is seen to be refused
	e.wanted(t, "/from-ahead")
	if came := e.reached(); len(came) > 0 {
		t.Errorf("these reached the server: %v", came)
	}
}

// A document that was posted for is posted for again by reloading it and by going
// back to it: each time is judged.
func TestAHistoryThatPostsAgainIsJudgedAgain(t *testing.T) {
	e := &effects{let: true}
	site := listen(t, e.handler(map[string]string{"/": `<title>start</title><form method=post action=/orders><input name=a value=b><button>Order</button></form>`}))
	tr := start(t, func(o *engine.Options) { o.Outgoing = e.judge })
	order := func() {
		t.Helper()
		e.mu.Lock()
		e.let, e.asked, e.came = true, nil, nil
		e.mu.Unlock()
		tr.must("page.goto", &action.Goto{URL: site.URL})
		tr.must("page.click", &action.Click{Locator: selector("button")})
		e.wanted(t, "/orders")
		e.mu.Lock()
		e.let, e.asked = false, nil
		e.mu.Unlock()
	}
	for name, again := range map[string]func(){
		"reload": func() { _, _ = tr.do("page.reload", &action.Reload{}) },
		"script reload": func() {
			_, _ = tr.do("page.execute", &action.Execute{Expression: "void setTimeout(() => location.reload())"})
		},
		"back": func() { tr.must("page.goto", &action.Goto{URL: site.URL + "/else"}); _, _ = tr.do("page.back", nil) },
		"script back": func() {
			tr.must("page.goto", &action.Goto{URL: site.URL + "/else"})
			_, _ = tr.do("page.execute", &action.Execute{Expression: "void setTimeout(() => history.back())"})
		},
		"script forward": func() {
			_, _ = tr.do("page.back", nil)
			_, _ = tr.do("page.execute", &action.Execute{Expression: "void setTimeout(() => history.forward())"})
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			order()
			again()
			if strings.Contains(name, "reload") {
				testwait.For(t, "the second post to be judged", func() bool {
					e.mu.Lock()
					defer e.mu.Unlock()
					return len(e.asked) > 0
				})
			} else { // the browser may show what it has kept, or an error
				time.Sleep(200 * time.Millisecond)
			}
			if came := e.reached(); len(came) != 1 {
				t.Errorf("reached the server: %v", came)
			}
		})
	}
}

// A body that is streamed is not known when the request is judged, and the
// question about it says so.
func TestAStreamedBodyIsToldAsUnread(t *testing.T) {
	e := &effects{}
	site := listen(t, e.handler(map[string]string{"/": "<title>start</title>"}))
	tr := start(t, func(o *engine.Options) { o.Outgoing = e.judge })
	tr.must("page.goto", &action.Goto{URL: site.URL})
	tr.must("page.execute", &action.Execute{Expression: `void fetch('/stream', {method: 'POST', duplex: 'half', body: new ReadableStream({pull(c) { c.enqueue(new Uint8Array([65])) }})}).catch(() => {})`})
	if r := e.wanted(t, "/stream"); !r.Unread {
		t.Errorf("a streamed body is told as %+v", r)
	}
	tr.must("page.execute", &action.Execute{Expression: `void fetch('/blob', {method: 'POST', body: new Blob(['a=b'])}).catch(() => {})`})
	if r := e.wanted(t, "/blob"); !r.Unread && len(r.Fields) == 0 {
		t.Errorf("a blob is told as %+v", r)
	}
	tr.must("page.execute", &action.Execute{Expression: `void fetch('/none', {method: 'POST'}).catch(() => {})`})
	if r := e.wanted(t, "/none"); r.Unread {
		t.Errorf("a request without a body is told as %+v", r)
	}
	if came := e.reached(); len(came) > 0 {
		t.Errorf("these reached the server: %v", came)
	}
}

// What a service worker answers by itself leaves nothing; what it sends on behind
// a request that only reads is judged.
func TestWhatAServiceWorkerAnswersFromItsCacheLeavesNothing(t *testing.T) {
	e := &effects{}
	site := listen(t, e.handler(map[string]string{"/": "<title>start</title>", "/cached.js": `
		addEventListener('install', () => skipWaiting());
		addEventListener('activate', e => e.waitUntil(clients.claim()));
		addEventListener('fetch', e => {
			if (e.request.url.endsWith('/kept')) e.respondWith(new Response('from the cache', {headers: {'Content-Type': 'text/html'}}));
			if (e.request.url.endsWith('/later')) { e.respondWith(new Response('soon')); e.waitUntil(fetch('/behind', {method: 'POST', body: 'x'}).catch(() => {})) }
			if (e.request.url.endsWith('/turned')) e.respondWith(fetch('/swapped', {method: 'DELETE'}).catch(() => new Response('no')));
		});`}))
	tr := start(t, func(o *engine.Options) { o.Outgoing = e.judge })
	tr.must("page.goto", &action.Goto{URL: site.URL})
	tr.must("page.execute", &action.Execute{Expression: `navigator.serviceWorker.register('/cached.js').then(() => navigator.serviceWorker.controller || new Promise(done => { navigator.serviceWorker.oncontrollerchange = done })).then(() => 1)`, AwaitPromise: true})
	got := tr.must("page.execute", &action.Execute{Expression: `fetch('/kept', {method: 'POST', body: 'a=b'}).then(r => r.text(), e => 'failed')`, AwaitPromise: true})
	text, _ := json.Marshal(got.Data)
	if !strings.Contains(string(text), "from the cache") && !strings.Contains(string(text), "failed") {
		t.Errorf("the worker's answer is %s", text)
	}
	tr.must("page.execute", &action.Execute{Expression: `void fetch('/later')`})
	e.wanted(t, "/behind")
	tr.must("page.execute", &action.Execute{Expression: `void fetch('/turned')`})
	if r := e.wanted(t, "/swapped"); r.Method != http.MethodDelete {
		t.Errorf("the worker's request is %+v", r)
	}
	if came := e.reached(); len(came) > 0 {
		t.Errorf("these reached the server: %v", came)
	}
}

// Headers by which servers take another method than the request's own are read,
// whoever set them.
func TestAnotherMethodInAHeaderIsRead(t *testing.T) {
	e := &effects{}
	site := listen(t, e.handler(map[string]string{"/": "<title>start</title>"}))
	tr := start(t, func(o *engine.Options) { o.Outgoing = e.judge })
	tr.must("page.goto", &action.Goto{URL: site.URL})
	for path, c := range map[string]struct{ method, header, value, want string }{
		"/a": {"POST", "X-HTTP-Method-Override", "DELETE", "DELETE"},
		"/b": {"GET", "x-http-method-override", "delete", "DELETE"},
		"/c": {"GET", "X-HTTP-Method", "PUT", "PUT"},
		"/d": {"HEAD", "X-Method-Override", "PATCH", "PATCH"},
		"/e": {"OPTIONS", "X-HTTP-Method-Override", "DELETE", "DELETE"},
		"/f": {"POST", "X-HTTP-Method-Override", "GET", "POST"},
		"/g": {"PUT", "X-HTTP-Method-Override", "DELETE, PUT", "DELETE"},
	} {
		tr.must("page.execute", &action.Execute{Expression: `void fetch('` + path + `', {method: '` + c.method + `', headers: {'` + c.header + `': '` + c.value + `'}}).catch(() => {})`})
		if r := e.wanted(t, path); r.Method != c.want {
			t.Errorf("%s with %s: %s is told as %s, want %s", c.method, c.header, c.value, r.Method, c.want)
		}
	}
	if came := e.reached(); len(came) > 0 {
		t.Errorf("these reached the server: %v", came)
	}
}

// liar takes the place of a renderer that lies: it changes requests of a page
// after its document made them, and has the page make one.
func (tr *trial) liar(address string, change map[string]any) {
	tr.t.Helper()
	g := tr.connect()
	g.follow()
	a := g.open("", address)
	g.event(func(e cdp.Event) bool { return e.Session == a.Session && e.Method == "Page.loadEventFired" }) // not of the empty document before it
	g.mu.Lock()
	g.onEvent = func(e cdp.Event) {
		var p struct {
			ID string `json:"requestId"`
		}
		if e.Method == "Fetch.requestPaused" && json.Unmarshal(e.Params, &p) == nil {
			params := maps.Clone(change)
			params["requestId"] = p.ID
			g.conn.Session(e.Session).Send("Fetch.continueRequest", params)
		}
	}
	g.mu.Unlock()
	g.call(a.Session, "Fetch.enable", map[string]any{"patterns": []map[string]string{{"urlPattern": "*/lie*"}}})
	g.call(a.Session, "Runtime.evaluate", map[string]string{"expression": "void fetch('/lie').catch(() => {})"})
}

// What a renderer claims of a request does not count: the method and address that
// leave are judged, and the document is the one that the tab shows.
func TestALyingRendererIsNotBelieved(t *testing.T) {
	withWindows(t)
	e := &effects{}
	site := listen(t, e.handler(map[string]string{"/": "<title>start</title>"}))
	forged := []map[string]string{{"name": "Referer", "value": "https://bank.example/"}, {"name": "Origin", "value": "https://bank.example"}, {"name": "X-HTTP-Method-Override", "value": "DELETE"}}
	for name, c := range map[string]struct {
		change map[string]any
		want   string // of the method
		url    string
	}{
		"method":  {map[string]any{"method": "PUT", "postData": "YT1i"}, "PUT", "/lie"},
		"headers": {map[string]any{"headers": forged, "method": "POST"}, "DELETE", "/lie"},
		"address": {map[string]any{"url": site.URL + "/lie/other", "method": "POST"}, "POST", "/lie/other"},
	} {
		t.Run(name, func(t *testing.T) {
			e.mu.Lock()
			e.asked = nil
			e.mu.Unlock()
			tr := start(t, func(o *engine.Options) { o.Outgoing = e.judge })
			tr.liar(site.URL, c.change)
			if r := e.wanted(t, c.url); r.Method != c.want || r.Document != site.URL+"/" {
				t.Errorf("judged as %s of %s", r.Method, r.Document)
			}
		})
	}
	if came := e.reached(); len(came) > 0 {
		t.Errorf("these reached the server: %v", came)
	}
}

// A worker that is no tab's says where it is by a header, which is believed of
// hosts that have a worker or a document in the browser, and of no others.
func TestAWorkerCannotClaimADocumentThatIsNotThere(t *testing.T) {
	e := &effects{}
	pages := map[string]string{"/": "<title>start</title>", "/w.js": `onconnect = () => fetch('/own', {method: 'POST', body: 's'}).catch(() => {})`}
	site := listen(t, e.handler(pages))
	tr := start(t, func(o *engine.Options) { o.Outgoing = e.judge })
	tr.must("page.goto", &action.Goto{URL: site.URL})
	tr.must("page.execute", &action.Execute{Expression: `void new SharedWorker('/w.js').port.start()`})
	if r := e.wanted(t, "/own"); r.Document != site.URL+"/w.js" {
		t.Errorf("a worker's own request is told as of %q", r.Document)
	}
	if tr.Claimed("https://bank.example/pay") != "" || tr.Claimed(site.URL+"/w.js") == "" || tr.Claimed("about:blank") != "" {
		t.Error("a document is believed that is not there")
	}
}
