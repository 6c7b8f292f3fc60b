package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/testcache"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// journeys of the official client, next to a call of every tool.
var journeys = []string{"progress", "cancelled", "lost", "errors", "several", "resources"}

// TestMCPClients uses third-party MCP clients over both transports.
func TestMCPClients(t *testing.T) {
	testenv.Heavy(t)
	t.Parallel()
	g := start(t, settings{security: "max_concurrent_sessions: -1"})
	project := testcache.Project(t, "mcp")
	t.Run("Clients", func(t *testing.T) { g.clients(t, project) })
	g.trailHolds(t)
}

// clients has them use the program side by side.
func (g *gateway) clients(t *testing.T, project string) {
	for name, args := range map[string][]string{
		"OfficialOverStdio":    append([]string{"1", "stdio", "everyTool"}, journeys...),
		"OfficialOverHTTP":     append([]string{"1", "http"}, journeys...),
		"OfficialTwoOverStdio": append([]string{"2", "stdio"}, journeys...),
		"OfficialTwoOverHTTP":  append([]string{"2", "http", "everyTool"}, journeys...),
		"Revisions":            {"2", "any", "revisions"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g.goes(t, project, args...)
		})
	}
	t.Run("InspectorOverStdio", func(t *testing.T) {
		t.Parallel()
		g.inspected(t, project, "stdio", "--", binary, "mcp", "--config", g.config)
	})
	t.Run("InspectorOverHTTP", func(t *testing.T) {
		t.Parallel()
		g.inspected(t, project, "http", "--transport", "http", "--header", "Authorization: Bearer "+g.token("agent"), "--", g.url()+"/mcp")
	})
}

const inspector = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"

// inspected makes typical calls with the Inspector's command line, each with a
// new client.
func (g *gateway) inspected(t *testing.T, project, name string, target ...string) {
	inspect := func(method string, args ...string) string {
		t.Helper()
		command := slices.Concat([]string{testcache.Node(project), inspector, "--cli", "--quiet", "--method", method}, args, target)
		return runs(t, project, command...)
	}
	call := func(tool string, args object) string {
		t.Helper()
		args["session"] = name
		text, _ := json.Marshal(args)
		return inspect("tools/call", "--tool-name", tool, "--tool-args-json", string(text))
	}
	var listing struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal([]byte(inspect("tools/list", "--strict")), &listing); err != nil || len(listing.Tools) < 20 {
		t.Errorf("%d tools: %v", len(listing.Tools), err)
	}
	inspect("tools/call", "--tool-name", "browser_session", "--tool-arg", "action=start", "name="+name)
	for _, step := range []struct {
		tool string
		args object
		want string
	}{
		{"browser_navigate", object{"url": g.site + "/lab/controls"}, "Show 0"},
		{"browser_click", object{"role": "button", "name": "Show 0"}, "Show 1"},
		{"browser_snapshot", object{}, "Show 1"},
		{"browser_close", object{}, "is closed"},
	} {
		if got := call(step.tool, step.args); !strings.Contains(got, step.want) {
			t.Errorf("%s: %s", step.tool, got)
		}
	}
}

// goes has a client go on journeys.
func (g *gateway) goes(t *testing.T, project string, args ...string) {
	t.Helper()
	node := exec.CommandContext(testwait.Context(t), "node", append([]string{"run.mjs"}, args...)...)
	node.Dir = project
	node.Env = append(os.Environ(), append(g.env, "BASE=http://"+g.address, "AGENT="+g.token("agent"),
		"OPERATOR="+g.token("operator"), "SITE="+g.site, "BINARY="+binary, "CONFIG="+g.config)...)
	if out, err := node.CombinedOutput(); err != nil || !strings.HasSuffix(string(bytes.TrimSpace(out)), "ok") {
		t.Errorf("%v: %v\n%s", args, err, out)
	}
}
