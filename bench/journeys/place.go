package journeys

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/gate/egress/egresstest"
)

// place is where the applications are: one address, at which each answers by
// its host, and the name server that knows the hosts.
type place struct {
	names  *egresstest.Names
	server *httptest.Server
	mu     sync.Mutex
	apps   map[string]App
}

func openPlace(tb testing.TB) *place {
	tb.Helper()
	names, err := egresstest.Start()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(names.Close)
	p := &place{names: names, apps: map[string]App{}}
	p.server = httptest.NewServer(p)
	tb.Cleanup(func() { p.server.CloseClientConnections(); p.server.Close() })
	return p
}

// origin is a host's, as browsers ask for it.
func (p *place) origin(host string) string {
	return "http://" + host + ":" + p.server.URL[strings.LastIndex(p.server.URL, ":")+1:]
}

// put has an application answer for a host.
func (p *place) put(host string, app App) {
	p.names.Set(host, "127.0.0.1")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.apps[host] = app
}

func (p *place) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
