package redact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
)

// A page shows a secret in groups of letters, each in an element of its own.
func TestASecretInGroupsIsFound(t *testing.T) {
	const secret = "eyKzWq8Jx2Gv5Yt7Qm9Zk3Xp1Lw6Rj4Hs0Nu8Vy2Tz7"
	m := redact.New(credentials.Keep(secret))
	type item struct{ Role, Name, Value, Text, Ref string }
	for _, size := range []int{3, 5, 9, 15} {
		var snapshot, table strings.Builder
		var listed []item
		for at := 0; at < len(secret); at += size {
			group := secret[at:min(len(secret), at+size)]
			fmt.Fprintf(&snapshot, "   cell %q [e%d] focused\n", group, at)
			fmt.Fprintf(&table, "%q: %q,\n", "name", group)
			listed = append(listed, item{"cell", group, "", group, fmt.Sprintf("e%d", at)})
		}
		all := struct {
			Snapshot, Table string
			Items           []item
		}{" table\n  row\n" + snapshot.String(), table.String(), listed}
		for name, v := range map[string]any{"snapshot": all.Snapshot, "all": all, "items": all.Items} {
			clean, err := redact.Value(m, v)
			if err != nil {
				t.Fatal(err)
			}
			said := fmt.Sprint(clean)
			for at := 0; at+3 <= len(secret); at += size {
				group := secret[at:min(len(secret), at+size)]
				if len(group) >= 3 && strings.Contains(said, group) {
					t.Errorf("groups of %d, %s: %q is shown in\n%s", size, name, group, said)
					break
				}
			}
		}
	}
	plain := ` cell "Invoice 4711" [e1]` + "\n" + ` cell "2026-11-22" [e2]` + "\n" + ` cell "EUR 900.00" [e3]`
	if clean, err := redact.Value(m, plain); err != nil || clean != plain {
		t.Errorf("ordinary cells become %q, %v", clean, err)
	}
}
