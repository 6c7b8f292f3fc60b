package egress

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httputil"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// forward serves a plain http request and reports whether another may follow.
func (c *client) forward(h head) bool {
	r, err := http.ReadRequest(c.reader)
	if err != nil {
		return c.reject(h.method, "", malformed)
	}
	p, path, err := h.plainTarget()
	if err != nil {
		return c.reject(h.method, p.host, err)
	}
	shown := "http://" + h.host + strings.SplitN(path, "?", 2)[0]
	f, err := c.box.admit(h.method, p)
	if err != nil {
		var why reason
		if errors.As(err, &why) {
			c.box.refuse(h.method, p.host, shown, why)
		}
		return c.answer(http.StatusForbidden, err, h.body)
	}
	defer c.box.end(f)
	if err := c.box.waitForRate(f); err != nil {
		return c.answerFailure(f, shown, err, h.body)
	}
	return c.exchange(f, r, path, shown, r.ContentLength != 0)
}

// exchange forwards the request and its answer. If the client disconnects
// meanwhile, the flow ends.
func (c *client) exchange(f *flow, r *http.Request, path, shown string, hasBody bool) bool {
	body := &watchedBody{ReadCloser: r.Body, client: c}
	out := forwardedRequest(f, r, path)
	if hasBody {
		out.Body = body
		if r.Header.Get("Expect") != "" {
			if _, err := io.WriteString(c.conn, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
				return false
			}
		}
	}
	next := func() bool { return true }
	if !hasBody {
		next = c.watch(f.cancel)
	}
	more := c.send(f, out, shown, func() bool { return hasBody && !body.ended.Load() })
	if !more {
		_ = c.conn.Close()
	}
	return next() && more
}

// send sends the request and writes its answer. unread reports whether part of
// the request's body was not read; then the connection must end.
func (c *client) send(f *flow, out *http.Request, shown string, unread func() bool) bool {
	response, err := c.box.transport.RoundTrip(out)
	if err != nil {
		return c.answerFailure(f, shown, err, unread())
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode < http.StatusOK { // a protocol switch that was not requested
		return c.answerFailure(f, shown, broken, true)
	}
	idle := time.AfterFunc(tunnelIdle, f.cancel)
	defer idle.Stop()
	response.Body = &idleTimerBody{ReadCloser: response.Body, timer: idle}
	return c.reply(f.ctx, out.Method, response, unread())
}

// watch waits in the background for the next request or for the client to
// disconnect, and calls left if it disconnects. The returned function waits for
// the result, at most as long as a connection may be idle, and reports whether
// there is a next request.
func (c *client) watch(left func()) func() bool {
	_ = c.conn.SetReadDeadline(time.Time{})
	there := make(chan bool, 1)
	go func() {
		_, err := c.reader.Peek(1)
		if err != nil {
			left()
		}
		there <- err == nil
	}()
	return func() bool {
		_ = c.conn.SetReadDeadline(time.Now().Add(idleTime))
		return <-there
	}
}

// forwardedRequest returns the request for the server. It is built anew, so that
// none of the client's framing is passed on.
func forwardedRequest(f *flow, r *http.Request, path string) *http.Request {
	u := &url.URL{Scheme: "http", Host: f.authority()}
	u.Opaque, u.RawQuery, _ = strings.Cut(path, "?")
	if strings.HasSuffix(path, "?") {
		u.ForceQuery = true
	}
	if u.Opaque == "" {
		u.Opaque = "/"
	}
	if strings.HasPrefix(u.Opaque, "//") { // net/url would parse that as an authority
		u.Opaque, u.Path = "", r.URL.Path
		u.RawPath = r.URL.RawPath
	}
	host := r.Host
	out := (&http.Request{Method: r.Method, URL: u, Host: host, Header: r.Header, ContentLength: r.ContentLength,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(f.ctx)
	strip(out.Header)
	if _, given := out.Header["User-Agent"]; !given {
		out.Header["User-Agent"] = nil // net/http would add its own
	}
	return out
}

// hopHeaders apply to one connection only (RFC 9110 section 7.6.1), or are for
// the proxy.
var hopHeaders = []string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect", "Http2-Settings",
}

func strip(h http.Header) {
	for _, list := range h["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			h.Del(textproto.TrimString(name))
		}
	}
	for _, name := range hopHeaders {
		h.Del(name)
	}
}

// reply streams an answer to the client, and reports whether another request may
// follow.
func (c *client) reply(ctx context.Context, method string, r *http.Response, last bool) bool {
	strip(r.Header)
	r.Header.Del("Alt-Svc") // offers QUIC, which the box cannot use
	r.Header.Del("X-Glovebox-Refused")
	r.Header.Del("X-Glovebox-Failed")
	r.Header.Del("Content-Length")
	empty := method == http.MethodHead || r.StatusCode == http.StatusNoContent || r.StatusCode == http.StatusNotModified
	chunked := !empty && r.ContentLength < 0
	if r.ContentLength >= 0 && (!empty || method == http.MethodHead) {
		r.Header.Set("Content-Length", strconv.FormatInt(r.ContentLength, 10))
	}
	if chunked {
		r.Header.Set("Transfer-Encoding", "chunked")
	}
	if last {
		r.Header.Set("Connection", "close")
	}
	var head strings.Builder
	head.WriteString("HTTP/1.1 " + strconv.Itoa(r.StatusCode) + " " + http.StatusText(r.StatusCode) + "\r\n")
	if err := r.Header.Write(&head); err != nil {
		return false
	}
	head.WriteString("\r\n")
	w := deadlineWriter{c.conn}
	if _, err := io.WriteString(w, head.String()); err != nil || ctx.Err() != nil {
		return false
	}
	if empty {
		return !last
	}
	return copyBody(w, r.Body, chunked) == nil && !last
}

func copyBody(w io.Writer, body io.Reader, chunked bool) error {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	if !chunked {
		_, err := io.CopyBuffer(w, struct{ io.Reader }{body}, *buffer)
		return err
	}
	cw := httputil.NewChunkedWriter(w)
	if _, err := io.CopyBuffer(cw, struct{ io.Reader }{body}, *buffer); err != nil {
		return err
	}
	if err := cw.Close(); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\r\n")
	return err
}
