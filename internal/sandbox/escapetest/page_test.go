package escapetest

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/golden"
)

func TestSecurityPageIsUpToDate(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the page is written for the processor with the most calls")
	}
	golden.Part(t, "../../../docs/security.md", "walls", attemptsTable()+"\n"+benchmarkTable())
}

// attemptsTable returns the table of attempts, with those that get the same error in a row.
func attemptsTable() string {
	type kind struct{ group, answer string }
	var kinds []kind
	names := map[kind][]string{}
	tries := 0
	for _, a := range All() {
		k := kind{a.Group, a.Expected()}
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
		name := a.Name
		if a.NotInNamespace {
			name += " *"
		}
		names[k] = append(names[k], name)
		tries++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d attempts of a process in a box to escape or to do harm, and the error that each gets. Those with a star are not made in\n", tries)
	b.WriteString("namespaces that the process makes itself, where they succeed and affect only these.\n\n")
	b.WriteString("| | attempts | answer |\n|---|---|---|\n")
	for _, k := range kinds {
		list := names[k]
		slices.Sort(list)
		fmt.Fprintf(&b, "| %s | %s | %s |\n", k.group, strings.Join(list, ", "), k.answer)
	}
	return b.String()
}

func benchmarkTable() string {
	var b strings.Builder
	b.WriteString("The recommendations of the CIS Docker Benchmark 1.6.0 for running containers, read from the engine for a running box:\n\n")
	b.WriteString("| | recommended | of a box |\n|---|---|---|\n")
	for _, c := range Benchmark() {
		here := c.InBox
		if c.Exception != "" {
			here = "**not followed**: " + c.Exception
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.ID, c.Title, here)
	}
	return b.String()
}

func TestAttemptsAreCompleteAndUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range All() {
		key := a.Group + ": " + a.Name
		if a.Group == "" || a.Name == "" || len(a.Want) == 0 || a.Try == nil || seen[key] {
			t.Errorf("%s is incomplete or not unique", key)
		}
		seen[key] = true
		if a.Matches(Answer{Group: a.Group, Name: a.Name}) {
			t.Errorf("%s may succeed", key)
		}
	}
}
