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

// maxWait limits how long /display and /json/version wait for the display and
// the browser. The gateway's own timeouts are shorter.
const maxWait = 30 * time.Second

// Guest is the part of the guest process that the endpoint calls.
type Guest interface {
	Desktop
	// Display waits for the display and returns why there will be none.
	Display(ctx context.Context) error
	// Version waits until the browser answers and returns its version, or why it
	// will not answer. The endpoint fills in URL.
	Version(ctx context.Context) (Version, error)
	// ServeCDP copies messages between the browser and conn until either ends, and
	// closes conn. It closes the previous connection with CloseReplaced.
	ServeCDP(ctx context.Context, conn *websocket.Conn)
	// CanCapture waits for the display and returns why it cannot be captured.
	CanCapture(ctx context.Context) error
	// ServeVideo encodes the display and sends the frames to conn, until either ends,
	// and closes conn.
	ServeVideo(ctx context.Context, conn *websocket.Conn, spec sandbox.VideoSpec)
	// Health reports the state of the box.
	Health() sandbox.Health
	// Freeze stops the processes of the box. On an error they keep running.
	Freeze(ctx context.Context) error
	// Thaw resumes the processes of the box.
	Thaw()
	// LoadProfile unpacks r as the profile that the browser starts with. It works
	// once.
	LoadProfile(r io.Reader) error
	// EndBrowser shuts the browser down and returns when it has written its
	// profile and exited, or why it did not.
	EndBrowser(ctx context.Context) error
	// SaveProfile writes the profile as a tar, after the browser has exited.
	SaveProfile(w io.Writer) error
}

// ErrNoBrowser is wrapped by the errors of a Guest whose browser does not answer.
var ErrNoBrowser = errors.New("no browser")

// Assignment holds the scope and session that a box serves. It is set at most
// once. It is safe for concurrent use.
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

// assign sets scope and session, and reports false when they were set before.
func (a *Assignment) assign(scope, session string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.scope != "" {
		return false
	}
	a.scope, a.session = scope, session
	return true
}

// endpoint serves the HTTP requests of the gateway.
type endpoint struct {
	verifier   *Verifier
	assignment *Assignment
	guest      Guest
	folders    Folders
	mux        *http.ServeMux
}

// NewEndpoint returns the HTTP handler of a guest: GET /display, /json/version,
// /health, /cdp and /video (WebSockets); POST /assign, /desktop/{what}, /freeze, /thaw, /profile/take
// and /profile/give; and the files in the folders of f. A request without a valid
// token is answered with 401 {"error":"bridge_unauthorized"}.
func NewEndpoint(v *Verifier, a *Assignment, g Guest, f Folders) http.Handler {
	e := &endpoint{verifier: v, assignment: a, guest: g, folders: f, mux: http.NewServeMux()}
	e.mux.HandleFunc("GET /display", e.display)
	e.mux.HandleFunc("GET /json/version", e.version)
	e.mux.HandleFunc("GET /health", e.health)
	e.mux.HandleFunc("GET /cdp", e.cdp)
	e.mux.HandleFunc("GET /video", e.video)
	e.mux.HandleFunc("POST /desktop/{what}", e.desktop)
	e.mux.HandleFunc("POST /assign", e.assign)
	e.mux.HandleFunc("POST /freeze", e.freeze)
	e.mux.HandleFunc("POST /thaw", e.thaw)
	e.mux.HandleFunc("POST /profile/take", e.loadProfile)
	e.mux.HandleFunc("POST /profile/give", e.saveProfile)
	e.mux.HandleFunc("PUT /upload/{folder}/{name}", e.put)
	e.mux.HandleFunc("DELETE /upload/{folder}/{name}", e.removeUpload)
	e.mux.HandleFunc("GET /download/{id}", e.fetch)
	e.mux.HandleFunc("DELETE /download/{id}", e.removeDownload)
	return e
}

// ServeHTTP verifies the token before it looks at anything else.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := e.verifier.verify(r.Header.Values("Authorization"), e.assignment.hello().Scope); err != nil {
		writeError(w, http.StatusUnauthorized, err.Error())
		return
	}
	e.mux.ServeHTTP(w, r)
}

func (e *endpoint) display(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), maxWait)
	defer cancel()
	if err := e.guest.Display(ctx); err != nil {
		writeError(w, http.StatusServiceUnavailable, NotReadyDisplay)
		return
	}
	writeJSON(w, struct{}{})
}

func (e *endpoint) version(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), maxWait)
	defer cancel()
	v, err := e.guest.Version(ctx)
	if err != nil {
		writeError(w, http.StatusServiceUnavailable, NotReadyHTTP)
		return
	}
	v.URL = "ws://box/cdp"
	writeJSON(w, v)
}

func (e *endpoint) health(w http.ResponseWriter, _ *http.Request) { writeJSON(w, e.guest.Health()) }

func (e *endpoint) freeze(w http.ResponseWriter, r *http.Request) {
	if err := e.guest.Freeze(r.Context()); err != nil {
		writeError(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	writeJSON(w, struct{}{})
}

func (e *endpoint) thaw(w http.ResponseWriter, _ *http.Request) {
	e.guest.Thaw()
	writeJSON(w, struct{}{})
}

func (e *endpoint) assign(w http.ResponseWriter, r *http.Request) {
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxHello))
	decoder.DisallowUnknownFields()
	var a assignment
	if err := decoder.Decode(&a); err != nil || decoder.Decode(&struct{}{}) != io.EOF {
		writeError(w, http.StatusBadRequest, "malformed")
		return
	}
	if a.ScopeHash == "" || a.Session == "" ||
		!scopePattern.MatchString(a.ScopeHash) || !sessionPattern.MatchString(a.Session) {
		writeError(w, http.StatusBadRequest, "malformed")
		return
	}
	if !e.assignment.assign(a.ScopeHash, a.Session) {
		writeError(w, http.StatusConflict, "already_assigned")
		return
	}
	writeJSON(w, struct{}{})
}

func (e *endpoint) cdp(w http.ResponseWriter, r *http.Request) {
	// Without a browser, refuse before the upgrade to a WebSocket.
	ctx, cancel := context.WithTimeout(r.Context(), callTimeout)
	_, err := e.guest.Version(ctx)
	cancel()
	if err != nil {
		writeError(w, http.StatusServiceUnavailable, "cdp_not_ready")
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return // Accept has sent the response
	}
	conn.SetReadLimit(MaxMessage)
	e.guest.ServeCDP(r.Context(), conn)
}

func writeJSON(w http.ResponseWriter, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		writeError(w, http.StatusInternalServerError, "internal")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(raw) // fails only when the gateway has gone
}

func writeError(w http.ResponseWriter, status int, reason string) {
	raw, _ := json.Marshal(errorBody{Error: reason}) // encoding a string cannot fail
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}
