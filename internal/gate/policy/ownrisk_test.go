package policy

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// unjudged are the verbs that change something and act on an element, and whose
// verdict does not depend on that element, each with the reason.
var unjudged = map[string]string{
	"page.hover": "it moves the pointer; what the page sends because of it is judged as it is sent",
}

// A verb that acts on an element is judged by that element. A new one that is
// judged by the risk of its definition alone fails here: give its arguments
// Presses, or judge them in judgement.go.
func TestVerbsOnElementsAreJudgedByTheElement(t *testing.T) {
	p := mustNew(t, Config{})
	var got []string
	for _, row := range action.Verbs {
		if row.Class != action.Write || !row.Target {
			continue
		}
		if p.judge(action.Call{Verb: row.Name, Args: row.NewArgs()}, row, on(button("Delete account"))).rule == "verb" {
			got = append(got, row.Name)
		}
	}
	var want []string
	for name := range unjudged {
		want = append(want, name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verbs that are judged by their definition alone (-listed +found):\n%s", diff)
	}
}
