package engine_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// holds reports whether the engine sees that an expression is true.
func (tr *trial) holds(expression string) bool {
	tr.t.Helper()
	done, _ := tr.must("page.execute", &action.Execute{Expression: expression}).Data.(*action.Executed)
	if done == nil {
		return false
	}
	raw, err := json.Marshal(done.Result)
	must(tr.t, err)
	return string(raw) == "true"
}

// TestWhatAClientSetsEndsWithIt has a client leave the session's tab in every
// state that would stop the verbs, or change what they see.
func TestWhatAClientSetsEndsWithIt(t *testing.T) {
	for _, set := range []struct {
		method string
		params any
		holds  string // of the page when the client is gone
	}{
		{"Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, `window.ran === 1`},
		{"Emulation.setDeviceMetricsOverride", map[string]any{"width": 300, "height": 200, "deviceScaleFactor": 3, "mobile": true}, `innerWidth === 800 && devicePixelRatio === 1`},
		{"Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, `document.hasFocus()`},
		{"Emulation.setFocusEmulationEnabled", map[string]any{"enabled": false}, `document.hasFocus()`},
		{"Emulation.setUserAgentOverride", map[string]any{"userAgent": "other"}, `navigator.userAgent !== "other"`},
		{"Emulation.setTimezoneOverride", map[string]any{"timezoneId": "Asia/Tokyo"}, `Intl.DateTimeFormat().resolvedOptions().timeZone !== "Asia/Tokyo"`},
		{"Emulation.setEmulatedMedia", map[string]any{"media": "print"}, `!matchMedia("print").matches`},
		{"Emulation.setCPUThrottlingRate", map[string]any{"rate": 50}, `true`},
		{"Input.setIgnoreInputEvents", map[string]any{"ignore": true}, `true`},
		{"Input.setInterceptDrags", map[string]any{"enabled": true}, `true`},
		{"Network.setBlockedURLs", map[string]any{"urls": []string{"*"}}, `window.ran === 1`},
		{"Network.emulateNetworkConditions", map[string]any{"offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}, `window.ran === 1`},
		{"Fetch.enable", map[string]any{"patterns": []map[string]string{{"urlPattern": "*"}}}, `window.ran === 1`},
		{"Page.setWebLifecycleState", map[string]any{"state": "frozen"}, `window.ran === 1`},
		{"Page.setBypassCSP", map[string]any{"enabled": true}, `window.ran === 1`},
		{"Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": "window.ran = 7"}, `window.ran === 1`},
		{"Debugger.pause", nil, `window.ran === 1`},
		{"Overlay.setInspectMode", map[string]any{"mode": "searchForNode", "highlightConfig": map[string]any{}}, `true`},
	} {
		if !testenv.Tried(set.method, 3) {
			continue
		}
		t.Run(set.method, func(t *testing.T) {
			web := site(t, map[string]string{"/": `<button onclick="document.title = 'clicked'">one</button><script>window.ran = (window.ran || 0) + 1</script>`})
			tr := start(t)
			tr.must("page.goto", &action.Goto{URL: web.URL})
			g := tr.connect()
			g.follow()
			a := g.attached(anyPage)
			for _, domain := range []string{"Page", "Network", "DOM", "Overlay", "Debugger"} {
				g.call(a.Session, domain+".enable", nil)
			}
			g.conn.Session(a.Session).Send(set.method, set.params) // some are answered by their end
			g.call("", "Browser.getVersion", nil)
			must(t, g.leave())
			if last := g.heard[len(g.heard)-2]; last.Method != set.method || last.Refused != "" {
				t.Fatalf("it was not set: %+v", last)
			}
			tr.must("page.goto", &action.Goto{URL: web.URL + "/?again"})
			if !tr.holds(set.holds) {
				t.Errorf("%s does not hold", set.holds)
			}
			tr.must("page.click", &action.Click{Locator: selector("button")})
			tr.wantTitle("clicked")
		})
	}
}

// TestAPopupThatAClientHoldsHoldsNobodyElse: a client that pauses new targets
// lets none run.
func TestAPopupThatAClientHoldsHoldsNobodyElse(t *testing.T) {
	tr := start(t)
	tr.visit(`<title>opener</title><button onclick="window.open('/')">open</button>`)
	one, two := tr.connect(), tr.connect()
	one.follow()
	one.attached(anyPage)
	two.follow()
	opener := two.attached(anyPage)
	tr.must("page.click", &action.Click{Locator: selector("button")})
	one.attached(func(a aTarget) bool { return a.Waiting })
	popup := two.attached(func(a aTarget) bool { return a.Waiting })
	two.call(popup.Session, "Runtime.runIfWaitingForDebugger", nil)
	if got := two.evaluate(opener.Session, "document.title"); got != `"opener"` {
		t.Errorf("the other client reads %s", got)
	}
	tabs := tr.must("tab.list", &action.None{}).Data.(*action.TabListing).Tabs
	tr.must("tab.activate", &action.ByID{ID: tabs[0].ID})
	tr.must("page.snapshot", &action.TakeSnapshot{})
	must(t, one.leave()) // the popup runs now
	tr.must("tab.activate", &action.ByID{ID: tabs[1].ID})
	tr.must("page.wait_for", &action.WaitFor{Locator: selector("button")})
}

// TestNoDocumentIsLoadedPastTheGuardWhileAClientAnswersForIt: a client that
// lets every request go on by itself opens nothing that the session may not.
func TestNoDocumentIsLoadedPastTheGuardWhileAClientAnswersForIt(t *testing.T) {
	var reached atomic.Int32
	web := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/closed" {
			reached.Add(1)
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<title>` + r.URL.Path + `</title>`))
	}))
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
	for _, way := range []string{`location = "/closed"`, `document.body.append(Object.assign(document.createElement("iframe"), {src: "/closed"}))`} {
		a := g.open("", "about:blank")
		g.call(a.Session, "Fetch.enable", map[string]any{"patterns": []map[string]string{{"urlPattern": "*"}}})
		answered := g.answering(a.Session)
		g.call(a.Session, "Page.navigate", map[string]string{"url": web.URL})
		if answered() == 0 {
			t.Fatal("the client was not asked")
		}
		before := g.count("Page.frameNavigated")
		g.evaluate(a.Session, `setTimeout(() => {`+way+`})`)
		g.event(g.after(before, "Page.frameNavigated"))
	}
	if _, err := tr.do("page.goto", &action.Goto{URL: web.URL + "/closed"}); err == nil {
		t.Error("the guard is off")
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("the closed document was requested %d times", n)
	}
}

// answering lets every request of a session go on as it is.
func (g *guest) answering(session string) (count func() int) {
	var n atomic.Int32
	g.mu.Lock()
	defer g.mu.Unlock()
	g.onEvent = func(e cdp.Event) {
		if e.Method != "Fetch.requestPaused" || e.Session != session {
			return
		}
		n.Add(1)
		id := strings.Split(strings.SplitAfter(string(e.Params), `"requestId":"`)[1], `"`)[0]
		go g.conn.Session(session).Send("Fetch.continueRequest", map[string]string{"requestId": id})
	}
	return func() int { return int(n.Load()) }
}
