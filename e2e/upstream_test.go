package e2e

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// publicName is a host with a public address. Only our proxy can connect to its
// server.
const (
	publicName    = "app.public.example"
	publicAddress = "8.8.4.4"
)

// nameServer resolves publicName, and resolves a name below it to a private
// address.
func nameServer(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	t.Cleanup(func() { _ = conn.Close(); served.Wait() })
	served.Go(func() {
		packet := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(packet)
			if err != nil {
				return
			}
			if answer := answered(packet[:n]); answer != nil {
				_, _ = conn.WriteTo(answer, from)
			}
		}
	})
	return conn.LocalAddr().String()
}

func answered(packet []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(packet) != nil || len(m.Questions) != 1 {
		return nil
	}
	m.Response, m.Additionals = true, nil
	q := m.Questions[0]
	address, known := map[string][4]byte{publicName + ".": {8, 8, 4, 4}, "inside.public.example.": {10, 0, 0, 1}}[q.Name.String()]
	switch {
	case !known:
		m.RCode = dnsmessage.RCodeNameError
	case q.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: 1}, Body: &dnsmessage.AResource{A: address},
		}}
	}
	out, err := m.Pack()
	if err != nil {
		return nil
	}
	return out
}

// companyProxy is an HTTP proxy that requires a login and connects every tunnel
// to one server.
type companyProxy struct {
	address string
	mu      sync.Mutex
	asked   []string
}

func newCompanyProxy(t *testing.T, login, server string) *companyProxy {
	t.Helper()
	p := &companyProxy{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asked = append(p.asked, r.Method+" "+r.RequestURI)
		p.mu.Unlock()
		if r.Header.Get("Proxy-Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte(login)) {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		carry(conn, buffered, server)
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	p.address = s.Listener.Addr().String()
	return p
}

// carry copies bytes between a client and a server.
func carry(client net.Conn, buffered *bufio.ReadWriter, server string) {
	defer client.Close()
	far, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer far.Close()
	_, _ = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() {
		_, _ = io.Copy(far, buffered)
		_ = far.Close()
	}()
	_, _ = io.Copy(client, far)
}

func (p *companyProxy) places() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(p.asked)))
}

// TestPublicHostsBehindAProxy opens a public host through the configured proxy,
// which is asked only for the address that the gateway looked up. Private hosts
// stay refused, and the proxy itself is not a destination.
func TestPublicHostsBehindAProxy(t *testing.T) {
	testenv.Heavy(t)
	const login = "gateway:canary-proxy-6620"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<title>%s</title><p>%v", r.Host, r.Header)
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	proxy := newCompanyProxy(t, login, server.Listener.Addr().String())
	s := reaching("localhost:1", proxy.address)
	s.env = append(s.env, "GLOVEBOX_SECURITY_NETWORK_NAVIGATION=*.public.example", "GLOVEBOX_SECURITY_NETWORK_RESOLVER="+nameServer(t),
		"GLOVEBOX_SECURITY_NETWORK_UPSTREAM_PROXY_URL=http://"+proxy.address, "GLOVEBOX_SECURITY_NETWORK_UPSTREAM_PROXY_SECRET_ENV=PROXY_LOGIN",
		"PROXY_LOGIN="+login)
	g := start(t, s)
	agent := g.curl(t, "agent")
	base := "/v1/sessions/" + agent.open(`{"name": "outside"}`) + "/browser/"
	if got := agent.post(base+"navigate", `{"url": "http://`+publicName+`/"}`).object(http.StatusOK); got["title"] != publicName {
		t.Errorf("navigate: %v", got)
	}
	if text := toJSON(t, agent.get(base+"snapshot").object(http.StatusOK)); strings.Contains(text, "Proxy-") || strings.Contains(text, "canary") {
		t.Errorf("the server received a header about the proxy: %s", text)
	}
	agent.post(base+"navigate", `{"url": "http://inside.public.example/"}`).problem(fault.BlockedDomain)
	agent.post(base+"navigate", `{"url": "http://`+proxy.address+`/"}`).problem(fault.BlockedDomain)
	if want := []string{"CONNECT " + publicAddress + ":80"}; !slices.Equal(proxy.places(), want) {
		t.Errorf("the proxy was asked for %q, want %q", proxy.places(), want)
	}
	g.keepsNothingOf(t, "canary-proxy")
}

// TestSessionsUseTheProxyThatTheyName checks that no session connects directly,
// and that a warm box uses the proxy of its session.
func TestSessionsUseTheProxyThatTheyName(t *testing.T) {
	testenv.Heavy(t)
	const login = "gateway:canary-proxy-7731"
	proxies := map[string]*companyProxy{}
	for _, name := range []string{"default", "paris"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, "<title>by %s</title>", name) }))
		t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
		proxies[name] = newCompanyProxy(t, login, server.Listener.Addr().String())
	}
	g := prepare(t, settings{warmPool: 1, env: []string{
		"GLOVEBOX_SECURITY_NETWORK_NAVIGATION=*.public.example", "GLOVEBOX_SECURITY_NETWORK_RESOLVER=" + nameServer(t), "PROXY_LOGIN=" + login,
		"GLOVEBOX_SECURITY_NETWORK_UPSTREAM_PROXY_URL=http://" + proxies["default"].address, "GLOVEBOX_SECURITY_NETWORK_UPSTREAM_PROXY_SECRET_ENV=PROXY_LOGIN",
	}})
	text, err := os.ReadFile(g.config)
	if err != nil {
		t.Fatal(err)
	}
	named := fmt.Sprintf("network: {upstream_proxies: [{name: paris, url: 'http://%s', secret_env: PROXY_LOGIN}, {name: other, url: 'http://%s', scopes: [other]}], ", proxies["paris"].address, proxies["paris"].address)
	if err := os.WriteFile(g.config, []byte(strings.Replace(string(text), "network: {", named, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	g.run()
	agent := g.curl(t, "agent")
	for _, c := range []struct{ start, by string }{{`{}`, "default"}, {`{"proxy": "paris"}`, "paris"}, {`{"proxy": "default"}`, "default"}} {
		session := agent.open(c.start)
		if got := agent.post("/v1/sessions/"+session+"/browser/navigate", `{"url": "http://`+publicName+`/"}`).object(http.StatusOK); got["title"] != "by "+c.by {
			t.Errorf("%s went out %v, want %s", c.start, got["title"], c.by)
		}
		agent.post("/v1/sessions/"+session+"/browser/navigate", `{"url": "http://inside.public.example/"}`).problem(fault.BlockedDomain)
		agent.post("/v1/sessions/"+session+"/close", "").object(http.StatusOK)
	}
	for _, asked := range []string{"rome", "other", "direct", "http://" + proxies["paris"].address} {
		agent.post("/v1/sessions", `{"proxy": "`+asked+`"}`).problem(fault.InvalidRequest)
	}
	for name, proxy := range proxies {
		if want := []string{"CONNECT " + publicAddress + ":80"}; !slices.Equal(proxy.places(), want) {
			t.Errorf("%s was asked for %q, want %q", name, proxy.places(), want)
		}
	}
	out, complaint, status := g.command(t, "session", "start", "--proxy", "paris", "--json")
	if status != 0 || !strings.Contains(out, `"proxy":"paris"`) {
		t.Errorf("status %d\n%s%s", status, out, complaint)
	}
	g.keepsNothingOf(t, "canary-proxy")
}
