package e2e

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// Credentials of the victim's account. No four characters of them are in the
// pages except where they are shown, nor in texts of the gateway.
const (
	hijackedCookie   = "Vq7zLm2XtG9wJk4RsY8vPh3ZnU6yQj5KxT1bWd0F"
	hijackedToken    = "eyKzWq8Jx2.Gv5Yt7Qm9Zk3Xp1Lw6Rj4Hs0.Nu8Vy2Tz7Kq5Wx3Jm"
	hijackedHeader   = "Zx4-Kq9Wv2Ym7Jt5Gp8Ls3Rh6"
	hijackedPassword = "Wz5!kYq8Xv3"
)

var hijackedSecrets = []string{hijackedCookie, hijackedToken, hijackedHeader, hijackedPassword}

// hijacked is an agent that follows an attacker's instructions, in a session that
// is signed in to the victim.
type hijacked struct {
	*gateway
	victim, hostile string
	session         string
	probes          int // in this session
	mu              sync.Mutex
	tries           map[string]int
}

// TestAHijackedAgentLearnsNothing tries everything that an agent's token and a
// page of the attacker can do. No answer may contain four characters of a secret,
// or distinguish a right guess from a wrong one without pausing the session.
func TestAHijackedAgentLearnsNothing(t *testing.T) {
	testenv.Heavy(t)
	t.Parallel()
	v := httptest.NewServer(victim())
	t.Cleanup(func() { v.CloseClientConnections(); v.Close() })
	_, port, _ := net.SplitHostPort(v.Listener.Addr().String())
	h := &hijacked{victim: "http://localhost:" + port, tries: map[string]int{}}
	a := httptest.NewServer(hostile(h.victim))
	t.Cleanup(func() { a.CloseClientConnections(); a.Close() })
	h.hostile = a.URL
	h.gateway = prepare(t, settings{
		warmPool: 1,
		security: "max_actions_per_session: -1\n  max_failures: -1",
		env: append([]string{"GLOVEBOX_SECURITY_NETWORK_ALLOW_PRIVATE=localhost:" + port + "," + strings.TrimPrefix(h.hostile, "http://"),
			"GLOVEBOX_SECURITY_HITL_TRUSTED_DOMAINS=localhost,127.0.0.1"}, forgetful...),
	})
	document, _ := json.Marshal(object{
		"origin": h.victim, "cookies": []object{{"name": "sid", "value": hijackedCookie, "path": "/", "httpOnly": true, "sameSite": "Lax"}},
		"localStorage": object{"jwt": hijackedToken}, "headers": object{"X-Api-Key": hijackedHeader}, "login": object{"username": "ada", "password": hijackedPassword},
	})
	file := filepath.Join(t.TempDir(), "credentials.json")
	if err := os.WriteFile(file, document, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, complaint, status := h.command(t, "vault", "set", "localhost", "--file", file); status != 0 {
		t.Fatalf("vault set: %d\n%s%s", status, out, complaint)
	}
	for _, form := range []string{"plain", "reversed", "base64", "hex", "percent", "entities", "spaced", "lines"} {
		if len(shown([]byte("x "+disguises[form](hijackedCookie)+" y"))) == 0 {
			t.Errorf("%s: a secret would not be found in an answer", form)
		}
	}
	h.run()
	type part struct {
		name string
		run  func(*hijacked, *testing.T)
	}
	beside := []part{{"Reads", (*hijacked).reads}, {"HostilePage", (*hijacked).fromOwnPage}, {"Guesses", (*hijacked).guesses}, {"Refused", (*hijacked).refused}}
	count := func(own *hijacked) {
		h.mu.Lock()
		defer h.mu.Unlock()
		for kind, n := range own.tries {
			h.tries[kind] += n
		}
	}
	inSession := func(t *testing.T, p part) {
		own := &hijacked{gateway: h.gateway, victim: h.victim, hostile: h.hostile, tries: map[string]int{}}
		defer count(own)
		p.run(own, t)
	}
	t.Run("beside", func(t *testing.T) {
		for _, p := range beside {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				inSession(t, p)
			})
		}
	})
	for _, p := range []part{{"Caught", (*hijacked).caught}, {"Tools", (*hijacked).tools}} { // a caller that is held is so in all its sessions
		t.Run(p.name, func(t *testing.T) { inSession(t, p) })
	}
	total := 0
	for _, n := range h.tries {
		total += n
	}
	t.Logf("%d tries: %v", total, h.tries)
	if total < 200 {
		t.Errorf("%d tries", total)
	}
}

func (h *hijacked) fresh(t *testing.T) {
	t.Helper()
	if h.session != "" {
		h.curl(t, "operator").post("/v1/sessions/"+h.session+"/close", "")
	}
	h.session, h.probes = h.curl(t, "agent").open(fmt.Sprintf(`{"url": %q}`, h.victim+"/app")), 0
}

func (h *hijacked) at(path string) string { return "/v1/sessions/" + h.session + "/browser" + path }

func (h *hijacked) goTo(t *testing.T, address string) answer {
	t.Helper()
	return h.curl(t, "agent").post(h.at("/navigate"), fmt.Sprintf(`{"url": %q}`, address))
}

// hijackedWindows are the parts of secrets that must not be shown, and their
// encodings.
var hijackedWindows = func() map[string]string {
	all := map[string]string{}
	for _, s := range hijackedSecrets {
		for at := 0; at+4 <= len(s); at++ {
			all[s[at:at+4]] = s[at : at+4]
		}
	}
	return all
}()

var (
	hijackedSpaces = regexp.MustCompile(`[\s\x{200b}-\x{200d},;|"']+`)
	hijackedRuns   = regexp.MustCompile(`[A-Za-z0-9+/_-]{12,}={0,2}`)
	hijackedDigits = regexp.MustCompile(`[0-9a-fA-F]{16,}`)
)

// shown returns the parts of secrets in an answer, in any of these encodings,
// without what the agent itself has sent.
func shown(body []byte, sent ...string) []string {
	text := string(body)
	for _, s := range sent {
		if len(s) > 3 {
			text = strings.ReplaceAll(text, s, "")
		}
	}
	forms := []string{text, html.UnescapeString(text)}
	if plain, err := url.QueryUnescape(text); err == nil {
		forms = append(forms, plain)
	}
	for _, word := range hijackedRuns.FindAllString(text, 2000) {
		if b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(word, "=")); err == nil {
			forms = append(forms, string(b))
		}
	}
	for _, word := range hijackedDigits.FindAllString(text, 2000) {
		if b, err := hex.DecodeString(word[:len(word)&^1]); err == nil {
			forms = append(forms, string(b))
		}
	}
	var found []string
	for _, form := range forms {
		if len(form) > 1<<20 {
			form = form[:1<<20]
		}
		turned := []byte(form)
		slices.Reverse(turned)
		for _, f := range []string{form, string(turned)} {
			for window := range hijackedWindows {
				if strings.Contains(f, window) {
					found = append(found, window)
				}
			}
		}
	}
	apart := hijackedSpaces.ReplaceAllString(text, "")
	for _, s := range hijackedSecrets {
		for at := 0; at+8 <= len(s); at++ {
			if strings.Contains(apart, s[at:at+8]) {
				found = append(found, s[at:at+8])
			}
		}
	}
	return found
}

// clean counts an attempt, and expects no part of a secret in its answer.
func (h *hijacked) clean(t *testing.T, kind string, a answer, sent ...string) {
	t.Helper()
	h.tries[kind]++
	if strings.HasPrefix(a.header.Get("Content-Type"), "image/") {
		return
	}
	body := a.body
	if strings.Contains(a.what, "screenshot") || strings.Contains(a.what, "pdf") {
		body = regexp.MustCompile(`"(data|image|bytes|content)": ?"[^"]*"`).ReplaceAll(body, nil)
	}
	if found := shown(body, sent...); len(found) > 0 {
		slices.Sort(found)
		at := strings.Index(string(body), found[0])
		t.Errorf("%s shows %q: %.1500s", a.what, slices.Compact(found), body[max(0, at-300):])
	}
}
