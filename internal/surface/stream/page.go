package stream

import (
	"embed"
	"net/http"
	"path"
	"strings"
)

//go:embed viewer
var viewerFiles embed.FS

// pagePolicy lets the page load its own files, connect to its own gateway, and
// show media that it received.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
}

// Page serves the live page of each session at /live/ and its id, and the files
// that it consists of at /live/-/. They are the same for every session, so they
// need no token; the page takes one from the fragment of its address.
func Page() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /live/{session}", func(w http.ResponseWriter, r *http.Request) { serveFile(w, r, "live.html") })
	mux.HandleFunc("GET /live/-/{file}", func(w http.ResponseWriter, r *http.Request) { serveFile(w, r, r.PathValue("file")) })
	return mux
}

func serveFile(w http.ResponseWriter, r *http.Request, name string) {
	body, err := viewerFiles.ReadFile("viewer/" + name)
	kind, known := mediaTypes[path.Ext(name)]
	if err != nil || !known || strings.Contains(name, "/") {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	_, _ = w.Write(body) // the browser may have gone
}
