package policy

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
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

func TestAddressesAreSitesOfTheirOwn(t *testing.T) {
	for host, want := range map[string]string{"127.0.0.1": "127.0.0.1", "10.2.0.1": "10.2.0.1", "[::1]": "[::1]", "localhost": "localhost", "a.b.shop.example": "shop.example", "a.co.uk": "a.co.uk", "x.a.co.uk": "a.co.uk"} {
		if got := siteOf(host); got != want {
			t.Errorf("%s is of %s, want %s", host, got, want)
		}
	}
	p := mustNew(t, Config{Enabled: true, AskAt: AskAtWire, Allowed: []string{"10.2.0.1", "127.0.0.1"}})
	r := action.Request{Method: "POST", URL: "http://10.2.0.1/state", Document: "http://127.0.0.1/", Kind: "Fetch"}
	if v := p.Effect(Outgoing{Request: r, Owner: action.Agent}); v.Decision != Ask {
		t.Errorf("a change at another address that nobody acted for: %s by %s", v.Decision, v.Rule)
	}
}
