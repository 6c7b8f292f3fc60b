package injected

import (
	"regexp"
	"testing"
)

// The files of the script share one scope. A name that two of them declare
// would make the script fail on every page.
func TestNoNameOfTheScriptIsDeclaredTwice(t *testing.T) {
	declared := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^(?:const|let|class|function|async function) (\w+)|^const .*?, (\w+) = `).FindAllStringSubmatch(Source(), -1) {
		name := found[1] + found[2]
		if declared[name] {
			t.Errorf("%s is declared twice", name)
		}
		declared[name] = true
	}
	if len(declared) < 200 {
		t.Errorf("only %d declarations were found", len(declared))
	}
}
