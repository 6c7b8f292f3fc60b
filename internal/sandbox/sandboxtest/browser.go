package sandboxtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// stream is a connection to the browser of a box. Only the first Close has an
// effect.
type stream struct {
	sandbox.Stream
	engine *Engine
	state  *boxState
	once   sync.Once
	err    error
}

func (s *stream) Close() error {
	s.once.Do(func() { s.err = s.Stream.Close() })
	return s.err
}

// egressTarget passes connections to the egress function of the driver that has the box now.
type egressTarget struct {
	mu     sync.Mutex
	handle func(net.Conn)
}

func (t *egressTarget) set(handle func(net.Conn)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.handle = handle
}

// request sends a proxy request for an address and closes the connection.
func (t *egressTarget) request(address string) {
	parsed, err := url.Parse(address)
	t.mu.Lock()
	handle := t.handle
	t.mu.Unlock()
	if err != nil || parsed.Scheme != "http" || handle == nil {
		return
	}
	inside, outside := net.Pipe()
	go handle(outside) // which owns it
	_, _ = fmt.Fprintf(inside, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", address, parsed.Host)
	_ = inside.Close()
}

// fakeBrowser is the default browser of the fake: it returns its version, and opens targets,
// for which it requests their address through egress.
type fakeBrowser struct{ egress *egressTarget }

func (b *fakeBrowser) Connect(context.Context) (sandbox.Stream, error) {
	return &fakeConn{browser: b, answers: make(chan []byte, 64), closed: make(chan struct{})}, nil
}

func (b *fakeBrowser) Close() error { return nil }

// fakeConn is a connection to fakeBrowser.
type fakeConn struct {
	browser *fakeBrowser
	answers chan []byte
	closed  chan struct{}
	targets int
	mu      sync.Mutex
}

func (c *fakeConn) Read() ([]byte, error) {
	select {
	case <-c.closed:
		return nil, io.EOF
	case answer := <-c.answers:
		return answer, nil
	}
}

func (c *fakeConn) Write(message []byte) error {
	var call struct {
		ID     int64  `json:"id"`
		Method string `json:"method"`
		Params struct {
			URL string `json:"url"`
		} `json:"params"`
	}
	if err := json.Unmarshal(message, &call); err != nil {
		return fmt.Errorf("malformed message: %w", err)
	}
	answer := map[string]any{"id": call.ID}
	switch call.Method {
	case "Browser.getVersion":
		answer["result"] = map[string]any{"protocolVersion": "1.3", "product": "Fake/1.0", "userAgent": "Fake"}
	case "Target.createTarget":
		c.mu.Lock()
		c.targets++
		answer["result"] = map[string]any{"targetId": fmt.Sprintf("T%d", c.targets)}
		c.mu.Unlock()
		go c.browser.egress.request(call.Params.URL) // ends when the other side closes the connection
	default:
		answer["error"] = map[string]any{"code": -32601, "message": fmt.Sprintf("'%s' wasn't found", call.Method)}
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("cannot encode the answer: %w", err)
	}
	select {
	case <-c.closed:
		return io.ErrClosedPipe
	case c.answers <- data:
		return nil
	}
}

func (c *fakeConn) Close() error {
	close(c.closed)
	return nil
}
