package bench

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

// remote is an operator who calls the gateway over HTTP: surface, gate and
// engine are real, and so is the browser.
type remote struct {
	b          *testing.B
	url, token string
}

func openRemote(b *testing.B) *remote {
	b.Helper()
	door, _ := openDoor(b)
	dir := b.TempDir()
	book, err := auth.Open(dir)
	must(b, err)
	token, err := os.ReadFile(filepath.Join(dir, auth.OperatorFile))
	must(b, err)
	handler, err := rest.New(rest.Options{Gate: door, Clients: door, Auth: book, Log: slog.New(slog.DiscardHandler)})
	must(b, err)
	server := httptest.NewServer(handler)
	b.Cleanup(server.Close)
	return &remote{b: b, url: server.URL + "/v1/browser", token: strings.TrimSpace(string(token))}
}

// call makes a request and reads the whole answer.
func (r *remote) call(method, path, body string) {
	r.b.Helper()
	request, err := http.NewRequestWithContext(r.b.Context(), method, r.url+path, bytes.NewBufferString(body))
	must(r.b, err)
	request.Header.Set("Authorization", "Bearer "+r.token)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	must(r.b, err)
	answer, err := io.ReadAll(response.Body)
	must(r.b, err)
	_ = response.Body.Close()
	if response.StatusCode/100 != 2 || len(answer) == 0 {
		r.b.Fatalf("%s %s: %s %s", method, path, response.Status, answer)
	}
}

// operation is one of the REST operations, and the least that does the same
// over the bare protocol; nothing where the client has it in memory.
type operation struct {
	name         string
	method, path string
	body         string
	floor        func(f *floor, b *testing.B)
	ready, after func(f *floor, r *remote) // around each round, not measured
}

func script(expression string) func(*floor, *testing.B) {
	return func(f *floor, b *testing.B) {
		var any any
		f.evaluate(b.Context(), b, expression, &any)
	}
}

func protocol(method string, params any) func(*floor, *testing.B) {
	return func(f *floor, b *testing.B) { must(b, f.tab.Call(b.Context(), method, params, nil)) }
}

// travel goes along the history, as far as by says.
func travel(by int) func(*floor, *testing.B) {
	return func(f *floor, b *testing.B) {
		var h struct {
			CurrentIndex int
			Entries      []struct{ ID int }
		}
		must(b, f.tab.Call(b.Context(), "Page.getNavigationHistory", nil, &h))
		f.move("Page.navigateToHistoryEntry", map[string]any{"entryId": h.Entries[h.CurrentIndex+by].ID})
	}
}

func inMemory(*floor, *testing.B) {}

var operations = []operation{
	{"back", "POST", "/back", "", travel(-1), nil, func(f *floor, r *remote) { travel(+1)(f, r.b); r.call("POST", "/forward", "") }},
	{"forward", "POST", "/forward", "", travel(+1), func(f *floor, r *remote) { travel(-1)(f, r.b); r.call("POST", "/back", "") }, nil},
	{"reload", "POST", "/reload", "{}", func(f *floor, _ *testing.B) { f.move("Page.reload", nil) }, nil, nil},
	{"wait", "POST", "/wait", `{"selector": "#name"}`, script(`document.querySelector("#name") !== null`), nil, nil},
	{"tabs", "GET", "/tabs", "", func(f *floor, b *testing.B) { must(b, f.conn.Root().Call(b.Context(), "Target.getTargets", nil, nil)) }, nil, nil},
	{"content", "GET", "/content", "", script(`document.documentElement.outerHTML`), nil, nil},
	{"markdown", "GET", "/markdown", "", script(`document.body.innerHTML`), nil, nil},
	{"links", "GET", "/links", "", script(`[...document.links].map(l => ({href: l.href, text: l.innerText}))`), nil, nil},
	{"scrape", "POST", "/scrape", `{"selectors": {"title": "h1", "links": "a@href"}}`, script(`({title: [...document.querySelectorAll("h1")].map(e => e.innerText), links: [...document.querySelectorAll("a")].map(e => e.href)})`), nil, nil},
	{"execute", "POST", "/execute", `{"expression": "document.title"}`, script(`document.title`), nil, nil},
	{"snapshot", "GET", "/snapshot", "", script(walk), nil, nil},
	{"select", "POST", "/select", `{"selector": "#pick", "values": ["b"]}`, script(`(() => {const e = document.querySelector("#pick"); e.value = "b"; e.dispatchEvent(new Event("input", {bubbles: true})); e.dispatchEvent(new Event("change", {bubbles: true})); return true})()`), nil, nil},
	{"hover", "POST", "/hover", `{"selector": "#count"}`, func(f *floor, b *testing.B) { f.hover(b.Context(), b, "#count") }, nil, nil},
	{"scroll", "POST", "/scroll", `{"y": 10}`, script(`(scrollBy(0, 10), [scrollX, scrollY])`), nil, nil},
	{"console", "GET", "/console", "", inMemory, nil, nil},
	{"network", "GET", "/network", "", inMemory, nil, nil},
	{"cookies", "GET", "/cookies", "", protocol("Network.getCookies", nil), nil, nil},
	{"pdf", "GET", "/pdf", "", protocol("Page.printToPDF", nil), nil, nil},
	{"screenshot", "GET", "/screenshot", "", func(f *floor, b *testing.B) { f.shoot(b.Context(), b) }, nil, nil},
}

// BenchmarkREST measures every operation as a client sees it, beside the bare
// protocol. The goal is twice the floor and a millisecond.
func BenchmarkREST(b *testing.B) {
	address := site(b) + "/rest"
	r, f := openRemote(b), newFloor(b.Context(), b, chromium(b))
	for _, page := range []string{address + "?1", address} {
		r.call("POST", "/navigate", fmt.Sprintf(`{"url": %q}`, page))
		f.load(page)
	}
	for _, op := range operations {
		b.Run(op.name, func(b *testing.B) { op.measure(b, f, r) })
	}
}

func (op operation) measure(b *testing.B, f *floor, r *remote) {
	var bare, whole []time.Duration
	once := func() {
		if op.ready != nil {
			op.ready(f, r)
		}
		begin := time.Now()
		op.floor(f, b)
		middle := time.Now()
		r.call(op.method, op.path, op.body)
		bare, whole = append(bare, middle.Sub(begin)), append(whole, time.Since(middle))
		if op.after != nil {
			op.after(f, r)
		}
	}
	once() // caches fill
	bare, whole = nil, nil
	for b.Loop() {
		once()
	}
	least, took := milliseconds(median(bare)), milliseconds(median(whole))
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(least, "floor-ms")
	b.ReportMetric(took, "rest-ms")
	b.ReportMetric(took/(2*least+1), "of-goal")
}
