package engine_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// maze is a site of odd pages that notes what it was asked for.
type maze struct {
	mu    sync.Mutex
	asked []string
}

func (m *maze) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	m.asked = append(m.asked, r.URL.Path)
	m.mu.Unlock()
	html := func(body string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>"+r.URL.Path+"</title>"+body)
	}
	switch r.URL.Path {
	case "/":
		html(`<link rel=canonical href="/?main"><h1>Home</h1><p>Welcome</p><img src=/picture.png><style>@font-face{font-family:f;src:url(/font.woff)} p{font-family:f}</style>
<a href=/a>A</a> <a href="/b#part">B</a> <a href="mailto:x@y.example">mail</a> <a href="/c?token=abcdef0123456789abcdef0123456789">C</a>`)
	case "/moved":
		http.Redirect(w, r, "/", http.StatusFound)
	case "/goes-on":
		html(`<p>away</p><script>location.href = "/"</script>`)
	case "/script":
		html(`<p id=p></p><script>fetch("/data").then(r => r.text()).then(t => setTimeout(() => p.textContent = t, 20))</script>`)
	case "/data":
		fmt.Fprint(w, "rendered by a script")
	case "/asks":
		html(`<p>before</p><script>alert("hello"); document.title = confirm("sure?") ? "yes" : "no"; console.log("from the crawl")</script><p>after</p>`)
	case "/pops":
		html(`<p>pops</p><script>for (let i = 0; i < 3; i++) open("/popup", "_blank", i ? "noopener" : "")</script>`)
	case "/file":
		w.Header().Set("Content-Disposition", "attachment")
		w.Header().Set("Content-Type", "application/zip")
		fmt.Fprint(w, "PK")
	case "/plain":
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, "words")
	case "/spins":
		html(`<p>spins</p><script>for(;;);</script>`)
	case "/never":
		<-r.Context().Done()
	case "/restless":
		html(`<p>restless</p><script>setInterval(() => document.body.append("."), 5)</script>`)
	case "/gone":
		w.WriteHeader(http.StatusNotFound)
		html(`<p>nothing here</p>`)
	default:
		html("<p>page</p>")
	}
}

func (m *maze) seen(path string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Contains(m.asked, path)
}

func crawl(t *testing.T, o engine.CrawlOptions, change ...func(*engine.Options)) (*trial, *maze, string, engine.Crawler) {
	t.Helper()
	m := &maze{}
	s := listen(t, m)
	tr := start(t, change...)
	c := tr.Crawl(o)
	t.Cleanup(func() { _ = c.Close(t.Context()) })
	return tr, m, s.URL, c
}

func (tr *trial) read(c engine.Crawler, address string) *action.CrawlVisit {
	tr.t.Helper()
	v, err := c.Visit(tr.ctx, address, ample)
	if err != nil {
		tr.t.Fatalf("%s: %v", address, err)
	}
	return v
}

func TestACrawlReadsAPageAndLeavesTheRestAlone(t *testing.T) {
	tr, m, base, c := crawl(t, engine.CrawlOptions{})
	tr.must("page.goto", &action.Goto{URL: base + "/mine"})
	v := tr.read(c, base)
	p := v.Page
	if p.Title != "/" || p.Status != 200 || !strings.HasPrefix(p.Content, "# Home\n\nWelcome") || p.Depth != 0 || p.Error != "" {
		t.Errorf("read %+v", p)
	}
	if want := []string{base + "/a", base + "/b#part", base + "/c?token=abcdef0123456789abcdef0123456789"}; !slices.Equal(v.Leads, want) {
		t.Errorf("leads %q", v.Leads)
	}
	if strings.Contains(strings.Join(p.Links, " "), "abcdef") || v.Canonical != base+"/?main" {
		t.Errorf("links %q, canonical %q", p.Links, v.Canonical)
	}
	if m.seen("/picture.png") || m.seen("/font.woff") {
		t.Errorf("it loaded what it does not need: %q", m.asked)
	}
	tabs := tr.must("tab.list", &action.None{}).Data.(*action.TabListing).Tabs
	if len(tabs) != 1 || !tabs[0].Active || tabs[0].URL != base+"/mine" || tr.Page().URL != base+"/mine" {
		t.Errorf("the tabs became %+v", tabs)
	}
	requests := tr.must("page.network", &action.ReadNetwork{}).Data.(*action.NetworkListing).Requests
	for _, r := range requests {
		if r.URL == base+"/" {
			t.Errorf("the crawl is among the requests: %+v", r)
		}
	}
}

func TestACrawlTellsOfRedirectsInPlaceOfFollowing(t *testing.T) {
	tr, m, base, c := crawl(t, engine.CrawlOptions{})
	for _, path := range []string{"/moved", "/goes-on"} {
		if v := tr.read(c, base+path); v.Redirect != base+"/" || v.Page.Content != "" {
			t.Errorf("%s: %+v", path, v)
		}
	}
	if m.seen("/") {
		t.Error("a redirect was followed")
	}
}

func TestWhatAPageDoesInACrawlCostsOnlyItself(t *testing.T) {
	withWindows(t)
	tr, m, base, c := crawl(t, engine.CrawlOptions{Extract: "text"})
	for path, want := range map[string]string{
		"/script": "rendered by a script", "/asks": "before\nafter", "/gone": "nothing here", "/pops": "pops",
	} {
		if v := tr.read(c, base+path); v.Page.Content != want {
			t.Errorf("%s: %+v", path, v.Page)
		}
	}
	if v := tr.read(c, base+"/gone"); v.Page.Status != 404 || v.Page.Error != "HTTP 404" {
		t.Errorf("gone: %+v", v.Page)
	}
	if v := tr.read(c, base+"/restless"); !strings.HasPrefix(v.Page.Content, "restless") {
		t.Errorf("restless: %+v", v.Page)
	}
	for path, kind := range map[string]string{"/file": "application/zip", "/plain": "text/plain"} {
		if v, err := c.Visit(tr.ctx, base+path, ample); err != nil || v.Page.MediaType != kind || v.Page.Content != "" {
			t.Errorf("%s: %+v %v", path, v, err)
		}
	}
	for _, path := range []string{"/never", "/spins"} {
		_, err := c.Visit(tr.ctx, base+path, 300*time.Millisecond)
		expect(t, fault.ActionTimeout, err)
	}
	if v := tr.read(c, base+"/script"); v.Page.Content != "rendered by a script" {
		t.Errorf("after a page that hung: %+v", v.Page)
	}
	result := tr.must("tab.list", &action.None{})
	if tabs := result.Data.(*action.TabListing).Tabs; len(tabs) != 1 || len(result.Notes) != 0 || result.Modal != nil {
		t.Errorf("traces: %+v, %q, %+v", tabs, result.Notes, result.Modal)
	}
	if lines := tr.must("page.console", &action.ReadConsole{}).Data.(*action.ConsoleListing).Messages; len(lines) != 0 {
		t.Errorf("in the console: %+v", lines)
	}
	if m.seen("/popup") {
		t.Error("a page of the crawl opened another")
	}
}

func TestPagesOfACrawlAreReadSideBySide(t *testing.T) {
	tr, _, base, c := crawl(t, engine.CrawlOptions{Extract: "links"})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 3 {
				v, err := c.Visit(tr.ctx, fmt.Sprintf("%s/p%d-%d", base, i, j), ample)
				if err != nil || v.Page.Title != fmt.Sprintf("/p%d-%d", i, j) {
					t.Errorf("%+v %v", v, err)
				}
			}
		})
	}
	wg.Go(func() {
		for range 3 {
			if opened, err := tr.Do(tr.ctx, "tab.open", &action.OpenTab{URL: base + "/other"}, action.Pin{}); err != nil || opened.Data.(*action.Tab).URL != base+"/other" {
				t.Errorf("%+v %v", opened, err)
			}
		}
	})
	wg.Wait()
	if tabs := tr.must("tab.list", &action.None{}).Data.(*action.TabListing).Tabs; len(tabs) != 4 {
		t.Errorf("tabs %+v", tabs)
	}
	must(t, c.Close(tr.ctx))
	if _, err := c.Visit(tr.ctx, base, ample); err == nil {
		t.Error("a crawl that is over reads")
	}
}

func TestTheGuardHoldsInACrawl(t *testing.T) {
	refused := fault.New(fault.BlockedDomain, "not there").Hinted("elsewhere")
	tr, m, base, c := crawl(t, engine.CrawlOptions{}, func(o *engine.Options) {
		o.Guard = func(url string) error {
			if strings.HasSuffix(url, "/shut") {
				return refused
			}
			return nil
		}
	})
	_, err := c.Visit(tr.ctx, base+"/shut", ample)
	expect(t, fault.BlockedDomain, err)
	if m.seen("/shut") {
		t.Error("a refused document was requested")
	}
}
