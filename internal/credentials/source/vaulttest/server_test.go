package vaulttest_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/credentials/source/vaulttest"
)

// caller makes requests of a Vault, real or not.
type caller struct {
	t      *testing.T
	url    string
	client *http.Client
}

func callerOf(t *testing.T, s *vaulttest.Server) caller {
	t.Helper()
	return caller{t, s.URL, &http.Client{}}
}

// ask returns the status and the body of an answer. headers are name and value
// by turns.
func (c caller) ask(method, path, body string, headers ...string) (int, map[string]any) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url+"/v1/"+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Add(pair[0], pair[1])
	}
	response, err := c.client.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil && len(text) > 0 {
		c.t.Fatalf("%s %s: %d %.200s", method, path, response.StatusCode, text)
	}
	return response.StatusCode, object
}

// as is the header of a token.
func as(token string) []string { return []string{"X-Vault-Token", token} }

// at is a value within an answer.
func at(object any, path ...string) any {
	for _, key := range path {
		inner, _ := object.(map[string]any)
		object = inner[key]
	}
	return object
}

func TestATokenLivesAsLongAsItIsRenewed(t *testing.T) {
	s := vaulttest.Start(t, vaulttest.Options{})
	c := callerOf(t, s)
	token := s.Token(vaulttest.Grant{TTL: time.Hour, MaxTTL: 100 * time.Minute})
	wants := func(status, ttl int) {
		t.Helper()
		got, answer := c.ask("GET", "auth/token/lookup-self", "", as(token)...)
		left, _ := at(answer, "data", "ttl").(float64)
		if got != status || int(left+30)/60*60 != ttl {
			t.Errorf("status %d and %v s left, want %d and %d", got, left, status, ttl)
		}
	}
	wants(200, 3600)
	s.Advance(40 * time.Minute)
	wants(200, 1200)
	if status, answer := c.ask("POST", "auth/token/renew-self", "{}", as(token)...); status != 200 || at(answer, "auth", "lease_duration") != 3600.0 {
		t.Errorf("a renewal: %d %v", status, answer)
	}
	s.Advance(30 * time.Minute)
	if status, answer := c.ask("POST", "auth/token/renew-self", `{"increment": "1h"}`, as(token)...); status != 200 || at(answer, "auth", "lease_duration") != 1800.0 {
		t.Errorf("a renewal beyond the end: %d %v", status, answer)
	}
	s.Advance(30 * time.Minute)
	wants(403, 0)
	fixed := s.Token(vaulttest.Grant{TTL: time.Hour, Fixed: true})
	if status, _ := c.ask("POST", "auth/token/renew-self", "", as(fixed)...); status != 400 {
		t.Errorf("a token that cannot be renewed: %d", status)
	}
	if status, _ := c.ask("POST", "auth/token/revoke-self", "", as(fixed)...); status != 204 {
		t.Errorf("an end: %d", status)
	}
	if status, _ := c.ask("GET", "auth/token/lookup-self", "", as(fixed)...); status != 403 {
		t.Errorf("after the end: %d", status)
	}
}

func TestARoleOpensItsPathsInItsNamespace(t *testing.T) {
	s := vaulttest.Start(t, vaulttest.Options{TLS: true, Namespace: "team/a", Mount: "kv", AppRole: "machines"})
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(s.CA)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	c := caller{t, s.URL, &http.Client{Transport: transport}}
	s.Put("browser/github.com", `{"a": "b"}`)
	s.Put("other/github.com", `{"a": "b"}`)
	role, secret := s.Role(vaulttest.Grant{Paths: []string{"kv/data/browser/*", "kv/metadata/browser"}})
	here := []string{"X-Vault-Namespace", "team/a/"}
	login := `{"role_id": "` + role + `", "secret_id": "` + secret + `"}`
	if status, _ := c.ask("POST", "auth/machines/login", login); status != 404 {
		t.Errorf("a login without the namespace: %d", status)
	}
	if status, _ := c.ask("POST", "auth/machines/login", strings.Replace(login, secret, "x", 1), here...); status != 400 {
		t.Errorf("a login without the secret: %d", status)
	}
	_, answer := c.ask("POST", "auth/machines/login", login, here...)
	token, _ := at(answer, "auth", "client_token").(string)
	in := append(as(token), here...)
	for path, want := range map[string]int{
		"kv/data/browser/github.com": 200, "kv/data/other/github.com": 403, "kv/metadata/browser/?list=true": 200,
		"kv/metadata/browser?list=true": 200, "kv/metadata/?list=true": 403, "kv/data/browser/gitlab.com": 404,
	} {
		if status, _ := c.ask("GET", path, "", in...); status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
	}
	if status, _ := c.ask("GET", "kv/data/browser/github.com", "", as(token)...); status != 403 {
		t.Errorf("outside of the namespace: %d", status)
	}
	s.DropRole(role)
	if status, _ := c.ask("POST", "auth/machines/login", login, here...); status != 400 {
		t.Errorf("a login by a role that is gone: %d", status)
	}
}

func TestASecretHasVersions(t *testing.T) {
	s := vaulttest.Start(t, vaulttest.Options{})
	c, root := callerOf(t, s), as(s.Root())
	s.Put("browser/github.com", `{"n": "one"}`)
	s.Put("browser/github.com", `{"n": "two"}`)
	s.Put("browser/deep/er", `{"n": "three"}`)
	wants := func(query string, status int, value any) {
		t.Helper()
		got, answer := c.ask("GET", "secret/data/browser/github.com"+query, "", root...)
		if got != status || at(answer, "data", "data", "n") != value {
			t.Errorf("%q: %d %v", query, got, answer)
		}
	}
	wants("", 200, "two")
	wants("?version=0", 200, "two")
	wants("?version=1", 200, "one")
	wants("?version=3", 404, nil)
	wants("?version=x", 400, nil)
	s.Delete("browser/github.com")
	wants("", 404, nil)
	if _, answer := c.ask("GET", "secret/data/browser/github.com", "", root...); at(answer, "data", "metadata", "deletion_time") == "" {
		t.Errorf("a deleted version says %v", answer)
	}
	s.Put("browser/github.com", `{"n": "three"}`)
	wants("", 200, "three")
	s.Destroy("browser/github.com")
	wants("", 404, nil)
	if _, answer := c.ask("LIST", "secret/metadata/browser", "", root...); !slices.Equal(at(answer, "data", "keys").([]any), []any{"deep/", "github.com"}) {
		t.Errorf("the list is %v", answer)
	}
	if _, answer := c.ask("GET", "secret/metadata/browser/github.com", "", root...); at(answer, "data", "current_version") != 3.0 {
		t.Errorf("the metadata is %v", answer)
	}
	s.Erase("browser/deep/er")
	if status, _ := c.ask("LIST", "secret/metadata/browser/deep/", "", root...); status != 404 {
		t.Errorf("an empty folder: %d", status)
	}
}

func TestASealedServerAnswersItsHealthAlone(t *testing.T) {
	s := vaulttest.Start(t, vaulttest.Options{})
	c, root := callerOf(t, s), as(s.Root())
	s.Put("a", `{}`)
	s.Seal(true)
	if status, answer := c.ask("GET", "sys/health", ""); status != 503 || at(answer, "sealed") != true {
		t.Errorf("health: %d %v", status, answer)
	}
	if status, _ := c.ask("GET", "secret/data/a", "", root...); status != 503 {
		t.Errorf("a secret: %d", status)
	}
	s.Seal(false)
	if status, _ := c.ask("GET", "secret/data/a", "", root...); status != 200 {
		t.Errorf("a secret of an open one: %d", status)
	}
	s.Instead(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	if status, _ := c.ask("GET", "secret/data/a", "", root...); status != http.StatusTeapot {
		t.Errorf("instead: %d", status)
	}
	s.Await("GET /v1/secret/data/a", 3)
}

// witness is a test that only keeps what it is told.
type witness struct {
	testing.TB
	mu   sync.Mutex
	told []string
}

func (w *witness) Errorf(format string, _ ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, format)
}

func TestARequestThatIsNotDocumentedFailsTheTest(t *testing.T) {
	w := &witness{TB: t}
	s := vaulttest.Start(w, vaulttest.Options{})
	c, token := callerOf(t, s), as(s.Root())
	for i, bad := range []struct {
		method, path, body string
		headers            []string
	}{
		{"GET", "secret/browser/github.com", "", token}, // version 1 of the engine
		{"PATCH", "secret/data/a", "", token},
		{"GET", "secret/data/", "", token},
		{"GET", "secret/data/a/", "", token},
		{"GET", "secret/data/a//b", "", token},
		{"GET", "secret/data/..%2fa", "", token},
		{"GET", "secret/data/a?versions=1", "", token},
		{"GET", "secret/data/a", `{}`, token},
		{"GET", "secret/data/a", "", nil},
		{"GET", "secret/data/a", "", slices.Concat(token, token)},
		{"GET", "secret/data/a", "", append(token, "X-Vault-Namespace", "team")},
		{"GET", "secret/data/a", "", append(token, "X-Vault-Tokens", "x")},
		{"POST", "auth/token/renew-self", `{"ttl": "1h"}`, token},
		{"POST", "auth/approle/login", `{"role_id": "a", "secret_id": "b"}`, token},
		{"POST", "auth/approle/login", `{"role": "a"}`, nil},
		{"GET", "auth/approle/login", "", nil},
		{"GET", "sys/health?x=1", "", nil},
		{"GET", "sys/seal-status", "", nil},
	} {
		if status, _ := c.ask(bad.method, bad.path, bad.body, bad.headers...); status != http.StatusMethodNotAllowed {
			t.Errorf("%s %s: %d", bad.method, bad.path, status)
		}
		if len(w.told) != i+1 {
			t.Errorf("%s %s did not fail the test", bad.method, bad.path)
			break
		}
	}
}
