package guest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

const (
	takeTimeout  = 30 * time.Second // for the gateway to take one message
	closeTimeout = time.Second      // for a client to hear why it is closed
	keptBuffer   = 1 << 20          // bytes kept between messages
)

// client is the one connection of the gateway to a browser.
type client struct {
	conn *websocket.Conn
	ctx  context.Context // of the request, for the pump
	end  context.CancelFunc
	once sync.Once
}

// close says why, and closes in any case within a second: a client that does
// not listen is cut off by the end of its context.
func (c *client) close(code websocket.StatusCode, reason string) {
	c.once.Do(func() {
		timer := time.AfterFunc(closeTimeout, c.end)
		defer timer.Stop()
		_ = c.conn.Close(code, reason) // a client that has gone needs no reason
		c.end()
	})
}

// Carry serves one client until it or the browser ends. The client before is
// told that it was replaced. A frozen box goes on: who connects finds a browser
// that answers.
func (g *guest) Carry(ctx context.Context, conn *websocket.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	c := &client{conn: conn, ctx: ctx, end: cancel}
	g.Thaw()
	b := g.state.read().browser
	before, attached := b.attach(c)
	if !attached {
		c.close(bridge.CloseBrowserGone, "browser gone")
		return
	}
	if before != nil {
		before.close(bridge.CloseReplaced, "replaced")
	}
	code, reason := c.receive(b)
	b.detach(c)
	c.close(code, reason)
}

// attach makes c the client; it reports false where there is no browser.
func (b *browser) attach(c *client) (before *client, attached bool) {
	if b == nil {
		return nil, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gone {
		return nil, false
	}
	before, b.client = b.client, c
	return before, true
}

func (b *browser) detach(c *client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.client == c {
		b.client = nil
	}
}

// receive carries messages from the client to the browser, each only when it
// is there as a whole: a client that breaks off leaves no half of one.
func (c *client) receive(b *browser) (websocket.StatusCode, string) {
	var message bytes.Buffer
	for {
		kind, r, err := c.conn.Reader(c.ctx)
		if err != nil {
			return websocket.StatusNormalClosure, ""
		}
		if kind != websocket.MessageText {
			return websocket.StatusUnsupportedData, "text only"
		}
		message.Reset()
		if _, err := io.Copy(&message, r); err != nil {
			return websocket.StatusNormalClosure, ""
		}
		if bytes.IndexByte(message.Bytes(), 0) >= 0 {
			return websocket.StatusPolicyViolation, "NUL byte"
		}
		message.WriteByte(0)
		if err := b.send(message.Bytes()); err != nil {
			return bridge.CloseBrowserGone, "browser gone"
		}
		if message.Cap() > keptBuffer {
			message = bytes.Buffer{}
		}
	}
}

// pump carries messages from the browser to whoever is the client when a
// message begins, in pieces as they come. It returns when the browser ends.
func (b *browser) pump() {
	for {
		chunk, err := b.in.ReadSlice(0)
		whole := err == nil
		if !whole && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
		b.mu.Lock()
		c := b.client
		b.mu.Unlock()
		if !b.deliver(c, chunk, whole) {
			return
		}
	}
}

// leave tells the client that the browser is gone. It is called when the state
// says so too: a client that hears it comes back at once.
func (b *browser) leave() {
	b.mu.Lock()
	c := b.client
	b.client, b.gone = nil, true
	b.mu.Unlock()
	if c != nil {
		c.close(bridge.CloseBrowserGone, "browser gone")
	}
}

// deliver carries one message whose first piece is chunk. A client that does
// not take it is dropped, the rest of the message with it. It reports false
// when the browser ended.
func (b *browser) deliver(c *client, chunk []byte, whole bool) bool {
	var to sink
	if c != nil {
		to = sink{c: c}
		defer to.release()
	}
	for {
		if whole {
			chunk = chunk[:len(chunk)-1]
		}
		if !to.take(chunk, whole) {
			b.detach(c)
			c.end()
			_ = c.conn.CloseNow()
			to = sink{}
		}
		if whole {
			return true
		}
		var err error
		chunk, err = b.in.ReadSlice(0)
		whole = err == nil
		if !whole && !errors.Is(err, bufio.ErrBufferFull) {
			return false
		}
	}
}

// sink takes the pieces of one message for a client; the zero sink drops them.
type sink struct {
	c      *client
	size   int
	w      io.WriteCloser
	cancel context.CancelFunc
}

func (s *sink) release() {
	if s.cancel != nil {
		s.cancel()
	}
}

// take reports false when the client did not take the piece.
func (s *sink) take(chunk []byte, last bool) bool {
	if s.c == nil {
		return true
	}
	if s.size += len(chunk); s.size > bridge.MaxMessage {
		return false
	}
	if s.w == nil {
		var ctx context.Context
		ctx, s.cancel = context.WithTimeout(s.c.ctx, takeTimeout)
		if last { // most messages: one frame
			return s.c.conn.Write(ctx, websocket.MessageText, chunk) == nil
		}
		w, err := s.c.conn.Writer(ctx, websocket.MessageText)
		if err != nil {
			return false
		}
		s.w = w
	}
	if _, err := s.w.Write(chunk); err != nil {
		return false
	}
	return !last || s.w.Close() == nil
}
