package rest

import (
	"context"
	"net/http"
	"regexp"
	"sync/atomic"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/randid"
)

// accessEntry collects what the access log will contain about a request. Only
// the goroutine that serves the request writes it, except called.
type accessEntry struct {
	route
	id     string
	caller action.Caller
	fault  *fault.Fault
	verb   string      // of the route
	called atomic.Bool // the gate was called, and has recorded it
}

type accessEntryKey struct{}

func withAccessEntry(ctx context.Context, e *accessEntry) context.Context {
	return context.WithValue(ctx, accessEntryKey{}, e)
}

func correlation(ctx context.Context) string {
	if e, ok := ctx.Value(accessEntryKey{}).(*accessEntry); ok {
		return e.id
	}
	return ""
}

// noteVerb notes which verb a request is for.
func noteVerb(r *http.Request, verb string) {
	if e, ok := r.Context().Value(accessEntryKey{}).(*accessEntry); ok {
		e.verb = verb
	}
}

// noteCalled notes that a request is passed to the gate.
func noteCalled(r *http.Request) {
	if e, ok := r.Context().Value(accessEntryKey{}).(*accessEntry); ok {
		e.called.Store(true)
	}
}

// source is where a request came from.
func source(r *http.Request) action.Source {
	return action.Source{
		Address: hostname(r.RemoteAddr), UserAgent: short(r.UserAgent()), Request: short(r.Method + " " + r.URL.EscapedPath()),
	}
}

// surfaceOf returns the surface that a request comes from. The project's own
// clients name it in a header. Only the audit uses it.
func surfaceOf(r *http.Request) string {
	switch claimed := r.Header.Get("Glovebox-Surface"); claimed {
	case "cli", "mcp":
		return claimed
	}
	return "rest"
}

func noteFault(r *http.Request, f *fault.Fault) {
	if e, ok := r.Context().Value(accessEntryKey{}).(*accessEntry); ok {
		e.fault = f
	}
}

// plainToken matches a short name of letters, digits, dots, underscores and
// hyphens.
var plainToken = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// callerID matches the ids that a caller may give to a request. Dots are
// reserved for the steps of runs and crawls.
var callerID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,38}$`) // 39 of the 64 characters that the gate accepts; a hyphen and 24 random ones are added

// requestID returns an id that no other request has, so that the records of two
// calls are not confused. It begins with the caller's own id if that is valid.
func requestID(asked string) string {
	if !callerID.MatchString(asked) {
		asked = "req"
	}
	return randid.New(asked+"-", 12)
}

// countingWriter records an answer's status and size for the access log.
type countingWriter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// Unwrap lets http.ResponseController reach the connection.
func (c *countingWriter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *countingWriter) WriteHeader(status int) {
	if c.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		c.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *countingWriter) Write(b []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	n, err := c.ResponseWriter.Write(b)
	c.bytes += int64(n)
	return n, err
}

// Flush sends what was written so far, for event streams.
func (c *countingWriter) Flush() { _ = http.NewResponseController(c.ResponseWriter).Flush() }
