package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// TestALoginMovesFromOneProfileToAnother uses files: Playwright and Glovebox read
// what Glovebox exported, and Glovebox imports what Playwright, curl and an
// extension wrote. Sites identify the visitor by a session cookie and by a stored
// text.
func TestALoginMovesFromOneProfileToAnother(t *testing.T) {
	testenv.Heavy(t)
	t.Parallel()
	g := start(t, settings{})
	state := filepath.Join(t.TempDir(), "state.json")
	signInWith(t, g, "first")
	g.exports(t, "first", state)
	g.imports(t, "second", state)
	session := g.uses(t, "second")
	signedIn(t, g)
	wantMoved(t, g, "canary-eve")
	leadsNowhere(t, g, session, state)
	g.curl(t, "operator").post("/v1/browser/stop", "").object(http.StatusOK)

	played := filepath.Join(t.TempDir(), "playwright.json")
	id := g.curl(t, "operator").open(`{}`)
	g.journey(t, "storage.mjs", id, "IN="+state, "OUT="+played)
	g.curl(t, "operator").post("/v1/sessions/"+id+"/close", "").object(http.StatusOK)
	g.imports(t, "third", played)
	g.uses(t, "third")
	signedIn(t, g)
	wantMoved(t, g, "canary-pat")
	g.curl(t, "operator").post("/v1/browser/stop", "").object(http.StatusOK)
	for name, file := range otherFiles(t, g, played) {
		g.imports(t, name, file)
		g.uses(t, name)
		signedIn(t, g)
		g.curl(t, "operator").post("/v1/browser/stop", "").object(http.StatusOK)
	}
}

// signInWith signs a visitor in, in a new profile.
func signInWith(t *testing.T, g *gateway, profile string) {
	t.Helper()
	c := g.curl(t, "operator")
	newContext(t, g, profile)
	g.uses(t, profile)
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/login"}`).object(http.StatusOK)
	c.post("/v1/browser/click", `{"role": "button", "name": "Continue as demo user"}`).object(http.StatusOK)
	signedIn(t, g)
	visit(t, g, "canary-eve")
	c.post("/v1/browser/stop", "").object(http.StatusOK)
}

// uses starts a session with a profile.
func (g *gateway) uses(t *testing.T, profile string) (session string) {
	t.Helper()
	return g.curl(t, "operator").post("/v1/browser/start", `{"contextId": "`+profile+`"}`).object(http.StatusOK)["session"].(string)
}

func (g *gateway) exports(t *testing.T, profile, file string) {
	t.Helper()
	out, complaint, status := g.command(t, "profile", "export", profile, "-o", file)
	if status != 0 || !strings.Contains(out, "exported:") || strings.Contains(out+complaint, "canary") {
		t.Fatalf("status %d\n%s%s", status, out, complaint)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// imports makes a profile and imports a file into it.
func (g *gateway) imports(t *testing.T, profile, file string) {
	t.Helper()
	newContext(t, g, profile)
	out, complaint, status := g.command(t, "profile", "import", profile, file)
	if status != 0 || !strings.Contains(out, "imported:") || strings.Contains(out+complaint, "canary") {
		t.Fatalf("status %d\n%s%s", status, out, complaint)
	}
}

// wantMoved expects that the page of visits knows the visitor by cookie and
// storage, but not by the database, which is in no file. An operator's script
// reverses the text, since it would be redacted otherwise.
func wantMoved(t *testing.T, g *gateway, name string) {
	t.Helper()
	c := g.curl(t, "operator")
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/visitor"}`).object(http.StatusOK)
	c.post("/v1/browser/wait", `{"text": "database:", "timeout": 120000}`).object(http.StatusOK)
	script, _ := json.Marshal(fmt.Sprintf(`["cookie: is-%[1]s;", "storage: is-%[1]s;", "database: is-%[1]s;"].map(t => document.body.innerText.includes(t)).join()`, name))
	if got := c.post("/v1/browser/execute", `{"expression": `+string(script)+`}`).object(http.StatusOK)["result"]; got != "true,true,false" {
		t.Errorf("%s is known by cookie, storage, database: %v", name, got)
	}
}

// leadsNowhere searches for the values of a login in answers to agents and
// operators, in the trail, the log and on disk.
func leadsNowhere(t *testing.T, g *gateway, session, state string) {
	t.Helper()
	c := g.curl(t, "operator")
	if shown := c.get("/v1/sessions/" + session).object(http.StatusOK); fmt.Sprint(shown["credentialed"]) == "<nil>" {
		t.Errorf("the session is not credentialed: %v", shown)
	}
	var file struct {
		Cookies []struct{ Name, Value string }
	}
	text, err := os.ReadFile(state)
	if err != nil || json.Unmarshal(text, &file) != nil || len(file.Cookies) < 2 {
		t.Fatalf("%v: %d bytes", err, len(text))
	}
	agent := g.curl(t, "agent")
	on := "/v1/sessions/" + session + "/browser/"
	said := string(c.get("/v1/audit?limit=1000").body) + g.log.String() + string(c.get(on+"cookies").body) + string(agent.get(on+"snapshot").body) +
		string(c.get("/v1/browser/contexts").body)
	agent.get(on + "content").problem(fault.DeniedByPolicy)
	agent.get("/v1/browser/contexts/second/state").problem(fault.DeniedByPolicy)
	agent.post("/v1/browser/contexts/second/state", `{"file": "W10="}`).problem(fault.DeniedByPolicy)
	long := 0
	for _, cookie := range file.Cookies {
		if len(cookie.Value) < 16 {
			continue
		}
		long++
		if strings.Contains(said, cookie.Value) {
			t.Errorf("the value of %s is told", cookie.Name)
		}
		inTheClear(t, g, cookie.Value)
	}
	if long == 0 || !strings.Contains(said, "left out: nothing") {
		t.Errorf("%d values were looked for; the trail does not say what was moved", long)
	}
}

// otherFiles are the cookies of a state as curl and as an extension write them.
func otherFiles(t *testing.T, g *gateway, state string) map[string]string {
	t.Helper()
	var file struct{ Cookies []map[string]any }
	text, err := os.ReadFile(state)
	if err != nil || json.Unmarshal(text, &file) != nil {
		t.Fatal(err)
	}
	lines, entries := []string{"# Netscape HTTP Cookie File"}, []map[string]any{}
	for _, c := range file.Cookies {
		lines = append(lines, fmt.Sprintf("#HttpOnly_%s\tFALSE\t%s\tFALSE\t0\t%s\t%s", c["domain"], c["path"], c["name"], c["value"]))
		entries = append(entries, map[string]any{
			"domain": c["domain"], "hostOnly": true, "httpOnly": c["httpOnly"], "name": c["name"], "path": c["path"], "sameSite": "unspecified",
			"secure": false, "session": true, "storeId": "0", "value": c["value"], "id": len(entries) + 1,
		})
	}
	site, _ := url.Parse(g.site)
	lines = append(lines, "tracker.example\tTRUE\t/\tTRUE\t0\tid\tcanary-tracker", site.Hostname()+"\tFALSE\t/\tFALSE\t1000\told\tcanary-old", "")
	array, err := json.Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"fourth": filepath.Join(t.TempDir(), "cookies.txt"), "fifth": filepath.Join(t.TempDir(), "cookies.json")}
	for name, content := range map[string]string{"fourth": strings.Join(lines, "\n"), "fifth": string(array)} {
		if err := os.WriteFile(files[name], []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files
}
