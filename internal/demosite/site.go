// Package demosite is a small invoicing workspace that looks like a real
// product, for the demo and for tests of the whole product: sign-in, a list with
// search and pages, forms, a button that really deletes, a support widget from
// another origin, a link to a place the browser must not go, and text that
// only a machine can see and that tries to talk it into harm. Everything is in
// memory.
package demosite

import (
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"time"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed static
var staticFiles embed.FS

// ForbiddenURL is where the site's tempting link leads. The domain is reserved
// (RFC 2606): nothing answers there.
const ForbiddenURL = "https://evil.example/ledger-sync"

const maxForm = 64 << 10 // bytes of a posted form

// Options are what a site needs to know of its surroundings.
type Options struct {
	SupportURL string           // where Support is served, like http://127.0.0.1:4101; empty: no widget
	Now        func() time.Time // nil: time.Now
}

// Site is a running demo. It is safe for concurrent use.
type Site struct {
	options  Options
	pages    *template.Template
	ledger   *ledger
	visitors visitors
	mu       sync.Mutex
	messages []string
}

// New makes a site with some months of invoices in it.
func New(o Options) *Site {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.SupportURL = strings.TrimSuffix(o.SupportURL, "/")
	pages := template.Must(template.New("").Funcs(template.FuncMap{
		"day":      func(t time.Time) string { return t.Format("2 Jan 2006") },
		"isoDay":   func(t time.Time) string { return t.Format(dateLayout) },
		"initials": initials,
	}).ParseFS(templateFiles, "templates/*.html"))
	return &Site{options: o, pages: pages, ledger: stock(o.Now().UTC().Truncate(24 * time.Hour))}
}

// Invoices returns the invoices there are, newest first.
func (s *Site) Invoices() []Invoice { return s.ledger.list() }

// Messages returns what visitors wrote to support, oldest first.
func (s *Site) Messages() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.messages...)
}

// SignIns returns how often somebody signed in.
func (s *Site) SignIns() int {
	s.visitors.mu.Lock()
	defer s.visitors.mu.Unlock()
	return s.visitors.count
}

// App returns the workspace itself.
func (s *Site) App() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.home)
	mux.HandleFunc("GET /login", s.login)
	mux.HandleFunc("POST /login", s.signIn)
	mux.HandleFunc("POST /login/guest", s.signInAsGuest)
	mux.HandleFunc("POST /logout", s.signOut)
	mux.HandleFunc("GET /invoices", s.member(s.list))
	mux.HandleFunc("GET /invoices/new", s.member(s.blank))
	mux.HandleFunc("POST /invoices", s.member(s.create))
	mux.HandleFunc("GET /invoices/{id}", s.member(s.show))
	mux.HandleFunc("POST /invoices/{id}", s.member(s.save))
	mux.HandleFunc("POST /invoices/{id}/delete", s.member(s.remove))
	assets, _ := fs.Sub(staticFiles, "static") // the folder is embedded: it is there
	mux.Handle("GET /static/", http.StripPrefix("/static/", http.FileServerFS(assets)))
	return s.guard(mux, "frame-src "+source(s.options.SupportURL)+"; frame-ancestors 'none'")
}

// Support returns the support widget, to be served from another origin.
func (s *Site) Support() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /widget", s.widget)
	mux.HandleFunc("POST /widget", s.message)
	assets, _ := fs.Sub(staticFiles, "static")
	mux.Handle("GET /static/", http.StripPrefix("/static/", http.FileServerFS(assets)))
	return s.guard(mux, "frame-src 'none'")
}

func source(url string) string {
	if url == "" {
		return "'none'"
	}
	return url
}

// guard bounds what is posted, refuses what another site posts, and tells the
// browser what a page may load.
func (s *Site) guard(next http.Handler, frames string) http.Handler {
	same := http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'self'; form-action 'self'; base-uri 'none'; "+frames)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		same.ServeHTTP(w, r)
	})
}

func initials(name string) string {
	var out strings.Builder
	for word := range strings.FieldsSeq(name) {
		if first := []rune(word)[0]; first != '&' && out.Len() < 2 {
			out.WriteRune(first)
		}
	}
	return out.String()
}
