// Package rest serves the gateway's interface over HTTP. Each offered verb has a
// route, and a verb of a page has two: for the most recent session, and below a
// session. Other routes belong to no verb: /v1/health, /v1/verbs, /json,
// /openapi.json, /docs, /approvals, /mcp and
// /v1/mcp/stream. Faults are problem documents. The
// package checks who calls and from where, and translates; it decides nothing.
package rest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
)

const (
	maxBody     = 1 << 20          // bytes of a request's body, where its verb does not take more
	maxLarge    = 4                // concurrent requests with larger bodies: each needs several times its size
	bodyLimit   = 30 * time.Second // to send one
	callLimit   = 6 * time.Minute  // of one call: longer than the longest question and the longest action
	defaultWait = 55 * time.Second // default wait for the answer to a question
)

// unknownRate is how many requests without a valid token one address may make.
// Tokens cannot be guessed, but each attempt writes a line to the log and may
// need a signature check.
var unknownRate = auth.Rate{PerSecond: 10, Burst: 300}

// Gate does calls, or refuses them with a fault. Refuse records a call that
// this package refused itself.
type Gate interface {
	Call(ctx context.Context, c action.Call) (action.Result, error)
	Refuse(ctx context.Context, c action.Call, why error)
}

// Tokens finds the owner of a token; the fault is unauthenticated for an
// unknown one.
type Tokens interface {
	Identify(ctx context.Context, token string) (auth.Identity, error)
}

// Options are the parts and settings of a Surface.
type Options struct {
	Gate           Gate
	Clients        Clients      // of the DevTools protocol; none are admitted when nil
	Viewers        Viewers      // of live pictures; none are admitted when nil
	Streams        Streams      // serves the viewers
	LivePage       http.Handler // serves the page on which people watch; none when nil
	Agents         Agents       // serves glovebox mcp; nothing does when nil
	Background     bool         // glovebox mcp started this gateway, and may start it again when it has ended
	Auth           Tokens
	MCP            http.Handler   // serves /mcp, after the same checks; none when nil. The caller is in the request's context, see auth.From
	Version        string         // of the program
	AllowedHosts   []string       // names beside loopback that the Host header may hold, without port
	AllowedOrigins []string       // origins beside our own whose pages may call, "https://app.example"
	Proxies        []netip.Prefix // trusted proxies, which may send X-Forwarded-For, -Proto and -Host
	OnlyProxies    bool           // requests come only from these proxies and from this machine
	Log            *slog.Logger

	// Missing names what keeps sessions from starting, for the readiness probe. Nothing is
	// missing when it is nil.
	Missing func(context.Context) []string
}

// Surface serves the interface over HTTP. Close it after its server has shut
// down.
type Surface struct {
	http.Handler
	connections  *connections
	eventStreams *eventStreams
}

// Close ends the connections of DevTools and MCP clients and waits for them.
func (s *Surface) Close() {
	s.eventStreams.end()
	s.connections.close()
}

// New makes the handler of all routes. Gate, Auth and Log must be given.
func New(o Options) (*Surface, error) {
	if o.Gate == nil || o.Auth == nil || o.Log == nil {
		return nil, errors.New("rest: Gate, Auth and Log must be given")
	}
	s := &surface{gate: o.Gate, clients: o.Clients, viewers: o.Viewers, streams: o.Streams, agents: o.Agents, background: o.Background, missing: o.Missing, connections: newConnections(), eventStreams: newEventStreams(), mux: http.NewServeMux()}
	s.offerDescription(s.offerAll())
	s.offerDiscovery(o.Version)
	if o.MCP != nil {
		s.mux.Handle("/mcp", withFullURL(noteRecorded(o.MCP)))
	}
	if o.Agents != nil {
		s.mux.Handle("GET "+mcpStreamPath, withFullURL(http.HandlerFunc(s.mcpStream)))
	}
	if o.LivePage != nil {
		s.mux.Handle("GET "+livePath, o.LivePage)
	}
	s.mux.HandleFunc("GET "+questionPath+"{id}", explainQuestion)
	outside := &guard{
		gate: o.Gate, tokens: o.Auth, hosts: o.AllowedHosts, origins: o.AllowedOrigins, proxies: o.Proxies, direct: !o.OnlyProxies,
		unknownCallers: auth.RateLimiters[netip.Prefix]{Rate: unknownRate}, log: o.Log, next: s,
		bodyLimit: s.bodyLimit, large: make(chan struct{}, maxLarge),
	}
	return &Surface{Handler: outside.handler(), connections: s.connections, eventStreams: s.eventStreams}, nil
}

// offerAll adds every route, and returns their description.
func (s *surface) offerAll() *document {
	doc := describe()
	for _, v := range action.Offered() {
		for _, path := range paths(v) {
			s.offer(doc, v, path)
		}
	}
	s.offerGeneric(doc)
	s.offerHealth(doc)
	s.offerProbes(doc)
	doc.finish()
	return doc
}

// NewServer makes a server for h with suitable timeouts: the time for headers
// is limited, but an answer may take as long as a question waits. The caller
// listens, serves and shuts down.
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
		server.RegisterOnShutdown(s.eventStreams.end)
	}
	return server
}

// bodyLimit returns how many bytes the body of a request may have. It is higher
// for the routes of verbs that take files.
func (s *surface) bodyLimit(r *http.Request) int64 {
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
	return maxBody
}

type surface struct {
	gate         Gate
	clients      Clients
	viewers      Viewers
	streams      Streams
	agents       Agents
	background   bool
	missing      func(context.Context) []string
	connections  *connections
	eventStreams *eventStreams
	mux          *http.ServeMux
}

// add adds an operation to the description, and its route.
func (s *surface) add(doc *document, op *operation, handle http.HandlerFunc) {
	doc.add(op)
	s.mux.HandleFunc(op.Method+" "+op.Path, handle)
}

// ServeHTTP routes a request that the guard has accepted. A request without a
// route is answered with a fault.
func (s *surface) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	asked := r
	if r.Method == http.MethodHead {
		asked = withoutHEAD(r)
	}
	handler, pattern := s.mux.Handler(asked)
	if pattern != "" {
		s.mux.ServeHTTP(w, r)
		return
	}
	probe := &statusProbe{header: http.Header{}}
	handler.ServeHTTP(probe, asked) // the mux's own answer: 404, or 405 with Allow
	if probe.status == http.StatusMethodNotAllowed {
		allow := strings.Replace(probe.header.Get("Allow"), "GET, HEAD", "GET", 1) // the mux's own HEAD
		w.Header().Set("Allow", allow)
		refuse(w, r, http.StatusMethodNotAllowed, wrongMethod(allow))
		return
	}
	refuse(w, r, http.StatusNotFound, noRoute())
}

// withoutHEAD replaces the method HEAD by one that no route has. The mux would
// treat HEAD as GET and make a call: it would be recorded, counted and possibly
// waited for, and its answer discarded.
func withoutHEAD(r *http.Request) *http.Request {
	other := *r
	other.Method = "-"
	return &other
}

// statusProbe keeps an answer's status and headers and drops its body.
type statusProbe struct {
	header http.Header
	status int
}

func (p *statusProbe) Header() http.Header { return p.header }

func (p *statusProbe) WriteHeader(status int) { p.status = status }

func (p *statusProbe) Write(b []byte) (int, error) { return len(b), nil }
