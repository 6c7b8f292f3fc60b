package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// longestWait bounds how long /display and /json/version wait for what is not
// there yet; the gateway gives up before.
const longestWait = 30 * time.Second

// Guest is what the endpoint needs of the process it runs in.
type Guest interface {
	// Display returns when the display is there, or why it will not be.
	Display(ctx context.Context) error
	// Version returns what the browser said of itself once it answers, or why
	// it will not. The endpoint fills in URL.
	Version(ctx context.Context) (Version, error)
	// Carry carries messages between the browser and conn until either ends,
	// ends the carriage before it with CloseReplaced, and closes conn.
	Carry(ctx context.Context, conn *websocket.Conn)
	// Health says how the box is.
	Health() sandbox.Health
	// Freeze stops what runs in the box, or says why it cannot; then it runs on.
	Freeze(ctx context.Context) error
	// Thaw has it go on.
	Thaw()
	// TakeProfile makes what r holds the profile that the browser starts with,
	// once.
	TakeProfile(r io.Reader) error
	// EndBrowser returns when the browser has written its profile and ended, or
	// why it will not.
	EndBrowser(ctx context.Context) error
	// GiveProfile writes the profile of a browser that has ended.
	GiveProfile(w io.Writer) error
}

// ErrNoBrowser is in the chain of what a Guest returns while it has no browser
// that answers.
var ErrNoBrowser = errors.New("no browser")

// Assignment is whom a box serves. It changes once, from nobody to somebody.
// It is safe for concurrent use.
type Assignment struct {
	box     string
	mu      sync.Mutex
	scope   string
	session string
}

// NewAssignment returns the assignment a box was started with.
func NewAssignment(b Boot) *Assignment {
	return &Assignment{box: b.Box, scope: b.ScopeHash, session: b.Session}
}

func (a *Assignment) hello() hello {
	a.mu.Lock()
	defer a.mu.Unlock()
	return hello{Protocol: protocol, Box: a.box, Scope: a.scope, Session: a.session}
}

// assign reports whether the box was free.
func (a *Assignment) assign(scope, session string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.scope != "" {
		return false
	}
	a.scope, a.session = scope, session
	return true
}

// endpoint is the guest's HTTP side.
type endpoint struct {
	verifier   *Verifier
	assignment *Assignment
	guest      Guest
	folders    Folders
	mux        *http.ServeMux
}

// NewEndpoint returns the handler of a guest: GET /display, /json/version,
// /health, /cdp (a WebSocket), POST /assign, /freeze, /thaw, /profile/take, /profile/give, and
// the files of folders. Whatever comes without a token
// that holds gets 401 {"error":"bridge_unauthorized"}.
func NewEndpoint(v *Verifier, a *Assignment, g Guest, f Folders) http.Handler {
	e := &endpoint{verifier: v, assignment: a, guest: g, folders: f, mux: http.NewServeMux()}
	e.mux.HandleFunc("GET /display", e.display)
	e.mux.HandleFunc("GET /json/version", e.version)
	e.mux.HandleFunc("GET /health", e.health)
	e.mux.HandleFunc("GET /cdp", e.cdp)
	e.mux.HandleFunc("POST /assign", e.assign)
	e.mux.HandleFunc("POST /freeze", e.freeze)
	e.mux.HandleFunc("POST /thaw", e.thaw)
	e.mux.HandleFunc("POST /profile/take", e.takeProfile)
	e.mux.HandleFunc("POST /profile/give", e.giveProfile)
	e.mux.HandleFunc("PUT /upload/{folder}/{name}", e.put)
	e.mux.HandleFunc("DELETE /upload/{folder}/{name}", e.removeUpload)
	e.mux.HandleFunc("GET /download/{id}", e.fetch)
	e.mux.HandleFunc("DELETE /download/{id}", e.removeDownload)
	return e
}

// ServeHTTP judges the token before anything else is looked at.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := e.verifier.verify(r.Header.Values("Authorization"), e.assignment.hello().Scope); err != nil {
		refuse(w, http.StatusUnauthorized, err.Error())
		return
	}
	e.mux.ServeHTTP(w, r)
}

func (e *endpoint) display(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), longestWait)
	defer cancel()
	if err := e.guest.Display(ctx); err != nil {
		refuse(w, http.StatusServiceUnavailable, NotReadyDisplay)
		return
	}
	answer(w, struct{}{})
}

func (e *endpoint) version(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), longestWait)
	defer cancel()
	v, err := e.guest.Version(ctx)
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, NotReadyHTTP)
		return
	}
	v.URL = "ws://box/cdp"
	answer(w, v)
}

func (e *endpoint) health(w http.ResponseWriter, _ *http.Request) { answer(w, e.guest.Health()) }

func (e *endpoint) freeze(w http.ResponseWriter, r *http.Request) {
	if err := e.guest.Freeze(r.Context()); err != nil {
		refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	answer(w, struct{}{})
}

func (e *endpoint) thaw(w http.ResponseWriter, _ *http.Request) {
	e.guest.Thaw()
	answer(w, struct{}{})
}

func (e *endpoint) assign(w http.ResponseWriter, r *http.Request) {
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxHello))
	decoder.DisallowUnknownFields()
	var a assignment
	if err := decoder.Decode(&a); err != nil || decoder.Decode(&struct{}{}) != io.EOF {
		refuse(w, http.StatusBadRequest, "malformed")
		return
	}
	if a.ScopeHash == "" || a.Session == "" ||
		!scopePattern.MatchString(a.ScopeHash) || !sessionPattern.MatchString(a.Session) {
		refuse(w, http.StatusBadRequest, "malformed")
		return
	}
	if !e.assignment.assign(a.ScopeHash, a.Session) {
		refuse(w, http.StatusConflict, "already_assigned")
		return
	}
	answer(w, struct{}{})
}

func (e *endpoint) cdp(w http.ResponseWriter, r *http.Request) {
	// Without a browser there is nothing to upgrade to; it is said before.
	ctx, cancel := context.WithTimeout(r.Context(), callTimeout)
	_, err := e.guest.Version(ctx)
	cancel()
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, "cdp_not_ready")
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return // Accept has answered
	}
	conn.SetReadLimit(MaxMessage)
	e.guest.Carry(r.Context(), conn)
}

func answer(w http.ResponseWriter, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "internal")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(raw) // a gateway that has gone does not mind
}

func refuse(w http.ResponseWriter, status int, reason string) {
	raw, _ := json.Marshal(refusal{Error: reason}) // a string cannot fail
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}
