package engine_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestAddress(t *testing.T) {
	for raw, want := range map[string]string{
		"example.com":               "https://example.com/",
		"  http://Example.COM/a b ": "http://example.com/a%20b",
		"localhost:3000/x":          "http://localhost:3000/x",
		"localhost":                 "http://localhost/",
		"127.0.0.1:80":              "http://127.0.0.1/",
		"127.0.0.1:443":             "https://127.0.0.1/",
		"[::1]:8080/a":              "http://[::1]:8080/a",
		"0x7f.1":                    "http://127.0.0.1/",
		"nas":                       "http://nas/",
		"nas:5000?a=b.c":            "http://nas:5000/?a=b.c",
		"shop.localhost/x.y":        "http://shop.localhost/x.y",
		"printer.lan":               "http://printer.lan/",
		"example.com:3000":          "http://example.com:3000/",
		"example.com:443":           "https://example.com/",
		"example.com:8443/x":        "https://example.com:8443/x",
		"example.com/a:80":          "https://example.com/a:80",
		"//example.com/":            "https://example.com/",
		"HTTPS://example.com:443/":  "https://example.com/",
		"about:blank":               "about:blank",
		"http://0x7f.1/":            "http://127.0.0.1/",
	} {
		if got, err := engine.Address(raw); err != nil || got != want {
			t.Errorf("Address(%q) = %q, %v, want %q", raw, got, err, want)
		}
	}
	for raw, code := range map[string]fault.Code{
		"": fault.MissingURL, " ": fault.MissingURL,
		"file:///etc/passwd": fault.InvalidURL, "javascript:alert(1)": fault.InvalidURL,
		"data:text/html,x": fault.InvalidURL, "chrome://version": fault.InvalidURL,
		"view-source:http://a/": fault.InvalidURL, "about:srcdoc": fault.InvalidURL,
		"blob:http://a/x": fault.InvalidURL, "ftp://a/": fault.InvalidURL,
		"http://user:pw@host/": fault.InvalidURL, "http://": fault.InvalidURL,
		"http://a\x00b/": fault.InvalidURL, "http://a\nb/": fault.InvalidURL, "http://[::1/": fault.InvalidURL,
	} {
		_, err := engine.Address(raw)
		if err == nil {
			t.Errorf("Address(%q) was accepted", raw)
			continue
		}
		expect(t, code, err)
	}
}

func TestGotoSaysWhereItEnded(t *testing.T) {
	tr := start(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/missing", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("<title>Gone</title>"))
	})
	mux.HandleFunc("/bare", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	mux.HandleFunc("/nothing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=x.bin")
		_, _ = w.Write([]byte("x"))
	})
	mux.HandleFunc("/to", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/missing", http.StatusFound) })
	s := listen(t, mux)
	for path, status := range map[string]int{"/missing": 404, "/to": 404, "/bare": 500} {
		got := tr.must("page.goto", &action.Goto{URL: s.URL + path}).Data.(*action.Navigated)
		if got.Status != status {
			t.Errorf("%s: %+v, want status %d", path, got, status)
		}
		if path == "/to" && (got.URL != s.URL+"/missing" || got.Title != "Gone") {
			t.Errorf("redirected to %+v", got)
		}
	}
	if f := tr.refuse(fault.NavigationFailed, "page.goto", &action.Goto{URL: s.URL + "/file"}); f.Details["error"] != "download" {
		t.Errorf("a download where they are off: %v with %v", f, f.Details)
	}
	tr.must("page.goto", &action.Goto{URL: s.URL + "/missing"})
	stays := tr.must("page.goto", &action.Goto{URL: s.URL + "/nothing"})
	if at := stays.Data.(*action.Navigated); at.Status != 204 || at.URL != s.URL+"/missing" || at.Title != "Gone" || len(stays.Notes) != 1 {
		t.Errorf("after an answer without a page %+v, notes %q", at, stays.Notes)
	}
	blank := tr.must("page.goto", &action.Goto{URL: "about:blank"}).Data.(*action.Navigated)
	if blank.Status != 0 || blank.URL != "about:blank" {
		t.Errorf("about:blank: %+v", blank)
	}
	s.Close()
	f := tr.refuse(fault.NavigationFailed, "page.goto", &action.Goto{URL: s.URL})
	if !strings.Contains(f.Message, "net::ERR_CONNECTION_REFUSED") {
		t.Errorf("an unreachable server: %v", f)
	}
	tr.refuse(fault.InvalidRequest, "page.goto", &action.Goto{URL: s.URL, WaitUntil: "someday"})
}

func TestGotoWaitsForTheEventItIsToldTo(t *testing.T) {
	tr := start(t)
	release := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<title>no</title><img src=/slow onload="document.title='loaded'">`))
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, _ *http.Request) {
		<-release
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>`))
	})
	s := listen(t, mux)
	answer := sync.OnceFunc(func() { close(release) })
	t.Cleanup(answer) // otherwise the server does not end
	tr.must("page.goto", &action.Goto{URL: s.URL, WaitUntil: "domcontentloaded"})
	tr.wantTitle("no")
	_, err := tr.do("page.goto", &action.Goto{URL: s.URL, WaitUntil: "load", Timing: action.Timing{Timeout: 300}})
	f := expect(t, fault.ActionTimeout, err)
	if f.Message != "browser_action_timeout:goto:1s" {
		t.Errorf("message %q", f.Message)
	}
	var partly action.Result
	for limit := 300; ; limit *= 2 { // until the machine shows the page within it
		if partly, err = tr.do("page.goto", &action.Goto{URL: s.URL, Timing: action.Timing{Timeout: limit}}); fault.CodeOf(err) != fault.ActionTimeout {
			break
		}
	}
	must(t, err)
	if at, is := partly.Data.(*action.Navigated); !is || at.Status != http.StatusOK || !strings.Contains(strings.Join(partly.Notes, "\n"), "did not finish loading") {
		t.Errorf("a page that does not finish: %+v, %q", partly.Data, partly.Notes)
	}
	tr.wantTitle("no")
	answer()
	tr.must("page.goto", &action.Goto{URL: s.URL})
	tr.wantTitle("loaded")
	tr.must("page.goto", &action.Goto{URL: s.URL + "/#part"})
	if got := tr.Page().URL; got != s.URL+"/#part" {
		t.Errorf("at %s", got)
	}
	tr.must("page.goto", &action.Goto{URL: s.URL, WaitUntil: "networkidle"})
}

// Requests that never end keep no navigation: an event stream, and a picture whose server
// does not answer.
func TestANavigationDoesNotWaitForRequestsWithoutEnd(t *testing.T) {
	mux, over := http.NewServeMux(), make(chan struct{})
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>streams</title><p>here</p><img src=/picture><script>new EventSource('/events')</script>`)
	})
	hang := func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}
	mux.HandleFunc("/picture", hang)
	mux.HandleFunc("/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: one\n\n")
		_ = http.NewResponseController(w).Flush()
		hang(w, r)
	})
	s := listen(t, mux)
	t.Cleanup(func() { close(over) })
	tr := start(t)
	result := tr.must("page.goto", &action.Goto{URL: s.URL, WaitUntil: "networkidle"})
	if at := result.Data.(*action.Navigated); at.Title != "streams" || !strings.Contains(strings.Join(result.Notes, " "), "still makes requests") {
		t.Errorf("%+v, notes %q", at, result.Notes)
	}
}

func TestHistory(t *testing.T) {
	tr := start(t)
	s := site(t, map[string]string{"/": "<title>one</title>", "/two": "<title>two</title>"})
	at := func(verb, title string) {
		t.Helper()
		r := tr.must(verb, &action.None{})
		if p := r.Data.(*action.Page); p.Title != title || r.Page.Title != title {
			t.Errorf("%s: at %+v, page %+v, want %q", verb, p, r.Page, title)
		}
	}
	tr.must("page.goto", &action.Goto{URL: s.URL})
	tr.must("page.goto", &action.Goto{URL: s.URL + "/two"})
	at("page.forward", "two")
	at("page.back", "one")
	at("page.forward", "two")
	at("page.back", "one")
	at("page.back", "")
	at("page.back", "")
	if got := tr.Page().URL; got != "about:blank" {
		t.Errorf("at %s, want the first page", got)
	}
	at("page.forward", "one")
	tr.must("page.goto", &action.Goto{URL: s.URL + "/#a"})
	at("page.back", "one")
	if got := tr.Page().URL; got != s.URL+"/" {
		t.Errorf("at %s", got)
	}
	reloaded := tr.must("page.reload", &action.Reload{IgnoreCache: true})
	if p := reloaded.Data.(*action.Page); p.Title != "one" {
		t.Errorf("reloaded %+v", p)
	}
	s.Close()
	tr.refuse(fault.NavigationFailed, "page.reload", &action.Reload{})
}
