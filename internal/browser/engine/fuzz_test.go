package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// FuzzAddress holds what may be visited to the three kinds there are, whatever
// was asked for, and to one reading.
func FuzzAddress(f *testing.F) {
	for _, seed := range []string{
		"https://example.com/a?b#c", "example.com", "localhost:3000/x", "//a.example", "about:blank", "ABOUT:blank", "javascript:alert(1)", "java\tscript:x",
		"data:text/html,x", "file:///etc/passwd", "http://u:p@a.example", "http:a.example", "http:\\\\a.example\\x", "http://[::1]/", "http://0x7f.1/",
		"http://a.example:99999/", "blob:https://a.example/x", "view-source:http://a", "http://é.example", "http://a%00b/", " \u00a0http://a ",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := engine.Address(raw)
		if err != nil {
			if f := fault.From(err); f.Code != fault.InvalidURL && f.Code != fault.MissingURL || f.Hint == "" {
				t.Errorf("%q is refused with %v", raw, err)
			}
			return
		}
		if got != "about:blank" && !strings.HasPrefix(got, "http://") && !strings.HasPrefix(got, "https://") {
			t.Fatalf("%q leads to %q", raw, got)
		}
		before, _, _ := strings.Cut(strings.ReplaceAll(got, "#", "?"), "?") // behind it backslashes may stand
		if strings.ContainsFunc(got, func(r rune) bool { return r < '!' || r == 0x7f }) || strings.Contains(before, "\\") {
			t.Errorf("%q leads to %q, which has what no URL has", raw, got)
		}
		host, _, _ := strings.Cut(strings.SplitN(got+"///", "/", 4)[2], "?")
		if strings.Contains(host, "@") {
			t.Errorf("%q leads to %q, which names a user", raw, got)
		}
		if again, err := engine.Address(got); err != nil || again != got {
			t.Errorf("%q leads to %q, and that to %q (%v)", raw, got, again, err)
		}
	})
}

// FuzzSought takes selectors of a scrape apart, and puts them together again.
func FuzzSought(f *testing.F) {
	for _, seed := range []string{"h1", "img@src", "a[href='x@y']", "a\\@b", "a@", "@src", "x@a:b", "\n@x", "a@b@c", "[x=\"@y\"]", "a]@x", "a'@x", "a@data-x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		selector, attribute := engine.Sought(raw)
		if attribute == "" && selector != raw || attribute != "" && strings.TrimSpace(strings.TrimSuffix(raw, "@"+attribute)) != selector {
			t.Errorf("%q is %q and %q", raw, selector, attribute)
		}
		if attribute != "" && strings.ContainsAny(attribute, " @[]'\"\\") {
			t.Errorf("%q is an attribute", attribute)
		}
	})
}
