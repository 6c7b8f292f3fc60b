package rest

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	cdpPath     = "/browser/cdp"
	rootVersion = "/json/version" // where Puppeteer looks, given any address of a server
	tokenQuery  = "access_token"  // RFC 6750, 2.3: WebSocket clients of browsers cannot send headers
)

// Clients admits clients of the DevTools protocol, or refuses them with a fault.
type Clients interface {
	Attach(ctx context.Context, c action.Call) (action.Attachment, error)
}

// attach admits a client and serves it until the client, the session or the
// gateway ends.
func (s *surface) attach(w http.ResponseWriter, r *http.Request, v *action.Verb) {
	call, err := s.read(r, v)
	if err != nil {
		fail(w, r, err)
		return
	}
	caller, found := auth.From(r.Context())
	if !found || s.clients == nil || !s.connections.enter() {
		fail(w, r, fault.New(fault.NotActive, "the gateway takes no clients of the browser's protocol").Hinted("connect when it runs again"))
		return
	}
	defer s.connections.wg.Done()
	call.ID, call.Caller, call.Surface, call.Source = correlation(r.Context()), caller, "rest", source(r)
	noteCalled(r)
	place, err := s.clients.Attach(r.Context(), call)
	if err != nil {
		fail(w, r, err)
		return
	}
	s.connections.serve(w, r, place, wireLimits{message: maxMessage}, false)
}

// offerDiscovery adds the routes that clients call before they connect.
func (s *surface) offerDiscovery(version string) {
	for _, base := range []string{"/v1" + cdpPath, "/v1/sessions/{session}" + cdpPath} {
		s.mux.HandleFunc("GET "+base+"/json/version", func(w http.ResponseWriter, r *http.Request) { s.version(w, r, version) })
		s.mux.HandleFunc("GET "+base+"/json/list", s.list)
		s.mux.HandleFunc("GET "+base+"/json", s.list)
	}
	s.mux.HandleFunc("GET "+rootVersion, func(w http.ResponseWriter, r *http.Request) { s.version(w, r, version) })
}

// version answers with the address of the WebSocket. The answer contains
// nothing about the sessions of this gateway. At the root a client may ask
// without a token, because Puppeteer sends none there.
func (s *surface) version(w http.ResponseWriter, r *http.Request, version string) {
	at, err := endpoint(r)
	if err != nil {
		fail(w, r, err)
		return
	}
	writeJSON(w, r, http.StatusOK, map[string]string{
		"Browser": "Glovebox/" + version, "Protocol-Version": "1.3", "webSocketDebuggerUrl": at,
	})
}

// page is a tab as Chromium's /json/list shows it. All tabs are reached through
// the WebSocket of the browser.
type page struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Title    string `json:"title"`
	URL      string `json:"url"`
	Endpoint string `json:"webSocketDebuggerUrl"`
}

func (s *surface) list(w http.ResponseWriter, r *http.Request) {
	v, _ := action.Lookup(action.VerbTabList.Name)
	at, err := endpoint(r)
	if err != nil {
		fail(w, r, err)
		return
	}
	call, err := s.read(r, v)
	if err != nil {
		fail(w, r, err)
		return
	}
	result, err := s.call(r, call)
	if err != nil {
		fail(w, r, err)
		return
	}
	pages := []page{}
	if listing, ok := result.Data.(*action.TabListing); ok {
		for _, t := range listing.Tabs {
			pages = append(pages, page{ID: t.ID, Type: "page", Title: t.Title, URL: t.URL, Endpoint: at})
		}
	}
	writeJSON(w, r, http.StatusOK, pages)
}

// endpoint returns the address of the WebSocket as the caller can reach it.
func endpoint(r *http.Request) (string, error) {
	v, _ := action.Lookup(action.VerbCDPAttach.Name)
	session, err := sessionOf(r, v)
	if err != nil {
		return "", err
	}
	at := url.URL{Scheme: scheme(r, "ws", "wss"), Host: r.Host, Path: "/v1" + cdpPath}
	if t, is := r.Context().Value(ticketKey{}).(ticket); is {
		session, at.RawQuery = t.session, url.Values{tokenQuery: {t.token}}.Encode()
	}
	if session != "" {
		at.Path = "/v1/sessions/" + session + cdpPath
	}
	return at.String(), nil
}

// isCDPPath reports whether a path is the WebSocket of a session's browser.
func isCDPPath(path string) bool {
	return strings.HasPrefix(path, "/v1/") && strings.HasSuffix(path, cdpPath)
}

// withoutSlash removes the slash that Playwright appends to the address of the
// version.
func withoutSlash(r *http.Request) *http.Request {
	path, cut := strings.CutSuffix(r.URL.Path, "/")
	if !cut || r.URL.RawPath != "" || path != rootVersion && !strings.HasSuffix(path, cdpPath+"/json/version") {
		return r
	}
	r = r.Clone(r.Context())
	r.URL.Path = path
	return r
}
