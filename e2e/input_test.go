package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/demosite"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// strangers are callers without a token, with a wrong one, and of another scope.
func strangers(t *testing.T, g *gateway) {
	nobody, elsewhere, agent := g.curl(t, "agent"), g.curl(t, "agent"), g.curl(t, "agent")
	nobody.token, elsewhere.token = "", stranger
	if health := nobody.get("/v1/health").object(http.StatusOK); health["ok"] != true || len(health) != 1 {
		t.Errorf("health tells a stranger %v", health)
	}
	for _, path := range []string{"/v1/sessions", "/v1/browser/snapshot", "/v1/audit", "/mcp", "/openapi.json", "/docs", "/nothing"} {
		nobody.get(path).problem(fault.Unauthenticated)
	}
	nobody.token = "wrong"
	if got := nobody.get("/v1/sessions"); got.header.Get("WWW-Authenticate") == "" {
		t.Error("a 401 does not say how to authenticate")
	} else {
		got.problem(fault.Unauthenticated)
	}
	id := agent.open(`{"name": "mine"}`)
	for _, name := range []string{id, "mine", "never-was"} {
		got := elsewhere.get("/v1/sessions/" + name).problem(fault.SessionNotFound)
		if detail := got["detail"].(string); strings.Contains(detail, "scope") {
			t.Errorf("it tells that the session is another's: %s", detail)
		}
		elsewhere.post("/v1/sessions/"+name+"/close", "").problem(fault.SessionNotFound)
		elsewhere.get("/v1/browser/snapshot", "Glovebox-Session: "+name).problem(fault.SessionNotFound)
	}
	elsewhere.get("/v1/browser/snapshot").problem(fault.NotActive)
	if list := elsewhere.get("/v1/sessions").object(http.StatusOK); len(list["sessions"].([]any)) != 0 {
		t.Errorf("another scope sees %v", list)
	}
	if shown := agent.get("/v1/sessions/mine").object(http.StatusOK); shown["state"] != "open" {
		t.Errorf("the session is %v", shown["state"])
	}
}

// webPages are requests that a page in a person's own browser could send.
func webPages(t *testing.T, g *gateway) {
	c := g.curl(t, "agent")
	c.get("/v1/sessions", "Origin: https://evil.example").problem(fault.DeniedByPolicy)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.base+"/v1/health", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "rebound.example"
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusForbidden {
		t.Errorf("another host name: %d", response.StatusCode)
	}
}

// badBody is a request that must be refused with a code.
type badBody struct {
	what, path, body string
	code             fault.Code
}

func badBodies(g *gateway) []badBody {
	return []badBody{
		{"no JSON", "/v1/browser/navigate", `{"url": `, fault.InvalidRequest},
		{"two values", "/v1/browser/navigate", `{"url": "` + g.site + `"} {}`, fault.InvalidRequest},
		{"a list", "/v1/browser/navigate", `[1]`, fault.InvalidRequest},
		{"a wrong type", "/v1/browser/navigate", `{"url": 7}`, fault.InvalidRequest},
		{"an unknown field", "/v1/browser/navigate", `{"url": "` + g.site + `", "evil": true}`, fault.InvalidRequest},
		{"an unknown word", "/v1/browser/navigate", `{"url": "` + g.site + `", "waitUntil": "never"}`, fault.InvalidRequest},
		{"too deep", "/v1/browser/navigate", strings.Repeat(`{"url":`, 5000), fault.InvalidRequest},
		{"bad UTF-8", "/v1/browser/click", "{\"text\": \"\xff\xfe\"}", fault.InvalidRequest},
		{"a timeout beyond bounds", "/v1/browser/click", `{"selector": "a", "timeout": 120001}`, fault.InvalidRequest},
		{"a name with a path", "/v1/sessions", `{"name": "../../etc"}`, fault.InvalidRequest},
		{"a size beyond bounds", "/v1/sessions", `{"width": 100000}`, fault.InvalidRequest},
		{"another provider", "/v1/sessions", `{"provider": "moon"}`, fault.InvalidProvider},
		{"hosts that are not configured", "/v1/sessions", `{"allow": ["*.example.com"]}`, fault.BlockedDomain},
		{"no URL", "/v1/browser/navigate", `{}`, fault.MissingURL},
		{"a file", "/v1/browser/navigate", `{"url": "file:///etc/passwd"}`, fault.InvalidURL},
		{"a script", "/v1/browser/navigate", `{"url": "javascript:alert(1)"}`, fault.InvalidURL},
		{"chrome's own page", "/v1/browser/navigate", `{"url": "chrome://settings"}`, fault.InvalidURL},
		{"a data page", "/v1/browser/navigate", `{"url": "data:text/html,x"}`, fault.InvalidURL},
		{"a name and password", "/v1/browser/navigate", `{"url": "http://user:pw@localhost/"}`, fault.InvalidURL},
		{"a forbidden host", "/v1/browser/navigate", `{"url": "` + demosite.ForbiddenURL + `"}`, fault.BlockedDomain},
		{"this gateway", "/v1/browser/navigate", `{"url": "http://` + g.address + `/"}`, fault.BlockedDomain},
		{"the engine's host", "/v1/browser/navigate", `{"url": "http://169.254.169.254/latest"}`, fault.BlockedDomain},
		{"no element", "/v1/browser/click", `{}`, fault.MissingSelector},
		{"no selector at all", "/v1/browser/click", `{"selector": "a[["}`, fault.InvalidSelector},
		{"an element that is not there", "/v1/browser/click", `{"selector": "#nothing", "timeout": 300}`, fault.NotFound},
		{"a reference that never was", "/v1/browser/click", `{"ref": "e99999"}`, fault.StaleRef},
		{"a key that is none", "/v1/browser/press", `{"key": "NoSuchKey"}`, fault.InvalidRequest},
		{"an unknown verb", "/v1/verbs/page.destroy", `{}`, fault.UnknownAction},
		{"no dialog", "/v1/browser/dialog", `{"accept": true}`, fault.InvalidRequest},
	}
}

// badInput is a list of requests that are refused before anything is done.
func badInput(t *testing.T, g *gateway) {
	c := g.curl(t, "agent")
	id := c.open(`{}`)
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/controls"}`).object(http.StatusOK)
	before := c.get("/v1/sessions/" + id).object(http.StatusOK)["actions"]
	for _, bad := range badBodies(g) {
		t.Run(strings.ReplaceAll(bad.what, " ", "-"), func(t *testing.T) {
			c := c
			c.t = t
			got := c.post(bad.path, bad.body)
			if problem := got.problem(bad.code); problem["hint"] == "" || problem["hint"] == nil {
				t.Errorf("it does not say what to do: %s", got.body)
			}
		})
	}
	c.post("/v1/browser/navigate", `{"url": "`+strings.Repeat("a", 1<<20)+`"}`).problemAs(fault.InvalidRequest, http.StatusRequestEntityTooLarge)
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`"}`, "Content-Type: text/plain").problem(fault.InvalidRequest)
	c.get("/v1/browser/snapshot?format=xml").problem(fault.InvalidRequest)
	c.get("/v1/browser/snapshot?evil=1").problem(fault.InvalidRequest)
	c.get("/v1/artifacts/none").problem(fault.NotFound)
	c.get("/v1/approvals/q0000/status").problem(fault.NotFound)
	c.get("/v1/nothing").problem(fault.NotFound)
	c.post("/v1/audit", "{}").problemAs(fault.InvalidRequest, http.StatusMethodNotAllowed)
	after := c.get("/v1/sessions/" + id).object(http.StatusOK)
	if page, _ := after["page"].(object); page["url"] != g.site+"/lab/controls" {
		t.Errorf("the page moved to %v (actions %v, then %v)", page, before, after["actions"])
	}
}

// badPages are places that answer badly or not at all.
func badPages(t *testing.T, g *gateway) {
	c := g.curl(t, "agent")
	c.open(`{}`)
	c.post("/v1/browser/navigate", `{"url": "http://localhost:1/"}`).problem(fault.BlockedDomain)
	dead := c.post("/v1/browser/navigate", `{"url": "`+g.nobody+`"}`).problem(fault.NavigationFailed)
	if dead["hint"] == nil || strings.Contains(fmt.Sprint(dead), "127.0.0.1:") {
		t.Errorf("nobody listens there, and it says %v", dead)
	}
	got := c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/never", "timeout": 1000}`).problem(fault.ActionTimeout)
	if got["detail"] != "browser_action_timeout:goto:1s" {
		t.Errorf("it says %v", got["detail"])
	}
	missing := c.post("/v1/browser/navigate", `{"url": "`+g.site+`/no-such-page"}`).object(http.StatusOK)
	if missing["status"] != 404.0 {
		t.Errorf("a missing page is %v", missing)
	}
	wait := c.post("/v1/browser/wait", `{"selector": "#never", "timeout": 200}`).object(http.StatusOK)
	if wait["found"] != false {
		t.Errorf("waited %v", wait)
	}
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/login"}`).object(http.StatusOK)
	operator := g.curl(t, "operator")
	id := operator.open(`{"allow": ["nowhere.invalid"]}`)
	for _, address := range []string{"http://nowhere.invalid/", "https://nowhere.invalid/"} {
		operator.post("/v1/sessions/"+id+"/browser/navigate", `{"url": "`+address+`"}`).problem(fault.NavigationFailed)
	}
}

// badTools are tool calls that are refused, each with what to do next.
func badTools(t *testing.T, g *gateway) {
	a := g.streamable(t, g.token("agent"), "2025-06-18")
	a.must("browser_session", object{"action": "start", "name": "tools"}, "is open")
	a.must("browser_navigate", object{"url": g.site + "/lab/controls"}, "Controls")
	for _, bad := range []struct {
		tool string
		args object
		code string
	}{
		{"browser_navigate", object{"url": "file:///etc/passwd"}, "invalid_url"},
		{"browser_navigate", object{"url": demosite.ForbiddenURL}, "blocked_domain"},
		{"browser_navigate", object{"url": g.site, "evil": true}, "invalid_request"},
		{"browser_navigate", object{"url": 7}, "invalid_request"},
		{"browser_navigate", object{"url": g.site, "session": "never-was"}, "session_not_found"},
		{"browser_click", object{}, "missing_selector"},
		{"browser_click", object{"target": "a[["}, "invalid_selector"},
		{"browser_click", object{"target": "e99999"}, "stale_ref"},
		{"browser_click", object{"role": "button", "name": "No such button", "index": -1}, "invalid_request"},
		{"browser_session", object{"action": "start", "allow": []string{"*.example.com"}}, "blocked_domain"},
		{"browser_approval_status", object{"approval_id": "q0000"}, "not_found"},
		{"browser_handle_dialog", object{"accept": true}, "invalid_request"},
	} {
		if text := a.refused(bad.tool, bad.args, bad.code); !strings.Contains(text, "Next: ") {
			t.Errorf("%s %v: no next step in\n%s", bad.tool, bad.args, text)
		}
	}
	elsewhere := g.streamable(t, stranger, "2026-07-28")
	elsewhere.refused("browser_snapshot", object{"session": "tools"}, "session_not_found")
	a.must("browser_session", object{"action": "archive", "session": "tools"}, "archived")
}
