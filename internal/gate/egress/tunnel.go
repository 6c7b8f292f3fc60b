package egress

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

const helloTime = 20 * time.Second // from the tunnel's opening to the end of its first message

// tunnel serves a CONNECT: judge, dial, and only after a look at the first
// message carry bytes.
func (c *client) tunnel(h head) {
	p, err := h.tunnelTarget()
	if err != nil {
		c.reject(h.method, p.host, err)
		return
	}
	f, err := c.box.admit(h.method, p)
	if err != nil {
		c.reject(h.method, p.host, err)
		return
	}
	defer c.box.end(f)
	if err := c.box.hold(f); err != nil {
		c.failed(f, "", err, true)
		return
	}
	server, err := c.box.dial(f.ctx, f)
	if err != nil {
		c.failed(f, "", err, true)
		return
	}
	defer func() { _ = server.Close() }()
	defer context.AfterFunc(f.ctx, func() { _, _ = c.conn.Close(), server.Close() })()
	if _, err := io.WriteString(slow{c.conn}, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	c.carry(f, server)
}

// carry looks at the first message and then carries bytes. A refusal here can
// only close the connection: the browser has been told that it is open.
func (c *client) carry(f *flow, server net.Conn) {
	if err := c.conn.SetReadDeadline(time.Now().Add(helloTime)); err != nil {
		return
	}
	first, err := c.firstMessage(f.place)
	if err != nil {
		var why reason
		if errors.As(err, &why) {
			c.box.refuse(f.method, f.host, "", why)
		}
		return
	}
	rest, _ := c.reader.Peek(c.reader.Buffered())
	if _, err := (slow{server}).Write(append(first, rest...)); err != nil {
		return
	}
	c.reader = nil // its buffer is not needed for the tunnel's life
	splice(c.conn, server, tunnelIdle)
}

// firstMessage reads what a tunnel begins with, and returns the bytes it took.
// It is a TLS ClientHello for the host, or, elsewhere than on port 443, a
// WebSocket handshake for it.
func (c *client) firstMessage(p place) ([]byte, error) {
	first, err := c.reader.Peek(1)
	if err != nil {
		return nil, err
	}
	if first[0] == recordHandshake {
		return readHello(c.reader, c.conn, p)
	}
	if p.port == 443 {
		return nil, notTLS
	}
	raw, err := peekHead(c.reader)
	if err != nil {
		return nil, err
	}
	h, err := readHead(raw)
	if err != nil {
		return nil, err
	}
	if h.method != http.MethodGet || !h.websocket || h.body || !strings.HasPrefix(h.target, "/") {
		return nil, notTLS
	}
	if same, err := parseAuthority("http", h.host); err != nil || same.authority() != p.authority() {
		return nil, otherHost
	}
	return nil, nil
}

const recordHandshake = 22 // TLS record type of a handshake; RFC 8446 section 5.1

var errPeeked = errors.New("seen enough")

// readHello reads a ClientHello with the standard library's own parser, which
// answers nothing because its writes go nowhere, and returns every byte it
// took. The server name must be the host; for an address there is none (RFC
// 6066 section 3).
func readHello(r *bufio.Reader, conn net.Conn, p place) ([]byte, error) {
	var taken bytes.Buffer
	var name string
	seen := false
	server := tls.Server(eavesdrop{Conn: conn, in: io.TeeReader(r, &taken)}, &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			name, seen = hello.ServerName, true
			return nil, errPeeked
		},
	})
	err := server.Handshake()
	if !seen {
		var timeout net.Error
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &timeout) && timeout.Timeout() {
			return nil, err
		}
		return nil, notTLS
	}
	want := p.host
	if p.addr.IsValid() {
		want = ""
	}
	if strings.ToLower(name) != want {
		return nil, otherServer
	}
	return taken.Bytes(), nil
}

// eavesdrop is a connection that is only read from.
type eavesdrop struct {
	net.Conn
	in io.Reader
}

// Read reads the client's bytes.
func (e eavesdrop) Read(p []byte) (int, error) { return e.in.Read(p) }

// Write drops the alert that ends the handshake.
func (e eavesdrop) Write(p []byte) (int, error) { return len(p), nil }
