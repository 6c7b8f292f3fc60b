package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// The credentials of the lab's account, known to the site and to the vault.
const (
	loginUser  = "canary-ada@acme.example"
	loginWord  = "canary-0pen-Sesame!"
	loginSeed  = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
	loginToken = "canary-session-9f31c2"
)

// logins adds an account to log in to, below /lab/account.
func logins(mux *http.ServeMux) {
	mux.HandleFunc("GET /lab/account", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if c, err := r.Cookie("account"); err == nil && c.Value == loginToken {
			_, _ = fmt.Fprint(w, `<!doctype html><title>Account</title><h1>Welcome back</h1>`)
			return
		}
		_, _ = fmt.Fprint(w, `<!doctype html><title>Sign in</title><form method=post action=/lab/account>
<label>E-mail <input name=user autocomplete=username></label> <label>Password <input name=word type=password></label>
<label>Code <input name=code autocomplete=one-time-code></label> <label>Remark <input name=remark></label> <button>Sign in</button></form>`)
	})
	mux.HandleFunc("POST /lab/account", func(w http.ResponseWriter, r *http.Request) {
		if r.PostFormValue("user") == loginUser && r.PostFormValue("word") == loginWord && len(r.PostFormValue("code")) == 6 {
			http.SetCookie(w, &http.Cookie{Name: "account", Value: loginToken, Path: "/", HttpOnly: true})
		}
		http.Redirect(w, r, "/lab/account", http.StatusSeeOther)
	})
}

// keeps puts a login for the lab into the vault.
func (g *gateway) keeps(t *testing.T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "login.json")
	document := fmt.Sprintf(`{"origin": %q, "login": {"username": %q, "password": %q, "totp": %q}}`, g.site, loginUser, loginWord, loginSeed)
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	out, complaint, status := g.command(t, "vault", "set", "localhost", "--file", file)
	if status != 0 || strings.Contains(out+complaint, "canary") {
		t.Fatalf("vault set: %d\n%s%s", status, out, complaint)
	}
}

// TestAnAgentLogsInWithNamedSecrets lets an agent log in over MCP with secrets
// that it never sees, and a person approve once. Then the login is captured and
// used in another session.
func TestAnAgentLogsInWithNamedSecrets(t *testing.T) {
	g := start(t, settings{})
	g.keeps(t)
	a := g.stdio(t)
	a.must("browser_navigate", object{"url": g.site + "/lab/account"}, "Sign in")
	id := g.lastSession(t)
	operator := g.curl(t, "operator")
	agent := g.curl(t, "agent")
	fill := func(field, secret string) object {
		return agent.post("/v1/sessions/"+id+"/browser/fill-secret", fmt.Sprintf(`{"selector": "[name=%s]", "secret": %q}`, field, secret), "Prefer: wait=0").object(http.StatusAccepted)
	}
	question, _ := fill("user", "username")["approvalId"].(string)
	shown := operator.get("/v1/approvals/" + question).object(http.StatusOK)
	if shown["input"] != "[secret username of localhost]" || shown["risk"] != "HIGH" {
		t.Errorf("the question is %v", shown)
	}
	agent.post("/v1/approvals/"+question+"/answer", `{"approve": true, "forSession": true}`).problem(fault.DeniedByPolicy)
	operator.post("/v1/approvals/"+question+"/answer", `{"approve": true, "forSession": true}`).object(http.StatusOK)
	said := ""
	for field, secret := range map[string]string{"user": "username", "word": "password", "code": "totp"} {
		said += a.must("browser_fill_secret", object{"target": "[name=" + field + "]", "secret": secret}, "Typed the "+secret+" of localhost")
	}
	a.refused("browser_fill_secret", object{"target": "[name=remark]", "secret": "password"}, string(fault.DeniedByPolicy))
	a.refused("browser_fill_secret", object{"target": "[name=word]", "secret": "api_key"}, string(fault.NotFound))
	a.refused("browser_type", object{"target": "[name=word]", "text": "x"}, string(fault.DeniedByPolicy))
	a.refused("browser_press_key", object{"target": "[name=code]", "key": "Control+c"}, string(fault.DeniedByPolicy))
	a.refused("browser_drag", object{"startTarget": "[name=code]", "endTarget": "[name=remark]"}, string(fault.DeniedByPolicy))
	said += a.must("browser_snapshot", object{}, "Sign in")
	said += a.must("browser_click", object{"role": "button", "name": "Sign in"}, "Welcome back")
	if out, complaint, status := g.command(t, "vault", "capture", "localhost", "-s", id, "--only", "account"); status != 0 || !strings.Contains(out, "1 cookies") {
		t.Errorf("capture: %d\n%s%s", status, out, complaint)
	} else {
		said += out + complaint
	}
	agent.post("/v1/sessions/"+id+"/browser/capture", `{"domain": "localhost"}`).problem(fault.DeniedByPolicy)
	next := agent.post("/v1/sessions", `{"name": "next", "url": "`+g.site+`/lab/account"}`).object(http.StatusOK)
	if page, _ := next["page"].(object); page["title"] != "Account" {
		t.Errorf("the next session is at %v", next)
	}
	trail, _, _ := g.command(t, "audit", "tail", "-n", "500", "--json")
	if !strings.Contains(trail, "[secret password of localhost]") {
		t.Error("the trail does not name what was typed")
	}
	for place, text := range map[string]string{"what the agent read": said, "the trail": trail, "the log": g.log.String()} {
		for _, secret := range []string{loginUser, loginWord, loginSeed, loginToken} {
			if strings.Contains(text, secret) {
				t.Errorf("%s has %s", place, secret[:10])
			}
		}
	}
}

// TestACapturedLoginIsUsedByAgents lets a person take over a session and log in
// by hand. The login is captured and used in agents' sessions afterwards.
func TestACapturedLoginIsUsedByAgents(t *testing.T) {
	testenv.Heavy(t)
	g := start(t, settings{})
	agent := g.curl(t, "agent")
	id := agent.open(`{"name": "first", "url": "` + g.site + `/lab/account"}`)
	if out, complaint, status := g.command(t, "session", "take", id, "--reason", "signing in"); status != 0 {
		t.Fatalf("take: %d\n%s%s", status, out, complaint)
	}
	typing := exec.CommandContext(t.Context(), binary, "type", "[name=word]", "--ask", "-s", id, "--config", g.config)
	typing.Stdin = strings.NewReader(loginWord + "\n")
	if out, err := typing.CombinedOutput(); err != nil || strings.Contains(string(out), loginWord) {
		t.Fatalf("type --ask: %v\n%s", err, out)
	}
	for _, c := range [][]string{
		{"type", "[name=user]", loginUser, "-s", id}, {"type", "[name=code]", "123456", "-s", id},
		{"click", "--role", "button", "--name", "Sign in", "-s", id},
		{"vault", "capture", "localhost", "-s", id},
		{"session", "hand-back", id, "--note", "you are signed in"},
	} {
		if out, complaint, status := g.command(t, c...); status != 0 || strings.Contains(out+complaint, loginToken) {
			t.Fatalf("%s: %d\n%s%s", c[0], status, out, complaint)
		}
	}
	shown := agent.get("/v1/sessions/" + id).object(http.StatusOK)
	if domains, _ := shown["credentialed"].([]any); len(domains) != 1 || domains[0] != "localhost" {
		t.Errorf("the session is credentialed for %v", shown["credentialed"])
	}
	next := agent.open(`{"name": "second", "url": "` + g.site + `/lab/account"}`)
	text := agent.get("/v1/sessions/" + next + "/browser/extract").object(http.StatusOK)
	if said := fmt.Sprint(text); !strings.Contains(said, "Welcome back") {
		t.Errorf("the next session reads %v", said)
	}
}
