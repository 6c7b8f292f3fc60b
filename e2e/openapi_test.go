package e2e

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/testcache"
)

// TestDescriptionPassesLinters holds what the program prints against two
// linters' own rules. Warnings fail too.
func TestDescriptionPassesLinters(t *testing.T) {
	project := testcache.Project(t, "openapi")
	t.Setenv("REDOCLY_TELEMETRY", "off")
	runs(t, time.Minute, project, binary, "openapi", "--out", filepath.Join(project, "openapi.json"))
	for _, linter := range [][]string{
		{"node_modules/.bin/spectral", "lint", "--fail-severity=warn", "openapi.json"},
		{"node_modules/.bin/redocly", "lint", "--max-problems=20", "openapi.json"},
	} {
		runs(t, 2*time.Minute, project, linter...)
	}
}
