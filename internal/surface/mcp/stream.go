package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	mostStreams = 256 // open at once, of one caller
	mostLarge   = 4   // tool calls at once with more than mostMessage bytes of arguments: each needs several times its size
)

// MostLine is the longest message of a stream, in bytes.
const MostLine = 16 << 20

// streams counts the open streams of each caller.
type streams struct {
	mu   sync.Mutex
	open map[action.Caller]int
}

// enter counts a stream until it is released.
func (s *streams) enter(caller action.Caller) (release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[caller] >= mostStreams {
		return nil, fault.New(fault.LimitReached, "%d MCP clients are connected with this token", mostStreams).Hinted("end some of them, or use other tokens")
	}
	s.open[caller]++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open[caller]--; s.open[caller] == 0 {
			delete(s.open, caller)
		}
	}), nil
}

// clientStream is a connection that carries all messages of one client: a process
// of glovebox mcp.
type clientStream struct {
	server  *mcp.Server
	client  *client
	release func()
}

// streamName matches the name that a client may give to its streams, so that
// what one of them started is found by the next.
var streamName = regexp.MustCompile(`^[a-z0-9]{8,32}$`)

// Admit checks what a client asks for, in the query of its request: tools names
// groups of tools, read-only is true for sessions that only read, connection is
// a random name that the client gives to itself, unmet are hosts that it was set
// up for and that the gateway does not allow. Faults: unauthenticated,
// invalid_request, limit_reached.
func (s *Surface) Admit(r *http.Request) (action.Attachment, error) {
	c, found := clientOf(r)
	if !found {
		return nil, fault.New(fault.Unauthenticated, "the call carries no valid token")
	}
	server, err := s.offering(s.asked(r))
	if err != nil {
		return nil, err
	}
	query := r.URL.Query()
	for name, values := range query {
		if !slices.Contains([]string{"tools", "read-only", "connection", "unmet"}, name) || len(values) > 1 {
			return nil, fault.New(fault.InvalidRequest, "an MCP client cannot ask for %.40q", name).Hinted("ask for tools, read-only, connection and unmet, each once at most")
		}
	}
	switch query.Get("read-only") {
	case "", "false":
	case "true":
		c.readOnly = true
	default:
		return nil, fault.New(fault.InvalidRequest, "read-only is neither true nor false").With("field", "read-only")
	}
	if c.unmet, err = unmetNote(query.Get("unmet")); err != nil {
		return nil, err
	}
	name := query.Get("connection")
	if name == "" {
		name = newID()
	}
	if !streamName.MatchString(name) {
		return nil, fault.New(fault.InvalidRequest, "connection is no name of 8 to 32 letters and digits").With("field", "connection")
	}
	c.connection = "stream:" + name
	release, err := s.streams.enter(c.caller)
	if err != nil {
		return nil, err
	}
	return &clientStream{server: server, client: c, release: release}, nil
}

// unmetNote returns a note for the first answer to a client that was set up for hosts
// which this gateway does not allow.
func unmetNote(list string) (*atomic.Pointer[string], error) {
	note := &atomic.Pointer[string]{}
	if list == "" {
		return note, nil
	}
	hosts := strings.Split(list, ",")
	if len(hosts) > action.MaxUnmet || slices.ContainsFunc(hosts, func(h string) bool { return !action.IsUnmet(h) }) {
		return nil, fault.New(fault.InvalidRequest, "unmet is not a list of at most %d hosts", action.MaxUnmet).With("field", "unmet")
	}
	text := "this gateway was running already and does not allow " + untrusted.ToolLine(strings.Join(hosts, ", "), 1000) + ", for which you were set up; " +
		"ask the person to end it (it starts again with your settings) or to allow them there"
	note.Store(&text)
	return note, nil
}

// Close ends the stream without serving.
func (st *clientStream) Close() { st.release() }

// Serve speaks the protocol until the client leaves or ctx ends. Calls that run
// then are cancelled, and it waits for them.
func (st *clientStream) Serve(ctx context.Context, wire action.Wire) error {
	defer st.release()
	ctx, cancel := context.WithCancel(context.WithValue(ctx, clientKey{}, st.client))
	defer cancel()
	over := &lines{ctx: ctx, wire: wire, take: st.client.take}
	session, err := st.server.Connect(ctx, &mcp.IOTransport{Reader: over, Writer: over, MaxLineLength: MostLine + 1}, nil)
	if err != nil {
		return fmt.Errorf("cannot serve the client: %w", err)
	}
	err = session.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if over.gone.Load() {
		return nil
	}
	return fault.New(fault.InvalidRequest, "the client sent what is not a message of the protocol").Because(err)
}

// lines reads and writes messages as lines, as the protocol's library expects
// them. The library reads from one goroutine and writes one message at a time.
type lines struct {
	ctx  context.Context //nolint:containedctx // the life of the stream
	wire action.Wire
	take func() (wait time.Duration, ok bool) // counts a message against the rate of the token
	rest []byte                               // of the current message
	gone atomic.Bool                          // nothing more can be read
}

// Read returns the next bytes of the messages. It reads no faster than the rate
// of the token allows.
func (l *lines) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		if err := l.throttle(); err != nil {
			return 0, err
		}
		message, err := l.wire.Read(l.ctx)
		if err != nil {
			l.gone.Store(true)
			return 0, io.EOF
		}
		l.rest = append(bytes.TrimRight(message, "\r\n"), '\n')
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func (l *lines) throttle() error {
	for {
		wait, ok := l.take()
		if ok {
			return nil
		}
		select {
		case <-time.After(wait):
		case <-l.ctx.Done():
			return io.EOF
		}
	}
}

// Write sends one message.
func (l *lines) Write(line []byte) (int, error) {
	if l.ctx.Err() != nil {
		return 0, errors.New("the stream has ended") // its client must not take the end of a call for its result
	}
	if err := l.wire.Write(l.ctx, bytes.TrimSuffix(line, []byte("\n")), true); err != nil {
		return 0, err //nolint:wrapcheck // the library drops it
	}
	return len(line), nil
}

// Close does nothing: Serve's caller closes the connection.
func (l *lines) Close() error { return nil }

// client is who a request comes from, and what its connection asks for.
type client struct {
	caller     action.Caller
	bind       binder
	take       func() (wait time.Duration, ok bool)
	from       string                  // address that it calls from
	user       string                  // tells the tokens of callers apart
	address    string                  // of the gateway, as the client reaches it; empty: not known
	readOnly   bool                    // sessions that it starts only read
	connection string                  // of a stream
	unmet      *atomic.Pointer[string] // a note for its first answer; may be nil
	recorded   func()                  // notes that a call was recorded; never nil
}

type clientKey struct{}

func host(address string) string {
	name, _, err := net.SplitHostPort(address)
	if err != nil {
		return ""
	}
	return name
}

// clientOf returns the client of a request that the REST surface has let in.
func clientOf(r *http.Request) (*client, bool) {
	ctx := r.Context()
	caller, found := auth.From(ctx)
	if !found || caller == (action.Caller{}) {
		return nil, false
	}
	c := &client{
		caller: caller, bind: auth.Lasting(ctx), take: func() (time.Duration, bool) { return auth.Take(ctx) },
		recorded: func() { action.Recorded(ctx) },
		from:     host(r.RemoteAddr), user: fmt.Sprintf("%q %q %s", caller.Scope, caller.Actor, caller.Role),
	}
	if r.URL.IsAbs() {
		c.address = r.URL.Scheme + "://" + r.URL.Host
	}
	return c, true
}

// from returns the client that a request of the protocol comes from, over HTTP
// or on a stream; nil if there is none.
func from(ctx context.Context, with *mcp.RequestExtra) *client {
	if with != nil && with.TokenInfo != nil {
		c, _ := with.TokenInfo.Extra[infoKey].(*client)
		return c
	}
	c, _ := ctx.Value(clientKey{}).(*client)
	return c
}
