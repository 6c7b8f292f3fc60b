package spelling_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/spelling"
)

func TestTheNearestKnownWordIsFound(t *testing.T) {
	verbs := []string{"page.click", "page.type", "page.goto", "cookie.list"}
	for word, want := range map[string]string{
		"page.clik": "page.click", "click": "page.click", "page.tpye": "page.type", "cookies.list": "cookie.list", "page.goto": "page.goto",
	} {
		if got := spelling.Nearest(word, verbs); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	for word, want := range map[string]string{"page.clik": "page.click", "page.fly": "", "page.click": "page.click"} {
		if got := spelling.Misspelled(word, verbs); got != want {
			t.Errorf("%q is a misspelling of %q, want %q", word, got, want)
		}
	}
	if got := spelling.Nearest("anything", nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
