package rest

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
)

// Serve serves on a listener. It refuses (400) requests with an ambiguous
// length: Transfer-Encoding together with Content-Length, or in HTTP/1.0. Go's
// server silently ignores Content-Length then, so that a proxy in front of it
// might see other requests than it does.
func Serve(server *http.Server, l net.Listener) error {
	handler := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if state, secure := r.Context().Value(tlsKey{}).(*tls.ConnectionState); secure && r.TLS == nil {
			r.TLS = state // the server finds TLS by the type of the connection, which framedConn hides
		}
		handler.ServeHTTP(w, r)
	})
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if f, framed := c.(*framedConn); framed {
			if _, secure := f.Conn.(*tls.Conn); secure {
				return context.WithValue(ctx, tlsKey{}, new(tls.ConnectionState))
			}
		}
		return ctx
	}
	server.ConnState = func(c net.Conn, state http.ConnState) {
		if f, framed := c.(*framedConn); framed && state == http.StateHijacked {
			f.off.Store(true) // the bytes that follow are not HTTP
		}
	}
	return server.Serve(framedListener{l}) //nolint:wrapcheck // as http.Server says
}

type tlsKey struct{}

type framedListener struct{ net.Listener }

// Accept returns the next connection, as a framedConn.
func (l framedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err //nolint:wrapcheck // the listener's own
	}
	return &framedConn{Conn: c}, nil
}

// framedConn tracks where requests begin and end.
type framedConn struct {
	net.Conn
	frame framing
	off   atomic.Bool
}

var errFraming = errors.New("the request's body is not framed as HTTP wants it")

// Read reads the next bytes. It removes the colon from a header line of a
// request that is to be refused.
func (c *framedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.off.Load() {
		return n, err //nolint:wrapcheck // the connection's own
	}
	for i := range p[:n] {
		if p[i] = c.frame.next(p[i]); c.frame.at == broken {
			return 0, errFraming
		}
	}
	return n, err //nolint:wrapcheck // the connection's own
}

// The positions in a stream of requests.
const (
	requestLine = iota
	headerName
	headerValue
	bodyBytes
	chunkSize
	chunkLine
	chunkBytes
	chunkEnd
	trailerBegin
	trailerLine
	broken
)

const (
	longestName  = 32 // bytes of a header's name that are examined
	longestValue = 32 // of a value, and of the end of a request line
)

// framing finds where requests begin and end in a stream of bytes.
type framing struct {
	at       int
	text     []byte // of the current line or value
	name     string
	old      bool // the request is not of HTTP/1.1
	encoding bool // it has a Transfer-Encoding
	length   string
	left     uint64 // bytes of a body or chunk
	digits   int    // of a chunk's size
}

// next processes a byte and returns the byte that the server reads instead.
func (f *framing) next(b byte) byte {
	switch f.at {
	case requestLine:
		if b == '\n' && len(strings.TrimSpace(string(f.text))) > 0 {
			f.begin(headerName)
			f.encoding, f.length, f.old = false, "", !strings.HasSuffix(strings.TrimRight(string(f.text), "\r"), " HTTP/1.1")
			f.text = f.text[:0]
		} else if f.text = append(f.text, b); len(f.text) > longestValue {
			f.text = f.text[1:]
		}
	case headerName:
		return f.header(b)
	case headerValue:
		f.value(b)
	case bodyBytes:
		if f.left--; f.left == 0 {
			f.begin(requestLine)
		}
	case trailerBegin, trailerLine:
		f.trailer(b)
	default:
		f.chunk(b)
	}
	return b
}

func (f *framing) begin(at int) { f.at, f.digits = at, 0 }

// header processes the name of a header, or the end of the headers.
func (f *framing) header(b byte) byte {
	switch {
	case b == '\n' && len(strings.TrimSpace(string(f.text))) == 0:
		f.body()
	case b == '\n':
		f.text = f.text[:0] // a line without a name, which the server refuses
	case b == ':':
		f.name, f.text = strings.ToLower(string(f.text)), f.text[:0]
		f.begin(headerValue)
		if f.name == "transfer-encoding" && (f.length != "" || f.old) || f.name == "content-length" && f.encoding {
			return ' '
		}
		f.encoding = f.encoding || f.name == "transfer-encoding"
	case len(f.text) < longestName:
		f.text = append(f.text, b)
	}
	return b
}

func (f *framing) value(b byte) {
	if b != '\n' {
		if len(f.text) < longestValue {
			f.text = append(f.text, b)
		}
		return
	}
	if f.name == "content-length" {
		f.length = strings.TrimSpace(string(f.text)) + " " // there is one, possibly empty
	}
	f.text = f.text[:0]
	f.begin(headerName)
}

// body selects the state that follows the headers.
func (f *framing) body() {
	f.text = f.text[:0]
	f.begin(requestLine)
	if f.encoding {
		f.left = 0
		f.begin(chunkSize)
		return
	}
	size, err := strconv.ParseUint(strings.TrimSpace(f.length), 10, 63)
	if f.left = size; err == nil && size > 0 { // the server refuses anything but a number
		f.begin(bodyBytes)
	}
}

// chunk processes the size of a chunk, its content and its end.
func (f *framing) chunk(b byte) {
	switch f.at {
	case chunkSize, chunkLine:
		digit, err := strconv.ParseUint(string(rune(b)), 16, 8)
		switch {
		case f.at == chunkSize && err == nil && f.digits < 15:
			f.left, f.digits = f.left<<4|digit, f.digits+1
		case f.digits == 0 || f.at == chunkSize && err == nil:
			f.begin(broken)
		case b == '\n' && f.left == 0:
			f.begin(trailerBegin)
		case b == '\n':
			f.begin(chunkBytes)
		default:
			f.at = chunkLine
		}
	case chunkBytes:
		if f.left--; f.left == 0 {
			f.begin(chunkEnd)
		}
	case chunkEnd:
		switch {
		case b == '\r' && f.digits == 0:
			f.digits = 1
		case b == '\n' && f.digits == 1:
			f.begin(chunkSize)
		default:
			f.begin(broken)
		}
	}
}

// trailer processes the lines after the last chunk, up to an empty line.
func (f *framing) trailer(b byte) {
	switch {
	case b == '\n' && f.at == trailerBegin:
		f.text = f.text[:0]
		f.begin(requestLine)
	case b == '\n':
		f.begin(trailerBegin)
	case b != '\r' || f.at == trailerLine:
		f.at = trailerLine
	}
}
