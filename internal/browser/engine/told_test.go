package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// sends are the ways in which a page sends something when it is told.
const sends = `self.send = how => ({
	fetch: () => fetch("/sent/fetch", {method: "POST", body: "x"}).catch(() => {}),
	beacon: () => navigator.sendBeacon("/sent/beacon", "x"),
	form: () => { const f = document.createElement("form"); f.method = "post"; f.action = "/sent/form"; document.body.append(f); f.submit() },
})[how]();
const ready = () => { document.title = "ready" };
const how = location.hash.slice(1);
`

// The workers pass on what they are told, or send it themselves.
const (
	sharedScript = `const ports = [];
onconnect = e => { ports.push(e.ports[0]); e.ports[0].onmessage = m => ports.forEach(p => p.postMessage(m.data)) };`
	sendingShared = `onconnect = e => { e.ports[0].onmessage = m => fetch("/sent/" + m.data, {method: "POST"}).catch(() => {}) };`
	relayScript   = `oninstall = () => skipWaiting();
onactivate = e => e.waitUntil(clients.claim());
onmessage = async m => { for (const c of await clients.matchAll({includeUncontrolled: true})) c.postMessage(m.data) };`
	sendingService = `oninstall = () => skipWaiting();
onactivate = e => e.waitUntil(clients.claim());
onmessage = m => fetch("/sent/" + m.data, {method: "POST"}).catch(() => {});`
	toldWorker = `new BroadcastChannel("c").onmessage = m => fetch("/sent/" + m.data, {method: "POST"}).catch(() => {}); postMessage("ready");`
)

// controlled waits until a service worker controls the page.
func controlled(script string) string {
	return `navigator.serviceWorker.register("` + script + `").then(() => navigator.serviceWorker.controller || new Promise(done => { navigator.serviceWorker.oncontrollerchange = done })).then(ready);`
}

// arrangement says which of two tabs opened the other.
type arrangement int

const (
	apart  arrangement = iota // an agent opened both
	child                     // the page of the act opened the one that is told
	parent                    // the one that is told opened the page of the act
)

// wayToTell is a way in which the page of an act tells a page in another tab to send something.
type wayToTell struct {
	name      string
	tabs      arrangement
	elsewhere bool   // the page that is told is of another site
	page      string // script of the page of the act
	act       string // script of the act
	told      string // script of the page that is told
	third     string // script of a further page, of the site of the one that is told
	sends     []string
}

var inPage = []string{"fetch", "beacon", "form"}

var waysToTell = []wayToTell{
	{name: "a broadcast", act: `new BroadcastChannel("c").postMessage(how)`, told: `new BroadcastChannel("c").onmessage = m => send(m.data); ready();`, sends: inPage},
	{name: "a storage event", act: `localStorage.setItem("how", how + " " + Math.random())`, told: `onstorage = e => e.key == "how" && send(e.newValue.split(" ")[0]); ready();`, sends: inPage},
	{name: "a shared worker that passes it on", page: `port = new SharedWorker("/shared.js").port; port.start();`, act: `port.postMessage(how)`,
		told: `const port = new SharedWorker("/shared.js").port; port.onmessage = m => send(m.data); ready();`, sends: inPage},
	{name: "a shared worker that sends", page: `port = new SharedWorker("/sending.js").port; port.start();`, act: `port.postMessage(how)`,
		told: `new SharedWorker("/sending.js").port.start(); ready();`, sends: []string{"fetch"}},
	{name: "a service worker that passes it on", page: controlled("/relay.js"), act: `navigator.serviceWorker.controller.postMessage(how)`,
		told: `navigator.serviceWorker.onmessage = m => send(m.data); ` + controlled("/relay.js"), sends: inPage},
	{name: "a service worker that sends", page: controlled("/service.js"), act: `navigator.serviceWorker.controller.postMessage(how)`, told: controlled("/service.js"), sends: []string{"fetch"}},
	{name: "a dedicated worker of the other tab", act: `new BroadcastChannel("c").postMessage(how)`, told: `new Worker("/told.js").onmessage = ready;`, sends: []string{"fetch"}},
	{name: "a cookie for another port", elsewhere: true, act: `document.cookie = "how=" + how + "; max-age=5"`,
		told: `cookieStore.onchange = e => e.changed.forEach(c => c.name == "how" && send(c.value)); ready();`, sends: inPage},
	{name: "what the opener is made to send", tabs: parent, act: `opener.send(how)`, told: `ready();`, sends: inPage},
	{name: "a message to an opener elsewhere", tabs: parent, elsewhere: true, act: `opener.postMessage(how, "*")`, told: `onmessage = m => send(m.data); ready();`, sends: inPage},
	{name: "what a child is made to send", tabs: child, act: `w.send(how)`, told: `ready();`, sends: inPage},
	{name: "a message to a child elsewhere", tabs: child, elsewhere: true, act: `w.postMessage(how, "*")`, told: `onmessage = m => send(m.data); ready();`, sends: inPage},
	{name: "a child elsewhere that broadcasts", tabs: child, elsewhere: true, act: `w.postMessage(how, "*")`, told: `onmessage = m => new BroadcastChannel("c").postMessage(m.data); ready();`,
		third: `new BroadcastChannel("c").onmessage = m => send(m.data); ready();`, sends: inPage},
	{name: "a window that the act opens", act: `open("THERE/now#" + how)`, told: `ready();`, sends: inPage},
	{name: "one without an opener, elsewhere", elsewhere: true, act: `open("THERE/now#" + how, "_blank", "noopener")`, told: `ready();`, sends: inPage},
	{name: "the page that the act goes to, which broadcasts and goes on", elsewhere: true, act: `location = "THERE/pass#" + how`, told: `new BroadcastChannel("c").onmessage = m => send(m.data); ready();`, sends: inPage},
}

// toldRig is two sites of one server and a judge that records which acts may have caused what.
type toldRig struct {
	*trial
	e           *effects
	here, there *httptest.Server
	pagesAt     map[string]string // the pages
}

func (r *toldRig) pages(w wayToTell, here, there string) (pages map[string]string) {
	fill := strings.NewReplacer("HERE", here, "THERE", there)
	page := func(script string) string {
		return "<title>loading</title><body><button id=act>Go</button><button id=open>Open</button><script>" + sends + fill.Replace(script) + "</script>"
	}
	begin := w.page
	if !strings.Contains(begin, "ready") {
		begin += "ready();"
	}
	return map[string]string{
		"/act":  page(`let port, w; act.onclick = () => { ` + w.act + ` }; document.getElementById("open").onclick = () => { w = window.open("THERE/told#" + how) };` + begin),
		"/told": page(`document.getElementById("open").onclick = () => window.open("HERE/act#" + how);` + w.told), "/third": page(w.third),
		"/now":       page(`send(how); ready();`),
		"/pass":      page(`new BroadcastChannel("c").postMessage(how); location = "about:blank";`),
		"/shared.js": sharedScript, "/sending.js": sendingShared, "/relay.js": relayScript, "/service.js": sendingService, "/told.js": toldWorker,
		"/polls.js": `oninstall = () => skipWaiting(); onactivate = e => e.waitUntil(clients.claim()); setInterval(() => fetch("/poll", {method: "POST"}).catch(() => {}), 50)`,
	}
}

func (r *toldRig) isReady() {
	r.t.Helper()
	testwait.For(r.t, "a page to be ready", func() bool {
		res, err := r.do("page.extract", &action.Extract{Mode: "title"})
		return err == nil && res.Data.(*action.Extracted).Text == "ready"
	})
}

func (r *toldRig) opens(address string) {
	r.t.Helper()
	r.must("tab.open", &action.OpenTab{URL: address})
	r.isReady()
}

func (r *toldRig) click(id string) {
	r.t.Helper()
	r.must("page.click", &action.Click{Locator: selector("#" + id)})
}

// arrange opens the pages of a way, with that of the act in front.
func (r *toldRig) arrange(w wayToTell, how string) {
	r.t.Helper()
	act, told := r.here.URL+"/act#"+how, r.there.URL+"/told#"+how
	if w.third != "" {
		r.opens(r.there.URL + "/third")
	}
	switch w.tabs {
	case apart:
		r.opens(told)
		r.opens(act)
	case child:
		r.opens(act)
		front := r.active()
		r.click("open")
		r.isReady()
		r.must("tab.activate", &action.ByID{ID: front})
	case parent:
		r.opens(told)
		r.click("open")
		r.isReady()
	}
}

func (r *toldRig) active() string {
	r.t.Helper()
	all := r.tabs()
	return all[slices.IndexFunc(all, func(t action.Tab) bool { return t.Active })].ID
}

// acts clicks as an act that may cause requests, for as long as the test runs.
func (r *toldRig) acts(id string) {
	r.t.Helper()
	ctx := engine.Acting(r.ctx, action.Act{ID: id, Long: ample})
	args := &action.Click{Locator: selector("#act")}
	_, pin, err := r.Look(ctx, "page.click", args)
	must(r.t, err)
	_, err = r.Do(ctx, "page.click", args, pin)
	must(r.t, err)
}

func newToldRig(t *testing.T, w wayToTell) *toldRig {
	r := &toldRig{e: &effects{}}
	pages := map[string]string{}
	r.pagesAt = pages
	r.here = listen(t, r.e.handler(pages))
	r.there = r.here
	if w.elsewhere {
		r.there = listen(t, r.e.handler(pages))
		if !strings.Contains(w.act, "cookie") {
			r.there.URL = elsewhere(r.there)
		}
	}
	for at, page := range r.pages(w, r.here.URL, r.there.URL) {
		pages[at] = page
	}
	r.trial = start(t, func(o *engine.Options) { o.Outgoing = r.e.judge })
	return r
}

// What another tab sends because it was told of an act belongs to the act, whichever
// way it was told.
func TestWhatOtherTabsAreToldToSendIsOfTheAct(t *testing.T) {
	n := 0
	for _, w := range waysToTell {
		for _, how := range w.sends {
			if n++; n%testenv.Step(3) != 0 {
				continue
			}
			t.Run(strings.ReplaceAll(w.name+" by "+how, " ", "-"), func(t *testing.T) {
				r := newToldRig(t, w)
				r.arrange(w, how)
				r.acts("act")
				if got := r.e.wanted(t, "/sent/"+how); !slices.Equal(got.Acts, []string{"act"}) {
					t.Errorf("caused by %q", got.Acts)
				}
			})
		}
	}
}

// What a tab sends that nobody can have told is of no act.
func TestWhatOtherTabsSendByThemselvesIsOfNoAct(t *testing.T) {
	const polls = `setInterval(() => fetch("/poll", {method: "POST"}).catch(() => {}), 50);`
	for _, c := range []struct {
		name, page string
		elsewhere  bool
		want       string
	}{
		{"a tab of another site", polls, true, "[] []"},
		{"one whose worker sends", `new Worker(URL.createObjectURL(new Blob(["setInterval(() => fetch('" + location.origin + "/poll', {method: 'POST'}).catch(() => {}), 50)"])));`, true, "[] []"},
		{"one whose shared worker sends", `new SharedWorker("/polls.js").port.start();`, true, "[] []"},
		{"one whose service worker sends", controlled("/polls.js"), true, "[] []"},
		{"a tab of the same site", polls, false, "[act] [act]"},
		{"one whose shared worker sends, of the same site", `new SharedWorker("/polls.js").port.start();`, false, "[act] []"},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			r := newToldRig(t, wayToTell{elsewhere: c.elsewhere, told: c.page + " ready();", act: `document.title = "acted"`})
			r.arrange(wayToTell{}, "")
			r.acts("act")
			r.e.mu.Lock()
			r.e.asked = nil
			r.e.mu.Unlock()
			got := r.e.wanted(t, "/poll")
			if said := fmt.Sprint(got.Acts, got.Told); said != c.want {
				t.Errorf("caused by %s, want %s", said, c.want)
			}
		})
	}
}

// Acts of several tabs count by their time.
func TestTheNewestActThatATabKnowsOfComesFirst(t *testing.T) {
	const polls = `setInterval(() => fetch("/poll", {method: "POST"}).catch(() => {}), 50);`
	r := newToldRig(t, wayToTell{told: polls + `act.onclick = () => {}; ready();`})
	r.arrange(wayToTell{}, "")
	all := r.tabs()
	r.must("tab.activate", &action.ByID{ID: all[len(all)-2].ID})
	r.acts("own")
	r.must("tab.activate", &action.ByID{ID: all[len(all)-1].ID})
	r.acts("other")
	testwait.For(t, "a request after both acts", func() bool {
		r.e.mu.Lock()
		defer r.e.mu.Unlock()
		last := r.e.asked[len(r.e.asked)-1]
		return fmt.Sprint(last.Acts, last.Told) == "[other own] [other]"
	})
}

// An open WebSocket of another tab counts where the page can tell that tab what to send over
// it, and no longer once it is closed.
func TestOpenChannelsOfOtherTabsAreFacts(t *testing.T) {
	sockets := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}); err == nil {
			_, _, _ = c.Read(r.Context())
			_ = c.CloseNow()
		}
	}))
	open := `new WebSocket("` + strings.Replace(sockets.URL, "http", "ws", 1) + `")`
	page := "const s = " + open + "; s.onopen = ready;"
	worker := `new Worker(URL.createObjectURL(new Blob(['` + open + `.onopen = () => postMessage("")']))).onmessage = ready;`
	shared := `const w = new SharedWorker("/socket.js"); w.port.onmessage = ready; w.port.start();`
	for _, c := range []struct {
		name, page string
		tabs       arrangement
		elsewhere  bool
		want       bool
	}{
		{"a tab of the same site", page, apart, false, true},
		{"its dedicated worker", worker, apart, false, true},
		{"its shared worker", shared, apart, false, true},
		{"a child elsewhere", page, child, true, true},
		{"an opener elsewhere", page, parent, true, true},
		{"a tab of another site", page, apart, true, false},
		{"its dedicated worker of another site", worker, apart, true, false},
		{"its shared worker of another site", shared, apart, true, false},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			w := wayToTell{elsewhere: c.elsewhere, tabs: c.tabs, told: c.page}
			r := newToldRig(t, w)
			r.pagesAt["/socket.js"] = "onconnect = e => { " + open + ".onopen = () => e.ports[0].postMessage(0) }"
			r.arrange(w, "")
			facts, _, err := r.Look(r.ctx, "page.click", &action.Click{Locator: selector("#act")})
			must(t, err)
			if facts.Unheld != c.want {
				t.Errorf("a channel is open: %t, want %t", facts.Unheld, c.want)
			}
		})
	}
}
