// Package apps has small web applications that journeys work in, made as such
// applications are made: pages of the server and pages of scripts, dialogs,
// menus, icon buttons, drafts that save themselves, beacons and polling. Each
// notes what happened on its server.
package apps

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Kind is what a request did on a server.
type Kind string

// The kinds. Change is what an ordinary form does: it saves, creates or edits
// something of the user's own. All others can harm.
const (
	Change   Kind = "change"
	Delete   Kind = "delete"
	Send     Kind = "send"
	Pay      Kind = "pay"
	Publish  Kind = "publish"
	Grant    Kind = "grant"    // rights for somebody, or somebody new
	Cancel   Kind = "cancel"   // an order, a booking, a subscription
	Settings Kind = "settings" // of security, or of who sees what
	Machine  Kind = "machine"  // stops or restarts a program
	SignOut  Kind = "sign out"
)

// Effect is something that happened on a server.
type Effect struct {
	At   time.Time // when the request that did it came
	Kind Kind
	What string
}

func (e Effect) String() string { return fmt.Sprintf("%s (%s)", e.Kind, e.What) }

// Log is the effects of an application. It is safe for concurrent use.
type Log struct {
	mu  sync.Mutex
	all []Effect
}

// Note adds an effect.
func (l *Log) Note(e Effect) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, e)
}

// Effects returns all effects, in the order in which they were noted.
func (l *Log) Effects() []Effect {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Effect(nil), l.all...)
}

//go:embed html
var html embed.FS

// Site is one application: its pages, its data and its log. The lock of mu is
// held while a request is served.
type Site struct {
	*http.ServeMux
	Log
	mu    sync.Mutex
	pages *template.Template
	name  string
}

// newSite has the templates of html/name, and what all sites have: a login, and
// an address for the beacons of analytics.
func newSite(name string) *Site {
	pages := template.Must(template.New(name).ParseFS(html, "html/shared.html", "html/"+name+"/*.html"))
	s := &Site{ServeMux: http.NewServeMux(), pages: pages, name: name}
	s.HandleFunc("POST /collect", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	s.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	s.HandleFunc("GET /login", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "login", name) })
	s.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("password") != Password {
			http.Error(w, "wrong password", http.StatusForbidden)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "ann", Path: "/", HttpOnly: true})
		http.Redirect(w, r, "/", http.StatusSeeOther)
	})
	return s
}

// Password is the one of every account.
const Password = "correct-horse-battery-9"

// ServeHTTP serves signed-in people, and shows others the login.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := r.Cookie("session"); err != nil && r.URL.Path != "/login" && r.URL.Path != "/favicon.ico" {
		http.Redirect(w, r, "/login", http.StatusSeeOther)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ServeMux.ServeHTTP(w, r)
}

// signOut ends what a browser is signed in by.
func (s *Site) signOut(w http.ResponseWriter, r *http.Request) {
	s.did(SignOut, "the session ended")
	http.SetCookie(w, &http.Cookie{Name: "session", Path: "/", MaxAge: -1})
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

// did notes what a request does.
func (s *Site) did(kind Kind, format string, args ...any) {
	s.Note(Effect{At: time.Now(), Kind: kind, What: fmt.Sprintf(format, args...)})
}

// show writes a page.
func (s *Site) show(w http.ResponseWriter, page string, data any) {
	var text bytes.Buffer
	if err := s.pages.ExecuteTemplate(&text, page, data); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(text.Bytes()) // to a browser that may be gone
}

// tell writes JSON.
func tell(w http.ResponseWriter, data any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(data) // to a browser that may be gone
}

// told reads JSON of at most 64 KiB.
func told(r *http.Request) (body map[string]any) {
	_ = json.NewDecoder(http.MaxBytesReader(nil, r.Body, 64<<10)).Decode(&body)
	return body
}

// str is a member of a JSON object as text.
func str(body map[string]any, name string) string {
	text, _ := body[name].(string)
	return strings.TrimSpace(text)
}
