package source_test

import (
	"context"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/credentials/source"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// opened is a vault with the documents of some domains in the environment.
func opened(t *testing.T, documents map[string]string) *source.Vault {
	t.Helper()
	var variables []string
	for domain, text := range documents {
		name := strings.ToUpper(strings.NewReplacer(".", "_", "-", "_", ":", "_").Replace(domain))
		variables = append(variables, "GLOVEBOX_SECRET_SECRETS_BROWSER_"+name+"="+text)
	}
	v, err := source.Open(source.Options{Source: source.Environment(variables), Path: source.DefaultPath})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAHostGetsItsOwnDocumentOrThatOfAParent(t *testing.T) {
	v := opened(t, map[string]string{
		"example.com":     `{"domain":"example.com","cookies":[{"name":"sid","value":"canary-parent"}]}`,
		"app.example.com": `{"domain":"app.example.com","headers":{"Authorization":"canary-own"},"fill":"allow","required":false}`,
		"com":             `{"domain":"com","headers":{"X-A":"canary-above"}}`,
		"co.uk":           `{"domain":"co.uk","headers":{"X-A":"canary-above"}}`,
		"localhost":       `{"domain":"localhost","headers":{"X-A":"b"},"origin":"http://localhost:8080"}`,
		"127.0.0.1":       `{"domain":"127.0.0.1","headers":{"X-A":"b"},"origin":"http://127.0.0.1:80"}`,
	})
	for host, want := range map[string]string{
		"example.com": "example.com", "www.example.com": "example.com", "a.b.example.com": "example.com",
		"app.example.com": "app.example.com", "x.app.example.com": "app.example.com", "EXAMPLE.com": "example.com",
		"localhost": "localhost", "127.0.0.1": "127.0.0.1", "com": "com",
		"other.com": "", "example.com.evil.net": "", "notexample.com": "", "shop.co.uk": "", "x.localhost": "", "1.127.0.0.1": "",
		"": "", ".": "", "example.com.": "", "../example.com": "", "example.com/..": "", "exam ple.com": "",
	} {
		set, err := v.For(t.Context(), "default", host)
		if err != nil {
			t.Errorf("%s: %v", host, err)
			continue
		}
		got := ""
		if set != nil {
			got = set.Domain
		}
		if got != want {
			t.Errorf("%s has the credentials of %q, want %q", host, got, want)
		}
	}
	set, err := v.For(t.Context(), "default", "app.example.com")
	if err != nil || set.Required || !set.FillUnasked || set.Headers["Authorization"].Reveal() != "canary-own" || set.Path != "secrets/browser/app.example.com" {
		t.Errorf("got %+v, %v", set, err)
	}
	if set, _ = v.For(t.Context(), "default", "127.0.0.1"); set.Origin != "http://127.0.0.1" {
		t.Errorf("the origin is %q", set.Origin)
	}
}

func TestADocumentOfAnotherDomainIsRefused(t *testing.T) {
	v := opened(t, map[string]string{"a-b.com": `{"domain":"a.b.com","headers":{"X-A":"canary"}}`})
	_, err := v.For(t.Context(), "default", "a-b.com")
	if fault.CodeOf(err) != fault.CredentialsUnavailable || strings.Contains(err.Error(), "canary") {
		t.Errorf("got %v", err)
	}
}

func TestEachScopeHasItsOwnCredentials(t *testing.T) {
	v, err := source.Open(source.Options{Path: "secrets/{scope}", Source: source.Environment([]string{
		`GLOVEBOX_SECRET_SECRETS_RED_EXAMPLE_COM={"domain":"example.com","headers":{"X-A":"canary-red"}}`,
	})})
	if err != nil {
		t.Fatal(err)
	}
	if set, err := v.For(t.Context(), "red", "example.com"); err != nil || set == nil {
		t.Errorf("its own scope has %v, %v", set, err)
	}
	if set, err := v.For(t.Context(), "blue", "example.com"); err != nil || set != nil {
		t.Errorf("another scope has %v, %v", set, err)
	}
	for _, scope := range []string{"RED", "re.d", "", "..", "red/", "r_ed"} {
		if set, err := v.For(t.Context(), scope, "example.com"); fault.CodeOf(err) != fault.CredentialsUnavailable {
			t.Errorf("scope %q has %v, %v", scope, set, err)
		}
	}
}

// mapSource is a source of documents by domain.
type mapSource map[string]string

func (mapSource) Name() string { return "a map" }

func (s mapSource) Fetch(_ context.Context, path string) (source.Document, error) {
	text, found := s[path[len(source.DefaultPath):]]
	if !found {
		return source.Document{}, nil
	}
	return source.Document{Text: []byte(text), Version: "1"}, nil
}

func (s mapSource) List(context.Context, string) ([]string, error) {
	var paths []string
	for domain := range s {
		paths = append(paths, source.DefaultPath+domain)
	}
	return paths, nil
}
