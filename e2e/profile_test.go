package e2e

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/profile"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// visit opens the page that identifies a visitor by a cookie, local storage and a
// database, and returns what it shows for each. An empty name signs nobody in.
func visit(t *testing.T, g *gateway, name string) string {
	t.Helper()
	c := g.curl(t, "operator")
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/visitor?name=`+name+`"}`).object(http.StatusOK)
	if found := c.post("/v1/browser/wait", `{"text": "database:", "timeout": 120000}`).object(http.StatusOK); found["found"] != true {
		t.Fatal("the page does not say who visits")
	}
	return c.get("/v1/browser/extract").object(http.StatusOK)["text"].(string)
}

func wantVisitor(t *testing.T, said, name string) {
	t.Helper()
	for _, place := range []string{"cookie", "storage", "database"} {
		if !strings.Contains(said, place+": is-"+name+";") {
			t.Errorf("the %s does not know %s: %q", place, name, said)
		}
	}
}

// context creates a profile and returns its id.
func newContext(t *testing.T, g *gateway, name string) string {
	t.Helper()
	made := g.curl(t, "operator").post("/v1/browser/contexts", `{"name": "`+name+`"}`).object(http.StatusCreated)
	id, _ := made["id"].(string)
	if len(id) != 32 || made["name"] != name || made["createdAt"] == "" {
		t.Fatalf("created %v", made)
	}
	return id
}

// profileComesBack checks that a visitor is known in the next browser, and
// deletes the profile by its name.
func profileComesBack(t *testing.T, g *gateway) {
	c := g.curl(t, "operator")
	id := newContext(t, g, "round")
	for _, name := range []string{"canary-eve", ""} {
		c.post("/v1/browser/start", `{"contextId": "round"}`).object(http.StatusOK)
		wantVisitor(t, visit(t, g, name), "canary-eve")
		c.post("/v1/browser/stop", "").object(http.StatusOK)
	}
	if out, complaint, status := g.command(t, "profile", "delete", "round"); status != 0 {
		t.Errorf("not deleted: %d %s%s", status, out, complaint)
	}
	c.do(http.MethodDelete, "/v1/browser/contexts/"+id, "").problem(fault.NotFound)
}

func profiles(t *testing.T, g *gateway) {
	c := g.curl(t, "operator")
	id := newContext(t, g, "work")
	g.curl(t, "agent").get("/v1/browser/contexts").problem(fault.DeniedByPolicy)
	g.curl(t, "agent").post("/v1/browser/start", `{"contextId": "`+id+`"}`).problem(fault.DeniedByPolicy)
	g.curl(t, "agent").post("/v1/sessions", `{"profile": "work"}`).problem(fault.DeniedByPolicy)

	started := c.post("/v1/browser/start", `{"contextId": "work", "width": 1000}`).object(http.StatusOK)
	if started["state"] != "active" || started["contextId"] != id || len(started["processes"].([]any)) != 2 || !strings.HasPrefix(started["display"].(string), ":") {
		t.Errorf("started %v", started)
	}
	wantVisitor(t, visit(t, g, "canary-ann"), "canary-ann")
	c.post("/v1/sessions", `{"profile": "`+id+`"}`).problem(fault.AlreadyActive)
	c.do(http.MethodDelete, "/v1/browser/contexts/"+id, "").problem(fault.AlreadyActive)
	c.post("/v1/browser/start", `{"width": 999}`).problem(fault.AlreadyActive)
	for range 2 {
		if stopped := c.post("/v1/browser/stop", "").object(http.StatusOK); stopped["state"] != "inactive" {
			t.Errorf("stopped %v", stopped)
		}
	}

	listed, _ := c.get("/v1/browser/contexts").object(http.StatusOK)["contexts"].([]any)
	if size, _ := listed[0].(object)["sizeBytes"].(float64); len(listed) != 1 || size < 1000 {
		t.Errorf("listed %v", listed)
	}
	inTheClear(t, g, "is-canary-ann")
	profileCommands(t, g)
	wantVisitor(t, visit(t, g, ""), "canary-ann")
	c.post("/v1/browser/stop", "").object(http.StatusOK)
	tampered(t, g, id)
	c.do(http.MethodDelete, "/v1/browser/contexts/"+strings.Repeat("0", 32), "").problem(fault.NotFound)
	if gone := c.do(http.MethodDelete, "/v1/browser/contexts/"+id, "").object(http.StatusOK); gone["ok"] != true {
		t.Errorf("deleted %v", gone)
	}
	if left, err := os.ReadDir(g.profiles()); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func (g *gateway) profiles() string { return filepath.Join(g.dir, "state", "profiles") }

// profileCommands opens the profile again, from the command line.
func profileCommands(t *testing.T, g *gateway) {
	t.Helper()
	for _, c := range []struct {
		says string
		args []string
	}{
		{"work", []string{"profile", "list"}},
		{"open", []string{"session", "start", "--profile", "work"}},
		{"active", []string{"status"}},
	} {
		out, complaint, status := g.command(t, c.args...)
		if status != 0 || !strings.Contains(out, c.says) {
			t.Errorf("%q: %d %s%s", c.args, status, out, complaint)
		}
	}
}

// tampered changes a byte of the profile's file, and puts it back.
func tampered(t *testing.T, g *gateway, id string) {
	t.Helper()
	path := filepath.Join(g.profiles(), id+".age")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Clone(whole)
	changed[len(changed)/2] ^= 1
	if err := os.WriteFile(path, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	said := g.curl(t, "operator").post("/v1/sessions", `{"profile": "`+id+`"}`).problem(fault.StartFailed)
	if detail, _ := said["detail"].(string); !strings.Contains(detail, "profile's file is damaged") {
		t.Errorf("it says %v", said)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
}

// inTheClear searches everything that the gateway stores for a text.
func inTheClear(t *testing.T, g *gateway, text string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(g.dir, "state"), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) {
			t.Errorf("%s holds it", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestProfilesSurviveTheGateway ends gateways while a profile is in use: by a
// signal, which saves it; killed with an open session, which the next gateway
// recovers; killed during saving.
func TestProfilesSurviveTheGateway(t *testing.T) {
	testenv.Heavy(t)
	g := start(t, settings{})
	id := newContext(t, g, "work")
	open := func() string {
		return g.curl(t, "operator").post("/v1/browser/start", `{"contextId": "work"}`).object(http.StatusOK)["session"].(string)
	}
	open()
	visit(t, g, "ann")
	g.curl(t, "operator").post("/v1/browser/navigate", `{"url": "`+g.site+`/login"}`).object(http.StatusOK)
	g.curl(t, "operator").post("/v1/browser/click", `{"role": "button", "name": "Continue as demo user"}`).object(http.StatusOK)
	signedIn(t, g)
	g.end(syscall.SIGTERM)
	g.run()
	session := open()
	signedIn(t, g)
	wantVisitor(t, visit(t, g, ""), "ann")
	visit(t, g, "bob")
	g.end(syscall.SIGKILL)
	g.run()
	c := g.curl(t, "operator")
	if status := c.get("/v1/browser/status").object(http.StatusOK); status["session"] != session || status["contextId"] != id {
		t.Fatalf("after a kill: %v", status)
	}
	c.post("/v1/browser/tabs", `{"url": "`+g.site+`/lab/visitor"}`).object(http.StatusCreated)
	signedIn(t, g)
	c.post("/v1/browser/stop", "").object(http.StatusOK)
	session = open()
	if tabs, _ := c.get("/v1/browser/tabs").object(http.StatusOK)["tabs"].([]any); len(tabs) != 1 {
		t.Errorf("the last session's tabs came back: %v", tabs)
	}
	wantVisitor(t, visit(t, g, ""), "bob")
	visit(t, g, "cleo")
	killedWhileItSaves(t, g, session)
	open()
	said := visit(t, g, "")
	if !strings.Contains(said, "cookie: is-bob;") && !strings.Contains(said, "cookie: is-cleo;") {
		t.Errorf("the profile is lost: %q", said)
	}
	wrongKey(t, g)
}

// signedIn expects that the demo knows the visitor by a session cookie.
func signedIn(t *testing.T, g *gateway) {
	t.Helper()
	c := g.curl(t, "operator")
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/"}`).object(http.StatusOK)
	if text := c.get("/v1/browser/snapshot").object(http.StatusOK)["snapshot"].(string); !strings.Contains(text, `link "New invoice"`) {
		t.Errorf("not signed in:\n%s", text)
	}
}

// killedWhileItSaves kills the gateway when its session has begun to end. Whether
// it has saved by then, the profile is whole.
func killedWhileItSaves(t *testing.T, g *gateway, session string) {
	t.Helper()
	c := g.curl(t, "operator")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		request, err := http.NewRequest(http.MethodPost, c.base+"/v1/browser/stop", nil)
		if err != nil {
			return
		}
		request.Header.Set("Authorization", "Bearer "+c.token)
		if response, err := http.DefaultClient.Do(request); err == nil { // it is killed before it answers
			_ = response.Body.Close()
		}
	}()
	testwait.For(t, "the browser to stop", func() bool {
		status := c.get("/v1/sessions/" + session + "/browser/status")
		return status.status != http.StatusOK || status.object(http.StatusOK)["state"] != "active"
	})
	g.end(syscall.SIGKILL)
	<-ended
	g.run()
	parts, err := filepath.Glob(filepath.Join(g.profiles(), "*.part"))
	if err != nil || len(parts) > 0 {
		t.Errorf("half files are left: %v, %v", parts, err)
	}
}

// wrongKey starts the gateway with another key than profiles were saved with.
func wrongKey(t *testing.T, g *gateway) {
	t.Helper()
	g.curl(t, "operator").post("/v1/browser/stop", "").object(http.StatusOK)
	g.end(syscall.SIGTERM)
	if err := os.Remove(filepath.Join(g.dir, "state", profile.KeyFile)); err != nil {
		t.Fatal(err)
	}
	g.run()
	said := g.curl(t, "operator").post("/v1/browser/start", `{"contextId": "work"}`).problem(fault.StartFailed)
	if detail, _ := said["detail"].(string); !strings.Contains(detail, "another key") {
		t.Errorf("it says %v", said)
	}
}
