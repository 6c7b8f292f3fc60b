package mcp_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/surface/mcp"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// guarded serves the surface as REST does: the caller is in the context. The
// token is the caller's name.
func guarded(t *testing.T, s *mcp.Surface) string {
	t.Helper()
	inner := s.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); name != "nobody" {
			r = r.WithContext(auth.With(r.Context(), action.Caller{Actor: name, Scope: "default", Role: action.Agent}))
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return server.URL
}

// bearer adds a token to requests.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func dial(t *testing.T, url, token, version string) (*sdk.ClientSession, error) {
	t.Helper()
	transport := &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1}
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	return client.Connect(testwait.Context(t), transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
}

func TestOldAndNewRevisionsWorkOverHTTP(t *testing.T) {
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			d := site()
			c, err := dial(t, guarded(t, surface(t, d)), "robot", version)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			if got := c.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("they agreed on %s", got)
			}
			result := use(t, c, "browser_navigate", map[string]any{"url": "a.example"})
			if result.IsError || d.verbs() != "page.goto" {
				t.Errorf("%s: %s", d.verbs(), text(t, result))
			}
			if got := d.call(t, 0).Caller; got != (action.Caller{Actor: "robot", Scope: "default", Role: action.Agent}) {
				t.Errorf("caller %+v", got)
			}
		})
	}
}

func TestNobodyGetsInOverHTTP(t *testing.T) {
	d := site()
	url := guarded(t, surface(t, d))
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		if c, err := dial(t, url, "nobody", version); err == nil {
			_ = c.Close()
			t.Errorf("%s: a stranger was let in", version)
		}
	}
}

func TestSessionIDIsOfNoUseWithAnothersToken(t *testing.T) {
	d := site()
	url := guarded(t, surface(t, d))
	c, err := dial(t, url, "robot", "2025-06-18")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	body := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"browser_snapshot","arguments":{}}}`
	for token, want := range map[string]int{"thief": http.StatusForbidden, "robot": http.StatusOK} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Mcp-Session-Id", c.ID())
		r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
		res, err := (&http.Client{Transport: bearer(token)}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s got %d, want %d", token, res.StatusCode, want)
		}
	}
	if d.verbs() != "page.snapshot" {
		t.Errorf("called %q", d.verbs())
	}
}

func TestCancelledRequestsReachTheDoorOverHTTP(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			arrived, left := make(chan struct{}), make(chan struct{})
			d := site()
			d.answer = func(ctx context.Context, _ action.Call) (action.Result, error) {
				close(arrived)
				<-ctx.Done()
				close(left)
				return action.Result{}, ctx.Err()
			}
			c, err := dial(t, guarded(t, surface(t, d)), "robot", version)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-arrived
				cancel()
			}()
			if _, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "browser_snapshot"}); err == nil {
				t.Error("the call was answered")
			}
			<-left
		})
	}
}
