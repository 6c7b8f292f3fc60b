// Package rest is the way in over HTTP: one route for each row of the table of
// verbs, faults as problem documents, the description of it all. It decides
// nothing; it checks who calls and from where, and translates.
package rest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
)

const (
	mostBody    = 1 << 20          // bytes of a request's body, where its verb does not take more
	mostLarge   = 4                // requests with larger bodies at a time: each takes its size several times over
	bodyLimit   = 30 * time.Second // to send one
	callLimit   = 6 * time.Minute  // of one call: the longest question (SPEC section 8) and the longest action (section 11), with room
	defaultWait = 55 * time.Second // on a question, where the caller does not say; SPEC section 6.3
)

// strangers is how many requests without a valid token one address may make:
// a token of ours cannot be guessed, but each attempt is a line in the log and
// may be a signature to verify.
var strangers = auth.Rate{PerSecond: 10, Burst: 300}

// Door lets a call through, or refuses it with a fault. Refuse records a call
// that this room refused itself.
type Door interface {
	Call(ctx context.Context, c action.Call) (action.Result, error)
	Refuse(ctx context.Context, c action.Call, why error)
}

// Tokens knows whose a token is; a fault unauthenticated when nobody's.
type Tokens interface {
	Identify(ctx context.Context, token string) (auth.Identity, error)
}

// Options is what a surface is made of.
type Options struct {
	Door           Door
	Clients        Clients // of the browser's protocol; none are let in when nil
	Auth           Tokens
	MCP            http.Handler   // at /mcp, behind the same checks; none when nil. The caller is in its context, see auth.From
	Version        string         // of the program
	AllowedHosts   []string       // names beside loopback that the Host header may hold, without port
	AllowedOrigins []string       // origins beside our own whose pages may call, "https://app.example"
	Proxies        []netip.Prefix // who may say whom they speak for: X-Forwarded-For, -Proto and -Host
	OnlyProxies    bool           // requests come from there, and from this machine, only
	Log            *slog.Logger
}

// Surface is the way in over HTTP. Close it when its server has been shut down.
type Surface struct {
	http.Handler
	guests    *guests
	followers *followers
}

// Close ends the connections of the browser's protocol and waits for them.
func (s *Surface) Close() {
	s.followers.end()
	s.guests.close()
}

// New makes the handler of everything below /v1, of /openapi.json, /docs and
// /mcp. Door, Auth and Log must be given.
func New(o Options) (*Surface, error) {
	if o.Door == nil || o.Auth == nil || o.Log == nil {
		return nil, errors.New("rest: Door, Auth and Log must be given")
	}
	s := &surface{door: o.Door, clients: o.Clients, guests: newGuests(), followers: newFollowers(), mux: http.NewServeMux()}
	s.offerDescription(s.offerAll())
	s.offerDiscovery(o.Version)
	if o.MCP != nil {
		s.mux.Handle("/mcp", absolute(o.MCP))
	}
	s.mux.HandleFunc("GET "+questionPath+"{id}", explainQuestion)
	outside := &guard{
		door: o.Door, tokens: o.Auth, hosts: o.AllowedHosts, origins: o.AllowedOrigins, proxies: o.Proxies, direct: !o.OnlyProxies,
		strangers: auth.Paces[netip.Prefix]{Rate: strangers}, log: o.Log, next: s,
		most: s.most, large: make(chan struct{}, mostLarge),
	}
	return &Surface{Handler: outside.handler(), guests: s.guests, followers: s.followers}, nil
}

// offerAll adds every route, and returns their description.
func (s *surface) offerAll() *huma.OpenAPI {
	doc := describe()
	for _, v := range action.Offered() {
		for _, path := range paths(v) {
			s.offer(doc, v, path)
		}
	}
	s.offerGeneric(doc)
	s.offerHealth(doc)
	finish(doc, s.operations)
	return doc
}

// NewServer makes a server of h whose timeouts fit: headers are bounded, while
// answers may take as long as a question waits. The caller listens, serves and
// shuts down.
func NewServer(h http.Handler, log *slog.Logger) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	server := &http.Server{
		Protocols:         protocols, // WebSockets are not served over HTTP/2
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second, // slow senders of headers
		IdleTimeout:       2 * time.Minute,  // of a kept connection
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	if s, ours := h.(*Surface); ours {
		server.RegisterOnShutdown(s.followers.end)
	}
	return server
}

// most is how many bytes the body of a request may have: more than of others
// only on the routes of verbs that take files.
func (s *surface) most(r *http.Request) int64 {
	_, pattern := s.mux.Handler(r)
	verb, generic := strings.CutPrefix(r.URL.Path, "/v1/verbs/")
	for i := range action.Verbs {
		v := action.Verbs[i]
		if v.Body == 0 {
			continue
		}
		if generic && v.Name == verb && r.Method == http.MethodPost {
			return v.Body
		}
		for _, path := range paths(v) {
			if pattern == v.Method+" "+path {
				return v.Body
			}
		}
	}
	return mostBody
}

type surface struct {
	door       Door
	clients    Clients
	guests     *guests
	followers  *followers
	mux        *http.ServeMux
	operations []*huma.Operation // as offered, in the order of the table
}

// add adds an operation to the description, and its route.
func (s *surface) add(doc *huma.OpenAPI, op *huma.Operation, handle http.HandlerFunc) {
	doc.AddOperation(op)
	s.operations = append(s.operations, op)
	s.mux.HandleFunc(op.Method+" "+op.Path, handle)
}

// ServeHTTP routes a request that the guard let through; what the mux has no
// route for is a fault like any other.
func (s *surface) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	asked := r
	if r.Method == http.MethodHead {
		asked = headless(r)
	}
	handler, pattern := s.mux.Handler(asked)
	if pattern != "" {
		s.mux.ServeHTTP(w, r)
		return
	}
	probe := &probe{header: http.Header{}}
	handler.ServeHTTP(probe, asked) // the mux's own answer: 404, or 405 with Allow
	if probe.status == http.StatusMethodNotAllowed {
		allow := strings.Replace(probe.header.Get("Allow"), "GET, HEAD", "GET", 1) // the mux's own HEAD
		w.Header().Set("Allow", allow)
		refuse(w, r, http.StatusMethodNotAllowed, wrongMethod(allow))
		return
	}
	refuse(w, r, http.StatusNotFound, noRoute())
}

// headless is a HEAD request with a method that no route has. The mux takes
// HEAD for GET, which would make a call: recorded, counted, perhaps waited for,
// and its answer thrown away.
func headless(r *http.Request) *http.Request {
	other := *r
	other.Method = "-"
	return &other
}

// probe takes an answer's status and header and drops its body.
type probe struct {
	header http.Header
	status int
}

func (p *probe) Header() http.Header { return p.header }

func (p *probe) WriteHeader(status int) { p.status = status }

func (p *probe) Write(b []byte) (int, error) { return len(b), nil }
