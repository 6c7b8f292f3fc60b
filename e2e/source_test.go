package e2e

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/credentials/source/vaulttest"
	"github.com/gloveboxhq/glovebox/internal/egress/egresstest"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// Values with special characters for text formats, and one that is searched for.
const (
	hostileItem = `');alert(1)//` + "`${alert(2)}</script>\"\\"
	planted     = "kq8Zt3vWc5Yb1Xn7"
)

// guarded is a web application that counts its requests, and whose page says
// whether the cookie and the localStorage item arrived unchanged.
type guarded struct {
	*httptest.Server
	mu       sync.Mutex
	requests int
	cookie   string
}

func newGuarded(t *testing.T) *guarded {
	t.Helper()
	s := &guarded{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func (s *guarded) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	s.requests++
	if cookie, err := r.Cookie("sessionid"); err == nil {
		s.cookie = cookie.Value
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, `<!doctype html><title>Guarded</title><h1>Waits</h1><script>
		document.querySelector('h1').textContent = localStorage.getItem('item') === atob('%s') ? 'Came as it is' : 'Did not come'
	</script>`, base64.StdEncoding.EncodeToString([]byte(hostileItem)))
}

func (s *guarded) seen() (requests int, cookie string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests, s.cookie
}

// at is the application's address by the name of a host.
func (s *guarded) at(host string) string { return fmt.Sprintf("http://%s:%s/", host, port(s.URL)) }

// gateway starts a gateway that gets the application's credentials from a
// HashiCorp Vault, with a role that may read the credentials of one host only.
func (s *guarded) gateway(t *testing.T, source *vaulttest.Server) *gateway {
	t.Helper()
	names, err := egresstest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(names.Close)
	names.Set(adminHost, "127.0.0.1")
	names.Set(recordsHost, "127.0.0.1")
	role, secret := source.Role(vaulttest.Grant{Paths: []string{"secret/data/browser/" + adminHost}, TTL: time.Hour})
	const network, keys, hosts = "GLOVEBOX_SECURITY_NETWORK_", "GLOVEBOX_SECURITY_CREDENTIALS_", recordsHost + "," + adminHost
	return start(t, settings{env: []string{
		network + "NAVIGATION=" + hosts, network + "RESOLVER=" + names.Address(),
		network + fmt.Sprintf("ALLOW_PRIVATE=%s:%s,%s:%s", recordsHost, port(s.URL), adminHost, port(s.URL)),
		"GLOVEBOX_SECURITY_HITL_TRUSTED_DOMAINS=" + hosts,
		keys + "VAULT_BACKEND=vault", keys + "VAULT_PATH=secret/browser/", keys + "VAULT_ADDRESS=" + source.URL,
		keys + "VAULT_ROLE_ID=" + role, "VAULT_SECRET_ID=" + secret,
	}})
}

// TestInvalidCredentialsAreNotInjected lets a HashiCorp Vault fail in every way,
// and return data that cannot be put into a browser: each visit is refused before
// the site gets a request, and no answer repeats the data. Data that only looks
// hostile is injected unchanged.
func TestInvalidCredentialsAreNotInjected(t *testing.T) {
	testenv.Heavy(t)
	site, source := newGuarded(t), vaulttest.Start(t, vaulttest.Options{})
	g := site.gateway(t, source)
	agent, heard := g.overheard(t)
	visit, elsewhere := object{"url": site.at(adminHost)}, object{"url": site.at(recordsHost)}
	for name, document := range unsound {
		source.Put("browser/"+adminHost, document)
		agent.refused("browser_navigate", visit, "credentials_unavailable")
		if requests, _ := site.seen(); requests > 0 {
			t.Fatalf("%s: the site was visited", name)
		}
	}
	for name, answer := range troubles {
		source.Instead(answer)
		agent.refused("browser_navigate", visit, "credentials_unavailable")
		if requests, _ := site.seen(); requests > 0 {
			t.Fatalf("%s: the site was visited", name)
		}
	}
	source.Instead(nil)
	source.Seal(true)
	agent.refused("browser_navigate", visit, "credentials_unavailable")
	source.Seal(false)
	agent.refused("browser_navigate", elsewhere, "credentials_unavailable") // the role may not read those
	if requests, _ := site.seen(); requests > 0 {
		t.Fatal("the site was visited")
	}
	source.Put("browser/"+adminHost, toJSON(t, object{
		"domain": adminHost, "origin": strings.TrimSuffix(site.at(adminHost), "/"), "localStorage": object{"item": hostileItem},
		"cookies": []object{{"name": "sessionid", "value": planted}},
	}))
	agent.must("browser_navigate", visit, "Came as it is")
	if _, cookie := site.seen(); cookie != planted {
		t.Errorf("the cookie came as %d bytes", len(cookie))
	}
	agent.must("browser_session", object{"action": "archive"}, "archived")
	if strings.Contains(heard.String(), planted) {
		t.Error("an answer repeats what was held")
	}
	g.settled(t)
	g.keepsNothingOf(t, planted)
}

// TestTheVaultRefusesInvalidCredentials passes the same documents to the command
// line: none is stored, and the error names what is wrong without the value.
func TestTheVaultRefusesInvalidCredentials(t *testing.T) {
	g := prepare(t, settings{})
	for name, document := range unsound {
		out, complaint, status := g.piped(t, document, "vault", "set", adminHost)
		if status == 0 || out != "" || complaint == "" || strings.Contains(complaint, planted) {
			t.Errorf("%s: status %d, %d bytes and %.200q", name, status, len(out), strings.ReplaceAll(complaint, planted, "[planted]"))
		}
	}
	if out, complaint, status := g.command(t, "vault", "list"); status != 0 || strings.Contains(out, adminHost) {
		t.Errorf("status %d\n%s%s", status, out, complaint)
	}
}

// unsound are documents that a vault may contain but that no browser may get.
var unsound = map[string]string{
	"another schema":     `{"domain": "office.test", "cookies": "` + planted + `"}`,
	"no schema":          `{"username": "` + planted + `"}`,
	"a line break":       `{"domain": "office.test", "cookies": [{"name": "sessionid", "value": "` + planted + `\r\nX: y"}]}`,
	"NUL":                `{"domain": "office.test", "cookies": [{"name": "sessionid", "value": "` + planted + `\u0000"}]}`,
	"NUL in an item":     `{"domain": "office.test", "localStorage": {"item": "` + planted + `\u0000"}}`,
	"binary":             `{"domain": "office.test", "cookies": [{"name": "sessionid", "value": "` + planted + "\xff\xfe" + `"}]}`,
	"a script":           `{"domain": "office.test", "cookies": [{"name": "sessionid", "value": "` + planted + `');alert(1)//"}]}`,
	"a header of two":    `{"domain": "office.test", "headers": {"Authorization": "` + planted + `\nX: y"}}`,
	"a huge cookie":      `{"domain": "office.test", "cookies": [{"name": "sessionid", "value": "` + strings.Repeat(planted, 300) + `"}]}`,
	"a huge document":    `{"domain": "office.test", "localStorage": {"item": "` + strings.Repeat(planted, 1<<17) + `"}}`,
	"a wider domain":     `{"domain": "office.test", "cookies": [{"name": "sessionid", "value": "` + planted + `", "domain": ".test"}]}`,
	"another domain":     `{"domain": "records.test", "cookies": [{"name": "sessionid", "value": "` + planted + `"}]}`,
	"one of two unsound": `{"domain": "office.test", "cookies": [{"name": "a", "value": "` + planted + `"}], "headers": {"Host": "` + planted + `"}}`,
}

// troubles are invalid or late answers of a Vault.
var troubles = map[string]http.HandlerFunc{
	"slow":    func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	"no JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<h1>"+planted+"</h1>") },
	"cut off": func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data": {"data": {"domain": "`+planted)
	},
	"an error":  func(w http.ResponseWriter, _ *http.Request) { http.Error(w, planted, http.StatusInternalServerError) },
	"elsewhere": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/v1/"+planted, http.StatusFound) },
	"endless": func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, strings.Repeat(planted, 1<<10))
		}
	},
}
