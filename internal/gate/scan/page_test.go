package scan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/golden"
)

func TestPublishedFiguresAreUpToDate(t *testing.T) {
	golden.Part(t, "../../../docs/credential-scan.md", "figures", figures(samples()))
}

// figures is the table of what is found and what passes.
func figures(all []sample) string {
	secrets, others := judge(all, true), judge(all, false)
	rules := map[string]bool{}
	for _, s := range all {
		rules[s.Rule] = true
	}
	texts := ordinaryTexts()
	taken := 0
	for _, text := range texts {
		if len(kindsIn(text)) > 0 {
			taken++
		}
	}
	found := 0
	for _, c := range typed {
		if slices.Contains(kindsIn(Text{Label: c.label, Value: c.text}), c.kind) {
			found++
		}
	}
	passed := 0
	for _, example := range examples {
		if len(kindsIn(Text{Value: example})) == 0 {
			passed++
		}
	}
	var b strings.Builder
	b.WriteString("| texts | number | found | |\n|---|---|---|---|\n")
	row := func(what string, n, hits int, note string) {
		fmt.Fprintf(&b, "| %s | %d | %d (%.1f %%) | %s |\n", what, n, hits, 100*float64(hits)/float64(n), note)
	}
	row(fmt.Sprintf("secrets in the samples of gitleaks' %d rules", len(rules)), secrets.texts, secrets.found,
		fmt.Sprintf("%d by the rule they are samples of; missed: %s", secrets.same, listed(secrets.missed)))
	row("samples of gitleaks that its rules must pass", others.texts, others.found,
		fmt.Sprintf("%d by the rule that must pass them; the others hold what another rule takes for a secret", others.same))
	row("secrets as agents type and send them", len(typed), found, "[typed_test.go](../internal/gate/scan/typed_test.go)")
	row("ordinary texts and addresses in twelve languages and more", len(texts), taken, "[ordinary.txt](../internal/gate/scan/testdata/ordinary.txt)")
	row("published examples", len(examples), len(examples)-passed, "[example.go](../internal/gate/scan/example.go)")
	return b.String()
}

func listed(missed map[string]int) string {
	var all []string
	for _, rule := range slices.Sorted(maps.Keys(missed)) {
		all = append(all, fmt.Sprintf("%d of `%s`", missed[rule], rule))
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, ", ")
}
