package egress

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	idleTime     = 90 * time.Second  // between two requests of a connection; Chromium closes its own after 300 s
	headTime     = 15 * time.Second  // from the first byte of a head to its last
	responseTime = 120 * time.Second // from a request to the head of its answer: long polls take a minute
	writeTime    = 60 * time.Second  // for the client to receive one piece of an answer
)

// client is one proxy connection of a box.
type client struct {
	box    *box
	conn   net.Conn
	reader *bufio.Reader
}

// serve answers the requests of a connection until one side closes it.
func (b *box) serve(conn net.Conn, accepted bool) {
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(b.ctx, func() { _ = conn.Close() })()
	through := countedConn{conn, b}
	c := &client{box: b, conn: through, reader: bufio.NewReaderSize(through, maxHead)}
	if !accepted {
		b.refuse("", "", "", tooManyConns)
		c.answer(http.StatusServiceUnavailable, tooManyConns, true)
		return
	}
	for c.serveOne() {
		continue
	}
}

// serveOne serves one request and reports whether another may follow.
func (c *client) serveOne() bool {
	if err := c.conn.SetReadDeadline(time.Now().Add(idleTime)); err != nil {
		return false
	}
	if _, err := c.reader.Peek(1); err != nil {
		return false
	}
	if err := c.conn.SetReadDeadline(time.Now().Add(headTime)); err != nil {
		return false
	}
	raw, err := peekHead(c.reader)
	if err != nil {
		return c.reject("", "", err)
	}
	h, err := readHead(raw)
	if err != nil {
		return c.reject(h.method, "", err)
	}
	if h.method == http.MethodConnect {
		_, _ = c.reader.Discard(len(raw))
		c.tunnel(h)
		return false
	}
	return c.forward(h)
}

// plainTarget parses the destination of a request, and the path with the query.
// It refuses a target that is only a path, which would be for the proxy itself,
// and https without a tunnel, which Chromium does not send.
func (h head) plainTarget() (destination, string, error) {
	scheme, rest, found := strings.Cut(h.target, "://")
	if !found {
		return destination{}, "", toGateway
	}
	if !strings.EqualFold(scheme, "http") {
		return destination{}, "", badScheme
	}
	end := strings.IndexAny(rest, `/?#\`)
	if end < 0 {
		end = len(rest)
	}
	p, err := parseAuthority("http", rest[:end])
	if err != nil {
		return destination{}, "", err
	}
	if same, err := parseAuthority("http", h.host); err != nil || same.authority() != p.authority() {
		return destination{}, "", otherHost
	}
	if strings.ContainsAny(rest[end:], `#\`) {
		return destination{}, "", malformed
	}
	return p, rest[end:], nil
}

func (h head) tunnelTarget() (destination, error) {
	if h.body || !strings.Contains(h.target, ":") {
		return destination{}, malformed
	}
	p, err := parseAuthority("https", h.target)
	if err != nil {
		return destination{}, err
	}
	if same, err := parseAuthority("https", h.host); err != nil || same.authority() != p.authority() {
		return destination{}, otherHost
	}
	return p, nil
}

// reject answers a refused request and ends the connection. If the connection
// itself has failed, there is no answer.
func (c *client) reject(method, host string, err error) bool {
	var why reason
	if !errors.As(err, &why) {
		return false
	}
	c.box.refuse(method, host, "", why)
	status := http.StatusForbidden
	if why == malformed || why == headTooLarge || why == chained {
		status = http.StatusBadRequest
	}
	c.answer(status, why, true)
	return false
}

// answer writes an answer of the proxy itself: a status, the reason as a header
// for the page engine, and a page for people. It reports whether the client
// received it.
func (c *client) answer(status int, why error, last bool) bool {
	header, title := "X-Glovebox-Refused", "Not let through"
	var f failure
	words := why.Error()
	if errors.As(why, &f) {
		header, title, words = "X-Glovebox-Failed", "Not reached", f.Error()
	}
	body := fmt.Sprintf("<!doctype html><meta charset=utf-8><title>%[1]s</title><h1>%[1]s</h1><p>%[2]s</p>\n", title, untrusted.HTML(words))
	connection := "keep-alive"
	if last {
		connection = "close"
	}
	text := fmt.Sprintf("HTTP/1.1 %d %s\r\n%s: %s\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\nCache-Control: no-store\r\nConnection: %s\r\n\r\n%s",
		status, http.StatusText(status), header, words, len(body), connection, body)
	if err := c.conn.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return false
	}
	_, err := c.conn.Write([]byte(text))
	return err == nil && !last
}

// answerFailure answers an allowed request that failed, and reports whether
// another request may follow.
func (c *client) answerFailure(f *flow, url string, err error, last bool) bool {
	var why reason
	if errors.As(err, &why) {
		c.box.refuse(f.method, f.host, url, why)
		return c.answer(http.StatusForbidden, why, last)
	}
	var what failure
	if !errors.As(err, &what) {
		what = broken
	}
	c.box.proxy.options.Log.Debug("egress failed", "box", c.box.name, "host", f.host, "error", err)
	return c.answer(http.StatusBadGateway, what, last)
}
