package injected_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

var chromium struct {
	conn     *cdp.Conn
	mu       sync.Mutex
	watchers map[string]func(cdp.Event)
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if status, missing := testenv.Missing(testenv.Chromium); missing {
		return status
	}
	c, err := browsertest.StartForPages()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer c.Stop()
	chromium.watchers = map[string]func(cdp.Event){}
	chromium.conn = cdp.Open(c.Transport(), 0, func(e cdp.Event) {
		chromium.mu.Lock()
		watch := chromium.watchers[e.Session]
		chromium.mu.Unlock()
		if watch != nil {
			watch(e)
		}
	})
	defer chromium.conn.Close()
	return m.Run()
}

var besideOthers sync.Map // the names of tests that called Parallel

// tab is a page of its own context with the world in its main frame.
type tab struct {
	*cdp.Session
	t     testing.TB
	ctx   context.Context
	frame injected.Frame
	main  string // id of the main frame

	mu     sync.Mutex
	worlds map[string]injected.Frame // by frame id
	loaded chan string               // loader ids whose load event came
}

func open(t testing.TB, html string) *tab {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, html)
	}))
	t.Cleanup(server.Close)
	p := blank(t)
	p.visit(server.URL)
	return p
}

func blank(t testing.TB) *tab {
	t.Helper()
	parallel(t)
	ctx := testwait.Context(t)
	root := chromium.conn.Root()
	var c struct{ BrowserContextID string }
	var target struct{ TargetID string }
	var attached struct{ SessionID string }
	must(t, root.Call(ctx, "Target.createBrowserContext", nil, &c))
	must(t, root.Call(ctx, "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": c.BrowserContextID}, &target))
	must(t, root.Call(ctx, "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached))
	p := &tab{
		Session: chromium.conn.Session(attached.SessionID), t: t, ctx: ctx,
		worlds: map[string]injected.Frame{}, loaded: make(chan string, 64), main: target.TargetID,
	}
	chromium.mu.Lock()
	chromium.watchers[attached.SessionID] = p.watch
	chromium.mu.Unlock()
	t.Cleanup(func() {
		_ = root.Call(ctx, "Target.disposeBrowserContext", map[string]any{"browserContextId": c.BrowserContextID}, nil)
		chromium.mu.Lock()
		delete(chromium.watchers, attached.SessionID)
		chromium.mu.Unlock()
	})
	for _, method := range []string{"Page.enable", "Runtime.enable", "DOM.enable"} {
		must(t, p.Call(ctx, method, nil, nil))
	}
	must(t, p.Call(ctx, "Page.setLifecycleEventsEnabled", map[string]any{"enabled": true}, nil))
	must(t, p.Call(ctx, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil))
	must(t, p.Call(ctx, "Emulation.setDeviceMetricsOverride", map[string]any{"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": false}, nil))
	must(t, p.Call(ctx, "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": injected.Source(), "worldName": injected.World, "runImmediately": true}, nil))
	return p
}

// parallel makes a test run beside others, once it opens its first tab.
func parallel(t testing.TB) {
	test, ok := t.(*testing.T)
	if _, known := besideOthers.LoadOrStore(t.Name(), true); ok && !known && !strings.Contains(t.Name(), "/") {
		test.Parallel()
	}
}

func (p *tab) watch(e cdp.Event) {
	switch e.Method {
	case "Runtime.executionContextCreated":
		var v struct {
			Context struct {
				ID       int64
				UniqueID string
				Name     string
				AuxData  struct {
					FrameID   string
					IsDefault bool
				}
			}
		}
		if json.Unmarshal(e.Params, &v) != nil {
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		frame := v.Context.AuxData.FrameID
		w := p.worlds[frame]
		switch {
		case v.Context.AuxData.IsDefault:
			p.worlds[frame] = injected.Frame{Page: v.Context.UniqueID}
		case v.Context.Name == injected.World:
			p.worlds[frame] = injected.Frame{Session: p.Session, Context: v.Context.ID, Unique: v.Context.UniqueID, Page: w.Page}
		}
	case "Page.lifecycleEvent":
		var v struct{ FrameID, LoaderID, Name string }
		if json.Unmarshal(e.Params, &v) == nil && v.Name == "load" && v.FrameID == p.main {
			select {
			case p.loaded <- v.LoaderID:
			default:
			}
		}
	}
}

func (p *tab) visit(url string) {
	p.t.Helper()
	var n struct{ LoaderID, ErrorText string }
	must(p.t, p.Call(p.ctx, "Page.navigate", map[string]any{"url": url}, &n))
	if n.ErrorText != "" {
		p.t.Fatalf("cannot open %s: %s", url, n.ErrorText)
	}
	for {
		select {
		case id := <-p.loaded:
			if id != n.LoaderID {
				continue
			}
			p.frame = p.world(p.main)
			return
		case <-p.ctx.Done():
			p.t.Fatal("the page did not load")
		}
	}
}

func (p *tab) world(frame string) injected.Frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.worlds[frame]
	found := w.Session != nil
	if !found {
		p.t.Fatalf("frame %s has no world", frame)
	}
	return w
}

// page runs script in the page's own world and returns its value.
func (p *tab) page(script string) any {
	p.t.Helper()
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails *struct {
			Exception struct{ Description string }
		}
	}
	must(p.t, p.Call(p.ctx, "Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true, "awaitPromise": true}, &r))
	if r.ExceptionDetails != nil {
		p.t.Fatalf("%s: %s", script, r.ExceptionDetails.Exception.Description)
	}
	return r.Result.Value
}

func (p *tab) find(q injected.Query) injected.Found {
	p.t.Helper()
	found, err := p.frame.Find(p.ctx, q)
	must(p.t, err)
	return found
}

// node returns the number of the one element a selector matches.
func (p *tab) node(selector string) int {
	p.t.Helper()
	found := p.find(injected.Query{Selector: selector})
	if found.Matches != 1 {
		p.t.Fatalf("%s matches %d elements", selector, found.Matches)
	}
	return found.Node
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
