// Package place has web applications answer by the names of hosts that only it
// knows.
package place

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/egress/egresstest"
)

// Place is where the applications are: one address, at which each answers by
// its host, and the name server that knows the hosts.
type Place struct {
	names  *egresstest.Names
	server *httptest.Server
	mu     sync.Mutex
	apps   map[string]http.Handler
}

// Open opens one that is closed with the test.
func Open(tb testing.TB) *Place {
	tb.Helper()
	names, err := egresstest.Start()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(names.Close)
	p := &Place{names: names, apps: map[string]http.Handler{}}
	p.server = httptest.NewServer(p)
	tb.Cleanup(func() { p.server.CloseClientConnections(); p.server.Close() })
	return p
}

// Resolver is the address of the name server.
func (p *Place) Resolver() string { return p.names.Address() }

// Origin is a host's, as browsers ask for it.
func (p *Place) Origin(host string) string {
	return "http://" + host + ":" + p.server.URL[strings.LastIndex(p.server.URL, ":")+1:]
}

// Put has an application answer for a host.
func (p *Place) Put(host string, app http.Handler) {
	p.names.Set(host, "127.0.0.1")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.apps[host] = app
}

// ServeHTTP passes a request on to the application of its host.
func (p *Place) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, _ := strings.Cut(r.Host, ":")
	p.mu.Lock()
	app := p.apps[host]
	p.mu.Unlock()
	if app == nil {
		http.NotFound(w, r)
		return
	}
	app.ServeHTTP(w, r)
}
