package bench

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
)

// stillPages serves pages without scripts, of three sizes: 1 KB, 100 KB with a style
// sheet of many rules, and 1 MB with the same.
func stillPages(b *testing.B) string {
	b.Helper()
	var rules strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&rules, ".box-%d p{margin:1em 0;padding:%dpx;line-height:1.5;color:#3%x3}\n@media (max-width:%dpx){.box-%d{display:none}}\n", i, i%8, i%16, 300+i%200, i)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/news.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprint(w, rules.String())
	})
	for name, size := range map[string]int{"small": 1_000, "news": 100_000, "large": 1_000_000} {
		mux.HandleFunc("/"+name+"/{n}", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, stillPage(r.PathValue("n"), size))
		})
	}
	s := httptest.NewServer(mux)
	b.Cleanup(s.Close)
	return s.URL
}

func stillPage(n string, size int) string {
	var t strings.Builder
	fmt.Fprintf(&t, "<!doctype html><title>Page %s</title>", n)
	if size > 10_000 {
		t.WriteString("<link rel=stylesheet href=/news.css>")
	}
	fmt.Fprintf(&t, "<nav><a href=/>Home</a> <a href=/all>All</a></nav><h1>Page %s</h1>", n)
	for i := 0; t.Len() < size-100; i++ {
		fmt.Fprintf(&t, "<div class=box-%d><p>Paragraph %d with <b>weight</b> and <a href=/a/%d>a link</a>. %s</p></div>", i%1200, i, i, strings.Repeat("Words follow words. ", 12))
	}
	fmt.Fprintf(&t, "<footer>End of %s</footer><p>last of page %s", n, n)
	return t.String()
}

// BenchmarkCrawlFetched reads pages without scripts, rendered and (render: auto)
// fetched, with as many at a time as a crawl has tabs. It reports the memory that the
// browser's processes have more at the end than before, and what Go allocates for
// each page.
func BenchmarkCrawlFetched(b *testing.B) {
	base := stillPages(b)
	for _, size := range []string{"small", "news", "large"} {
		for _, render := range []string{"always", "auto"} {
			b.Run(size+"-"+render, func(b *testing.B) { crawlFetched(b, base+"/"+size, render) })
		}
	}
}

func crawlFetched(b *testing.B, under, render string) {
	ctx := b.Context()
	chromium := browsertest.For(b)
	browser, err := engine.Open(ctx, chromium.Transport(), engine.Options{Guard: func(string) error { return nil }})
	must(b, err)
	defer func() { _ = browser.Close() }()
	o := engine.CrawlOptions{}
	if render == "auto" {
		way := http.DefaultTransport.(*http.Transport).Clone()
		defer way.CloseIdleConnections()
		o.Way = way
	}
	idle, cpu := familyMemory(b, chromium.PID()), cpuTime(b, chromium.PID())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := browser.Crawl(o)
	b.ResetTimer()
	for b.Loop() {
		inTabs(func(_, n int) {
			v, err := c.Visit(ctx, fmt.Sprintf("%s/%d", under, n), pageLimit)
			if err != nil || !strings.Contains(v.Page.Content, fmt.Sprintf("last of page %d", n)) && !v.Page.Cut {
				b.Errorf("page %d: %v", n, err)
			}
		})
	}
	b.StopTimer()
	runtime.ReadMemStats(&after)
	pages := float64(crawlPages * b.N)
	b.ReportMetric(pages/b.Elapsed().Seconds(), "pages/s")
	b.ReportMetric(float64((cpuTime(b, chromium.PID())-cpu).Milliseconds())/pages, "ms-cpu/page")
	b.ReportMetric(float64(familyMemory(b, chromium.PID())-idle)/1e6, "MB-browser")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/pages/1e3, "KB-go/page")
	b.ReportMetric(0, "ns/op")
	must(b, c.Close(ctx))
}

// cpuTime returns the processor time that this process and a process group have
// used.
func cpuTime(b *testing.B, group int) time.Duration {
	b.Helper()
	const tick = 10 * time.Millisecond // USER_HZ is 100 on Linux
	processes, err := filepath.Glob("/proc/[0-9]*/stat")
	must(b, err)
	var total time.Duration
	for _, stat := range processes {
		text, err := os.ReadFile(stat)
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		own := strings.HasPrefix(string(text), strconv.Itoa(os.Getpid())+" ")
		if len(fields) < 13 || fields[2] != strconv.Itoa(group) && !own {
			continue
		}
		for _, ticks := range fields[11:13] { // utime and stime of proc_pid_stat(5)
			n, err := strconv.Atoi(ticks)
			must(b, err)
			total += time.Duration(n) * tick
		}
	}
	return total
}

// familyMemory returns the proportional set size of a process group, in bytes.
func familyMemory(b *testing.B, group int) (total int) {
	b.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*/stat")
	must(b, err)
	for _, stat := range processes {
		text, err := os.ReadFile(stat)
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 3 || fields[2] != strconv.Itoa(group) {
			continue
		}
		maps, err := os.ReadFile(filepath.Join(filepath.Dir(stat), "smaps_rollup"))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(maps)) {
			if value, ok := strings.CutPrefix(line, "Pss:"); ok {
				kb, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")))
				must(b, err)
				total += kb << 10
			}
		}
	}
	return total
}
