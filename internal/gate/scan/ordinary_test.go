package scan

import (
	_ "embed"
	"strings"
	"testing"
)

//go:embed testdata/ordinary.txt
var ordinary string

// ordinaryTexts are texts that agents usually type.
func ordinaryTexts() []Text {
	var all []Text
	for line := range strings.Lines(ordinary) {
		label, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		all = append(all, Text{Field: "text", Label: label, Value: strings.ReplaceAll(value, `\n`, "\n")})
	}
	return all
}

func TestOrdinaryTextPasses(t *testing.T) {
	for _, text := range ordinaryTexts() {
		if kinds := kindsIn(text); len(kinds) > 0 {
			t.Errorf("%s %q is taken for %q", text.Label, text.Value, kinds)
		}
	}
}
