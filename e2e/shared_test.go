package e2e

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"testing"
)

// stranger is the token of an agent of another scope.
const stranger = "the-token-of-an-agent-of-another-scope"

func strangersToken() string {
	return fmt.Sprintf("{name: stranger, role: agent, scope: elsewhere, sha256: %x}", sha256.Sum256([]byte(stranger)))
}

// unasked denies the questions that are left open, of which a scope may have only
// some.
func (g *gateway) unasked(t *testing.T) {
	t.Helper()
	c := g.curl(t, "operator")
	list, _ := c.get("/v1/approvals").object(http.StatusOK)["questions"].([]any)
	for _, q := range list {
		if q := q.(object); q["state"] == "pending" {
			c.post(fmt.Sprintf("/v1/approvals/%s/answer", q["id"]), `{"approve": false, "reason": "the test is over"}`)
		}
	}
}

// TestGateway contains the tests that share a gateway: each has its own sessions,
// and leaves no box.
func TestGateway(t *testing.T) {
	t.Parallel()
	g := start(t, settings{tokens: strangersToken(), security: "max_actions_per_session: 1000"}) // every verb is tried in one
	for _, test := range []struct {
		name string
		run  func(*testing.T, *gateway)
	}{
		{"MCPOverStdio", mcpOverStdio},
		{"MCPOverHTTP", mcpOverHTTP},
		{"PhasesOverStdio", phasesOverStdio},
		{"RESTMainJob", restMainJob},
		{"RESTQuestion", restQuestion},
		{"PickedUp", pickedUp},
		{"Batches", batches},
		{"Resources", resources},
		{"EveryOperation", everyOperation},
		{"Faults", faults},
		{"Guidance", guidance},
		{"HelpWanted", helpWanted},
		{"Wished", hostRequested},
		{"Crawls", crawls},
		{"Runs", contractRuns},
		{"Cookies", cookies},
		{"Profiles", profiles},
		{"Files", files},
		{"Credentials", credentials},
		{"Strangers", strangers},
		{"WebPages", webPages},
		{"BadInput", badInput},
		{"BadPages", badPages},
		{"BadTools", badTools},
		{"WayOut", wayOut},
		{"RendererKilled", rendererKilled},
		{"BrowserKilled", browserKilled},
		{"CallerGoesAway", callerGoesAway},
		{"Floods", floods},
		{"Headers", headers},
		{"Conformance", conforms},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, g) })
		g.settled(t)
		g.unasked(t)
	}
	g.trailHolds(t)
}
