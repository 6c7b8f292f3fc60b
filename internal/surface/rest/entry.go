package rest

import (
	"context"
	"net/http"
	"regexp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/randid"
)

// entry is what the access line will say of a request. One goroutine writes
// it: the one that serves the request.
type entry struct {
	way
	id     string
	caller action.Caller
	fault  *fault.Fault
	verb   string // of the route
	called bool   // a call went through the door, which has recorded it
}

type entryKey struct{}

func withEntry(ctx context.Context, e *entry) context.Context {
	return context.WithValue(ctx, entryKey{}, e)
}

func correlation(ctx context.Context) string {
	if e, ok := ctx.Value(entryKey{}).(*entry); ok {
		return e.id
	}
	return ""
}

// asks notes which verb a request is for.
func asks(r *http.Request, verb string) {
	if e, ok := r.Context().Value(entryKey{}).(*entry); ok {
		e.verb = verb
	}
}

// passes notes that a request goes through the door.
func passes(r *http.Request) {
	if e, ok := r.Context().Value(entryKey{}).(*entry); ok {
		e.called = true
	}
}

// source is where a request came from.
func source(r *http.Request) action.Source {
	return action.Source{
		Address: hostname(r.RemoteAddr), UserAgent: short(r.UserAgent()), Request: short(r.Method + " " + r.URL.EscapedPath()),
	}
}

// surfaceOf is whose surface a request comes from: our own clients say on whose
// behalf they call; it is for the audit only.
func surfaceOf(r *http.Request) string {
	switch claimed := r.Header.Get("Glovebox-Surface"); claimed {
	case "cli", "mcp":
		return claimed
	}
	return "rest"
}

func note(r *http.Request, f *fault.Fault) {
	if e, ok := r.Context().Value(entryKey{}).(*entry); ok {
		e.fault = f
	}
}

// token matches a short name without spaces or signs.
var token = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// named matches what a caller may call a request. Dots are for the steps of
// runs and crawls.
var named = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,38}$`) // 39 of the 64 that the gate takes: a hyphen and 24 are ours

// requestID is an id that no other request has, whatever its caller says: else
// the records of two calls could be taken for one's. It begins with the
// caller's where that is a short token.
func requestID(asked string) string {
	if !named.MatchString(asked) {
		asked = "req"
	}
	return randid.New(asked+"-", 12)
}

// counted notes an answer's status and size for the access line.
type counted struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// Unwrap lets http.ResponseController reach the connection.
func (c *counted) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *counted) WriteHeader(status int) {
	if c.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		c.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *counted) Write(b []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	n, err := c.ResponseWriter.Write(b)
	c.bytes += int64(n)
	return n, err
}

// Flush passes on what was written so far, for event streams.
func (c *counted) Flush() { _ = http.NewResponseController(c.ResponseWriter).Flush() }
