package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// warren adds a small site for crawls below /warren/: a loop, redirects to and
// from it, a missing page, one written by a script, and paths that robots.txt
// forbids.
func warren(mux *http.ServeMux) {
	page := func(path, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, "<!doctype html><title>%s</title><h1>%[1]s</h1>%s", path, body)
		})
	}
	page("/warren/{$}", `<a href=one>1</a><a href=moved>m</a><a href=out>o</a><a href=gone>g</a><a href=private/x>p</a><a href=script>s</a><a href="one?utm_source=x#y">1</a>`)
	page("/warren/one", `<a href=/warren/>home</a><a href=two>2</a><a href=/warren/account/delete>delete</a>`)
	page("/warren/leave", `<a href="http://outside.example/">out</a>`)
	page("/warren/two", `<a href=one>1</a>`)
	page("/warren/private/x", `secret`)
	page("/warren/account/delete", `deleted`)
	page("/warren/script", `<p id=p></p><script>p.textContent = "made by a script"</script>`)
	mux.HandleFunc("GET /warren/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/warren/two", http.StatusFound) })
	mux.HandleFunc("GET /warren/out", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://outside.example/", http.StatusFound)
	})
	mux.HandleFunc("GET /robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /warren/private/\n")
	})
}

// places lists the paths and statuses of a crawl's pages.
func places(pages []any) []string {
	var all []string
	for _, p := range pages {
		one := p.(object)
		_, path, _ := strings.Cut(one["url"].(string), "/warren/")
		all = append(all, fmt.Sprintf("%s %v %v", path, one["status"], one["depth"]))
	}
	return all
}

var wholeWarren = []string{" 200 0", "one 200 1", "gone 404 1", "script 200 1", "two 200 2"}

// crawls makes a crawl over REST, as one answer and as events, over MCP and by
// the command line, and tries forbidden options.
func crawls(t *testing.T, g *gateway) {
	c := g.curl(t, "agent")
	c.open(`{"name": "crawl"}`)
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/controls"}`).object(http.StatusOK)
	body := `{"url": "` + g.site + `/warren/", "extract": "text"}`
	got := c.post("/v1/browser/crawl", body).object(http.StatusOK)
	pages, _ := got["pages"].([]any)
	if names := places(pages); !slices.Equal(names, wholeWarren) || got["totalPages"] != 5.0 || got["truncated"] != false {
		t.Fatalf("crawled %q: %v", names, got)
	}
	skipped, _ := got["skipped"].(object)
	if skipped["robots"] != 1.0 || skipped["policy"] != 1.0 || skipped["foreign"] != 1.0 {
		t.Errorf("skipped %v", skipped)
	}
	if text := pages[3].(object)["content"].(string); !strings.Contains(text, "made by a script") {
		t.Errorf("the script's page: %q", text)
	}
	if tabs := c.get("/v1/browser/tabs").object(http.StatusOK)["tabs"].([]any); len(tabs) != 1 || !strings.HasSuffix(tabs[0].(object)["url"].(string), "/lab/controls") {
		t.Errorf("the tabs became %v", tabs)
	}
	crawlEvents(t, g, c, body)
	crawlRefusals(t, g, c)
	crawlAudited(t, g)
	crawlCommand(t, g)
}

func crawlEvents(t *testing.T, g *gateway, c curl, body string) {
	t.Helper()
	answer := c.post("/v1/sessions/crawl/browser/crawl", body, "Accept: text/event-stream")
	if answer.status != http.StatusOK || answer.header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("events: %d %s\n%s", answer.status, answer.header.Get("Content-Type"), answer.body)
	}
	var pages []any
	var names []string
	for event := range strings.SplitSeq(strings.TrimSpace(string(answer.body)), "\n\n") {
		if strings.HasPrefix(event, ":") { // a comment, which keeps a slow stream open
			continue
		}
		name, data, _ := strings.Cut(strings.TrimPrefix(event, "event: "), "\ndata: ")
		var o object
		if err := json.Unmarshal([]byte(data), &o); err != nil {
			t.Fatalf("%q: %v", event, err)
		}
		names = append(names, name)
		if name == "page" {
			pages = append(pages, o)
		}
	}
	if got := places(pages); !slices.Equal(got, wholeWarren) || names[len(names)-1] != "done" || !slices.Contains(names, "progress") {
		t.Errorf("events %q of %q", names, got)
	}
	// A reader that goes away ends the crawl, and the session can crawl again.
	ctx, cancel := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/v1/sessions/crawl/browser/crawl", strings.NewReader(`{"url": "`+g.site+`/warren/", "delay": 10000}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + c.token, "Content-Type": "application/json", "Accept": "text/event-stream"} {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(response.Body).ReadString('\n')
	if err != nil || line != "event: page\n" {
		t.Errorf("first line %q %v", line, err)
	}
	cancel()
	_ = response.Body.Close()
}

func crawlRefusals(t *testing.T, g *gateway, c curl) {
	t.Helper()
	c.post("/v1/browser/crawl", `{"url": "`+g.site+`/warren/", "extract": "html"}`).problem(fault.DeniedByPolicy)
	c.post("/v1/browser/crawl", `{"url": "`+g.site+`/warren/", "ignoreRobots": true}`).problem(fault.DeniedByPolicy)
	c.post("/v1/browser/crawl", `{"url": "http://outside.example/"}`).problem(fault.BlockedDomain)
	c.post("/v1/browser/crawl", `{"url": "`+g.site+`/warren/", "allowedDomains": ["outside.example"]}`).problem(fault.BlockedDomain)
	c.post("/v1/browser/crawl", `{"url": "`+g.site+`/warren/", "maxPages": 1001}`).problem(fault.InvalidRequest)
	c.post("/v1/browser/crawl", `{}`).problem(fault.MissingURL)
	c.post("/v1/browser/crawl", `{"url": "file:///etc/passwd"}`).problem(fault.InvalidURL)
	for _, step := range []string{"crawl.page", "crawl.file", "crawl.end"} {
		c.post("/v1/verbs/"+step, `{"args": {"crawl": "c", "url": "`+g.site+`/"}}`).problem(fault.UnknownAction)
	}
}

// crawlAudited expects an intent and an outcome of the crawl and of each step.
func crawlAudited(t *testing.T, g *gateway) {
	t.Helper()
	for _, verb := range []string{"page.crawl", "crawl.page", "crawl.file", "crawl.end"} {
		records, _ := g.curl(t, "operator").get("/v1/audit?limit=1000&verb=" + verb).object(http.StatusOK)["records"].([]any)
		if len(records) < 2 {
			t.Errorf("%s left %d records", verb, len(records))
		}
	}
}

func crawlCommand(t *testing.T, g *gateway) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "pages")
	var out, wrong string
	testwait.For(t, "room for a crawl", func() bool { // the crawl whose reader went away may still be ending
		var status int
		out, wrong, status = g.command(t, "crawl", g.site+"/warren/", "-s", "crawl", "--out", folder, "--delay", "0")
		return status != 7
	})
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 4 || !strings.Contains(out, "5 pages, done") {
		t.Errorf("%d files, %v: %s%s", len(files), err, out, wrong)
	}
}
