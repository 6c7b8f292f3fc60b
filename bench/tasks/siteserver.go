package tasks

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gloveboxhq/glovebox/bench/tasks/sites"
)

// siteServer serves the sites, at two origins.
type siteServer struct {
	*sites.Server
	address, far string // of the sites, and of the frames of another site
	begun        atomic.Int64
}

// openSiteServer serves the sites on ports that the system chooses, until the test
// ends. localhost and 127.0.0.1 are two sites to a browser.
func openSiteServer(tb testing.TB) *siteServer {
	tb.Helper()
	far := httptest.NewUnstartedServer(nil)
	server := sites.New("http://" + far.Listener.Addr().String())
	far.Config.Handler = server
	far.Start()
	near := httptest.NewServer(server)
	tb.Cleanup(func() {
		for _, s := range []*httptest.Server{near, far} {
			s.CloseClientConnections()
			s.Close()
		}
	})
	return &siteServer{Server: server, address: strings.Replace(near.URL, "127.0.0.1", "localhost", 1), far: far.URL}
}

// begin begins a run that no other has the address of.
func (h *siteServer) begin(site sites.Site, seed uint64) *sites.Run {
	return h.Begin(site, fmt.Sprintf("run-%d", h.begun.Add(1)), seed)
}
