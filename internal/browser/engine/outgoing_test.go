package engine_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/browser/observe"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// harmless are methods that change nothing.
var harmless = map[string]bool{http.MethodGet: true, http.MethodHead: true, http.MethodOptions: true}

// effects is a server that counts what changes something, and a judge that
// refuses all of it, or lets it out where it is told to.
type effects struct {
	mu    sync.Mutex
	asked []action.Request
	came  []string
	let   bool
}

func (e *effects) judge(_ context.Context, r action.Request) (action.Ruling, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if harmless[r.Method] {
		return action.Ruling{}, nil
	}
	e.asked = append(e.asked, r)
	if e.let {
		return action.Ruling{Effect: true}, nil
	}
	return action.Ruling{}, fault.New(fault.DeniedByPolicy, "not this").Hinted("try another")
}

func (e *effects) handler(pages map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "*")
		w.Header().Set("Access-Control-Allow-Methods", "*")
		if !harmless[r.Method] {
			_, _ = io.Copy(io.Discard, r.Body)
			e.mu.Lock()
			e.came = append(e.came, r.Method+" "+r.URL.Path)
			e.mu.Unlock()
			if r.URL.Path == "/moved" {
				http.Redirect(w, r, "/after", http.StatusTemporaryRedirect)
				return
			}
			w.WriteHeader(http.StatusCreated)
			return
		}
		body, found := pages[r.URL.Path]
		if strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript")
			w.Header().Set("Service-Worker-Allowed", "/")
		} else {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		}
		if !found {
			body = "<title>empty</title>"
		}
		_, _ = io.WriteString(w, body)
	})
}

// wanted waits until a request to a path was judged.
func (e *effects) wanted(t *testing.T, path string) action.Request {
	t.Helper()
	var found action.Request
	testwait.For(t, "a request to "+path+" to be judged", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		at := slices.IndexFunc(e.asked, func(r action.Request) bool { return strings.HasSuffix(strings.TrimRight(r.URL, "?"), path) })
		if at >= 0 {
			found = e.asked[at]
		}
		return at >= 0
	})
	return found
}

const workerScript = `fetch('/worker', {method: 'POST', body: 'w'}).catch(() => {});
onconnect = () => fetch('/shared', {method: 'POST', body: 's'}).catch(() => {});`

const serviceScript = `addEventListener('install', e => { skipWaiting(); e.waitUntil(fetch('/service', {method: 'POST', body: 'x'}).catch(() => {})) });
addEventListener('activate', e => e.waitUntil(clients.claim()));
addEventListener('fetch', e => { if (e.request.url.endsWith('/through')) e.respondWith(fetch('/passed', {method: 'PUT', body: 'y'}).catch(() => new Response('no'))) });`

// Every way that pages, frames and workers have to send something is held before
// it leaves, and nothing of what is refused reaches the server.
func TestNothingThatChangesSomethingLeavesUnjudged(t *testing.T) {
	e := &effects{}
	site := listen(t, e.handler(map[string]string{
		"/": "<title>start</title><iframe name=inner></iframe><button>go</button>", "/worker.js": workerScript, "/service.js": serviceScript,
		"/frame": "<script>fetch('/framed', {method: 'POST'}).catch(() => {})</script>",
	}))
	other := elsewhere(site)
	tr := start(t, func(o *engine.Options) { o.Outgoing = e.judge })
	ways := []struct{ path, script string }{
		{"/hide", "(() => { addEventListener('pagehide', () => navigator.sendBeacon('/hide', 'x')); setTimeout(() => location.href = '/elsewhere') })()"},
		{"/hidefetch", "(() => { addEventListener('pagehide', () => fetch('/hidefetch', {method: 'POST', keepalive: true})); setTimeout(() => location.href = '/elsewhere') })()"},
		{"/fetch", "fetch('/fetch', {method: 'POST', body: 'a=1'})"},
		{"/put", "fetch('/put', {method: 'PUT', body: '{}'})"},
		{"/patch", "fetch('/patch', {method: 'PATCH'})"},
		{"/delete", "fetch('/delete', {method: 'DELETE'})"},
		{"/odd", "fetch('/odd', {method: 'BREW'})"},
		{"/keep", "fetch('/keep', {method: 'POST', keepalive: true, body: 'x'})"},
		{"/nocors", "fetch('" + other + "/nocors', {method: 'POST', mode: 'no-cors', body: 'x'})"},
		{"/cors", "fetch('" + other + "/cors', {method: 'PUT', body: 'x', headers: {'X-A': '1'}})"},
		{"/large", "fetch('/large', {method: 'POST', body: new Blob([new Uint8Array(5 << 20)])})"},
		{"/stream", "fetch('/stream', {method: 'POST', duplex: 'half', body: new ReadableStream({start(c) { c.enqueue(new Uint8Array([65])); c.close() }})})"},
		{"/xhr", "(() => { const x = new XMLHttpRequest(); x.open('POST', '/xhr'); x.send('x') })()"},
		{"/sync", "(() => { try { const x = new XMLHttpRequest(); x.open('POST', '/sync', false); x.send('x') } catch {} })()"},
		{"/beacon", "navigator.sendBeacon('/beacon', 'x')"},
		{"/later", "window.fetchLater ? fetchLater('/later', {method: 'POST', activateAfter: 0}) : fetch('/later', {method: 'POST'})"},
		{"/ping", "(() => { const a = document.createElement('a'); a.href = '#x'; a.ping = '/ping'; document.body.append(a); a.click() })()"},
		{"/form", "(() => { const f = document.createElement('form'); f.method = 'post'; f.action = '/form'; f.innerHTML = '<input name=a value=b>'; document.body.append(f); f.submit() })()"},
		{"/multi", "(() => { const f = document.createElement('form'); f.method = 'post'; f.action = '/multi'; f.enctype = 'multipart/form-data'; f.innerHTML = '<input name=a value=b>'; document.body.append(f); f.submit() })()"},
		{"/into", "(() => { const f = document.createElement('form'); f.method = 'post'; f.action = '/into'; f.target = 'inner'; document.body.append(f); f.submit() })()"},
		{"/tab", "(() => { const f = document.createElement('form'); f.method = 'post'; f.action = '/tab'; f.target = '_blank'; document.body.append(f); f.submit() })()"},
		{"/worker", "new Worker('/worker.js')"},
		{"/shared", "new SharedWorker('/worker.js').port.start()"},
		{"/blob", "new Worker(URL.createObjectURL(new Blob([\"fetch('\" + location.origin + \"/blob', {method: 'POST'})\"])))"},
		{"/service", "navigator.serviceWorker.register('/service.js')"},
		{"/framed", "(() => { const f = document.createElement('iframe'); f.src = '" + other + "/frame'; document.body.append(f) })()"},
		{"/sandboxed", "(() => { const f = document.createElement('iframe'); f.sandbox = 'allow-scripts'; f.srcdoc = \"<script>fetch('" + site.URL + "/sandboxed', {method: 'POST', mode: 'no-cors'})</script>\"; document.body.append(f) })()"},
		{"/popup", "(() => { const w = open('about:blank'); w && w.fetch(location.origin + '/popup', {method: 'POST'}) })()"},
	}
	for _, way := range ways {
		tr.must("page.goto", &action.Goto{URL: site.URL})
		if way.path == "/tab" || way.path == "/popup" { // people alone may open tabs
			tr.must("page.execute", &action.Execute{Expression: "void document.querySelector('button').addEventListener('click', () => " + way.script + ")"})
			_, _ = tr.do("page.click", &action.Click{Locator: selector("button")})
		} else {
			_, _ = tr.do("page.execute", &action.Execute{Expression: "void (" + way.script + ")"})
		}
		e.wanted(t, way.path)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.came) > 0 {
		t.Errorf("these reached the server: %v", e.came)
	}
}

// Hops of a redirect that send on are held, too, and so is what a service worker
// makes of a request that only reads.
func TestWhatFollowsARequestIsHeldToo(t *testing.T) {
	e := &effects{let: true}
	site := listen(t, e.handler(map[string]string{"/": "<title>start</title>", "/service.js": serviceScript, "/controlled": `<script>
		const workers = navigator.serviceWorker;
		workers.register('/service.js').then(() => workers.ready).then(() => workers.controller || new Promise(done => { workers.oncontrollerchange = done }))
			.then(() => fetch('/through'));
	</script>`}))
	tr := start(t, func(o *engine.Options) { o.Outgoing = e.judge })
	tr.must("page.goto", &action.Goto{URL: site.URL})
	tr.must("page.execute", &action.Execute{Expression: "void fetch('/moved', {method: 'POST', body: 'x'})"})
	e.wanted(t, "/moved")
	if r := e.wanted(t, "/after"); !r.Redirect {
		t.Errorf("the hop is not told as one: %+v", r)
	}
	tr.must("page.goto", &action.Goto{URL: site.URL + "/controlled"})
	e.wanted(t, "/service")
	e.wanted(t, "/passed")
}

// An act's answer names what it sent and what the server said of it, what was
// refused and why, and of whom it was.
func TestAnswersNameWhatAnActSent(t *testing.T) {
	e := &effects{let: true}
	site := listen(t, e.handler(map[string]string{"/": `<title>start</title>
		<button onclick="fetch('/orders', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({item: {id: 7}, note: 'hi'})})">Order</button>
		<form method=post action=/saved><input name=a value="b c"><button>Save</button></form>`}))
	judge := func(ctx context.Context, r action.Request) (action.Ruling, error) {
		ruling, err := e.judge(ctx, r)
		if len(r.Acts) > 0 {
			ruling.Act = r.Acts[0]
		}
		return ruling, err
	}
	tr := start(t, func(o *engine.Options) { o.Outgoing = judge })
	tr.must("page.goto", &action.Goto{URL: site.URL})
	act := func(id, name string) []action.Effect {
		t.Helper()
		ctx := observe.Viewing(engine.Acting(tr.ctx, action.Act{ID: id, Long: time.Second, Wait: time.Second}), observe.Viewer{Actor: "a"}, true)
		args := &action.Click{Locator: action.Locator{Role: "button", Name: name}}
		_, pin, err := tr.Look(ctx, "page.click", args)
		must(t, err)
		r, err := tr.Do(ctx, "page.click", args, pin)
		must(t, err)
		return r.Effects
	}
	want := action.Effect{Method: "POST", URL: site.URL + "/orders", Host: "127.0.0.1", State: action.EffectSent, Status: 201, Act: "one"}
	sent := act("one", "Order")
	for i := range sent {
		if !strings.HasPrefix(sent[i].Key, "POST "+site.URL+"/orders ") {
			t.Errorf("the key %q", sent[i].Key)
		}
		sent[i].Key = ""
	}
	if len(sent) != 1 || sent[0] != want {
		t.Errorf("effects %+v, want %+v", sent, want)
	}
	if r := e.wanted(t, "/orders"); !slices.Contains(r.Fields, action.BodyField{Name: "item.id", Value: "7"}) || r.Unread {
		t.Errorf("the body was read as %+v", r)
	}
	e.mu.Lock()
	e.let = false
	e.mu.Unlock()
	got := act("two", "Save")
	if len(got) != 1 || got[0].State != action.EffectRefused || got[0].Why != "not this" {
		t.Errorf("effects %+v", got)
	}
	if r := e.wanted(t, "/saved"); len(r.Fields) != 1 || r.Fields[0] != (action.BodyField{Name: "a", Value: "b c"}) || !r.Top {
		t.Errorf("the form was read as %+v", r)
	}
	tr.wantTitle("start")
}

// What waits for a person does not keep an act's answer waiting longer than its
// caller does, and goes on when it is let out.
func TestAnActWaitsForWhatPeopleAreAskedAbout(t *testing.T) {
	e := &effects{let: true}
	answer := make(chan struct{})
	site := listen(t, e.handler(map[string]string{"/": `<title>start</title><p>none</p>
		<button onclick="fetch('/orders', {method: 'POST'}).then(r => document.querySelector('p').textContent = 'ordered ' + r.status)">Order</button>`}))
	judge := func(ctx context.Context, r action.Request) (action.Ruling, error) {
		ruling, err := e.judge(ctx, r)
		if !harmless[r.Method] {
			ruling.Act = r.Acts[0]
			r.Asking(r.Acts[0], "q1")
			<-answer
		}
		return ruling, err
	}
	tr := start(t, func(o *engine.Options) { o.Outgoing = judge })
	tr.must("page.goto", &action.Goto{URL: site.URL})
	click := func(id string, wait time.Duration) action.Result {
		t.Helper()
		ctx := observe.Viewing(engine.Acting(tr.ctx, action.Act{ID: id, Long: time.Second, Wait: wait}), observe.Viewer{Actor: "a"}, true)
		args := &action.Click{Locator: action.Locator{Role: "button", Name: "Order"}}
		_, pin, err := tr.Look(ctx, "page.click", args)
		must(t, err)
		r, err := tr.Do(ctx, "page.click", args, pin)
		must(t, err)
		return r
	}
	if r := click("short", 50*time.Millisecond); len(r.Effects) != 1 || r.Effects[0].State != action.EffectHeld {
		t.Errorf("effects %+v", r.Effects)
	}
	go func() { close(answer) }()
	r := click("long", ample)
	if len(r.Effects) != 1 || r.Effects[0].Status != 201 {
		t.Errorf("effects %+v", r.Effects)
	}
	if r.Changes == nil || !strings.Contains(r.Changes.Text, "ordered 201") && (r.Changes.Snapshot == nil || !strings.Contains(r.Changes.Snapshot.Text, "ordered 201")) {
		t.Errorf("changes %+v", r.Changes)
	}
}

// Requests of documents that are taken down may have no id of the Network domain.
// An act does not wait for them once people have answered.
func TestWhatWasAnsweredIsNotWaitedFor(t *testing.T) {
	const leaving = `<title>start</title><script>addEventListener('pagehide', () => {
		for (let i = 0; i < 20; i++) { navigator.sendBeacon('/orders?' + i); fetch('/orders?' + i, {method: 'POST', keepalive: true}) }
	})</script>`
	e := &effects{}
	site := listen(t, e.handler(map[string]string{
		"/": leaving + `<iframe src=/in></iframe>`, "/in": leaving, "/after": `<title>after</title><button onclick="document.title = 'pressed'">Go</button>`,
	}))
	judge := func(ctx context.Context, r action.Request) (action.Ruling, error) {
		if !harmless[r.Method] {
			r.Asking("", "")
		}
		return e.judge(ctx, r)
	}
	tr := start(t, func(o *engine.Options) { o.Outgoing = judge })
	for range 5 {
		tr.must("page.goto", &action.Goto{URL: site.URL})
		tr.must("page.goto", &action.Goto{URL: site.URL + "/after"})
		e.wanted(t, "/orders?19")
		args := &action.Click{Locator: selector("button")}
		acting := engine.Acting(tr.ctx, action.Act{ID: "a", Long: time.Second, Wait: ample}) // longer than the test runs
		_, pin, err := tr.Look(acting, "page.click", args)
		must(t, err)
		_, err = tr.Do(acting, "page.click", args, pin)
		must(t, err)
		tr.wantTitle("pressed")
	}
}

// A page with a WebSocket open is told as one whose messages cannot be held, as
// long as it is.
func TestOpenChannelsAreFacts(t *testing.T) {
	site := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/socket" {
			c, err := websocket.Accept(w, r, nil)
			if err == nil {
				_, _, _ = c.Read(r.Context())
				_ = c.CloseNow()
			}
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<title>start</title><button onclick="s = new WebSocket('ws://' + location.host + '/socket'); s.onopen = () => document.title = 'open'; s.onclose = () => document.title = 'closed'">Go</button>`)
	}))
	tr := start(t)
	tr.must("page.goto", &action.Goto{URL: site.URL})
	unheld := func() bool {
		facts, _, err := tr.Look(tr.ctx, "page.click", &action.Click{Locator: selector("button")})
		must(t, err)
		return facts.Unheld
	}
	if unheld() {
		t.Error("a page without channels has one")
	}
	tr.must("page.click", &action.Click{Locator: selector("button")})
	if !unheld() {
		t.Error("an open WebSocket is not told")
	}
	tr.must("page.execute", &action.Execute{Expression: "s.close()"})
	testwait.For(t, "a closed WebSocket not to be told any more", func() bool { return !unheld() })
	tr.must("page.click", &action.Click{Locator: selector("button")})
	tr.must("page.goto", &action.Goto{URL: site.URL})
	if unheld() {
		t.Error("a document that is gone has a channel")
	}
}
