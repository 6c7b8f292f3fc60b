package policy

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestBadPatternsAreNamed(t *testing.T) {
	for _, bad := range []string{"", "*", "*.", "https://a.example", "a.example:80", "a.*.example", "a b", ".example", "user@a.example"} {
		if _, err := New(Config{Trusted: []string{bad}}); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%q: %v", bad, err)
		}
		if _, err := New(Config{Sensitive: []string{bad}}); err == nil {
			t.Errorf("%q is a sensitive host", bad)
		}
	}
	p := mustNew(t, Config{Trusted: []string{"Bücher.example", "*.Shop.example"}})
	for host, want := range map[string]bool{"xn--bcher-kva.example": true, "a.shop.example": true, "a.b.shop.example": true, "shop.example": false, "xshop.example": false, "": false} {
		if p.trusted.match(host) != want {
			t.Errorf("%q: %t", host, !want)
		}
	}
}
