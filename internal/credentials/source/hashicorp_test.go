package source_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/credentials/source"
	"github.com/gloveboxhq/glovebox/internal/credentials/source/vaulttest"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	where = "browser/example.com"
	text  = `{"domain":"example.com","cookies":[{"name":"sid","value":"` + canary + `","secure":true}]}`
)

// readers is the policy that the documentation asks for.
var readers = []string{"secrets/data/browser/*", "secrets/metadata/browser/*"}

// served is a server with one document, and a vault that reads it.
func served(t *testing.T, o vaulttest.Options, with func(*vaulttest.Server, *source.HashiCorp)) (*vaulttest.Server, *source.Vault) {
	t.Helper()
	o.Mount = "secrets"
	s := vaulttest.Start(t, o)
	s.Put(where, text)
	c := source.HashiCorp{Address: s.URL, Namespace: o.Namespace, RoleMount: "approle"}
	with(s, &c)
	return s, on(t, c)
}

func withToken(s *vaulttest.Server, c *source.HashiCorp) {
	c.Token.Given = s.Token(vaulttest.Grant{Paths: readers})
}

func finds(t *testing.T, v *source.Vault, host string) {
	t.Helper()
	set, err := v.For(t.Context(), "default", host)
	if err != nil || set == nil || set.Cookies[0].Value.Reveal() != canary {
		t.Fatalf("%s has %v, %v", host, set, err)
	}
}

func TestAVaultIsReadWithAToken(t *testing.T) {
	s, v := served(t, vaulttest.Options{}, withToken)
	finds(t, v, "app.example.com")
	if set, err := v.For(t.Context(), "default", "nowhere.com"); set != nil || err != nil {
		t.Errorf("there is %v, %v", set, err)
	}
	got, looked, err := v.Check(t.Context(), "default", "app.example.com")
	if err != nil || got == nil || got.Cookies != 1 || got.Changed.IsZero() || !slices.Equal(looked, []string{"secrets/browser/app.example.com", "secrets/browser/example.com"}) {
		t.Errorf("checked %+v, %v, %v", got, looked, err)
	}
	before := got.Version
	s.Put(where, strings.ReplaceAll(text, "sid", "other"))
	if got, _, err = v.Check(t.Context(), "default", "example.com"); err != nil || got.Version == before || strings.Contains(got.Version, canary) {
		t.Errorf("after a rotation the version is %+v, %v", got, err)
	}
	s.Put("browser/deeper/x.com", text)
	if all, err := v.List(t.Context(), "default"); err != nil || len(all) != 1 || all[0].Problem != "" {
		t.Errorf("listed %+v, %v", all, err)
	}
	s.Delete(where)
	if got, _, err := v.Check(t.Context(), "default", "example.com"); err != nil || got != nil {
		t.Errorf("a deleted one is %+v, %v", got, err)
	}
}

func TestAVaultIsReadThroughTLSInANamespaceAsARole(t *testing.T) {
	s, v := served(t, vaulttest.Options{TLS: true, Namespace: "team-a"}, func(s *vaulttest.Server, c *source.HashiCorp) {
		var secret string
		c.RoleID, secret = s.Role(vaulttest.Grant{Paths: readers, TTL: time.Hour})
		c.CA, c.ServerName = filepath.Join(t.TempDir(), "ca.pem"), "example.com" // of httptest's certificate
		c.SecretID.File = filepath.Join(t.TempDir(), "secret-id")
		for file, text := range map[string][]byte{c.CA: s.CA, c.SecretID.File: []byte(secret + "\n")} {
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	})
	finds(t, v, "example.com")
	if asked := s.Asked(); asked[0] != "POST /v1/auth/approle/login" {
		t.Errorf("asked %v", asked)
	}
}

func TestAServerThatIsNotTrustedGetsNoToken(t *testing.T) {
	s, v := served(t, vaulttest.Options{TLS: true}, withToken)
	_, err := v.For(t.Context(), "default", "example.com")
	if fault.CodeOf(err) != fault.CredentialsUnavailable || !strings.Contains(err.Error(), "not trusted") || len(s.Asked()) > 0 {
		t.Errorf("got %v; it was asked %v", err, s.Asked())
	}
}

func TestATokenIsRenewedAtHalfItsLife(t *testing.T) {
	t.Parallel() // it mostly waits
	s, v := served(t, vaulttest.Options{}, func(s *vaulttest.Server, c *source.HashiCorp) {
		c.Token.Given = s.Token(vaulttest.Grant{Paths: readers, TTL: 6 * time.Second})
	})
	finds(t, v, "example.com")
	s.Await("POST /v1/auth/token/renew-self", 2) // after the first lease is over
	s.Put(where, text)
	if got, _, err := v.Check(t.Context(), "default", "example.com"); err != nil || got == nil {
		t.Errorf("after the first lease: %v, %v", got, err)
	}
}

func TestARoleLogsInAnewWhenItsTokenCannotBeRenewed(t *testing.T) {
	t.Parallel()
	for name, grant := range map[string]vaulttest.Grant{
		"fixed":     {Paths: readers, TTL: 6 * time.Second, Fixed: true},
		"at an end": {Paths: readers, TTL: 6 * time.Second, MaxTTL: 8 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it mostly waits
			s, v := served(t, vaulttest.Options{}, func(s *vaulttest.Server, c *source.HashiCorp) {
				c.RoleID, c.SecretID.Given = s.Role(grant)
			})
			finds(t, v, "example.com")
			s.Await("POST /v1/auth/approle/login", 2)
			if got, _, err := v.Check(t.Context(), "default", "example.com"); err != nil || got == nil {
				t.Errorf("after the second login there is %v, %v", got, err)
			}
		})
	}
}

func TestATokenThatEndedIsReplaced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	put := func(token string) {
		if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var first string
	s, v := served(t, vaulttest.Options{}, func(s *vaulttest.Server, c *source.HashiCorp) {
		first = s.Token(vaulttest.Grant{Paths: readers})
		put(first)
		c.Token.File = file
	})
	finds(t, v, "example.com")
	put(s.Token(vaulttest.Grant{Paths: readers}))
	s.Revoke(first)
	if got, _, err := v.Check(t.Context(), "default", "example.com"); err != nil || got == nil {
		t.Errorf("with the file's new token there is %v, %v", got, err)
	}
}

func TestARefusedReadWithAValidTokenDoesNotLogInAgain(t *testing.T) {
	s, v := served(t, vaulttest.Options{}, func(s *vaulttest.Server, c *source.HashiCorp) {
		c.RoleID, c.SecretID.Given = s.Role(vaulttest.Grant{Paths: []string{"secrets/data/browser/example.com"}})
	})
	for range 3 {
		if _, err := v.For(t.Context(), "default", "other.com"); fault.CodeOf(err) != fault.CredentialsUnavailable || !strings.Contains(err.Error(), "may not read") {
			t.Errorf("got %v", err)
		}
	}
	finds(t, v, "example.com")
	if n := countOf(s.Asked(), "POST /v1/auth/approle/login"); n != 1 {
		t.Errorf("it logged in %d times", n)
	}
}

func countOf(all []string, one string) (n int) {
	for _, a := range all {
		if a == one {
			n++
		}
	}
	return n
}

// A failure is also neither taken for an absent document nor kept.
func TestAVaultThatFailsIsAFault(t *testing.T) {
	s, v := served(t, vaulttest.Options{}, withToken)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another address was asked, with %d tokens", len(r.Header.Values("X-Vault-Token")))
	}))
	defer elsewhere.Close()
	says := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	huge := `{"data":{"data":{"x":"` + strings.Repeat(canary, 1<<17) + `"}}}`
	for name, answer := range map[string]http.HandlerFunc{
		"forbidden":     says(403, `{"errors":["`+canary+`"]}`),
		"no store":      says(404, `{"errors":["no handler for route `+canary+`"]}`),
		"no vault":      says(404, canary),
		"an error":      says(500, `{"errors":["`+canary+`"]}`),
		"busy":          says(429, canary),
		"elsewhere":     says(307, canary),
		"moved":         says(302, canary),
		"no JSON":       says(200, canary),
		"another shape": says(200, `{"data":["`+canary+`"]}`),
		"version 1":     says(200, `{"data":{"domain":"`+canary+`"}}`),
		"huge":          says(200, huge),
		"half": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "999")
			_, _ = w.Write([]byte(canary))
		},
		"cut off": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		s.Instead(answer)
		set, err := v.For(t.Context(), "default", "example.com")
		if set != nil || fault.CodeOf(err) != fault.CredentialsUnavailable || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: there is %v, %.300v", name, set, err)
		}
	}
	s.Instead(nil)
	s.Seal(true)
	if f := fault.From(errorOf(v.For(t.Context(), "default", "example.com"))); strings.Contains(f.Message+f.Hint, "127.0.0.1") {
		t.Errorf("an agent is told where the vault is: %s, %s", f.Message, f.Hint)
	}
	if _, err := v.For(t.Context(), "default", "example.com"); fault.CodeOf(err) != fault.CredentialsUnavailable || !strings.Contains(err.Error(), "sealed") {
		t.Errorf("sealed: %v", err)
	}
	s.Seal(false)
	finds(t, v, "example.com")
}

func TestAVaultThatIsSlowIsWaitedForFiveSeconds(t *testing.T) {
	t.Parallel() // it mostly waits
	s, v := served(t, vaulttest.Options{}, withToken)
	s.Instead(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	_, err := v.For(t.Context(), "default", "a.b.c.example.com")
	if fault.CodeOf(err) != fault.CredentialsUnavailable || !strings.Contains(err.Error(), "in time") || len(s.Asked()) != 1 { // the limit is for all requests together
		t.Errorf("after the requests %v: %v", s.Asked(), err)
	}
}

func TestAnUnreachableVaultIsAFault(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	from, err := source.Connect(source.HashiCorp{Address: closed.URL, Token: source.LoginSecret{Given: "hvs.x"}})
	if err != nil {
		t.Fatal(err)
	}
	down, err := source.Open(source.Options{Source: from, Path: source.DefaultPath})
	if err != nil {
		t.Fatal(err)
	}
	defer down.Close(t.Context())
	if _, err := down.For(t.Context(), "default", "example.com"); fault.CodeOf(err) != fault.CredentialsUnavailable || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("got %v", err)
	}
}

func TestAVaultStoresDocuments(t *testing.T) {
	s, v := served(t, vaulttest.Options{}, func(s *vaulttest.Server, c *source.HashiCorp) { c.Token.Given = s.Root() })
	if kept, err := v.Set(t.Context(), "default", "new.com", document(canary)); err != nil || kept.Cookies != 1 {
		t.Fatalf("kept %+v, %v", kept, err)
	}
	finds(t, v, "new.com")
	if err := v.Remove(t.Context(), "default", "new.com"); err != nil {
		t.Error(err)
	}
	if err := v.Remove(t.Context(), "default", "new.com"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("removed twice: %v", err)
	}
	if set, err := v.For(t.Context(), "default", "new.com"); set != nil || err != nil {
		t.Errorf("there is %v, %v in %v", set, err, s.Asked())
	}
}

func errorOf(_ any, err error) error { return err }
