package bench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
)

const (
	crawlPages = 130
	crawlTabs  = 4
	pageLimit  = time.Hour // of a page, which the crawler wants to have
)

// magazine is a site of articles as they are: a style sheet, a script that
// marks the menu, pictures, a table, some hundred links between them.
func magazine(b *testing.B) string {
	b.Helper()
	picture := []byte("\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 40_000))
	mux := http.NewServeMux()
	serve := func(path, kind string, body []byte) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(body)
		})
	}
	serve("/style.css", "text/css", []byte(strings.Repeat("article p{margin:1em 0;line-height:1.5} nav a{padding:4px} .hidden{display:none}\n", 200)))
	serve("/menu.js", "text/javascript", []byte("document.querySelectorAll('nav a').forEach(a => { if (a.href === location.href) a.classList.add('here') });"+strings.Repeat("// a library\n", 2000)))
	mux.HandleFunc("/p/{n}", func(w http.ResponseWriter, r *http.Request) {
		var n int
		_, _ = fmt.Sscan(r.PathValue("n"), &n)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, article(n))
	})
	mux.HandleFunc("/still/{n}", func(w http.ResponseWriter, r *http.Request) {
		var n int
		_, _ = fmt.Sscan(r.PathValue("n"), &n)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, strings.Replace(article(n), "<script src=/menu.js defer></script>", "", 1))
	})
	mux.HandleFunc("/img/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(picture)
	})
	s := httptest.NewServer(mux)
	b.Cleanup(s.Close)
	return s.URL
}

func article(n int) string {
	var t strings.Builder
	fmt.Fprintf(&t, "<!doctype html><title>Article %d</title><link rel=stylesheet href=/style.css><script src=/menu.js defer></script><nav>", n)
	for i := range 20 {
		fmt.Fprintf(&t, "<a href=/p/%d>Section %d</a> ", (n+i*7)%crawlPages, i)
	}
	fmt.Fprintf(&t, "</nav><article><h1>Article %d</h1>", n)
	for i := range 30 {
		fmt.Fprintf(&t, "<p>Paragraph %d of article %d, with <b>weight</b> and <a href=/p/%d>a link</a>. %s</p>", i, n, (n*3+i)%crawlPages, strings.Repeat("Words follow words. ", 12))
		if i%5 == 0 {
			fmt.Fprintf(&t, "<img src=/img/%d-%d.png width=320 height=200 alt=picture>", n, i)
		}
	}
	t.WriteString("</article><table><tr><th>Year<th>Sum</tr>")
	for i := range 20 {
		fmt.Fprintf(&t, "<tr><td>%d<td>%d</tr>", 2000+i, n*i)
	}
	t.WriteString("</table><footer>The end</footer>")
	return t.String()
}

// BenchmarkCrawl reads the same pages with as many tabs: a bare client that
// waits for the load event and takes the text, and the engine's crawler, with
// what need not be loaded left out and not; and the same pages without a
// script, rendered and (render: auto) only fetched. The gate and politeness are not in
// it: they are a choice.
func BenchmarkCrawl(b *testing.B) {
	base := magazine(b)
	for _, way := range []struct {
		name string
		read func(b *testing.B, base string)
	}{
		{"floor", crawlFloor},
		{"markdown", func(b *testing.B, base string) { crawlEngine(b, base, engine.CrawlOptions{}) }},
		{"still-always", func(b *testing.B, base string) { crawlPagesAt(b, base+"/still", engine.CrawlOptions{}) }},
		{"still-auto", func(b *testing.B, base string) {
			way := http.DefaultTransport.(*http.Transport).Clone()
			defer way.CloseIdleConnections()
			crawlPagesAt(b, base+"/still", engine.CrawlOptions{Way: way})
		}},
		{"text", func(b *testing.B, base string) { crawlEngine(b, base, engine.CrawlOptions{Extract: "text"}) }},
		{"text-resources", func(b *testing.B, base string) {
			crawlEngine(b, base, engine.CrawlOptions{Extract: "text", Resources: true})
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				way.read(b, base)
			}
			b.ReportMetric(float64(crawlPages*b.N)/b.Elapsed().Seconds(), "pages/s")
		})
	}
}

// inTabs has read called for each page, by as many goroutines as there are
// tabs; it returns when all are read.
func inTabs(read func(tab, n int)) {
	next := make(chan int)
	var tabs sync.WaitGroup
	for tab := range crawlTabs {
		tabs.Go(func() {
			for n := range next {
				read(tab, n)
			}
		})
	}
	for n := range crawlPages {
		next <- n
	}
	close(next)
	tabs.Wait()
}

func crawled(b *testing.B) cdp.Transport {
	b.Helper()
	c := browsertest.For(b)
	return c.Transport()
}

func crawlEngine(b *testing.B, base string, o engine.CrawlOptions) { crawlPagesAt(b, base+"/p", o) }

func crawlPagesAt(b *testing.B, under string, o engine.CrawlOptions) {
	b.StopTimer()
	ctx := b.Context()
	engine, err := engine.Open(ctx, crawled(b), engine.Options{Guard: func(string) error { return nil }})
	must(b, err)
	defer func() { _ = engine.Close() }()
	c := engine.Crawl(o)
	b.StartTimer()
	inTabs(func(_, n int) {
		v, err := c.Visit(ctx, fmt.Sprintf("%s/%d", under, n), pageLimit)
		if err != nil || !good(v, n) {
			b.Errorf("page %d: %+v %v", n, v, err)
		}
	})
	must(b, c.Close(ctx))
}

func good(v *action.CrawlVisit, n int) bool {
	return strings.Contains(v.Page.Content, fmt.Sprintf("Paragraph 29 of article %d,", n)) && len(v.Leads) > 20
}

func crawlFloor(b *testing.B, base string) {
	b.StopTimer()
	ctx := b.Context()
	loaded := map[string]chan struct{}{}
	var mu sync.Mutex
	conn := cdp.Open(crawled(b), 0, func(e cdp.Event) {
		if e.Method != "Page.loadEventFired" {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		select {
		case loaded[e.Session] <- struct{}{}:
		default:
		}
	})
	defer func() { _ = conn.Close() }()
	b.StartTimer()
	var tabs [crawlTabs]*cdp.Session
	for i := range tabs {
		var made struct{ BrowserContextID, TargetID, SessionID string }
		must(b, conn.Root().Call(ctx, "Target.createTarget", map[string]any{"url": "about:blank"}, &made))
		must(b, conn.Root().Call(ctx, "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &made))
		tabs[i] = conn.Session(made.SessionID)
		mu.Lock()
		loaded[made.SessionID] = make(chan struct{}, 1)
		mu.Unlock()
		must(b, tabs[i].Call(ctx, "Page.enable", nil, nil))
		must(b, tabs[i].Call(ctx, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil))
	}
	inTabs(func(tab, n int) {
		mu.Lock()
		there := loaded[tabs[tab].ID()]
		mu.Unlock()
		var answer struct {
			Result struct{ Value json.RawMessage }
		}
		err := tabs[tab].Call(ctx, "Page.navigate", map[string]any{"url": fmt.Sprintf("%s/p/%d", base, n)}, nil)
		if err == nil {
			<-there
			err = tabs[tab].Call(ctx, "Runtime.evaluate", map[string]any{"returnByValue": true, "expression": "({t: document.body.innerText, l: [...document.links].map(a => a.href)})"}, &answer)
		}
		if err != nil || !strings.Contains(string(answer.Result.Value), fmt.Sprintf("Paragraph 29 of article %d,", n)) {
			b.Errorf("page %d: %v", n, err)
		}
	})
}
