package mcp_test

import (
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/surface/mcp"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

// gateway runs the real REST surface with real tokens, and MCP behind it.
func gateway(t *testing.T, d *fakeGate) (url, token string) {
	t.Helper()
	return behindREST(t, d, surface(t, d))
}

func behindREST(t *testing.T, d *fakeGate, tools *mcp.Surface) (url, token string) {
	t.Helper()
	dir := t.TempDir()
	book, err := auth.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, auth.AgentFile))
	if err != nil {
		t.Fatal(err)
	}
	h, err := rest.New(rest.Options{Gate: d, Auth: book, MCP: tools.Handler(), Agents: tools, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Close()
		_ = tools.Close()
		server.Close()
	})
	return server.URL, strings.TrimSpace(string(text))
}

func TestMCPBehindRESTKnowsTheTokensOwner(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		d := site()
		url, token := gateway(t, d)
		c, err := dial(t, url+"/mcp", token, version)
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		if result := use(t, c, "browser_click", map[string]any{"target": "e1"}); result.IsError {
			t.Errorf("%s: %s", version, text(t, result))
		}
		if got := d.call(t, 0); got.Caller != agent || got.Surface != "mcp" {
			t.Errorf("%s: call %+v", version, got)
		}
		_ = c.Close()
		if c, err := dial(t, url+"/mcp", "gbx_ag_wrong", version); err == nil {
			_ = c.Close()
			t.Errorf("%s: a wrong token was let in", version)
		}
	}
}

func TestMCPOverStandardInputCallsARunningGateway(t *testing.T) {
	d := site()
	url, token := gateway(t, d)
	result := use(t, relayed(t, url, token), "browser_navigate", map[string]any{"url": "a.example"})
	if result.IsError || !strings.Contains(text(t, result), "button \"Save\" [e1]") {
		t.Errorf("got %s", text(t, result))
	}
	if got := d.call(t, 0); got.Caller != agent || got.Surface != "mcp" || got.Source.Address != "127.0.0.1" || got.Source.UserAgent != "test/1" || got.Args.(*action.Goto).URL != "a.example" {
		t.Errorf("call %+v", got)
	}
}
