package egress

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// testNetwork simulates the internet: names, public addresses, and loopback
// servers behind them.
type testNetwork struct {
	t        testing.TB
	mu       sync.Mutex
	names    map[string][][]string // each look-up takes the next answer, the last one stays
	hosts    map[string]string     // address:port → listener
	dialled  []string
	refusals chan action.Refusal
	proxy    *Proxy
}

func newTestNetwork(t testing.TB, change func(*Options)) *testNetwork {
	w := &testNetwork{t: t, names: map[string][][]string{}, hosts: map[string]string{}, refusals: make(chan action.Refusal, 1000)}
	o := Options{Resolver: w, Dial: w.dial, LocalAddresses: func() []netip.Addr { return []netip.Addr{netip.MustParseAddr("5.5.5.5")} },
		OnRefused: func(_ string, r action.Refusal) { w.refusals <- r }}
	if change != nil {
		change(&o)
	}
	w.proxy = New(o)
	t.Cleanup(func() {
		if err := w.proxy.Shutdown(testwait.Context(t)); err != nil {
			t.Errorf("Shutdown failed: %v", err)
		}
	})
	return w
}

func (w *testNetwork) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	answers := w.names[strings.TrimSuffix(host, ".")]
	if len(answers) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	answer := answers[0]
	if len(answers) > 1 {
		w.names[strings.TrimSuffix(host, ".")] = answers[1:]
	}
	var addrs []netip.Addr
	for _, a := range answer {
		addrs = append(addrs, netip.MustParseAddr(a))
	}
	return addrs, nil
}

func (w *testNetwork) dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	w.mu.Lock()
	w.dialled = append(w.dialled, to.String())
	target, ok := w.hosts[to.String()]
	w.mu.Unlock()
	if !ok {
		return nil, errors.New("connection refused")
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", target)
}

// serve starts a server with a name.
func (w *testNetwork) serve(name, address string, h http.Handler) {
	s := httptest.NewServer(h)
	w.t.Cleanup(s.Close)
	w.place(name, address, s.Listener.Addr().String())
}

func (w *testNetwork) place(name, address, listener string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.names[name] = [][]string{{netip.MustParseAddrPort(address).Addr().String()}}
	w.hosts[address] = listener
}

func (w *testNetwork) open(n action.Network) {
	w.t.Helper()
	if err := w.proxy.Open("box", n); err != nil {
		w.t.Fatal(err)
	}
}

// bound lets no read or write of a connection outlast the test.
func bound(t testing.TB, conn net.Conn) {
	if end, limited := testwait.Deadline(t); limited {
		_ = conn.SetDeadline(end)
	}
}

// connect opens a proxy connection of the box.
func (w *testNetwork) connect() net.Conn {
	w.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	mine, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		w.t.Fatal(err)
	}
	theirs, err := l.Accept()
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = mine.Close() })
	bound(w.t, mine)
	w.proxy.Handle("box", theirs)
	return mine
}

// browser is an HTTP client that uses the proxy only, as Chromium does.
func (w *testNetwork) browser(roots *http.Transport) *http.Client {
	t := &http.Transport{DisableCompression: true}
	if roots != nil {
		t.TLSClientConfig = roots.TLSClientConfig.Clone()
	}
	t.Proxy = http.ProxyURL(mustURL(w.t, "http://proxy.invalid"))
	t.DialContext = func(context.Context, string, string) (net.Conn, error) { return w.connect(), nil }
	w.t.Cleanup(t.CloseIdleConnections)
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// exchange sends a raw request and returns the answer.
func (w *testNetwork) exchange(request string) *http.Response {
	w.t.Helper()
	conn := w.connect()
	if _, err := io.WriteString(conn, request); err != nil {
		w.t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		w.t.Fatalf("no answer to %q: %v", request, err)
	}
	w.t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// tunnel opens a CONNECT tunnel and returns it with the proxy's answer.
func (w *testNetwork) tunnel(authority string) (net.Conn, *http.Response) {
	w.t.Helper()
	conn := w.connect()
	if _, err := fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", authority, authority); err != nil {
		w.t.Fatal(err)
	}
	var head []byte
	for one := make([]byte, 1); !bytes.HasSuffix(head, headEnd); head = append(head, one[0]) {
		if _, err := io.ReadFull(conn, one); err != nil {
			w.t.Fatalf("no answer to CONNECT %s: %v", authority, err)
		}
	}
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(head)), &http.Request{Method: http.MethodConnect})
	if err != nil {
		w.t.Fatalf("no answer to CONNECT %s: %v", authority, err)
	}
	return conn, response
}

// refused waits for the next reported refusal.
func (w *testNetwork) refused() action.Refusal {
	w.t.Helper()
	return testwait.Receive(w.t, w.refusals, "a refusal")
}

func (w *testNetwork) dials() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.dialled...)
}

// secure starts a TLS server with a name, and returns a client that trusts it.
func (w *testNetwork) secure(name, address string, h http.Handler) *http.Client {
	s := httptest.NewUnstartedServer(h)
	s.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	s.StartTLS()
	w.t.Cleanup(s.Close)
	w.place(name, address, s.Listener.Addr().String())
	return s.Client()
}
