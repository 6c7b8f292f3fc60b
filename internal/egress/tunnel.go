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
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const helloTime = 20 * time.Second // from the opening of a tunnel to the end of its first message

// tunnel serves a CONNECT: it checks the destination, dials, checks the first
// message, and then copies bytes.
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
	if err := c.box.waitForRate(f); err != nil {
		c.answerFailure(f, "", err, true)
		return
	}
	server, err := c.box.dial(f.ctx, f)
	if err != nil {
		c.answerFailure(f, "", err, true)
		return
	}
	defer func() { _ = server.Close() }()
	disconnect := func() { _, _ = c.conn.Close(), server.Close() }
	c.box.onEnd(f, disconnect)
	defer context.AfterFunc(f.ctx, disconnect)() // a flow may also end by itself, at its time limit
	if _, err := io.WriteString(deadlineWriter{c.conn}, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	c.relayTunnel(f, server)
}

// relayTunnel checks the first message and then copies bytes. To refuse here it
// can only close the connection, because the browser already has the answer that
// it is open.
func (c *client) relayTunnel(f *flow, server net.Conn) {
	if err := c.conn.SetReadDeadline(time.Now().Add(helloTime)); err != nil {
		return
	}
	first, channel, err := c.firstMessage(f.destination)
	if err == nil && channel.URL != "" && !c.allowChannel(f, channel) {
		return
	}
	if err != nil {
		var why reason
		if errors.As(err, &why) {
			c.box.refuse(f.method, f.host, "", why)
		}
		return
	}
	rest, _ := c.reader.Peek(c.reader.Buffered())
	if _, err := (deadlineWriter{server}).Write(append(first, rest...)); err != nil {
		return
	}
	c.reader = nil // its buffer is not needed while the tunnel is open
	copyBoth(c.conn, server, tunnelIdle)
}

// allowChannel asks whether a WebSocket may be opened. If not, it answers the
// browser, or closes the connection inside TLS.
func (c *client) allowChannel(f *flow, channel action.Channel) bool {
	ask := c.box.proxy.options.AllowChannel
	if ask == nil {
		return true
	}
	err := ask(f.ctx, c.box.name, channel)
	if err != nil && strings.HasPrefix(channel.URL, "ws:") {
		_, _ = io.WriteString(deadlineWriter{c.conn}, "HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
	}
	return err == nil
}

// firstMessage reads the first message of a tunnel, and returns its bytes and the
// channel that it opens, empty for none. It must be a TLS ClientHello for the
// host or, except on port 443, a WebSocket handshake for it.
func (c *client) firstMessage(p destination) ([]byte, action.Channel, error) {
	var none action.Channel
	first, err := c.reader.Peek(1)
	if err != nil {
		return nil, none, err
	}
	if first[0] == recordHandshake {
		taken, channel, err := readHello(c.reader, c.conn, p)
		if channel {
			return taken, action.Channel{URL: "wss://" + p.authority() + "/"}, err
		}
		return taken, none, err
	}
	if p.port == 443 {
		return nil, none, notTLS
	}
	raw, err := peekHead(c.reader)
	if err != nil {
		return nil, none, err
	}
	h, err := readHead(raw)
	if err != nil {
		return nil, none, err
	}
	if h.method != http.MethodGet || !h.websocket || h.body || !strings.HasPrefix(h.target, "/") {
		return nil, none, notTLS
	}
	if same, err := parseAuthority("http", h.host); err != nil || same.authority() != p.authority() {
		return nil, none, otherHost
	}
	return nil, action.Channel{URL: "ws://" + p.authority() + h.target, Origin: h.origin}, nil
}

const recordHandshake = 22 // TLS record type of a handshake; RFC 8446 section 5.1

var errPeeked = errors.New("hello read")

// readHello reads a ClientHello with the standard library's parser and returns
// its bytes. The parser's answers are discarded. The server name must be the
// host; for an IP address there must be none (RFC 6066 section 3). channel
// reports whether it is for a WebSocket: for these Chromium offers only HTTP/1.1,
// otherwise also HTTP/2 (RFC 7301).
func readHello(r *bufio.Reader, conn net.Conn, p destination) (hello []byte, channel bool, err error) {
	var taken bytes.Buffer
	var name string
	seen := false
	server := tls.Server(readOnlyConn{Conn: conn, in: io.TeeReader(r, &taken)}, &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			name, seen = hello.ServerName, true
			channel = len(hello.SupportedProtos) > 0 && !slices.Contains(hello.SupportedProtos, "h2")
			return nil, errPeeked
		},
	})
	err = server.Handshake()
	if !seen {
		var timeout net.Error
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &timeout) && timeout.Timeout() {
			return nil, false, err
		}
		return nil, false, notTLS
	}
	want := p.host
	if p.addr.IsValid() {
		want = ""
	}
	if strings.ToLower(name) != want {
		return nil, false, otherServer
	}
	return taken.Bytes(), channel, nil
}

// readOnlyConn is a connection that is only read.
type readOnlyConn struct {
	net.Conn
	in io.Reader
}

// Read reads the client's bytes.
func (e readOnlyConn) Read(p []byte) (int, error) { return e.in.Read(p) }

// Write discards the alert that ends the handshake.
func (e readOnlyConn) Write(p []byte) (int, error) { return len(p), nil }
