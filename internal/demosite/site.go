// Package demosite is a small invoicing application that looks like a real
// product, for the demo and for tests of the whole product. It has a sign-in, a
// list with search and pages, forms, a button that really deletes, a support
// widget from another origin, a link to a forbidden host, and hidden text that
// tries to make a model do harm. All data is in memory.
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

// ForbiddenURL is the target of a link that the browser must not follow. The
// domain is reserved (RFC 2606), so no server answers.
const ForbiddenURL = "https://evil.example/ledger-sync"

const maxForm = 64 << 10 // bytes of a posted form

// Options configure a site.
type Options struct {
	SupportURL string           // address of Support, such as http://127.0.0.1:4101; empty: no widget
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

// New makes a site with the invoices of some months.
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

// Invoices returns all invoices, newest first.
func (s *Site) Invoices() []Invoice { return s.ledger.list() }

// Messages returns the messages of visitors to support, oldest first.
func (s *Site) Messages() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.messages...)
}

// SignIns returns the number of sign-ins.
func (s *Site) SignIns() int {
	s.visitors.mu.Lock()
	defer s.visitors.mu.Unlock()
	return s.visitors.count
}

// App returns the handler of the workspace.
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
	assets, _ := fs.Sub(staticFiles, "static") // the folder is embedded, so it exists
	mux.Handle("GET /static/", http.StripPrefix("/static/", http.FileServerFS(assets)))
	return s.guard(mux, "frame-src "+source(s.options.SupportURL)+"; frame-ancestors 'none'")
}

// Support returns the handler of the support widget, to be served from another
// origin.
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

// guard limits the size of requests, refuses cross-site posts, and sends the
// content security policy.
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
