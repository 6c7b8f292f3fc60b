package e2e

import (
	"testing"

	"github.com/gloveboxhq/glovebox/e2e/conformance"
)

// conforms has the protocol's own suite try the gateway, as whoever has a
// token, and as a web page would whose name was made to lead here.
func conforms(t *testing.T, g *gateway) {
	g.curl(t, "operator").open(`{"name": "conforms"}`) // its page is a resource to read
	for _, revision := range conformance.Revisions {
		t.Run(revision, func(t *testing.T) { conformance.Run(t, conformance.Program, g.url(), g.token("agent"), revision) })
	}
}
