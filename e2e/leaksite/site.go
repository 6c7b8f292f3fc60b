package leaksite

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/coder/websocket"
)

//go:embed static
var static embed.FS

// Beacon is the prefix of a text that is not a secret, and is put wherever
// secrets are. If the beacon reaches a caller in some form, the search covers a
// place that a secret would have reached too.
const Beacon = "beacon"

// Site is the application. Its zero value has no secrets; make it with Open.
type Site struct {
	canaries Canaries
	beacon   string
	mux      *http.ServeMux

	mu    sync.Mutex
	seen  map[string]bool   // kinds that reached a server or a script
	typed map[string]string // into the fields of /login, by their ids
}

// Open makes the application that these secrets sign in to.
func Open(canaries Canaries) *Site {
	s := &Site{canaries: canaries, beacon: Beacon + letters(26), mux: http.NewServeMux(), seen: map[string]bool{}, typed: map[string]string{}}
	s.routes()
	return s
}

// Beacon returns the text that is shown wherever secrets are.
func (s *Site) Beacon() Canary { return Canary{Beacon, s.beacon} }

// Seen lists the kinds of secrets that reached the site or one of its scripts.
func (s *Site) Seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.seen))
}

func (s *Site) saw(all map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for kind, value := range all {
		if s.canaries[kind] == value && kind != Password && kind != Seed {
			s.seen[kind] = true
		}
	}
}

// ServeHTTP answers, and sets the site's own cookie after the sign-in.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.saw(s.sent(r))
	if c, err := r.Cookie("sid"); err == nil && c.Value == s.canaries[Session] {
		if _, err := r.Cookie("rotated"); err != nil {
			http.SetCookie(w, &http.Cookie{Name: "rotated", Value: s.canaries[Rotated], Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
		}
	}
	w.Header().Set("X-Beacon", s.beacon)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	s.mux.ServeHTTP(w, r)
}

// sent returns the secrets of a request, as they were sent.
func (s *Site) sent(r *http.Request) map[string]string {
	all := map[string]string{}
	for name, kind := range map[string]string{"sid": Session, "plain": Plain, "__Host-id": Host, "rotated": Rotated} {
		if c, err := r.Cookie(name); err == nil {
			all[kind] = c.Value
		}
	}
	if token, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); is {
		all[Bearer] = token
	}
	if key := r.Header.Get("X-Api-Key"); key != "" {
		all[Key] = key
	}
	return all
}

// known returns what the site itself can show to a visitor who is signed in.
func (s *Site) known(r *http.Request) map[string]string {
	all := s.sent(r)
	if all[Session] == s.canaries[Session] {
		all[Password], all[Seed] = s.canaries[Password], s.canaries[Seed]
	}
	return all
}

func (s *Site) routes() {
	for path, serve := range map[string]http.HandlerFunc{
		"GET /{$}": s.home, "GET /echo": s.echo, "GET /login": s.login, "POST /typed": s.hears, "POST /seen": s.told, "GET /places": s.places, "GET /mirror": s.mirror,
		"GET /still": s.still, "GET /shown": s.shown, "GET /asked": s.asked, "GET /choice": s.choice,
		"GET /file": s.file, "GET /status": s.status, "GET /moved": s.moved, "GET /away": s.away, "GET /popup": s.popup,
		"GET /socket": s.socket, "GET /stream": s.stream, "GET /header": s.header,
	} {
		s.mux.HandleFunc(path, serve)
	}
	for path, kind := range map[string]string{"/sw.js": "text/javascript", "/forms.js": "text/javascript", "/mirror.js": "text/javascript", "/places.js": "text/javascript"} {
		s.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			text, _ := static.ReadFile("static" + path)
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(text)
		})
	}
	s.mux.HandleFunc("GET /img.png", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
}

func (s *Site) echo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(s.known(r))
}

// told receives what a page's script could read.
func (s *Site) told(w http.ResponseWriter, r *http.Request) {
	var all map[string]string
	if json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&all) == nil {
		s.saw(all)
	}
	w.WriteHeader(http.StatusNoContent)
}

// hears receives what was typed into a page.
func (s *Site) hears(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.typed[r.URL.Query().Get("field")] = string(text)
	}
	w.WriteHeader(http.StatusNoContent)
}

// Typed returns what was last typed into a field of /login: user, pass or code.
func (s *Site) Typed(field string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.typed[field]
}

// line returns all that the site knows, and the beacon, in one line.
func (s *Site) line(r *http.Request) string {
	all := s.known(r)
	var b strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s ", all[kind])
	}
	return b.String() + s.beacon
}

func (s *Site) file(w http.ResponseWriter, r *http.Request) {
	name := s.known(r)[r.URL.Query().Get("kind")]
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name+s.beacon+".txt"))
	_, _ = fmt.Fprintln(w, s.line(r))
}

// status has secrets in its reason phrase and in headers. The standard library's
// server cannot write these.
func (s *Site) status(w http.ResponseWriter, r *http.Request) {
	hijacker, can := w.(http.Hijacker)
	if !can {
		return
	}
	conn, buffered, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	sent := s.sent(r)
	_, _ = fmt.Fprintf(buffered, "HTTP/1.1 404 Missing %s %s\r\nX-Echo: %s %s\r\nServer-Timing: t;desc=%q\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
		sent[Session], s.beacon, sent[Bearer], s.beacon, sent[Plain])
	_ = buffered.Flush()
}

// moved redirects to an address that has the secrets in its path, query and
// fragment.
func (s *Site) moved(w http.ResponseWriter, r *http.Request) {
	sent := s.sent(r)
	http.Redirect(w, r, "/missing/"+sent[Session]+"/"+s.beacon+"?token="+sent[Bearer]+"&note="+sent[Plain]+"&b="+s.beacon+"#"+sent[Key], http.StatusFound)
}

// away redirects to another host, whose name and path are secrets.
func (s *Site) away(w http.ResponseWriter, r *http.Request) {
	sent := s.sent(r)
	host := sent[Session][:min(60, len(sent[Session]))] + "." + strings.ToLower(s.beacon) + ".example"
	http.Redirect(w, r, "http://"+host+"/"+sent[Bearer]+"?q="+url.QueryEscape(sent[Host]), http.StatusFound)
}

func (s *Site) socket(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	_ = conn.Write(r.Context(), websocket.MessageText, []byte(s.line(r)))
	_ = conn.Close(websocket.StatusNormalClosure, "")
}

func (s *Site) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "data: %s\n\n", s.line(r))
}
