package rest

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const healthPath = "/v1/health"

// guard checks every request before its route: host, origin, caller and size. It
// gives the request an id and writes one line to the access log.
type guard struct {
	gate           Gate
	tokens         Tokens
	hosts          []string
	origins        []string
	proxies        []netip.Prefix
	direct         bool // requests need not come from a proxy or this machine
	unknownCallers auth.RateLimiters[netip.Prefix]
	log            *slog.Logger
	next           http.Handler
	bodyLimit      func(*http.Request) int64 // bytes of a body
	large          chan struct{}             // holds a token for each large body
}

func (g *guard) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		seen := &accessEntry{id: requestID(r.Header.Get("X-Request-Id"))}
		seen.route, r = g.routeOf(r)
		r = r.WithContext(withAccessEntry(r.Context(), seen))
		out := &countingWriter{ResponseWriter: w}
		securityHeaders(out.Header(), r, seen)
		limitBodyTime(out, r)
		defer g.finish(out, r, seen, start)
		g.serve(out, r, seen)
	})
}

// finish turns a panic into an answer and writes the line of the access log. A
// panic with http.ErrAbortHandler ends the connection.
func (g *guard) finish(out *countingWriter, r *http.Request, seen *accessEntry, start time.Time) {
	if reason := recover(); reason != nil {
		if reason == http.ErrAbortHandler {
			panic(reason)
		}
		g.log.Error("panic in a request", "correlation", seen.id, "reason", reason, "stack", string(debug.Stack()))
		if out.status == 0 {
			fail(out, r, fault.From(errors.New("panic")))
		}
	}
	g.record(out, r, seen)
	level := slog.LevelInfo
	if seen.fault != nil && seen.fault.Code == fault.Internal {
		level = slog.LevelError
	}
	line := []any{
		"method", r.Method, "path", short(r.URL.EscapedPath()), "status", out.status, "bytes", out.bytes,
		"duration", time.Since(start), "correlation", seen.id,
	}
	if seen.caller.Actor != "" {
		line = append(line, "actor", seen.caller.Actor, "scope", seen.caller.Scope)
	}
	if seen.fault != nil {
		line = append(line, "fault", seen.fault.Error())
	}
	g.log.Log(r.Context(), level, "request", line...)
}

// record has the gate record a request that was refused before the gate saw it.
func (g *guard) record(out *countingWriter, r *http.Request, seen *accessEntry) {
	f := seen.fault
	if f == nil && out.status >= http.StatusBadRequest { // the library that speaks MCP has answered
		f = fault.New(fault.InvalidRequest, "the request was refused with status %d", out.status)
	}
	if f == nil || seen.called.Load() {
		return
	}
	g.gate.Refuse(r.Context(), action.Call{
		ID: seen.id, Verb: seen.verb, Caller: seen.caller, Surface: surfaceOf(r), Source: source(r),
	}, f)
}

func (g *guard) serve(w http.ResponseWriter, r *http.Request, seen *accessEntry) {
	if f := g.checkSource(r, seen); f != nil {
		refuse(w, r, http.StatusForbidden, f)
		return
	}
	if g.answerCORS(w, r) {
		return
	}
	r = withoutSlash(r)
	if r.URL.Path != path.Clean(r.URL.Path) || r.URL.EscapedPath() != path.Clean(r.URL.EscapedPath()) ||
		strings.ContainsFunc(r.URL.Path, func(c rune) bool { return c < ' ' || c == 0x7f || c == '\\' }) {
		refuse(w, r, http.StatusNotFound, noRoute())
		return
	}
	if !public(r.URL.Path) || r.URL.Path == rootVersion && r.URL.Query().Has(tokenQuery) {
		known, release, err := g.authenticate(r, seen)
		if err != nil {
			fail(w, r, err)
			return
		}
		defer release()
		r = known
	}
	g.forward(w, r)
}

// public reports whether a path needs no token. The answers there contain only
// that the gateway runs, and what is the same for every gateway of its version.
func public(path string) bool {
	return path == healthPath || isProbe(path) || path == rootVersion || strings.HasPrefix(path, questionPath) || strings.HasPrefix(path, livePath)
}

// authenticate finds the owner of the request's token and applies the rate
// limit. The request's context ends when the token is revoked or expires.
func (g *guard) authenticate(r *http.Request, seen *accessEntry) (*http.Request, func(), error) {
	token, inQuery, r := takeToken(r)
	who, err := g.tokens.Identify(r.Context(), token)
	if err != nil {
		if wait, ok := g.unknownCallers.Take(rateKey(seen.from)); !ok {
			err = tooMany("requests without a valid token come from this address", wait).Because(err)
		}
		return nil, nil, err
	}
	seen.caller = who.Caller
	if wait, ok := who.Take(); !ok {
		return nil, nil, tooMany("requests come with this token", wait)
	}
	if r, err = limitToSession(r, who, token, inQuery); err != nil {
		return nil, nil, err
	}
	bound, release := who.Bind(r.Context())
	return r.WithContext(bound), release, nil
}

func tooMany(what string, wait time.Duration) *fault.Fault {
	left := int(math.Ceil(wait.Seconds()))
	return fault.New(fault.LimitReached, "too many %s", what).
		Hinted("wait %d s before the next one", left).With(fault.WaitKey, left)
}

// forward reads the body and passes the request on.
func (g *guard) forward(w http.ResponseWriter, r *http.Request) {
	most := g.bodyLimit(r)
	if most > maxBody && r.ContentLength != 0 {
		select {
		case g.large <- struct{}{}:
			defer func() { <-g.large }()
		default:
			fail(w, r, fault.New(fault.LimitReached, "%d calls with files are in progress", cap(g.large)).Hinted("try again when one of them is done"))
			return
		}
	}
	if status, f := readBody(w, r, most); f != nil {
		refuse(w, r, status, f)
		return
	}
	g.next.ServeHTTP(w, r)
}

// checkSource refuses requests that a web page could cause: those with a
// foreign host name (DNS rebinding) or a foreign origin (cross-site requests).
// Where tokens are safe only behind a proxy, it refuses requests that do not
// come through the proxy. Probes may come from anywhere.
func (g *guard) checkSource(r *http.Request, seen *accessEntry) *fault.Fault {
	if r.Method == http.MethodGet && isProbe(r.URL.Path) && r.Header.Get("Origin") == "" {
		return nil
	}
	if !g.direct && !seen.proxied && !seen.from.IsLoopback() {
		return fault.New(fault.DeniedByPolicy, "the gateway is reached through its proxy only").Hinted("call the proxy's address")
	}
	host := hostname(r.Host)
	if !loopback(host) && !slices.ContainsFunc(g.hosts, func(h string) bool { return strings.EqualFold(h, host) }) {
		return fault.New(fault.DeniedByPolicy, "the Host header names no host of this gateway").
			Hinted("call it as localhost, or add the name to server.allowed_hosts")
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return nil
	}
	if len(origins) == 1 && (g.allowed(origins[0]) || sameOrigin(origins[0], r)) {
		return nil
	}
	return fault.New(fault.DeniedByPolicy, "pages of this origin may not call the gateway").
		Hinted("call it from a program, or add the origin to server.cors_allow_origins")
}

func (g *guard) allowed(origin string) bool { return slices.Contains(g.origins, origin) }

func sameOrigin(origin string, r *http.Request) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == scheme(r, "http", "https") && u.Host == r.Host && u.Path == ""
}

// answerCORS adds the CORS headers for pages of a configured origin, and answers
// their preflight requests. It reports whether it answered.
func (g *guard) answerCORS(w http.ResponseWriter, r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || !g.allowed(origin) {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Expose-Headers", "Glovebox-Session, X-Request-Id, Retry-After, Mcp-Session-Id")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Glovebox-Session, Prefer, X-Request-Id, Mcp-Session-Id, Mcp-Protocol-Version")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

func hasBody(r *http.Request) bool { return r.Body != nil && r.Body != http.NoBody }

// limitBodyTime limits the time for the body. The limit also applies to a
// request that is refused before its body is read, because the server then
// drains the body.
func limitBodyTime(w http.ResponseWriter, r *http.Request) {
	if hasBody(r) {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyLimit)) // a writer that is not a connection has no deadline
	}
}

// readBody reads the whole body, up to a limit, and puts it back into the
// request. It removes the deadline of limitBodyTime afterwards, because a call
// may take longer.
func readBody(w http.ResponseWriter, r *http.Request, most int64) (int, *fault.Fault) {
	if !hasBody(r) {
		return 0, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err != nil {
		w.Header().Set("Connection", "close") // the rest of the body is not read
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge, fault.New(fault.InvalidRequest, "the body has more than %d bytes", most).
			Hinted("send less at a time")
	case err != nil:
		return http.StatusBadRequest, fault.New(fault.InvalidRequest, "the body did not arrive whole").
			Hinted("send it within %s", bodyLimit).Because(err)
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	return 0, nil
}

// bearer returns the token of the Authorization header, if there is exactly
// one such header (RFC 6750).
func bearer(r *http.Request) string {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

func hostname(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	return strings.Trim(host, "[]")
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

// securityHeaders sets the headers of every answer that restrict what browsers
// do with it
// (https://cheatsheetseries.owasp.org/cheatsheets/HTTP_Headers_Cheat_Sheet.html).
func securityHeaders(h http.Header, r *http.Request, seen *accessEntry) {
	h.Set("X-Request-Id", seen.id)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()")
	if seen.secure && !loopback(hostname(r.Host)) { // on localhost it would apply to all other programs
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

func short(text string) string { return untrusted.CutBytes(text, 200) }
