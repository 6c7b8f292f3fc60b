package egress

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// testProxy is a proxy that requires a login, and connects within a testNetwork.
type testProxy struct {
	testNetwork *testNetwork
	mu          sync.Mutex
	asked       []string
	serve       func(*testProxy, net.Conn) (to string, answer func(ok bool) error, err error)
}

const login = "ada:canary-proxy"

// upstreamOf starts a proxy for a network and returns its Upstream.
func upstreamOf(t *testing.T, scheme string) (*testProxy, *Upstream) {
	t.Helper()
	r := &testProxy{serve: map[string]func(*testProxy, net.Conn) (string, func(bool) error, error){"http": askedByHTTP, "socks5": askedBySOCKS}[scheme]}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var clients sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); clients.Wait() })
	clients.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			bound(t, conn)
			clients.Go(func() { r.handle(conn) })
		}
	})
	u, err := ParseUpstream(scheme+"://"+l.Addr().String(), login)
	if err != nil {
		t.Fatal(err)
	}
	return r, u
}

func (r *testProxy) handle(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	to, answer, err := r.serve(r, conn)
	if err != nil {
		return
	}
	r.mu.Lock()
	r.asked = append(r.asked, to)
	w := r.testNetwork
	r.mu.Unlock()
	w.mu.Lock()
	target, ok := w.hosts[to]
	w.mu.Unlock()
	if answer(ok) != nil || !ok {
		return
	}
	server, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	copyBoth(conn, server, tunnelIdle)
}

func (r *testProxy) places() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(slices.Values(r.asked))
}

func askedByHTTP(_ *testProxy, conn net.Conn) (string, func(bool) error, error) {
	request, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return "", nil, err
	}
	if request.Header.Get("Proxy-Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte(login)) {
		_, _ = io.WriteString(conn, "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
		return "", nil, io.EOF
	}
	return request.RequestURI, func(ok bool) error {
		status := "200 Connection established"
		if !ok {
			status = "502 Bad Gateway"
		}
		_, err := io.WriteString(conn, "HTTP/1.1 "+status+"\r\nVia: relay\r\n\r\n")
		return err
	}, nil
}

func askedBySOCKS(_ *testProxy, conn net.Conn) (string, func(bool) error, error) {
	hello := make([]byte, 3)
	if _, err := io.ReadFull(conn, hello); err != nil {
		return "", nil, err
	}
	if hello[2] != 2 {
		_, _ = conn.Write([]byte{5, 0xff})
		return "", nil, io.EOF
	}
	_, _ = conn.Write([]byte{5, 2})
	given := make([]byte, 2+len(login)) // version, two lengths, and no colon
	if _, err := io.ReadFull(conn, given); err != nil {
		return "", nil, err
	}
	if string(given[2:5])+":"+string(given[6:]) != login {
		_, _ = conn.Write([]byte{1, 1})
		return "", nil, io.EOF
	}
	_, _ = conn.Write([]byte{1, 0})
	head := make([]byte, 4)
	if _, err := io.ReadFull(conn, head); err != nil {
		return "", nil, err
	}
	rest := make([]byte, map[byte]int{1: 4, 4: 16}[head[3]]+2)
	if _, err := io.ReadFull(conn, rest); err != nil || len(rest) == 2 {
		return "", nil, io.ErrUnexpectedEOF
	}
	addr, _ := netip.AddrFromSlice(rest[:len(rest)-2])
	to := netip.AddrPortFrom(addr, binary.BigEndian.Uint16(rest[len(rest)-2:]))
	return to.String(), func(ok bool) error {
		code := byte(0)
		if !ok {
			code = 4
		}
		_, err := conn.Write(append([]byte{5, code, 0, 3, 4}, "name\x00\x50"...)) // bound to a name, as some say
		return err
	}, nil
}

// TestPublicHostsAreReachedThroughTheProxy checks that the upstream proxy is
// asked for the address that was checked.
func TestPublicHostsAreReachedThroughTheProxy(t *testing.T) {
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello "+r.Host) })
	for _, scheme := range []string{"http", "socks5"} {
		r, u := upstreamOf(t, scheme)
		w := newTestNetwork(t, func(o *Options) { o.Upstream = u })
		r.testNetwork = w
		w.serve("plain.example", "8.8.4.1:80", hello)
		w.serve("six.example", "[2606:4700::1]:80", hello)
		client := w.secure("example.com", "8.8.4.2:443", hello)
		w.serve("near.example", "10.0.0.7:80", hello)
		w.open(action.Network{Navigation: []string{"plain.example", "six.example", "example.com"}, AllowPrivate: []string{"near.example:80"}})
		browser := w.browser(client.Transport.(*http.Transport))
		for _, url := range []string{"http://plain.example/", "http://six.example/", "https://example.com/", "http://near.example/"} {
			response, err := browser.Get(url)
			if err != nil {
				t.Errorf("%s: %s: %v", scheme, url, err)
				continue
			}
			body, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if !strings.HasPrefix(string(body), "hello ") {
				t.Errorf("%s: %s: %q", scheme, url, body)
			}
		}
		if want := []string{"8.8.4.1:80", "8.8.4.2:443", "[2606:4700::1]:80"}; !slices.Equal(r.places(), want) {
			t.Errorf("%s: the proxy was asked for %q, want %q", scheme, r.places(), want)
		}
		if got := w.dials(); !slices.Equal(got, []string{"10.0.0.7:80"}) { // hosts of allow_private are connected to directly
			t.Errorf("%s: dialled without the proxy: %q", scheme, got)
		}
		browser.CloseIdleConnections()
		w.proxy.Close("box")
	}
}

// TestRefusedRequestsDoNotReachTheUpstreamProxy also checks that the upstream
// proxy is not a destination.
func TestRefusedRequestsDoNotReachTheUpstreamProxy(t *testing.T) {
	r, u := upstreamOf(t, "http")
	w := newTestNetwork(t, func(o *Options) { o.Upstream = u })
	r.testNetwork = w
	w.mu.Lock()
	w.names["inside.example"] = [][]string{{"10.0.0.1"}}
	w.names["mixed.example"] = [][]string{{"8.8.4.1", "127.0.0.1"}}
	w.names["metadata.example"] = [][]string{{"169.254.169.254"}}
	w.names["own.example"] = [][]string{{"5.5.5.5"}}
	w.mu.Unlock()
	proxy := fmt.Sprintf("127.0.0.1:%d", u.Port)
	w.open(action.Network{Navigation: []string{"*.example"}, AllowPrivate: []string{proxy}, Ports: []int{80, int(u.Port)}})
	for host, why := range map[string]reason{
		"inside.example:80": specialAddress, "mixed.example:80": specialAddress, "metadata.example:80": specialAddress, "own.example:80": ownAddress,
		"shut.test:80": notAllowed, proxy: toProxy,
	} {
		got := w.exchange("GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n").Header.Get("X-Glovebox-Refused")
		if got != string(why) {
			t.Errorf("%s: %q, want %q", host, got, why)
		}
	}
	if len(r.places())+len(w.dials()) > 0 {
		t.Errorf("the proxy was asked for %q, and dialled was %q", r.places(), w.dials())
	}
}

// TestThePublicUpstreamProxyIsNotADestination uses a proxy with a public address.
func TestThePublicUpstreamProxyIsNotADestination(t *testing.T) {
	u, err := ParseUpstream("socks5://8.8.4.9:443", "")
	if err != nil {
		t.Fatal(err)
	}
	w := newTestNetwork(t, func(o *Options) { o.Upstream = u })
	w.place("proxy.example", "8.8.4.9:443", "127.0.0.1:1")
	w.open(action.Network{Navigation: []string{"proxy.example"}})
	if _, answer := w.tunnel("proxy.example:443"); answer.Header.Get("X-Glovebox-Refused") != string(toProxy) {
		t.Errorf("got %d %v", answer.StatusCode, answer.Header)
	}
}

// TestFailuresOfTheUpstreamProxyAreReported also checks that no answer contains
// the proxy's login.
func TestFailuresOfTheUpstreamProxyAreReported(t *testing.T) {
	for _, scheme := range []string{"http", "socks5"} {
		r, u := upstreamOf(t, scheme)
		wrong, none, away := *u, *u, *u
		wrong.Password, none.Login, away.Port = "canary-wrong", false, 1
		for _, c := range []struct {
			by   *Upstream
			want failure
		}{{u, proxyRefused}, {&wrong, proxyLogin}, {&none, proxyLogin}, {&away, proxyAway}} {
			w := newTestNetwork(t, func(o *Options) { o.Upstream = c.by })
			r.mu.Lock()
			r.testNetwork = w
			r.mu.Unlock()
			w.names["open.example"] = [][]string{{"8.8.4.1"}}
			w.open(action.Network{Navigation: []string{"open.example"}})
			if _, answer := w.tunnel("open.example:443"); answer.Header.Get("X-Glovebox-Failed") != string(c.want) || strings.Contains(fmt.Sprint(answer.Header), "canary") {
				t.Errorf("%s: %v, want %q", scheme, answer.Header, c.want)
			}
		}
	}
}

// TestAnUpstreamProxyThatDoesNotAnswerIsGivenUp ends the wait for a proxy that is
// silent. One whose answer has no end, or is not HTTP, is not waited for.
func TestAnUpstreamProxyThatDoesNotAnswerIsGivenUp(t *testing.T) {
	for name, answer := range map[string]string{"silence": "", "no end": "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-A: b\r\n", 3000), "no HTTP": "SSH-2.0\r\n\r\n"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(testwait.Context(t))
		var served sync.WaitGroup
		served.Go(func() {
			conn, err := l.Accept()
			if err == nil {
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
					t.Errorf("%s: it was not asked: %v", name, err)
				}
				if answer == "" {
					cancel()
				}
				_, _ = io.WriteString(conn, answer)
				_, _ = io.Copy(io.Discard, conn) // until the other side closes
				_ = conn.Close()
			}
		})
		u, err := ParseUpstream("http://"+l.Addr().String(), "")
		if err != nil {
			t.Fatal(err)
		}
		conn, err := u.dial(ctx, netip.MustParseAddrPort("8.8.4.1:80"))
		if err == nil {
			_ = conn.Close()
			t.Errorf("%s: it connected", name)
		}
		if ended := ctx.Err() != nil; ended != (answer == "") {
			t.Errorf("%s: its context had ended: %v", name, ended)
		}
		cancel()
		_ = l.Close()
		served.Wait()
	}
}

func TestInvalidUpstreamProxiesAreRefused(t *testing.T) {
	for _, c := range [][2]string{
		{"proxy:3128", ""}, {"ftp://proxy:21", ""}, {"http://proxy", ""}, {"http://ada:canary@proxy:3128", ""}, {"http://proxy:3128/path", ""},
		{"socks5://:1080", ""}, {"http://proxy:0", ""}, {"http://proxy:3128", "canary"}, {"http://proxy:3128", ":canary"},
		{"http://proxy:3128", "ada:canary\r\nX: y"}, {"http://proxy:3128", "ada:" + strings.Repeat("x", 256)},
	} {
		if _, err := ParseUpstream(c[0], c[1]); fault.CodeOf(err) != fault.InvalidRequest || strings.Contains(err.Error(), "canary") {
			t.Errorf("%q: %v", c, err)
		}
	}
}

// TestABoxUsesTheUpstreamProxyOfItsRules has boxes with different proxies, and
// one that is not configured.
func TestABoxUsesTheUpstreamProxyOfItsRules(t *testing.T) {
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	relays, names := map[string]*testProxy{}, map[string]*Upstream{}
	for name, scheme := range map[string]string{"": "http", "paris": "http", "oslo": "socks5"} {
		relays[name], names[name] = upstreamOf(t, scheme)
	}
	w := newTestNetwork(t, func(o *Options) {
		o.Upstream, o.Upstreams = names[""], map[string]*Upstream{"paris": names["paris"], "oslo": names["oslo"]}
	})
	for _, r := range relays {
		r.testNetwork = w
	}
	w.serve("plain.example", "8.8.4.1:80", hello)
	get := func(network action.Network) string {
		t.Helper()
		network.Navigation = []string{"plain.example"}
		w.open(network)
		return fmt.Sprint(w.exchange("GET http://plain.example/ HTTP/1.1\r\nHost: plain.example\r\n\r\n").StatusCode)
	}
	for _, c := range []struct{ proxy, by string }{{"", ""}, {"default", ""}, {"paris", "paris"}, {"oslo", "oslo"}} {
		before := len(relays[c.by].places())
		if got := get(action.Network{Proxy: c.proxy}); got != "200" {
			t.Errorf("by %q: %s", c.proxy, got)
		}
		if after := relays[c.by].places(); len(after) != before+1 || after[0] != "8.8.4.1:80" {
			t.Errorf("by %q the proxy was asked for %q", c.proxy, after)
		}
	}
	if dialled := w.dials(); len(dialled) > 0 {
		t.Errorf("dialled without a proxy: %q", dialled)
	}
	if got := get(action.Network{Proxy: "direct"}); got != "200" || !slices.Equal(w.dials(), []string{"8.8.4.1:80"}) {
		t.Errorf("directly: %s, dialled %q", got, w.dials())
	}
	err := w.proxy.Open("box", action.Network{Navigation: []string{"plain.example"}, Proxy: "rome"})
	if fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("by one that is not configured: %v", err)
	}
}

// TestNoUpstreamProxyIsADestination uses a box that has another proxy.
func TestNoUpstreamProxyIsADestination(t *testing.T) {
	named, err := ParseUpstream("http://8.8.4.9:3128", "")
	if err != nil {
		t.Fatal(err)
	}
	w := newTestNetwork(t, func(o *Options) { o.Upstreams = map[string]*Upstream{"paris": named} })
	w.place("proxy.example", "8.8.4.9:3128", "127.0.0.1:1")
	w.open(action.Network{Navigation: []string{"proxy.example"}, Ports: []int{3128}, Proxy: "direct"})
	if _, answer := w.tunnel("proxy.example:3128"); answer.Header.Get("X-Glovebox-Refused") != string(toProxy) {
		t.Errorf("got %d %v", answer.StatusCode, answer.Header)
	}
}

func TestATunnelEndsWhenItsBoxGetsAnotherProxy(t *testing.T) {
	r, u := upstreamOf(t, "http")
	w := newTestNetwork(t, func(o *Options) { o.Upstreams = map[string]*Upstream{"paris": u} })
	r.testNetwork = w
	w.serve("open.example", "8.8.4.1:443", http.NotFoundHandler())
	rules := action.Network{Navigation: []string{"open.example"}, Proxy: "paris"}
	w.open(rules)
	conn, answer := w.tunnel("open.example:443")
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("got %d %v", answer.StatusCode, answer.Header)
	}
	rules.Proxy = "direct"
	w.open(rules)
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the tunnel is still open: %d, %v", n, err)
	}
}
