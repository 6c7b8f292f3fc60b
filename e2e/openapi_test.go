package e2e

import (
	"strings"
	"testing"
	"time"
)

func TestLintersAreThoseThatTheLockNames(t *testing.T) {
	project := nodeProject(t, "openapi")
	for program, version := range map[string]string{"spectral": "6.16.3", "redocly": "1.34.5"} {
		if got := runs(t, time.Minute, project, "node_modules/.bin/"+program, "--version"); strings.TrimSpace(got) != version {
			t.Errorf("%s is %q, want %s", program, got, version)
		}
	}
}
