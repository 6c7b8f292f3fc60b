// Package vaulttest is a HashiCorp Vault for tests: a server with the part of its HTTP API that a
// reader of a KV version 2 engine needs. It fails the test at a request that is not in the API's
// documentation (developer.hashicorp.com/vault/api-docs).
package vaulttest

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// Options are for Start. The zero Options make a server over HTTP with a KV engine at secret/ and
// AppRole at approle/, without namespaces.
type Options struct {
	TLS       bool
	Namespace string // where engine, roles and tokens are; a request names it in X-Vault-Namespace
	Mount     string // of the KV engine
	AppRole   string // path of the auth method
}

// Server is a running Vault. It is safe for concurrent use.
type Server struct {
	URL string // scheme://host:port
	CA  []byte // PEM, of a server with TLS

	t       testing.TB
	options Options

	mu      sync.Mutex
	ahead   time.Duration // by which the server's clock is ahead
	sealed  bool
	tokens  map[string]*token
	roles   map[string]role
	secrets map[string][]version
	asked   []string
	news    chan struct{} // closed at the next request
	instead http.HandlerFunc
}

// Start starts a server on a free port of 127.0.0.1, and ends it with the test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Mount = strings.Trim(o.Mount, "/"); o.Mount == "" {
		o.Mount = "secret"
	}
	if o.AppRole = strings.Trim(o.AppRole, "/"); o.AppRole == "" {
		o.AppRole = "approle"
	}
	s := &Server{
		t: t, options: o,
		tokens: map[string]*token{}, roles: map[string]role{}, secrets: map[string][]version{},
		news: make(chan struct{}),
	}
	server := httptest.NewUnstartedServer(s)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that distrust it are tested too
	if o.TLS {
		server.StartTLS()
		s.CA = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	} else {
		server.Start()
	}
	s.URL = server.URL
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return s
}

// Advance advances the clock by which tokens expire.
func (s *Server) Advance(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead += by
}

// now is the server's time. The caller holds mu.
func (s *Server) now() time.Time { return time.Now().Add(s.ahead).UTC() }

// Seal seals the server, or unseals it. A sealed server answers only requests for its health.
func (s *Server) Seal(sealed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sealed = sealed
}

// Instead sets a function that answers valid requests: slowly, incompletely, or as no Vault does. nil
// removes it.
func (s *Server) Instead(answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instead = answer
}

// Asked returns the requests so far, as method and path, oldest first.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// Await waits until a request, in the form of Asked, was made n times.
func (s *Server) Await(request string, n int) {
	s.t.Helper()
	over := testwait.Context(s.t).Done()
	for {
		s.mu.Lock()
		asked, news := s.asked, s.news
		s.mu.Unlock()
		if count(asked, request) >= n {
			return
		}
		select {
		case <-news:
		case <-over:
			s.t.Fatalf("%s was not asked %d times, but %v", request, n, asked)
		}
	}
}

func count(all []string, one string) (n int) {
	for _, other := range all {
		if other == one {
			n++
		}
	}
	return n
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
	close(s.news)
	s.news = make(chan struct{})
	instead := s.instead
	s.mu.Unlock()
	route, body, wrong := s.read(r)
	if wrong != "" {
		s.t.Errorf("no request of Vault's API: %s %s: %s", r.Method, r.URL.Path, wrong)
		answer{status: http.StatusMethodNotAllowed, errors: []string{"unsupported operation"}}.write(w)
		return
	}
	if instead != nil {
		instead(w, r)
		return
	}
	s.mu.Lock()
	got := s.answer(route, call{method: r.Method, header: r.Header, path: route.rest, query: r.URL.Query(), body: body})
	s.mu.Unlock()
	got.write(w)
}
