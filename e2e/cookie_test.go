package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// cookies checks that operators manage cookies, over REST and the command line,
// that agents cannot, and that no record has a value.
func cookies(t *testing.T, g *gateway) {
	const secret = "hunter2-cookie"
	agent, operator := g.curl(t, "agent"), g.curl(t, "operator")
	id := agent.open(`{"name": "jar"}`)
	at := "/v1/sessions/" + id + "/browser/cookies"
	agent.get(at).problem(fault.DeniedByPolicy)
	agent.post(at, `{"cookies": [{"name": "a", "value": "`+secret+`", "domain": "localhost"}]}`).problem(fault.DeniedByPolicy)
	agent.do(http.MethodDelete, at, "").problem(fault.DeniedByPolicy)
	if listed := operator.get(at).object(http.StatusOK); len(listed["cookies"].([]any)) != 0 {
		t.Fatalf("a fresh session has %v", listed)
	}
	if set := operator.post(at, `{"cookies": [{"name": "a", "value": "`+secret+`", "domain": "localhost", "path": "/x"}]}`).object(http.StatusOK); set["ok"] != true {
		t.Errorf("set %v", set)
	}
	operator.post(at, `{"cookies": [{"name": "a", "value": "`+secret+`", "domain": "evil.example"}]}`).problem(fault.BlockedDomain)
	listed, _ := operator.get(at).object(http.StatusOK)["cookies"].([]any)
	if len(listed) != 1 || listed[0].(object)["value"] != secret || listed[0].(object)["domain"] != "localhost" || listed[0].(object)["expires"] != -1.0 {
		t.Errorf("listed %v", listed)
	}
	if deleted := operator.do(http.MethodDelete, at+"?name=b", "").object(http.StatusOK); deleted["deleted"] != 0.0 {
		t.Errorf("deleted %v", deleted)
	}
	cookieCommands(t, g, secret)
	if deleted := operator.do(http.MethodDelete, at, "").object(http.StatusOK); deleted["ok"] != true || deleted["deleted"] != 1.0 {
		t.Errorf("deleted %v", deleted)
	}
	trail, errors, status := g.command(t, "audit", "tail", "-n", "200", "--json", "-s", id)
	if status != 0 || strings.Contains(trail, secret) || !strings.Contains(trail, "cookie.set") {
		t.Errorf("the trail: %d %s", status, errors)
	}
}

// cookieCommands exports the cookies and sets them again.
func cookieCommands(t *testing.T, g *gateway, secret string) {
	t.Helper()
	kept, complaint, status := g.command(t, "cookies", "list", "--json", "-s", "jar")
	file := filepath.Join(t.TempDir(), "cookies.json")
	if err := os.WriteFile(file, []byte(kept), 0o600); err != nil || status != 0 {
		t.Fatal(err, status, complaint)
	}
	for _, c := range []struct {
		says string
		exit int
		args []string
	}{
		{"1 cookie deleted", 0, []string{"delete", "--domain", "localhost"}},
		{"no cookies", 0, []string{"list"}},
		{"1 cookie set", 0, []string{"set", "--file", file}},
		{secret, 0, []string{"list", "http://localhost/x"}},
		{"no cookies", 0, []string{"list", "http://localhost/y"}},
		{"1 cookie set", 0, []string{"set", "theme=dark", "--domain", "localhost", "--expires", "1h"}},
		{"theme", 0, []string{"list"}},
		{"1 cookie deleted", 0, []string{"delete", "--name", "theme"}},
		{"want --name or --domain", 2, []string{"delete"}},
		{"want either", 2, []string{"set"}},
	} {
		out, complaint, status := g.command(t, append([]string{"cookies", "-s", "jar"}, c.args...)...)
		if status != c.exit || !strings.Contains(out+complaint, c.says) {
			t.Errorf("cookies %q: %d %s%s", c.args, status, out, complaint)
		}
	}
}
