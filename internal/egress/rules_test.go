package egress

import (
	"errors"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"pgregory.net/rapid"
)

func TestInvalidEntriesAreNamed(t *testing.T) {
	for _, entry := range []string{
		"", "*", "*.", "**.example.com", "*example.com", "a.*.com", "example.*", "https://example.com", "example.com/", "example.com:443",
		"localhost:3000", "user@example.com", "exam ple.com", " example.com", "0x7f.1", "127.1", "*.10.0.0.1", "a..b", "\x00", "*.*.com", "example.com?x",
	} {
		for _, n := range []action.Network{{Navigation: []string{entry}}, {Subresources: "listed", Listed: []string{entry}}, {Listed: []string{entry}}} {
			_, err := compile(n)
			f := fault.From(err)
			if f == nil || f.Code != fault.InvalidRequest || f.Details["entry"] != entry || f.Hint == "" {
				t.Errorf("%q: %v, want an invalid_request that names it", entry, err)
			}
		}
	}
	for _, entry := range []string{"", "localhost", "*.local:80", "http://localhost:3000", "localhost:0", "localhost:70000", "localhost:3000/", "u@localhost:3000", "0x7f.1:80", ":80"} {
		if _, err := compile(action.Network{AllowPrivate: []string{entry}}); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("private %q: %v, want invalid_request", entry, err)
		}
	}
	for _, n := range []action.Network{{Ports: []int{0}}, {Ports: []int{65536}}, {Ports: []int{-1}}, {Subresources: "everything"}} {
		if _, err := compile(n); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%+v: %v, want invalid_request", n, err)
		}
	}
}

func TestRulesDecideByHost(t *testing.T) {
	network := func(mode string) action.Network {
		return action.Network{Navigation: []string{"app.example.com", "*.docs.example", "Bücher.example"}, Subresources: mode,
			Listed: []string{"cdn.test"}, Granted: []string{"granted.test"}, AllowPrivate: []string{"localhost:3000", "[::1]:80"}}
	}
	for _, c := range []struct {
		mode, url          string
		document, anything error
	}{
		{"same-site", "https://app.example.com/", nil, nil},
		{"same-site", "https://APP.example.com./", nil, nil},
		{"same-site", "https://a.docs.example/", nil, nil},
		{"same-site", "https://a.b.docs.example/", nil, nil},
		{"same-site", "https://xn--bcher-kva.example/", nil, nil},
		{"same-site", "https://docs.example/", notDocument, nil},
		{"same-site", "https://img.example.com/", notDocument, nil},
		{"same-site", "https://xapp.example.org/", notDocument, notAllowed},
		{"same-site", "https://evildocs.example/", notDocument, notAllowed},
		{"same-site", "https://app.example.com.evil.test/", notDocument, notAllowed},
		{"same-site", "https://cdn.test/", notDocument, notAllowed},
		{"listed", "https://cdn.test/", notDocument, nil},
		{"same-site", "https://granted.test/", notDocument, nil},
		{"", "https://granted.test/", notDocument, nil},
		{"same-site", "https://a.granted.test/", notDocument, notAllowed},
		{"listed", "https://img.example.com/", notDocument, notAllowed},
		{"any-public", "https://whatever.test/", notDocument, nil},
		{"any-public", "http://169.254.169.254/", specialAddress, specialAddress},
		{"any-public", "http://[::ffff:8.8.8.8]/", specialAddress, specialAddress},
		{"any-public", "https://app.example.com:22/", badPort, badPort},
		{"", "https://img.example.com/", notDocument, notAllowed},
		{"", "http://localhost:3000/", nil, nil},
		{"", "http://[::1]/", nil, nil},
		{"any-public", "http://localhost:3001/", badPort, badPort},
		{"", "http://127.0.0.1:3000/", badPort, badPort},
	} {
		r, err := compile(network(c.mode))
		if err != nil {
			t.Fatal(err)
		}
		p, err := parseDestination(c.url)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.allowDocument(p); !errors.Is(err, c.document) {
			t.Errorf("%s: document from %s: %v, want %v", c.mode, c.url, err, c.document)
		}
		if err := r.allow(p); !errors.Is(err, c.anything) {
			t.Errorf("%s: anything from %s: %v, want %v", c.mode, c.url, err, c.anything)
		}
	}
}

func TestZeroRulesRefuseEverything(t *testing.T) {
	p, _ := parseDestination("https://example.com/")
	for _, n := range []action.Network{{}, {Subresources: "any-public"}, {Subresources: "listed", Listed: []string{"example.com"}}} {
		r, err := compile(n)
		if err != nil || r.allowDocument(p) == nil || r.allow(p) == nil {
			t.Errorf("%+v allows something (%v)", n, err)
		}
	}
	if (*rules)(nil).allow(p) == nil || (&rules{}).allow(p) == nil {
		t.Error("nil rules allow something")
	}
}

func TestAPublicSuffixIsNotASite(t *testing.T) {
	r, err := compile(action.Network{Navigation: []string{"*.github.io", "mine.github.io"}, Subresources: "same-site"})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := parseDestination("https://mine.github.io.evil.test/")
	if r.allow(p) == nil {
		t.Error("a host that only looks like the site is allowed")
	}
	r, _ = compile(action.Network{Navigation: []string{"mine.github.io"}, Subresources: "same-site"})
	if p, _ = parseDestination("https://other.github.io/"); r.allow(p) == nil {
		t.Error("another host below the public suffix counts as the same site")
	}
}

func TestSubdomainPatternsMatchOnlyBelowTheirHost(t *testing.T) {
	label := rapid.StringMatching(`[a-z][a-z0-9]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		base := label.Draw(t, "a") + "." + label.Draw(t, "b")
		list, err := patterns("navigation", []string{"*." + base})
		if err != nil {
			t.Skip("not a host")
		}
		prefix := rapid.StringMatching(`[a-z0-9.-]{0,12}`).Draw(t, "prefix")
		host := prefix + rapid.SampledFrom([]string{base, "." + base, base + ".evil.test", "x" + base}).Draw(t, "host")
		p, err := parseDestination("https://" + host + "/")
		if err != nil {
			t.Skip("not a host")
		}
		if got, want := matches(list, p.host), strings.HasSuffix(p.host, "."+base) && p.host != "."+base; got != want {
			t.Fatalf("*.%s matches %s: %v", base, p.host, got)
		}
	})
}
