package cli

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// FuzzTake reads any first argument: a reference, or else a selector, as it
// was given.
func FuzzTake(f *testing.F) {
	for _, seed := range []string{"e1", "@e12", "ref=e3", "e12x", "#id", "", "e1\n", "a[href='e1']", "-x", "e", "E1", "e١"} {
		f.Add(seed, "more")
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		l, rest, err := (&locatorFlags{index: -1}).take([]string{first, second})
		if err != nil {
			t.Fatal(err)
		}
		if len(rest) != 1 || rest[0] != second {
			t.Errorf("%q leaves %q", first, rest)
		}
		bare := strings.TrimPrefix(strings.TrimPrefix(first, "@"), "ref=")
		digits := strings.Trim(strings.TrimPrefix(bare, "e"), "0123456789")
		isRef := strings.HasPrefix(bare, "e") && len(bare) > 1 && digits == ""
		if want := (action.Locator{Selector: first}); !isRef && l != want {
			t.Errorf("%q is %+v", first, l)
		}
		if l.Ref != "" && l.Ref != first || l.Selector != "" && l.Selector != first {
			t.Errorf("%q is %+v", first, l)
		}
	})
}
