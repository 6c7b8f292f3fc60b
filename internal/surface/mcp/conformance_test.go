package mcp_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/e2e/conformance"
	"github.com/gloveboxhq/glovebox/internal/golden"
	"github.com/gloveboxhq/glovebox/internal/surface/mcp"
)

// TestConformanceOfFixtures runs the protocol's conformance suite against the
// surface behind the REST surface, with the tools that the suite needs.
func TestConformanceOfFixtures(t *testing.T) {
	tools, err := mcp.NewFixtures(mcp.Options{Gate: site(), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	url, token := behindREST(t, site(), tools)
	for _, revision := range conformance.Revisions {
		t.Run(revision, func(t *testing.T) { conformance.Run(t, conformance.Fixtures, url, token, revision) })
	}
}

func TestConformancePageIsUpToDate(t *testing.T) {
	golden.File(t, "../../../docs/mcp-conformance.md", conformance.Page())
}

func TestEveryScenarioThatDidNotPassHasAReason(t *testing.T) {
	for _, s := range conformance.Table() {
		everywhere := true
		for _, servers := range s.Ends {
			for _, end := range servers {
				everywhere = everywhere && end == conformance.Passed
			}
		}
		if everywhere != (s.Why == "") {
			t.Errorf("%s has the reason %q and ended with %v", s.Name, s.Why, s.Ends)
		}
	}
}
