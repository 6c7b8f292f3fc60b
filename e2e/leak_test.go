package e2e

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"filippo.io/age"

	"github.com/gloveboxhq/glovebox/e2e/leaksite"
	"github.com/gloveboxhq/glovebox/internal/profile"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// watcher is the token of a viewer of the default scope.
const watcher = "the-token-of-a-viewer-who-watches"

// leak is a session that is signed in to a hostile site by injected credentials,
// and everything that comes out of it.
type leak struct {
	*gateway
	site     *leaksite.Site
	canaries leaksite.Canaries
	base     string           // URL of the site
	secrets  *leaksite.Finder // what must not come out
	beacon   *leaksite.Finder // what comes out in their place
	session  string
	hook     *sink // the webhook
	spans    *sink // OpenTelemetry

	profileKey string // age identity that profiles are encrypted under
}

// TestNoOutputLeaksASecret signs in to a hostile site by injected credentials,
// and searches for them in everything that a caller can get and everything that
// is stored.
func TestNoOutputLeaksASecret(t *testing.T) {
	testenv.Heavy(t)
	t.Parallel()
	l := newLeak(t)
	l.session = l.curl(t, "agent").open(fmt.Sprintf(`{"name": "signed-in", "url": %q}`, l.base))
	l.signedIn(t)
	for _, part := range []struct {
		name string
		run  func(*leak, *testing.T)
	}{
		{"Places", (*leak).rawPlaces},
		{"Mirrors", (*leak).mirrors},
		{"NotTaken", (*leak).notTaken},
		{"Typed", (*leak).typed},
		{"Files", (*leak).filesOfPages},
		{"Faults", (*leak).provoked},
		{"MCP", (*leak).tools},
		{"CommandLine", (*leak).commands},
		{"Protocol", (*leak).protocol},
		{"Questions", (*leak).peopleAsked},
		{"Runs", (*leak).ran},
		{"Crawls", (*leak).crawled},
		{"Pictures", (*leak).pictures},
		{"YesOrNo", (*leak).yesOrNo},
		{"Trail", (*leak).trailOfAll},
		{"Kept", (*leak).kept},
		{"Profiles", (*leak).keptInProfiles},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(l, t) })
	}
}

// newLeak starts a gateway that has the site's credentials in its vault.
func newLeak(t *testing.T) *leak {
	t.Helper()
	l := &leak{canaries: leaksite.New(), hook: newSink(t), spans: newSink(t)}
	l.site = leaksite.Open(l.canaries)
	l.secrets, l.beacon = leaksite.Find(l.canaries.List()...), leaksite.Find(l.site.Beacon())
	server := httptest.NewServer(l.site)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	l.base = "http://localhost:" + port
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	l.profileKey = key.String()
	l.gateway = prepare(t, settings{
		tokens:   fmt.Sprintf("{name: watcher, role: viewer, scope: default, sha256: %x}", sha256.Sum256([]byte(watcher))),
		security: "max_actions_per_session: -1\n  max_failures: -1",
		env: append([]string{
			"GLOVEBOX_SECURITY_NETWORK_ALLOW_PRIVATE=localhost:" + port,
			"GLOVEBOX_SECURITY_HITL_ASK_AT=act", // what people are asked before an act is looked through, too
			"GLOVEBOX_AUDIT_OTLP_ENDPOINT=" + l.spans.URL + "/v1/traces",
			"GLOVEBOX_SECURITY_HITL_WEBHOOK_URL=" + l.hook.URL, "GLOVEBOX_SECURITY_HITL_WEBHOOK_SECRET_ENV=HOOK_SECRET", "HOOK_SECRET=" + hookSecret,
			profile.KeyEnv + "=" + l.profileKey, "GLOVEBOX_BROWSER_SANDBOX_CONTAINER_MEMORY_LIMIT=1g", // hundreds of frames and messages
		}, forgetful...),
	})
	l.store(t)
	l.run()
	return l
}

// store puts the site's credentials into the vault, from outside of what is
// looked through afterwards.
func (l *leak) store(t *testing.T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "credentials.json")
	if err := os.WriteFile(file, l.canaries.Document("localhost", l.base), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, complaint, status := l.command(t, "vault", "set", "localhost", "--file", file); status != 0 {
		t.Fatalf("vault set: %d\n%s%s", status, out, complaint)
	}
}

// signedIn expects that every kind of credential reached the site, since
// otherwise the test would prove nothing.
func (l *leak) signedIn(t *testing.T) {
	t.Helper()
	l.show(t, "/mirror?form=raw")
	want := []string{
		leaksite.Session, leaksite.Plain, leaksite.Host, leaksite.Rotated, leaksite.Local,
		leaksite.Within, leaksite.Tab, leaksite.Bearer, leaksite.Key,
	}
	slices.Sort(want)
	if seen := l.site.Seen(); !slices.Equal(seen, want) {
		t.Errorf("the site was given %q, want %q", seen, want)
	}
}

// show lets the agent open a page of the site, and waits until it has shown
// everything.
func (l *leak) show(t *testing.T, path string) {
	t.Helper()
	c := l.as(t, "agent")
	l.clean(t, c.post(l.at("/navigate"), fmt.Sprintf(`{"url": %q}`, l.base+path)))
	if strings.HasPrefix(path, "/mirror") || strings.HasPrefix(path, "/places") {
		waited := c.post(l.at("/wait"), `{"text": "all is shown", "timeout": 120000}`)
		if l.clean(t, waited); waited.object(http.StatusOK)["found"] != true {
			t.Fatalf("%s has not shown all: %.2000s", path, l.as(t, "operator").get(l.at("/console?level=error")).body)
		}
	}
}

// at is a route of the session's browser.
func (l *leak) at(path string) string { return "/v1/sessions/" + l.session + "/browser" + path }

// as is a client of a role, the viewer's too.
func (l *leak) as(t *testing.T, role string) curl {
	t.Helper()
	if role == "viewer" {
		return curl{t: t, base: l.url(), token: watcher}
	}
	return l.curl(t, role)
}

// clean expects no secret in an answer, including its headers.
func (l *leak) clean(t *testing.T, a answer) {
	t.Helper()
	var headers bytes.Buffer
	_ = a.header.Write(&headers)
	l.cleanText(t, a.what, append(headers.Bytes(), a.body...))
}

// cleanText expects no secret in a text.
func (l *leak) cleanText(t *testing.T, what string, text []byte) {
	t.Helper()
	if found := l.secrets.In(text); len(found) > 0 {
		t.Errorf("%s leads back to %q", what, found)
	}
}

// lively expects the beacon in a text, which proves that a secret could have been
// there.
func (l *leak) lively(t *testing.T, what string, text []byte) {
	t.Helper()
	if len(l.beacon.In(text)) == 0 {
		t.Errorf("%s shows nothing of the page, secret or not: %.300q", what, text)
	}
}

// commandAs is the command line with the token of a role.
func (l *leak) commandAs(t *testing.T, role string, args ...string) (string, int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), binary, append(args, "--config", l.config)...)
	c.Env = append(append(os.Environ(), l.env...), "GLOVEBOX_TOKEN="+l.as(t, role).token)
	out, _ := c.CombinedOutput()
	return string(out), c.ProcessState.ExitCode()
}

// sink keeps what is posted to it.
type sink struct {
	*httptest.Server
	mu   sync.Mutex
	text bytes.Buffer
}

func newSink(t *testing.T) *sink {
	t.Helper()
	s := &sink{}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func (s *sink) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(r.Body)
		if err != nil {
			return
		}
		body = unzipped
	}
	text, _ := io.ReadAll(body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(text)
}

func (s *sink) bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.text.Bytes())
}
