package e2e

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// home is the site whose pages try the ways out. It is hostile, so its answers
// support them.
type home struct {
	canaries map[string]*canary // by suffix
	server   *httptest.Server
	mu       sync.Mutex
	visited  map[string]bool
}

func newHome(t *testing.T, canaries ...*canary) *home {
	t.Helper()
	h := &home{canaries: map[string]*canary{}, visited: map[string]bool{}}
	for _, c := range canaries {
		h.canaries[c.suffix] = c
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ways/{at}/{part}", h.hub)
	mux.HandleFunc("GET /way/{at}/{name}", h.way)
	mux.HandleFunc("/go", send)
	mux.HandleFunc("GET /turn", h.turn)
	mux.HandleFunc("GET /back", func(w http.ResponseWriter, _ *http.Request) {
		pageOf(w, "back", `<script>addEventListener("load", () => setTimeout(() => history.back()))</script>`)
	})
	mux.HandleFunc("GET /rest", func(w http.ResponseWriter, _ *http.Request) { pageOf(w, "rest", "<p>nothing to try") })
	mux.HandleFunc("GET /worker.js", worker)
	h.server = httptest.NewServer(mux)
	t.Cleanup(func() { h.server.CloseClientConnections(); h.server.Close() })
	return h
}

// url returns the address of a path on localhost, which is a secure context.
func (h *home) url(path string) string {
	return strings.Replace(h.server.URL, "127.0.0.1", "localhost", 1) + path
}

func pageOf(w http.ResponseWriter, title, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = fmt.Fprintf(w, "<!doctype html><title>%s</title>%s\n", html.EscapeString(title), body)
}

const waysParts = 4 // pages that the ways are spread over

// hub is a page that tries a part of all ways, each in a frame of its own.
func (h *home) hub(w http.ResponseWriter, r *http.Request) {
	var frames strings.Builder
	for i, way := range pageWays() {
		if fmt.Sprint(i%waysParts) == r.PathValue("part") && !way.alone {
			_, _ = fmt.Fprintf(&frames, `<iframe src="/way/%s/%s"></iframe>`, r.PathValue("at"), way.name)
		}
	}
	pageOf(w, "ways", frames.String())
}

// way is a page that tries one.
func (h *home) way(w http.ResponseWriter, r *http.Request) {
	at := h.canaries[r.PathValue("at")]
	for _, way := range pageWays() {
		if way.name == r.PathValue("name") && at != nil {
			pageOf(w, way.name, at.fill(way.name, way.page))
			return
		}
	}
	http.NotFound(w, r)
}

// send answers as the query says: with a redirect, or a header that makes a
// browser ask for something.
func send(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	for name, format := range map[string]string{
		"refresh": "Refresh: 0;url=%s", "link": "Link: <%s>; rel=preload; as=image", "csp": "Content-Security-Policy: img-src 'none'; report-uri %s",
		"reporting": `Reporting-Endpoints: default="%s"`, "alt": `Alt-Svc: h3="%s"; ma=3600`,
		"nel": `Report-To: {"group":"n","max_age":9999,"endpoints":[{"url":"%s"}]}`,
	} {
		if to := q.Get(name); to != "" {
			header, value, _ := strings.Cut(fmt.Sprintf(format, to), ": ")
			w.Header().Set(header, value)
		}
	}
	w.Header().Set("NEL", `{"report_to":"n","max_age":9999,"success_fraction":1.0}`)
	if to := q.Get("to"); to != "" {
		w.Header().Set("Location", to)
	}
	var code int
	if _, err := fmt.Sscan(q.Get("code"), &code); err != nil {
		http.Error(w, "no code", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(code)
	_, _ = fmt.Fprint(w, `<!doctype html><title>sent</title><img src="/x.png">`)
}

// turn is a page that leads to another one, and a redirect when one comes back to
// it.
func (h *home) turn(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	again := h.visited[r.URL.String()]
	h.visited[r.URL.String()] = true
	h.mu.Unlock()
	if again {
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
		return
	}
	pageOf(w, "turn", `<script>addEventListener("load", () => setTimeout(() => { location = "/back" }))</script>`)
}

// worker is a script for workers that asks for what its address says.
func worker(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/javascript")
	w.Header().Set("Service-Worker-Allowed", "/")
	_, _ = fmt.Fprintf(w, "fetch(%q, {mode: 'no-cors'}).catch(() => {})", r.URL.Query().Get("to"))
}

func port(raw string) string {
	u, _ := url.Parse(raw)
	return u.Port()
}
