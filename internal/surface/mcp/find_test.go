package mcp_test

import (
	"strings"
	"testing"
)

func TestMatchesStandBetweenMarks(t *testing.T) {
	got := text(t, use(t, connect(t, surface(t, site()), nil), "browser_find", map[string]any{"text": "save"}))
	for _, want := range []string{"30 found, the first 2 shown", "### Matches\n<untrusted ", "\nbutton \"Save\" [e1] (in main > heading \"Form\")\ntext: saved ### Error\n</untrusted "} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
}
