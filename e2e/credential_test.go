package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// A credential as an agent might have it, assembled here so that no file of the
// repository contains it as one text, and a characteristic part of it.
const (
	credential = "ghp_" + "q7Zk2XvB9mLw4RtY8nPc3HdJ6sFg1Ka5Ue0W"
	telling    = "mLw4RtY8nPc3"
)

// credentials sends a credential as an agent in many ways. None may reach the
// page, each must pause the session, and the value may be stored nowhere.
func credentials(t *testing.T, g *gateway) {
	agent, operator := g.curl(t, "agent"), g.curl(t, "operator")
	id := agent.open(`{"name": "leaky"}`)
	base, page := "/v1/sessions/"+id+"/browser/", g.site+"/lab/controls"
	agent.post(base+"navigate", `{"url": "`+page+`"}`).object(http.StatusOK)
	a := g.streamable(t, g.token("agent"), "")
	for name, send := range map[string]func(){
		"typed":    func() { caught(agent.post(base+"type", `{"selector": "#q", "text": "`+credential+`"}`)) },
		"opened":   func() { caught(agent.post(base+"navigate", `{"url": "`+g.site+`/?q=`+credential+`"}`)) },
		"in a tab": func() { caught(agent.post(base+"tabs", `{"url": "`+g.site+`/#`+credential+`"}`)) },
		"as a verb": func() {
			caught(agent.post("/v1/verbs/page.type", `{"session": "`+id+`", "args": {"selector": "#q", "text": "it is `+credential+`."}}`))
		},
		"by a tool": func() {
			text := a.refused("browser_type", object{"session": id, "selector": "#q", "text": credential}, "credential_detected")
			if strings.Contains(text, telling) {
				t.Errorf("the tool shows the value:\n%s", text)
			}
		},
		"by an address of a tool": func() {
			a.refused("browser_navigate", object{"session": id, "url": g.site + "/" + credential}, "credential_detected")
		},
		"key by key": func() { caught(pressed(agent, base)) },
	} {
		send()
		if state := operator.get("/v1/sessions/" + id).object(http.StatusOK); state["state"] != "paused" {
			t.Errorf("%s: the session is %v", name, state["state"])
		}
		agent.get(base + "snapshot").problem(fault.SessionPaused)
		held := operator.post(base+"execute", `{"expression": "location.href + ' ' + document.getElementById('q').value"}`).object(http.StatusOK)["result"]
		if text, _ := held.(string); !strings.HasPrefix(text, page+" ") || strings.Contains(text, credential) {
			t.Errorf("%s: the page is at, and holds, %q", name, text)
		}
		operator.post(base+"execute", `{"expression": "document.getElementById('q').value = ''"}`).object(http.StatusOK)
		operator.post("/v1/sessions/"+id+"/resume", `{}`).object(http.StatusOK)
	}
	operator.post(base+"type", `{"selector": "#q", "text": "`+credential+`", "clear": true}`).object(http.StatusOK)
	alerted(t, operator, id)
	g.keepsNothingOf(t, telling)
}

// pressed presses the keys of the credential one by one, up to the answer that
// refuses.
func pressed(c curl, base string) (last answer) {
	for _, key := range credential {
		last = c.post(base+"press", fmt.Sprintf(`{"selector": "#q", "key": %q}`, string(key)))
		if last.status != http.StatusOK {
			break
		}
	}
	return last
}

// caught expects the fault, without any part of the value in it.
func caught(a answer) {
	a.t.Helper()
	a.problem(fault.CredentialDetected)
	if bytes.Contains(a.body, []byte(telling)) {
		a.t.Errorf("%s shows the value:\n%s", a.what, a.body)
	}
}

// alerted expects an alert in the trail for each attempt.
func alerted(t *testing.T, operator curl, session string) {
	t.Helper()
	alerts := 0
	for _, r := range operator.get("/v1/audit?limit=1000&session=" + session).object(http.StatusOK)["records"].([]any) {
		detail, _ := r.(object)["detail"].(string)
		if r.(object)["event_type"] == "alert" && strings.Contains(detail, "credential_detected") && strings.Contains(detail, "github-pat") {
			alerts++
		}
	}
	if alerts != 7 {
		t.Errorf("there are %d alerts, want 7", alerts)
	}
}

// keepsNothingOf searches everything that a gateway wrote for a text.
func (g *gateway) keepsNothingOf(t *testing.T, text string) {
	t.Helper()
	if strings.Contains(g.log.String(), text) {
		t.Error("the log has the value")
	}
	err := filepath.WalkDir(g.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil && bytes.Contains(content, []byte(text)) {
			t.Errorf("%s has the value", filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
