package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// accountKey is the credential of the lab's page that shows its credential.
const accountKey = "gbx-9f86d081884c7d659a2feaa0c55ad015"

// indiscreet adds a page that shows its credential in many places, in magenta
// where it is visible.
func indiscreet(mux *http.ServeMux) {
	mux.HandleFunc("GET /lab/indiscreet", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		c, err := r.Cookie("key")
		if err != nil || c.Value != accountKey {
			_, _ = fmt.Fprint(w, `<!doctype html><title>Sign in</title><h1>Who are you?</h1>`)
			return
		}
		_, _ = fmt.Fprintf(w, `<!doctype html><title>Account</title><meta name=key content="%[1]s"><body style="background:#fff;color:#000">
<h1 id=top>Welcome back</h1><form><input type=hidden name=token value="%[1]s"></form><p>Your key: <b style="color:#f0f">%[1]s</b></p>
<p data-key="%[1]s">Keep it.</p><input style="color:#f0f;width:400px" aria-label=Copy value="%[1]s">`, accountKey)
	})
}

// TestASignedInAgentCannotReadItsCredentials lets an agent read the page in every
// way. None may show the credential.
func TestASignedInAgentCannotReadItsCredentials(t *testing.T) {
	g := start(t, settings{})
	file := filepath.Join(t.TempDir(), "key.json")
	document := fmt.Sprintf(`{"origin": %q, "cookies": [{"name": "key", "value": %q, "httpOnly": true}]}`, g.site, accountKey)
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, complaint, status := g.command(t, "vault", "set", "localhost", "--file", file); status != 0 {
		t.Fatalf("vault set: %d\n%s", status, complaint)
	}
	agent, operator := g.curl(t, "agent"), g.curl(t, "operator")
	id := agent.open(`{"url": "` + g.site + `/lab/indiscreet"}`)
	base := "/v1/sessions/" + id + "/browser/"
	if text := fmt.Sprint(agent.get(base + "snapshot").object(http.StatusOK)); !strings.Contains(text, "Welcome back") || strings.Contains(text, accountKey[:12]) {
		t.Fatalf("the agent sees %s", text)
	}
	for _, path := range []string{"content", "cookies", "har", "network?headers=true", "cdp"} {
		if rule := ruleOf(agent.get(base + path).problem(fault.DeniedByPolicy)); path == "har" && rule != action.WithheldRule {
			t.Errorf("%s is refused by %s", path, rule)
		}
	}
	if rule := ruleOf(agent.post(base+"execute", `{"expression": "document.cookie"}`).problem(fault.DeniedByPolicy)); rule != action.WithheldRule {
		t.Errorf("a script is refused by %s", rule)
	}
	for _, css := range []string{`[name=token][value^='g']`, `meta[content^='gbx']`, `p[data-key*='9f']`, `body:has([value$='5'])`} {
		agent.post(base+"wait", fmt.Sprintf(`{"selector": %q}`, css)).problem(fault.InvalidSelector)
		agent.post(base+"scrape", fmt.Sprintf(`{"selectors": {"x": %q}}`, css)).problem(fault.InvalidSelector)
	}
	for _, asked := range []string{`{"text": "Your key: g", "timeout": 0}`, `{"text": "gbx-9", "timeout": 0}`, `{"selector": "[type=hidden]", "timeout": 0}`} {
		if found := agent.post(base+"wait", asked).object(http.StatusOK)["found"]; found != false {
			t.Errorf("%s is answered with %v", asked, found)
		}
	}
	if found := agent.post(base+"wait", `{"selector": "h1#top", "timeout": 0}`).object(http.StatusOK)["found"]; found != true {
		t.Errorf("a heading that is there is found: %v", found)
	}
	for _, caller := range []curl{agent, operator} {
		if n := magenta(t, caller.get(base+"screenshot?format=png&fullPage=true").body); n != 0 {
			t.Errorf("%d points of the key are on the picture", n)
		}
		caller.get(base + "pdf").problem(fault.DeniedByPolicy)
	}
	operator.get(base + "content").object(http.StatusOK)
	if code := g.explained(t, "page.har"); code != action.WithheldRule {
		t.Errorf("the policy explains it by %s", code)
	}
}

// ruleOf is the rule that a refusal names.
func ruleOf(problem object) string {
	details, _ := problem["details"].(map[string]any)
	rule, _ := details["rule"].(string)
	return rule
}

// explained is the rule by which an agent's call in a session with credentials
// would be decided.
func (g *gateway) explained(t *testing.T, verb string) string {
	t.Helper()
	rule, _ := g.curl(t, "operator").post("/v1/policy/explain", `{"verb": "`+verb+`", "credentialed": true}`).object(http.StatusOK)["rule"].(string)
	return rule
}

// magenta counts the magenta pixels of a picture.
func magenta(t *testing.T, data []byte) (n int) {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("no picture: %v in %s", err, base64.StdEncoding.EncodeToString(data[:min(len(data), 60)]))
	}
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			if r, g, b, _ := m.At(x, y).RGBA(); r > 0xb000 && g < 0x5000 && b > 0xb000 {
				n++
			}
		}
	}
	return n
}
