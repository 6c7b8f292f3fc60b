package engine_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// shared are the browsers of the tests. A test has one of them to itself, and
// gives it back empty.
var shared = &browsers{held: map[string]*loan{}}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if status, missing := testenv.Missing(testenv.Chromium); missing {
		return status
	}
	testenv.FewerDrawn()
	code := m.Run()
	shared.stop()
	http.DefaultClient.CloseIdleConnections()
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// ample is a limit of the product in tests that are not about it.
const ample = time.Hour

// trial is a browser for one test.
type trial struct {
	*engine.Browser
	t    testing.TB
	ctx  context.Context //nolint:containedctx // the life of a test
	wire *wire           // the pipe of the Chromium that the test has
	lane *lane
}

func openAll(string) error { return nil }

// start opens a fresh browser that may go anywhere.
func start(t testing.TB, options ...func(*engine.Options)) *trial {
	t.Helper()
	w := shared.take(t)
	ctx := testwait.Context(t)
	o := engine.Options{Width: 800, Height: 600, Guard: openAll, Owns: openAll, Timeout: 5 * time.Minute}
	for _, change := range options {
		change(&o)
	}
	tr := &trial{t: t, ctx: ctx, wire: w, lane: w.join()}
	b, err := engine.Open(ctx, tr.lane, o)
	if err != nil {
		t.Fatal(err)
	}
	tr.Browser = b
	t.Cleanup(func() {
		_ = tr.Browser.Close()
		w.wipe(t)
	})
	return tr
}

// wipe ends all pages and contexts.
func (w *wire) wipe(t testing.TB) {
	t.Helper()
	conn := cdp.Open(w.join(), 1<<30+1<<29, func(cdp.Event) {})
	defer func() { _ = conn.Close() }()
	ctx := testwait.Context(t)
	must(t, conn.Root().Call(ctx, "Target.setAutoAttach", map[string]any{"autoAttach": false, "waitForDebuggerOnStart": false, "flatten": true}, nil))
	var contexts struct {
		IDs []string `json:"browserContextIds"`
	}
	must(t, conn.Root().Call(ctx, "Target.getBrowserContexts", nil, &contexts))
	for _, id := range contexts.IDs {
		must(t, conn.Root().Call(ctx, "Target.disposeBrowserContext", map[string]string{"browserContextId": id}, nil))
	}
	for wipePages(ctx, t, conn.Root()) {
	}
}

// wipePages ends the pages that are in no context of their own, and reports
// whether there were any: the browser needs a moment.
func wipePages(ctx context.Context, t testing.TB, root *cdp.Session) bool {
	t.Helper()
	var targets struct {
		Infos []struct {
			ID string `json:"targetId"`
		} `json:"targetInfos"`
	}
	pages := map[string]any{"filter": []map[string]any{{"type": "page"}, {"exclude": true}}}
	must(t, root.Call(ctx, "Target.getTargets", pages, &targets))
	for _, i := range targets.Infos {
		_ = root.Call(ctx, "Target.closeTarget", map[string]string{"targetId": i.ID}, nil) // one may be on its way out
	}
	return len(targets.Infos) > 0
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// do checks, looks and does, as the gate does.
func (tr *trial) do(verb string, args any) (action.Result, error) {
	tr.t.Helper()
	asked := args
	if f, fills := args.(*engine.Filling); fills {
		asked = &f.FillSecret // all that a caller says
	}
	if asked != nil {
		if err := action.Check(asked); err != nil {
			return action.Result{}, err
		}
	}
	return tr.doUnchecked(verb, args, asked)
}

func (tr *trial) doUnchecked(verb string, args, asked any) (action.Result, error) {
	tr.t.Helper()
	_, pin, err := tr.Look(tr.ctx, verb, asked)
	if err != nil {
		return action.Result{}, err
	}
	return tr.Do(tr.ctx, verb, args, pin)
}

func (tr *trial) must(verb string, args any) action.Result {
	tr.t.Helper()
	r, err := tr.do(verb, args)
	if err != nil {
		tr.t.Fatalf("%s %+v: %v (hint: %s)", verb, args, err, fault.From(err).Hint)
	}
	return r
}

// refuse expects a fault with a hint.
func (tr *trial) refuse(code fault.Code, verb string, args any) *fault.Fault {
	tr.t.Helper()
	_, err := tr.do(verb, args)
	return expect(tr.t, code, err)
}

func expect(t testing.TB, code fault.Code, err error) *fault.Fault {
	t.Helper()
	if err == nil {
		t.Fatalf("no fault, want %s", code)
	}
	f := fault.From(err)
	if f.Code != code {
		t.Fatalf("fault %v, want %s", err, code)
	}
	if f.Hint == "" {
		t.Errorf("%v has no hint", err)
	}
	return f
}

// visit serves a page and goes there.
func (tr *trial) visit(html string) *httptest.Server {
	tr.t.Helper()
	s := serve(tr.t, html)
	tr.must("page.goto", &action.Goto{URL: s.URL})
	return s
}

func serve(t testing.TB, html string) *httptest.Server {
	t.Helper()
	return site(t, map[string]string{"/": html})
}

// site serves pages by path.
func site(t testing.TB, pages map[string]string) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	for path, html := range pages {
		pattern := path
		if path == "/" {
			pattern = "/{$}"
		}
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(html))
		})
	}
	return listen(t, mux)
}

func listen(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// elsewhere is the same server under another site's name.
func elsewhere(s *httptest.Server) string {
	u, _ := url.Parse(s.URL)
	u.Host = "localhost:" + u.Port()
	return u.String()
}

// title returns the page's title, where tests have pages report what happened.
func (tr *trial) title() string {
	tr.t.Helper()
	r := tr.must("page.extract", &action.Extract{Mode: "title"})
	return r.Data.(*action.Extracted).Text
}

func (tr *trial) wantTitle(want string) {
	tr.t.Helper()
	if got := tr.title(); got != want {
		tr.t.Errorf("title %q, want %q at %s", got, want, tr.t.Name())
	}
}

func selector(s string) action.Locator { return action.Locator{Selector: s} }
