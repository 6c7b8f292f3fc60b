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
	deliverTimeout = 30 * time.Second // for the gateway to read one message
	closeTimeout   = time.Second      // for the closing handshake with a client
	maxKeptBuffer  = 1 << 20          // bytes; a larger buffer is freed after its message
)

// client is the gateway's connection to a browser. There is one at a time.
type client struct {
	conn   *websocket.Conn
	ctx    context.Context // of the gateway's request
	cancel context.CancelFunc
	once   sync.Once
}

// close sends code and reason, and closes the connection within a second even if
// the client does not respond.
func (c *client) close(code websocket.StatusCode, reason string) {
	c.once.Do(func() {
		timer := time.AfterFunc(closeTimeout, c.cancel)
		defer timer.Stop()
		_ = c.conn.Close(code, reason) // fails only when the client has gone
		c.cancel()
	})
}

// ServeCDP serves a client until it or the browser ends, and closes the previous
// client with CloseReplaced. It thaws a frozen box first, so that the browser can
// answer the new client.
func (g *guest) ServeCDP(ctx context.Context, conn *websocket.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	c := &client{conn: conn, ctx: ctx, cancel: cancel}
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
	code, reason := c.forwardToBrowser(b)
	b.detach(c)
	c.close(code, reason)
}

// attach makes c the client. It reports false when there is no browser.
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

// forwardToBrowser forwards messages from the client to the browser. It forwards a message
// only when it is complete, so that a lost client leaves no partial one.
func (c *client) forwardToBrowser(b *browser) (websocket.StatusCode, string) {
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
		if message.Cap() > maxKeptBuffer {
			message = bytes.Buffer{}
		}
	}
}

// forwardToClient forwards messages from the browser to the client that is attached when a
// message begins, piece by piece. It returns when the browser ends.
func (b *browser) forwardToClient() {
	for {
		chunk, err := b.reader.ReadSlice(0)
		whole := err == nil
		if !whole && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
		b.mu.Lock()
		c := b.client
		b.mu.Unlock()
		if !b.forwardMessage(c, chunk, whole) {
			return
		}
	}
}

// disconnectClient tells the client that the browser has ended. The caller has updated the
// state before, because the client reconnects at once.
func (b *browser) disconnectClient() {
	b.mu.Lock()
	c := b.client
	b.client, b.gone = nil, true
	b.mu.Unlock()
	if c != nil {
		c.close(bridge.CloseBrowserGone, "browser gone")
	}
}

// forwardMessage forwards one message whose first piece is chunk. A client that does not
// read it in time is disconnected, and the rest of the message is discarded.
// It reports false when the browser has ended.
func (b *browser) forwardMessage(c *client, chunk []byte, whole bool) bool {
	var out messageWriter
	if c != nil {
		out = messageWriter{client: c}
		defer out.release()
	}
	for {
		if whole {
			chunk = chunk[:len(chunk)-1]
		}
		if !out.write(chunk, whole) {
			b.detach(c)
			c.cancel()
			_ = c.conn.CloseNow()
			out = messageWriter{}
		}
		if whole {
			return true
		}
		var err error
		chunk, err = b.reader.ReadSlice(0)
		whole = err == nil
		if !whole && !errors.Is(err, bufio.ErrBufferFull) {
			return false
		}
	}
}

// messageWriter writes the pieces of one message to a client. The zero value discards them.
type messageWriter struct {
	client *client
	size   int
	w      io.WriteCloser
	cancel context.CancelFunc
}

func (m *messageWriter) release() {
	if m.cancel != nil {
		m.cancel()
	}
}

// write writes a piece and reports whether the client read it in time.
func (m *messageWriter) write(chunk []byte, last bool) bool {
	if m.client == nil {
		return true
	}
	if m.size += len(chunk); m.size > bridge.MaxMessage {
		return false
	}
	if m.w == nil {
		var ctx context.Context
		ctx, m.cancel = context.WithTimeout(m.client.ctx, deliverTimeout)
		if last { // most messages have one piece: send them as one frame
			return m.client.conn.Write(ctx, websocket.MessageText, chunk) == nil
		}
		w, err := m.client.conn.Writer(ctx, websocket.MessageText)
		if err != nil {
			return false
		}
		m.w = w
	}
	if _, err := m.w.Write(chunk); err != nil {
		return false
	}
	return !last || m.w.Close() == nil
}
