package engine_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestAClientSharesTheTabsOfTheSession(t *testing.T) {
	tr := start(t)
	tr.visit(`<title>shared</title>`)
	g := tr.connect()
	g.follow()
	a := g.attached(anyPage)
	if got := g.evaluate(a.Session, "document.title"); got != `"shared"` {
		t.Errorf("the client reads %s", got)
	}
	g.evaluate(a.Session, `document.title = "changed"`)
	tr.wantTitle("changed")
	opened := g.open("", "about:blank")
	if opened.Info.Context != a.Info.Context {
		t.Error("a page without a context is not in the session's own")
	}
	tabs := tr.must("tab.list", &action.None{}).Data.(*action.TabListing).Tabs
	if !slices.ContainsFunc(tabs, func(tab action.Tab) bool { return tab.ID == opened.Info.ID && tab.Active }) {
		t.Errorf("the client's page is not the active tab of %+v", tabs)
	}
	must(t, g.leave())
	tr.must("page.extract", &action.Extract{Mode: "title"})
}

func TestLargeAnswersReachAClientWhole(t *testing.T) {
	tr := start(t)
	g := tr.connect()
	g.follow()
	a := g.attached(anyPage)
	for _, size := range []int{1, 65_000, 65_536, 20 << 20} {
		if got := g.evaluate(a.Session, `"x".repeat(`+itoa(size)+`)`); len(got) != size+2 {
			t.Errorf("%d bytes came as %d", size, len(got))
		}
	}
}

func itoa(n int) string { raw, _ := json.Marshal(n); return string(raw) }

func TestTheGuardHoldsForWhatClientsOpen(t *testing.T) {
	web := site(t, map[string]string{"/": `<title>web</title>`, "/closed": `<title>closed</title>`})
	tr := start(t, func(o *engine.Options) {
		o.Guard = func(url string) error {
			if strings.HasSuffix(url, "/closed") {
				return errors.New("closed")
			}
			return nil
		}
	})
	g := tr.connect()
	g.follow()
	for _, where := range []string{"", g.newContext()} {
		a := g.open(where, "about:blank")
		g.refused(a.Session, "Page.navigate", map[string]string{"url": web.URL + "/closed"}, "may not open")
		g.refused("", "Target.createTarget", map[string]string{"url": web.URL + "/closed", "browserContextId": a.Info.Context}, "may not open")
		g.call(a.Session, "Page.navigate", map[string]string{"url": web.URL})
		g.evaluate(a.Session, `new Promise(done => { const f = document.createElement("iframe"); f.onload = done; f.src = "/"; document.body.append(f) })`)
		before := g.count("Page.frameNavigated")
		g.evaluate(a.Session, `setTimeout(() => location = "/closed")`)
		g.event(g.after(before, "Page.frameNavigated"))
		if got := g.evaluate(a.Session, "document.title"); got == `"closed"` {
			t.Errorf("a page in context %q came to a closed document", where)
		}
	}
}

func (g *guest) count(method string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := 0
	for _, e := range g.seen {
		if e.Method == method {
			n++
		}
	}
	return n
}

// after fits the n+1st event of a method.
func (g *guest) after(n int, method string) func(cdp.Event) bool {
	return func(e cdp.Event) bool {
		if e.Method != method {
			return false
		}
		found := 0
		for _, other := range g.seen { // the lock is held
			if other.Method == method {
				found++
			}
		}
		return found > n
	}
}

func TestAClientsInterceptionDoesNotSwitchOursOff(t *testing.T) {
	web := site(t, map[string]string{"/": `<title>web</title>`, "/closed": `<title>closed</title>`})
	tr := start(t, func(o *engine.Options) {
		o.Guard = func(url string) error {
			if strings.HasSuffix(url, "/closed") {
				return errors.New("closed")
			}
			return nil
		}
	})
	g := tr.connect()
	g.follow()
	a := g.open("", "about:blank")
	g.call(a.Session, "Fetch.enable", map[string]any{"patterns": []map[string]string{{"urlPattern": "*"}}})
	paused := func() string {
		var p struct {
			ID string `json:"requestId"`
		}
		e := g.event(func(e cdp.Event) bool { return e.Method == "Fetch.requestPaused" })
		must(t, json.Unmarshal(e.Params, &p))
		g.mu.Lock()
		g.seen = slices.DeleteFunc(g.seen, func(e cdp.Event) bool { return e.Method == "Fetch.requestPaused" })
		g.mu.Unlock()
		return p.ID
	}
	going := g.conn.Session(a.Session).Send("Page.navigate", map[string]string{"url": web.URL})
	id := paused()
	g.refused(a.Session, "Fetch.continueRequest", map[string]string{"requestId": id, "url": web.URL + "/closed"}, "may not open")
	// The request that was to go on there fails at once: nobody else would end it.
	var went struct {
		Error string `json:"errorText"`
	}
	must(t, going.Wait(g.ctx, &went))
	if !strings.Contains(went.Error, "BLOCKED_BY_CLIENT") {
		t.Errorf("the request ended with %q", went.Error)
	}
	going = g.conn.Session(a.Session).Send("Page.navigate", map[string]string{"url": web.URL})
	id, went.Error = paused(), ""
	// A redirect made up by the client is judged like any other.
	g.call(a.Session, "Fetch.fulfillRequest", map[string]any{"requestId": id, "responseCode": 302, "responseHeaders": []map[string]string{{"name": "Location", "value": web.URL + "/closed"}}})
	g.call(a.Session, "Fetch.disable", nil)
	must(t, going.Wait(g.ctx, &went))
	if went.Error == "" {
		t.Errorf("the made up redirect led to %s", g.evaluate(a.Session, "document.title"))
	}
	g.call(a.Session, "Page.navigate", map[string]string{"url": web.URL})
	if _, err := tr.do("page.goto", &action.Goto{URL: web.URL + "/closed"}); err == nil {
		t.Error("the guard is off")
	}
}

func TestClientsDoNotSeeEachOthersContexts(t *testing.T) {
	tr := start(t)
	one, two := tr.connect(), tr.connect()
	one.follow()
	two.follow()
	private := one.newContext()
	a := one.open(private, "about:blank")
	two.refused("", "Target.attachToTarget", map[string]any{"targetId": a.Info.ID, "flatten": true}, "no such target")
	two.refused("", "Target.closeTarget", map[string]any{"targetId": a.Info.ID}, "no such target")
	two.refused("", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": private}, "not one of this client")
	two.refused("", "Target.disposeBrowserContext", map[string]any{"browserContextId": private}, "only a context that this client made")
	two.refused("", "Storage.getCookies", map[string]any{"browserContextId": private}, "not one of this client")
	two.refused("", "Target.detachFromTarget", map[string]any{"sessionId": a.Session}, "not one of this client")
	if shown := string(two.call("", "Target.getTargets", nil)); strings.Contains(shown, a.Info.ID) || strings.Contains(shown, `"browser"`) {
		t.Errorf("the other client is shown %s", shown)
	}
	if shown := string(two.call("", "Target.getBrowserContexts", nil)); strings.Contains(shown[:strings.Index(shown, "default")], private) {
		t.Errorf("the other client is shown %s", shown)
	}
	var gone *cdp.Error
	if err := two.conn.Session(a.Session).Call(two.ctx, "Runtime.evaluate", map[string]string{"expression": "1"}, nil); !errors.As(err, &gone) || gone.Code != -32001 {
		t.Errorf("another client's session answers %v", err)
	}
	// The page waits for nobody who may not see it.
	if got := one.evaluate(a.Session, "1 + 1"); got != "2" {
		t.Errorf("evaluated to %s", got)
	}
	must(t, one.leave())
	if _, err := tr.do("page.extract", &action.Extract{Mode: "title"}); err != nil {
		t.Errorf("after the client left: %v", err)
	}
	three := tr.connect()
	three.refused("", "Target.getTargetInfo", map[string]any{"targetId": a.Info.ID}, "no such target")
}

func TestPopupsHangNobodyWhoeverIsAttached(t *testing.T) {
	tr := start(t)
	tr.visit(`<button onclick="window.open('/')">open</button>`)
	one, two := tr.connect(), tr.connect()
	for _, g := range []*guest{one, two} {
		g.follow()
		a := g.attached(anyPage)
		g.call(a.Session, "Page.enable", nil)
	}
	tr.must("page.click", &action.Click{Locator: selector("button")})
	for _, g := range []*guest{one, two} {
		popup := g.attached(func(a aTarget) bool { return a.Waiting })
		g.call(popup.Session, "Runtime.runIfWaitingForDebugger", nil)
	}
	tr.must("page.wait_for", &action.WaitFor{Locator: selector("button")})
}

func TestADialogHasOneOwner(t *testing.T) {
	tr := start(t)
	tr.visit(`<title>none</title><button onclick="document.title = confirm('sure?')">ask</button>`)
	g := tr.connect()
	g.follow()
	a := g.attached(anyPage)
	g.call(a.Session, "Page.enable", nil)

	// Opened under a call over the API: its caller answers, the client is not asked.
	r := tr.must("page.click", &action.Click{Locator: selector("button")})
	if r.Modal == nil {
		t.Fatal("the dialog is not told to the caller")
	}
	g.refused(a.Session, "Page.handleJavaScriptDialog", map[string]bool{"accept": false}, "caller answers")
	if n := g.count("Page.javascriptDialogOpening"); n != 0 {
		t.Error("the client was asked too")
	}
	tr.must("page.dialog", &action.AnswerDialog{Accept: true})
	tr.wantTitle("true")

	// Opened under the client's own call: it answers, and the engine is told.
	asked := g.conn.Session(a.Session).Send("Runtime.evaluate", map[string]string{"expression": `document.title = confirm("mine?")`})
	g.event(func(e cdp.Event) bool { return e.Method == "Page.javascriptDialogOpening" })
	g.call(a.Session, "Page.handleJavaScriptDialog", map[string]bool{"accept": false})
	must(t, asked.Wait(g.ctx, nil))
	tr.wantTitle("false")
}

func TestWhatAClientIsRefusedIsTold(t *testing.T) {
	tr := start(t)
	g := tr.connect()
	g.refused("", "Browser.close", nil, "session.close")
	g.refused("", "SystemInfo.getInfo", nil, "SystemInfo")
	g.refused("", "Target.sendMessageToTarget", map[string]string{"message": `{"id":1,"method":"Browser.close"}`}, "nested")
	g.call("", "Browser.getVersion", nil)
	must(t, g.leave())
	want := []action.Message{
		{Method: "Browser.close", Refused: "the browser is the session's: close the session with session.close"},
		{Method: "SystemInfo.getInfo", Refused: "it is not among the methods that stay within a session"},
		{Method: "Target.sendMessageToTarget", Refused: "nested messages are not carried: attach flattened"},
		{Method: "Browser.getVersion"},
	}
	if !slices.Equal(g.heard, want) {
		t.Errorf("told %+v, want %+v", g.heard, want)
	}
}

func TestDownloadsStayAsTheSessionHasThem(t *testing.T) {
	withWindows(t)
	files := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/file" {
			w.Header().Set("Content-Disposition", "attachment")
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<a href="/file">file</a>`)
	}))
	tr := start(t)
	g := tr.connect()
	g.follow()
	for _, where := range []string{"", g.newContext()} {
		params := map[string]any{"behavior": "allow", "downloadPath": t.TempDir(), "eventsEnabled": true}
		if where != "" {
			params["browserContextId"] = where
		}
		g.call("", "Browser.setDownloadBehavior", params)
		a := g.open(where, files.URL)
		g.event(func(e cdp.Event) bool { return e.Session == a.Session && e.Method == "Page.loadEventFired" }) // not of the empty document before it
		g.evaluate(a.Session, `document.querySelector("a").click()`)
		e := g.event(func(e cdp.Event) bool {
			return e.Method == "Browser.downloadProgress" && !strings.Contains(string(e.Params), `"inProgress"`)
		})
		if !strings.Contains(string(e.Params), `"canceled"`) {
			t.Errorf("in context %q: %s", where, e.Params)
		}
		g.mu.Lock()
		g.seen = nil
		g.mu.Unlock()
	}
}

func TestAClientIsToldThatTheBrowserIsGone(t *testing.T) {
	tr := start(t)
	g := tr.connect()
	g.call("", "Browser.getVersion", nil)
	must(t, tr.Close())
	if f := fault.From(<-g.served); f == nil || f.Code != fault.NotActive {
		t.Errorf("served until %v", f)
	}
}
