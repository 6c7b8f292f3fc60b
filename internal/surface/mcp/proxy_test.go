package mcp_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestASessionIsStartedByTheProxyThatItsAgentNames(t *testing.T) {
	d := refusing()
	use(t, connect(t, surface(t, d), nil), "browser_session", map[string]any{"action": "start", "proxy": "paris"})
	if c := d.call(t, 0); c.Verb != "session.start" || c.Args.(*action.SessionStart).Proxy != "paris" {
		t.Errorf("it called %s with %+v", c.Verb, c.Args)
	}
}
