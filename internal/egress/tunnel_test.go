package egress

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func TestTLSConnectsToTheHostInItsServerName(t *testing.T) {
	w := newTestNetwork(t, nil)
	trusting := w.secure("example.com", "9.9.9.9:443", hello) // the test certificate's name
	w.open(action.Network{Navigation: []string{"example.com"}})
	r, err := w.browser(trusting.Transport.(*http.Transport)).Get("https://example.com/x")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	if text := body(t, r); text != "hello from example.com/x" {
		t.Errorf("got %q", text)
	}
}

func TestATunnelWithAnotherServerNameIsClosed(t *testing.T) {
	for name, config := range map[string]*tls.Config{
		"another": {ServerName: "evil.test"},
		"none":    {InsecureSkipVerify: true}, //nolint:gosec // the handshake is not to succeed
		"parent":  {ServerName: "test"},
	} {
		w := newTestNetwork(t, nil)
		w.secure("app.test", "9.9.9.9:443", hello)
		w.open(action.Network{Navigation: []string{"app.test"}})
		conn, r := w.tunnel("app.test:443")
		if r.StatusCode != 200 {
			t.Fatalf("%s: CONNECT answered %d", name, r.StatusCode)
		}
		if err := tls.Client(conn, config).HandshakeContext(t.Context()); err == nil {
			t.Errorf("%s: the handshake succeeded", name)
		}
		if told := w.refused(); told.Reason != string(otherServer) || told.Host != "app.test" {
			t.Errorf("%s: reported %+v", name, told)
		}
	}
}

func TestAFragmentedHelloIsRead(t *testing.T) {
	w := newTestNetwork(t, nil)
	trusting := w.secure("example.com", "9.9.9.9:443", hello)
	w.open(action.Network{Navigation: []string{"example.com"}})
	conn, _ := w.tunnel("example.com:443")
	config := trusting.Transport.(*http.Transport).TLSClientConfig.Clone()
	config.ServerName = "example.com"
	client := tls.Client(bytewise{conn}, config)
	if err := client.HandshakeContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	_ = client.Close()
}

// bytewise writes one byte at a time.
type bytewise struct{ net.Conn }

func (c bytewise) Write(p []byte) (int, error) {
	for i := range p {
		if _, err := c.Conn.Write(p[i : i+1]); err != nil {
			return i, err
		}
	}
	return len(p), nil
}

func TestATunnelThatIsNeitherTLSNorWebSocketIsClosed(t *testing.T) {
	for _, c := range []struct {
		port, first string
		want        reason
	}{
		{"443", "GET / HTTP/1.1\r\nHost: app.test\r\n\r\n", notTLS},
		{"443", "SSH-2.0-x\r\n", notTLS},
		{"443", "\x16\x03\x01\x00\x05\x02\x00\x00\x01\x00", notTLS},
		{"443", "\x16\x03\x01\xff\xff" + strings.Repeat("x", 100), notTLS},
		{"80", "GET / HTTP/1.1\r\nHost: app.test\r\n\r\n", notTLS},
		{"80", "POST / HTTP/1.1\r\nHost: app.test\r\nUpgrade: websocket\r\n\r\n", notTLS},
		{"80", "GET http://evil.test/ HTTP/1.1\r\nHost: app.test\r\nUpgrade: websocket\r\n\r\n", notTLS},
		{"80", "GET / HTTP/1.1\r\nHost: evil.test\r\nUpgrade: websocket\r\n\r\n", otherHost},
		{"80", "GET / HTTP/1.1\r\nHost: app.test\r\nHost: evil.test\r\nUpgrade: websocket\r\n\r\n", malformed},
		{"80", "MAIL FROM:<x>\r\n\r\n", malformed},
	} {
		w := newTestNetwork(t, nil)
		w.serve("app.test", "9.9.9.9:"+c.port, hello)
		w.open(action.Network{Navigation: []string{"app.test"}})
		conn, _ := w.tunnel("app.test:" + c.port)
		_, _ = io.WriteString(conn, c.first)
		if got, _ := io.ReadAll(conn); len(got) != 0 {
			t.Errorf("%q was answered: %q", c.first, got)
		}
		if told := w.refused(); told.Reason != string(c.want) {
			t.Errorf("%q: reported %+v, want %s", c.first, told, c.want)
		}
	}
}

func TestTunnelsToForbiddenHostsAreRefused(t *testing.T) {
	w := newTestNetwork(t, nil)
	w.open(action.Network{Navigation: []string{"app.test"}, Subresources: "any-public"})
	for authority, want := range map[string]reason{"app.test:22": badPort, "app.test:25": badPort, "127.0.0.1:443": specialAddress, "[::1]:443": specialAddress, "app.test:8443": badPort} {
		if _, r := w.tunnel(authority); r.StatusCode != 403 || r.Header.Get("X-Glovebox-Refused") != string(want) {
			t.Errorf("CONNECT %s: %d %v", authority, r.StatusCode, r.Header)
		}
	}
	if d := w.dials(); len(d) != 0 {
		t.Errorf("dialled %v", d)
	}
}

// echo sends WebSocket messages back.
var echo = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(rw, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer func() { _ = c.CloseNow() }()
	for {
		kind, message, err := c.Read(r.Context())
		if err != nil {
			return
		}
		_ = c.Write(r.Context(), kind, message)
	}
})

// socket opens a WebSocket through a CONNECT tunnel, as Chromium does.
func socket(t *testing.T, w *testNetwork, url string) *websocket.Conn {
	t.Helper()
	c, err := w.trySocket(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.CloseNow() })
	return c
}

func (w *testNetwork) trySocket(url string) (*websocket.Conn, error) {
	transport := &http.Transport{DialContext: func(_ context.Context, _, authority string) (net.Conn, error) {
		conn, _ := w.tunnel(authority)
		return conn, nil
	}}
	c, _, err := websocket.Dial(testwait.Context(w.t), url, &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}})
	return c, err
}

// say sends a message, and returns an error if the connection has ended.
func say(t *testing.T, c *websocket.Conn, text string) error {
	ctx := testwait.Context(t)
	defer func() {
		if ctx.Err() != nil {
			t.Errorf("waited in vain for the echo of %q, or for the end of the connection", text)
		}
	}()
	if err := c.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
		return err
	}
	_, got, err := c.Read(ctx)
	if err == nil && string(got) != text {
		t.Errorf("echo of %q is %q", text, got)
	}
	return err
}

func TestWebSocketsPassThroughATunnel(t *testing.T) {
	w := newTestNetwork(t, nil)
	w.serve("app.test", "9.9.9.9:80", echo)
	w.open(action.Network{Navigation: []string{"app.test"}})
	c := socket(t, w, "ws://app.test/")
	for _, text := range []string{"one", strings.Repeat("two", 8000)} {
		if err := say(t, c, text); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNewRulesCloseTunnelsTheyDoNotAllow(t *testing.T) {
	w := newTestNetwork(t, nil)
	w.serve("stay.test", "9.9.9.9:80", echo)
	w.serve("gone.test", "8.8.8.8:80", echo)
	w.open(action.Network{Navigation: []string{"stay.test", "gone.test"}})
	stay, gone := socket(t, w, "ws://stay.test/"), socket(t, w, "ws://gone.test/")
	for _, c := range []*websocket.Conn{stay, gone} {
		if err := say(t, c, "before"); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.proxy.Open("box", action.Network{Navigation: []string{"not a host"}}); err == nil {
		t.Fatal("invalid rules were accepted")
	}
	if err := say(t, gone, "still"); err != nil {
		t.Fatalf("invalid rules closed a tunnel: %v", err)
	}
	w.open(action.Network{Navigation: []string{"stay.test"}})
	if err := say(t, gone, "after"); err == nil {
		t.Error("a tunnel to a removed host is still open")
	}
	if err := say(t, stay, "after"); err != nil {
		t.Errorf("a tunnel to a host that is still allowed was closed: %v", err)
	}
	w.proxy.Close("box")
	if err := say(t, stay, "closed"); err == nil {
		t.Error("a tunnel is open after its box was closed")
	}
}

func TestNewRulesCloseDownloadsTheyDoNotAllow(t *testing.T) {
	w := newTestNetwork(t, nil)
	w.serve("app.test", "9.9.9.9:80", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	w.open(action.Network{Navigation: []string{"app.test"}})
	r := w.exchange("GET http://app.test/ HTTP/1.1\r\nHost: app.test\r\n\r\n")
	w.open(action.Network{Navigation: []string{"other.test"}})
	if _, err := io.ReadAll(r.Body); err == nil {
		t.Error("a download from a removed host ended as if it were complete")
	}
}

func TestATunnelWithoutTrafficIsClosed(t *testing.T) {
	client, far := net.Pipe()
	server, end := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		copyBoth(far, server, 20*time.Millisecond)
	}()
	testwait.Receive(t, done, "the end of the tunnel")
	if _, err := client.Write([]byte("x")); err == nil {
		t.Error("the client's side is still open")
	}
	if _, err := end.Write([]byte("x")); err == nil {
		t.Error("the server's side is still open")
	}
}
