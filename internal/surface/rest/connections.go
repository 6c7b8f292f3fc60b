package rest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// errShutdown is the cause with which WebSockets are ended when the gateway ends.
var errShutdown = errors.New("the gateway ends")

// connections are the open WebSockets, of DevTools and of MCP clients. The zero
// value is not ready for use: see newConnections.
type connections struct {
	ctx   context.Context //nolint:containedctx // the life of the surface
	end   context.CancelCauseFunc
	mu    sync.Mutex
	shut  bool
	wg    sync.WaitGroup
	large chan struct{} // holds a token for each large message of an MCP client that is being read
}

func newConnections() *connections {
	ctx, end := context.WithCancelCause(context.Background())
	return &connections{ctx: ctx, end: end, large: make(chan struct{}, maxLarge)}
}

// enter counts a new connection. It returns false when the surface is closed.
func (c *connections) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.shut {
		c.wg.Add(1)
	}
	return !c.shut
}

func (c *connections) close() {
	c.mu.Lock()
	c.shut = true
	c.mu.Unlock()
	c.end(errShutdown)
	c.wg.Wait()
}

// upgrades reports whether a request asks for a WebSocket (RFC 6455, 4.2.1).
func upgrades(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// serve makes the connection of a request a WebSocket, and serves it until the
// client, the attachment, the token or the gateway ends. pings says whether a
// client that does not answer is ended.
func (c *connections) serve(w http.ResponseWriter, r *http.Request, to action.Attachment, limits wireLimits, pings bool) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // of the origin, which the guard has verified
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil { // it has answered
		to.Close()
		return
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(r.Context())) // the context of a hijacked request does not end with its connection
	stop := context.AfterFunc(c.ctx, func() { cancel(errShutdown) })
	leave := context.AfterFunc(r.Context(), func() {
		if cause := ended(r.Context(), nil); cause != nil {
			cancel(cause)
		}
	})
	line := newWire(conn, limits)
	var beside sync.WaitGroup
	if pings {
		beside.Go(func() { keepPinging(ctx, conn) })
	}
	err = to.Serve(ctx, line)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	stop()
	leave()
	cancel(nil)
	if err != nil {
		noteFault(r, fault.From(err)) // for the access log
	}
	line.close(closing(err))
	beside.Wait()
}

const (
	pingEvery = 20 * time.Second
	pongLimit = time.Minute // longer than a client waits until a large message of it is read
)

// keepPinging ends a connection whose client no longer answers. The client
// learns from the pings that the gateway is still there.
func keepPinging(ctx context.Context, conn *websocket.Conn) {
	ticker := time.NewTicker(pingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		answer, cancel := context.WithTimeout(ctx, pongLimit)
		err := conn.Ping(answer)
		cancel()
		if err != nil && ctx.Err() == nil {
			_ = conn.CloseNow() // what is read from it fails, which ends the rest
			return
		}
	}
}
