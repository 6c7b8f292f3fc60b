package source_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/credentials/source"
	"github.com/gloveboxhq/glovebox/internal/credentials/source/vaulttest"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// on is a vault that reads a real server.
func on(t *testing.T, c source.HashiCorp) *source.Vault {
	t.Helper()
	from, err := source.Connect(c)
	if err != nil {
		t.Fatal(err)
	}
	v, err := source.Open(source.Options{Source: from, Path: source.DefaultPath})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close(t.Context()) })
	return v
}

func TestARealVaultIsReadAndWritten(t *testing.T) {
	s := vaulttest.StartReal(t)
	s.Mount("secrets")
	v := on(t, source.HashiCorp{Address: s.URL, Token: source.LoginSecret{Given: s.Root}})
	if set, err := v.For(t.Context(), "default", "example.com"); set != nil || err != nil {
		t.Errorf("before anything is kept there is %v, %v", set, err)
	}
	if _, err := v.Set(t.Context(), "default", "example.com", []byte(text)); err != nil {
		t.Fatal(err)
	}
	finds(t, v, "app.example.com")
	first, _, err := v.Check(t.Context(), "default", "example.com")
	if err != nil || first == nil || first.Cookies != 1 || first.Changed.IsZero() {
		t.Errorf("checked %+v, %v", first, err)
	}
	if _, err := v.Set(t.Context(), "default", "example.com", []byte(strings.ReplaceAll(text, "sid", "other"))); err != nil {
		t.Fatal(err)
	}
	second, _, err := v.Check(t.Context(), "default", "example.com")
	if err != nil || first == nil || second == nil || second.Version == first.Version {
		t.Errorf("after a rotation %+v, %v", second, err)
	}
	if all, err := v.List(t.Context(), "default"); err != nil || len(all) != 1 || all[0].Domain != "example.com" {
		t.Errorf("listed %+v, %v", all, err)
	}
	if err := v.Remove(t.Context(), "default", "example.com"); err != nil {
		t.Fatal(err)
	}
	if set, _, err := v.Check(t.Context(), "default", "example.com"); set != nil || err != nil {
		t.Errorf("after its end there is %v, %v", set, err)
	}
	if err := v.Remove(t.Context(), "default", "example.com"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a second end: %v", err)
	}
}

func TestARealVaultIsReadAsARoleWhoseTokensAreRenewed(t *testing.T) {
	s := vaulttest.StartReal(t)
	s.Mount("secrets")
	s.Do(http.MethodPost, "secrets/data/"+where, `{"data": `+text+`}`)
	s.Do(http.MethodPost, "secrets/data/browser/closed/example.net", `{"data": {}}`)
	c := source.HashiCorp{Address: s.URL, RoleMount: "machines"}
	c.RoleID, c.SecretID.Given = s.Role(c.RoleMount, "4s", "secrets/data/browser/example.com", "secrets/metadata/browser/*")
	v := on(t, c)
	finds(t, v, "example.com")
	if all, err := v.List(t.Context(), "default"); err != nil || len(all) != 1 {
		t.Errorf("listed %+v, %v", all, err)
	}
	if _, err := v.For(t.Context(), "default", "example.org"); fault.CodeOf(err) != fault.CredentialsUnavailable {
		t.Errorf("what the role may not read: %v", err)
	}
	s.Renewed()
	finds(t, v, "example.com")
}

func TestARealVaultsRefusalsAreFaults(t *testing.T) {
	s := vaulttest.StartReal(t)
	s.Mount("secrets")
	for name, c := range map[string]source.HashiCorp{
		"a token that is none":  {Token: source.LoginSecret{Given: "hvs.nobody"}},
		"no store at the mount": {Token: source.LoginSecret{Given: s.Root}, Mount: "nowhere"},
		"a role that is none":   {RoleID: "nobody", RoleMount: "approle", SecretID: source.LoginSecret{Given: "nothing"}},
	} {
		c.Address = s.URL
		if set, err := on(t, c).For(t.Context(), "default", "example.com"); fault.CodeOf(err) != fault.CredentialsUnavailable {
			t.Errorf("%s: %v, %v", name, set, err)
		}
	}
	v := on(t, source.HashiCorp{Address: s.URL, Token: source.LoginSecret{Given: s.Root}})
	s.Do(http.MethodPut, "sys/seal", "")
	if _, err := v.For(t.Context(), "default", "example.com"); fault.CodeOf(err) != fault.CredentialsUnavailable || !strings.Contains(err.Error(), "sealed") {
		t.Errorf("a sealed one: %v", err)
	}
}
