package e2e

import (
	"path/filepath"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/testcache"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// TestDescriptionPassesLinters checks the printed description with two linters.
// Warnings fail too.
func TestDescriptionPassesLinters(t *testing.T) {
	testenv.Heavy(t)
	project := testcache.Project(t, "openapi")
	t.Setenv("REDOCLY_TELEMETRY", "off")
	runs(t, project, binary, "openapi", "--out", filepath.Join(project, "openapi.json"))
	for _, linter := range [][]string{
		{"node_modules/.bin/spectral", "lint", "--fail-severity=warn", "openapi.json"},
		{"node_modules/.bin/redocly", "lint", "--max-problems=20", "openapi.json"},
	} {
		runs(t, project, linter...)
	}
}

// TestClientMadeOfTheDescription calls a gateway with a client that is generated
// from the description.
func TestClientMadeOfTheDescription(t *testing.T) {
	testenv.Heavy(t)
	g := start(t, settings{})
	project := testcache.Project(t, "openapi")
	for name, value := range map[string]string{"BASE": "http://" + g.address, "TOKEN": g.token("operator"), "SITE": g.site} {
		t.Setenv(name, value)
	}
	runs(t, project, binary, "openapi", "-o", filepath.Join(project, "openapi.json"))
	for _, step := range [][]string{
		{"node_modules/.bin/openapi-typescript", "openapi.json", "-o", "openapi.d.ts"},
		{"node_modules/.bin/tsc", "--strict", "--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext", "--types", "node", "client.ts", "openapi.d.ts"},
		{"node", "client.js"},
	} {
		runs(t, project, step...)
	}
}
