package e2e

import (
	"testing"

	"github.com/gloveboxhq/glovebox/e2e/conformance"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// conforms runs the protocol's own conformance suite against the gateway, with a
// valid token, and as a web page does after DNS rebinding.
func conforms(t *testing.T, g *gateway) {
	testenv.Heavy(t)
	g.curl(t, "operator").open(`{"name": "conforms"}`) // its page is a resource to read
	for _, revision := range conformance.Revisions {
		t.Run(revision, func(t *testing.T) { conformance.Run(t, conformance.Program, g.url(), g.token("agent"), revision) })
	}
}
