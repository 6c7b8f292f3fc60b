package egress

import (
	"bufio"
	"errors"
	"net/http"
	"strings"
	"testing"
)

func TestAmbiguousRequestsAreRefused(t *testing.T) {
	const good = "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\n\r\n"
	if _, err := readHead([]byte(good)); err != nil {
		t.Fatalf("a valid request is refused: %v", err)
	}
	for _, raw := range []string{
		"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
		"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
		"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
		"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1, 1\r\n\r\n",
		"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: +1\r\n\r\n",
		"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 0x1\r\n\r\n",
		"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length:\r\n\r\n",
		"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 99999999999999999999\r\n\r\n",
		"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked, identity\r\n\r\n",
		"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: xchunked\r\n\r\n",
		"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
		"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding : chunked\r\n\r\n",
		"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\n Transfer-Encoding: chunked\r\n\r\n",
		"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nX: y\r\n\tfolded\r\n\r\n",
		"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nX: y\nTransfer-Encoding: chunked\r\n\r\n",
		"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nX: y\rZ: w\r\n\r\n",
		"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nX: y\x00\r\n\r\n",
		"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nTransfer\x0b-Encoding: chunked\r\n\r\n",
		"GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\n\r\n",
		"GET http://a.test/ HTTP/1.1\r\n\r\n",
		"GET http://a.test/ HTTP/1.0\r\nHost: a.test\r\n\r\n",
		"GET http://a.test/ HTTP/1.1 \r\nHost: a.test\r\n\r\n",
		"GET  http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
		"GET http://a.test/\t HTTP/1.1\r\nHost: a.test\r\n\r\n",
		"GET http://a.t\xc3\xa9st/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
		"G(T http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
		"\r\nGET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
		"GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nno colon\r\n\r\n",
		"GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n: empty\r\n\r\n",
	} {
		if _, err := readHead([]byte(raw)); err != malformed {
			t.Errorf("%q: %v, want malformed", raw, err)
		}
	}
	for _, header := range []string{"Via: 1.1 x", "Forwarded: for=1", "Max-Forwards: 1"} {
		raw := "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n" + header + "\r\n\r\n"
		if _, err := readHead([]byte(raw)); err != chained {
			t.Errorf("%q: %v, want chained", raw, err)
		}
	}
}

func TestHeadsAreLimitedInSize(t *testing.T) {
	r := bufio.NewReaderSize(strings.NewReader("GET / HTTP/1.1\r\nX: "+strings.Repeat("y", maxHead)+"\r\n\r\n"), maxHead)
	if _, err := peekHead(r); err != headTooLarge {
		t.Errorf("a huge head: %v, want %v", err, headTooLarge)
	}
	r = bufio.NewReaderSize(strings.NewReader("GET / HTTP/1.1\r\nX: y\r\n"), maxHead)
	if _, err := peekHead(r); err != malformed {
		t.Errorf("a cut head: %v, want %v", err, malformed)
	}
}

func TestTargetsAreParsedStrictly(t *testing.T) {
	for _, c := range []struct {
		target, host string
		err          error
	}{
		{"http://a.test/x?y", "a.test", nil}, {"http://a.test:80/", "a.test", nil}, {"http://A.test./", "a.test", nil}, {"http://a.test", "a.test", nil},
		{"/", "a.test", toGateway}, {"*", "a.test", toGateway}, {"a.test:80", "a.test", toGateway}, {"https://a.test/", "a.test", badScheme},
		{"ftp://a.test/", "a.test", badScheme}, {"http://a.test/", "b.test", otherHost}, {"http://a.test/", "", otherHost}, {"http://a.test/", "a.test:81", otherHost},
		{"http://u@a.test/", "a.test", userInfo}, {"http://0x7f.1/", "127.0.0.1", oddSpelling}, {"http://a%2etest/", "a.test", badURL},
		{"http://a.test/#x", "a.test", malformed}, {"http://a.test\\@b.test/", "a.test", malformed}, {"http:///a.test/", "a.test", badURL},
		{"http://a.test#@b.test/", "a.test", malformed}, {"http://[::ffff:127.0.0.1]/", "[::ffff:7f00:1]", oddSpelling},
	} {
		if _, _, err := (head{target: c.target, host: c.host}).plainTarget(); !errors.Is(err, c.err) {
			t.Errorf("%s with Host %q: %v, want %v", c.target, c.host, err, c.err)
		}
	}
	for _, c := range []struct {
		target, host string
		body         bool
		err          error
	}{
		{"a.test:443", "a.test:443", false, nil}, {"a.test:443", "a.test", false, nil}, {"a.test", "a.test", false, malformed},
		{"a.test:443", "b.test:443", false, otherHost}, {"a.test:443", "a.test:443", true, malformed}, {"https://a.test/", "a.test", false, badURL},
		{"u@a.test:443", "a.test", false, userInfo}, {"127.1:443", "127.1:443", false, oddSpelling}, {"a.test:443/x", "a.test", false, badURL}, {":443", "a.test", false, badURL},
	} {
		if _, err := (head{target: c.target, host: c.host, body: c.body}).tunnelTarget(); !errors.Is(err, c.err) {
			t.Errorf("CONNECT %s with Host %q: %v, want %v", c.target, c.host, err, c.err)
		}
	}
}

// FuzzReadHead checks that the lenient parser understands every head that the
// strict check accepts in the same way.
func FuzzReadHead(f *testing.F) {
	f.Add("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
	f.Add("POST http://a.test/?x HTTP/1.1\r\nHost: a.test:80\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
	f.Add("POST http://a.test/ HTTP/1.1\r\nhost:a.test\r\nTransfer-Encoding: CHUNKED\r\nConnection: close, x\r\n\r\n")
	f.Add("GET / HTTP/1.1\r\nHost: a.test\r\nUpgrade: websocket\r\n\r\n")
	f.Fuzz(func(t *testing.T, raw string) {
		end := strings.Index(raw, "\r\n\r\n")
		if end < 0 {
			return
		}
		raw = raw[:end+4]
		h, err := readHead([]byte(raw))
		if err != nil {
			return
		}
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
		if err != nil {
			return // refused
		}
		body := r.ContentLength > 0 || len(r.TransferEncoding) > 0
		if r.Method != h.method || r.RequestURI != h.target || body && !h.body {
			t.Fatalf("%q is %+v to us and %s %s with body %v to the parser", raw, h, r.Method, r.RequestURI, body)
		}
		if p, _, err := h.plainTarget(); err == nil && !strings.EqualFold(strings.TrimSuffix(r.URL.Hostname(), "."), p.host) {
			t.Fatalf("%q goes to %s for us and to %s for the parser", raw, p.host, r.URL.Hostname())
		}
	})
}
