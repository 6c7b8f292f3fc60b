package mcp_test

import (
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestToolCallsThatComeToNoCallAreRecorded(t *testing.T) {
	for name, c := range map[string]struct {
		tool string
		args map[string]any
		code fault.Code
	}{
		"unknown tool":     {"browser_fly", nil, fault.UnknownAction},
		"unknown argument": {"browser_click", map[string]any{"target": "e1", "wings": 2}, fault.InvalidRequest},
		"wrong type":       {"browser_navigate", map[string]any{"url": 7}, fault.InvalidRequest},
	} {
		d := site()
		session := connect(t, surface(t, d), nil)
		_, _ = session.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: c.args})
		if d.verbs() != "" || len(d.refused) != 1 {
			t.Fatalf("%s: called %q, refused %+v", name, d.verbs(), d.refused)
		}
		got := d.refused[0]
		if got.why.Code != c.code || got.call.Caller != agent || got.call.Surface != "mcp" || got.call.Source.Request != "tools/call "+c.tool || got.call.Source.UserAgent == "" {
			t.Errorf("%s: refused %+v: %v", name, got.call, got.why)
		}
	}
}

func TestToolsThatMadeACallAreNotRecordedTwice(t *testing.T) {
	d := refusing()
	use(t, connect(t, surface(t, d), nil), "browser_click", map[string]any{"target": "e1"})
	if d.verbs() != "page.click" || len(d.refused) != 0 || d.call(t, 0).Source.Request != "tools/call browser_click" {
		t.Errorf("called %q, refused %+v", d.verbs(), d.refused)
	}
}

func TestRefusalsOverStandardInputReachTheGateway(t *testing.T) {
	d := site()
	url, token := gateway(t, d)
	session := relayed(t, url, token)
	_, _ = session.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_fly"})
	if len(d.refused) != 1 || d.refused[0].call.Surface != "mcp" || d.refused[0].call.Caller != agent || !strings.Contains(d.refused[0].call.Source.Request, "browser_fly") {
		t.Errorf("refused %+v", d.refused)
	}
}
