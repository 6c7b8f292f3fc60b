package e2e

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// canary reports what reaches it: HTTP and HTTPS servers on every address of this
// machine, and UDP sockets. Ways out are distinguished by the first label of the
// requested host, or by a UDP socket of their own.
type canary struct {
	suffix string // of its hosts: "canary.test"
	plain  *httptest.Server
	secure *httptest.Server

	mu          sync.Mutex
	reached     map[string]bool
	connections int            // and datagrams
	sockets     map[string]int // ports of ways' own; never changed
	changed     chan struct{}
}

func newCanary(t *testing.T, suffix string) *canary {
	t.Helper()
	c := &canary{suffix: suffix, reached: map[string]bool{}, sockets: map[string]int{}, changed: make(chan struct{}, 1)}
	c.plain, c.secure = c.server(t), c.server(t)
	c.secure.TLS = &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		c.saw(hello.ServerName)
		return nil, nil //nolint:nilnil // the server's own configuration holds
	}}
	c.plain.Start()
	c.secure.StartTLS()
	c.openSockets(t)
	t.Cleanup(func() {
		for _, s := range []*httptest.Server{c.plain, c.secure} {
			s.CloseClientConnections()
			s.Close()
		}
	})
	return c
}

// openSockets opens a socket for each way that has one of its own.
func (c *canary) openSockets(t *testing.T) {
	t.Helper()
	texts := map[string]string{}
	for _, w := range pageWays() {
		texts[w.name] = w.page
	}
	for _, d := range direct {
		texts[d.name] = d.try
	}
	for name, text := range texts {
		for _, network := range []string{"udp", "tcp"} {
			if strings.Contains(text, "{"+network+"}") {
				c.sockets[network+name] = c.own(t, network, name)
			}
		}
	}
}

func (c *canary) server(t *testing.T) *httptest.Server {
	t.Helper()
	listener, err := net.Listen("tcp", ":0") // every address: loopback, the engine's bridge, the machine's own
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(c.serve))
	_ = s.Listener.Close()
	s.Listener = listener
	s.Config.ErrorLog = quietLog()
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			c.count()
		}
	}
	return s
}

// serve answers anything, for any origin.
func (c *canary) serve(w http.ResponseWriter, r *http.Request) {
	c.saw(r.Host)
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Allow-Headers", "*")
	w.Header().Set("Content-Type", "text/html")
	_, _ = fmt.Fprint(w, "<title>canary</title>")
}

func (c *canary) saw(host string) {
	name, found := strings.CutSuffix(bareHost(host), "."+c.suffix)
	if !found {
		name = host
	}
	c.mu.Lock()
	c.reached[name] = true
	c.mu.Unlock()
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

func bareHost(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		return h
	}
	return host
}

// own opens a separate socket for a way, of "udp" or "tcp", and returns its port.
// Packets to it need no name.
func (c *canary) own(t *testing.T, network, name string) int {
	t.Helper()
	var socket io.Closer
	var receive func() error
	var port int
	if network == "udp" {
		conn, err := net.ListenUDP("udp", &net.UDPAddr{})
		if err != nil {
			t.Fatal(err)
		}
		socket, port = conn, conn.LocalAddr().(*net.UDPAddr).Port
		receive = func() error { _, _, err := conn.ReadFrom(make([]byte, 1)); return err }
	} else {
		listener, err := net.Listen("tcp", ":0")
		if err != nil {
			t.Fatal(err)
		}
		socket, port = listener, listener.Addr().(*net.TCPAddr).Port
		receive = func() error {
			conn, err := listener.Accept()
			if err == nil {
				_ = conn.Close()
			}
			return err
		}
	}
	var ended sync.WaitGroup
	ended.Go(func() {
		for receive() == nil {
			c.count()
			c.saw(name + "." + c.suffix)
		}
	})
	t.Cleanup(func() { _ = socket.Close(); ended.Wait() })
	return port
}

func (c *canary) count() {
	c.mu.Lock()
	c.connections++
	c.mu.Unlock()
}

// ports are those of the TCP servers.
func (c *canary) ports() (plain, secure int) {
	return c.plain.Listener.Addr().(*net.TCPAddr).Port, c.secure.Listener.Addr().(*net.TCPAddr).Port
}

func (c *canary) plainPort() int {
	plain, _ := c.ports()
	return plain
}

// every returns all ports, UDP included.
func (c *canary) every() map[int]bool {
	plain, secure := c.ports()
	all := map[int]bool{plain: true, secure: true}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, port := range c.sockets {
		all[port] = true
	}
	return all
}

// fill writes the canary's addresses into the text of a way.
func (c *canary) fill(name, text string) string {
	host := name + "." + c.suffix
	plain, secure := c.ports()
	for _, network := range []string{"udp", "tcp"} {
		if own := "{" + network + "}"; strings.Contains(text, own) {
			text = strings.ReplaceAll(text, own, strconv.Itoa(c.sockets[network+name]))
		}
	}
	return strings.NewReplacer(
		"{http}", fmt.Sprintf("http://%s:%d", host, plain), "{https}", fmt.Sprintf("https://%s:%d", host, secure),
		"{ws}", fmt.Sprintf("ws://%s:%d", host, plain), "{wss}", fmt.Sprintf("wss://%s:%d", host, secure),
		"{host}", host, "{port}", strconv.Itoa(plain), "{tlsport}", strconv.Itoa(secure), "{name}", name,
	).Replace(text)
}

// arrived reports which ways have reached the canary.
func (c *canary) arrived() (names map[string]bool, connections int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	names = map[string]bool{}
	for name := range c.reached {
		names[name] = true
	}
	return names, c.connections
}
