package policy

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// The risk of the table is in the record.
func TestAdminCallsOfOperatorsHaveTheirRisk(t *testing.T) {
	p := mustNew(t, Config{Enabled: true})
	for verb, risk := range map[string]action.Risk{"token.create": action.High, "credential.capture": action.High, "audit.query": action.Low} {
		row, _ := action.Lookup(verb)
		if v := decide(t, p, action.Operator, verb, row.NewArgs(), action.Facts{}); v.Decision != Allow || v.Risk != risk {
			t.Errorf("%s: %v at %s, want %s", verb, v.Decision, v.Risk, risk)
		}
	}
}
