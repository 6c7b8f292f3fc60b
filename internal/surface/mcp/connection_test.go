package mcp_test

import (
	"context"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// connectionOf makes a call by a client and returns the connection that the
// call names.
func connectionOf(t *testing.T, d *fakeGate, c *sdk.ClientSession) string {
	t.Helper()
	before := len(d.calls)
	use(t, c, "browser_snapshot", nil)
	return d.call(t, before).Connection
}

func TestEveryConnectionOfOneTokenIsToldApart(t *testing.T) {
	d := site()
	pipe, another := surface(t, d), surface(t, d)
	web := guarded(t, surface(t, d))
	dialled := func(version string) *sdk.ClientSession {
		c, err := dial(t, web, "robot", version)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	clients := map[string]*sdk.ClientSession{
		"standard input": connect(t, pipe, nil), "another process": connect(t, another, nil),
		"a session": dialled("2025-06-18"), "another session": dialled("2025-06-18"),
		"no session": dialled("2026-07-28"),
	}
	seen := map[string]string{}
	for name, c := range clients {
		by := connectionOf(t, d, c)
		if by == "" || by != connectionOf(t, d, c) {
			t.Errorf("%s: two calls came by %q and another connection", name, by)
		}
		if other, known := seen[by]; known {
			t.Errorf("%s and %s share the connection %q", name, other, by)
		}
		seen[by] = name
	}
	if by := connectionOf(t, d, dialled("2026-07-28")); seen[by] != "no session" {
		t.Errorf("calls without a session come by %q, not by their token", by)
	}
}

func TestEachConnectionOfATokenStartsASession(t *testing.T) {
	d := site()
	open := map[string]bool{}
	d.answer = func(_ context.Context, c action.Call) (action.Result, error) {
		if c.Verb == "session.start" {
			open[c.Connection] = true
		} else if !open[c.Connection] {
			return action.Result{}, fault.New(fault.NotActive, "no session is open").With("state", "none")
		}
		return answerOf(c), nil
	}
	web := guarded(t, surface(t, d))
	for range 2 {
		c, err := dial(t, web, "robot", "2025-06-18")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		use(t, c, "browser_navigate", map[string]any{"url": "a.example"})
	}
	if got := d.verbs(); got != "page.goto session.start page.goto page.goto session.start page.goto" {
		t.Errorf("the calls were %s", got)
	}
}
