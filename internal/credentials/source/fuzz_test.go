package source_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/publicsuffix"
	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/source"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// A document that is accepted has the properties that other packages rely on; one that is refused
// is a fault.
func FuzzParse(f *testing.F) {
	for _, h := range hostile {
		if len(h.text) < 10_000 {
			f.Add([]byte(h.text))
		}
	}
	f.Add([]byte(with(`"cookies":[{"name":"__Host-a","value":"v","secure":true}],"headers":{"X-A":"b"},"origin":"http://a.example.com:1"`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		set, err := source.Parse("example.com", text)
		if err != nil {
			if fault.CodeOf(err) != fault.CredentialsUnavailable {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		holds(t, set)
	})
}

func holds(t *testing.T, set credentials.Set) {
	if set.Domain != "example.com" {
		t.Errorf("it is for %q", set.Domain)
	}
	for _, c := range set.Cookies {
		domain := strings.TrimPrefix(c.Domain, ".")
		if domain != "example.com" && !strings.HasSuffix(domain, ".example.com") {
			t.Errorf("a cookie is for %q", c.Domain)
		}
		if strings.ContainsAny(c.Name+c.Value.Reveal()+c.Path+c.Domain, ";\x00\r\n") || c.Name == "" || !strings.HasPrefix(c.Path, "/") {
			t.Errorf("a cookie is %q", []string{c.Name, c.Value.Reveal(), c.Path})
		}
	}
	for name, value := range set.Headers {
		if strings.ContainsAny(name+value.Reveal(), "\x00\r\n") || slices.Contains([]string{"host", "cookie", "content-length"}, strings.ToLower(name)) {
			t.Errorf("a header is %q: %q", name, value.Reveal())
		}
	}
	if set.Origin != "" && !strings.HasPrefix(set.Origin, "https://") && !strings.HasPrefix(set.Origin, "http://") {
		t.Errorf("the origin is %q", set.Origin)
	}
}

// label makes parts of hosts that are often the same.
var label = rapid.SampledFrom([]string{"a", "b", "www", "app", "example", "com", "co", "uk", "github", "io", "127", "0", "1", "org", "xn--bcher-kva", "_x", "localhost", "0x7f"})

func host(t *rapid.T, what string) string {
	return strings.Join(rapid.SliceOfN(label, 1, 12).Draw(t, what), ".")
}

// TestNoHostGetsCredentialsOfAnother looks up random hosts among random domains.
func TestNoHostGetsCredentialsOfAnother(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		documents := map[string]string{}
		for range rapid.IntRange(1, 8).Draw(r, "documents") {
			domain := host(r, "domain")
			documents[domain] = `{"domain":"` + domain + `","headers":{"X-A":"b"}}`
		}
		asked := host(r, "host")
		if rapid.Bool().Draw(r, "related") {
			for domain := range documents {
				asked = strings.TrimPrefix(rapid.SampledFrom([]string{"", "a.", "x.y.", "x"}).Draw(r, "below")+domain, ".")
			}
		}
		v, err := source.Open(source.Options{Source: mapSource(documents), Path: source.DefaultPath})
		if err != nil {
			r.Fatal(err)
		}
		set, err := v.For(t.Context(), "default", asked)
		if err != nil {
			return // a name that can have no document, which a document names
		}
		own := documents[asked] != ""
		if set == nil {
			if _, folds := source.Fold(asked); own && folds {
				r.Errorf("%s has nothing, and a document of its own", asked)
			}
			return
		}
		site, siteErr := publicsuffix.EffectiveTLDPlusOne(asked)
		_, isAddress := netip.ParseAddr(asked)
		within := set.Domain == asked || strings.HasSuffix(asked, "."+set.Domain) && siteErr == nil && isAddress != nil && (set.Domain == site || strings.HasSuffix(set.Domain, "."+site))
		if !within || own && set.Domain != asked {
			r.Errorf("%s has the credentials of %s", asked, set.Domain)
		}
	})
}
