package e2e

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// guidance lets an agent make a call that fails repeatedly, and a person help it
// from the command line.
func guidance(t *testing.T, g *gateway) {
	a := g.stdio(t)
	a.must("browser_navigate", object{"url": g.site + "/lab/controls"}, "Show 0")
	id := g.lastSession(t)
	defer g.curl(t, "operator").post("/v1/sessions/"+id+"/archive", "")
	for range 4 { // a name that is not there is a mistake, which a look corrects
		a.refused("browser_click", object{"target": "#gone"}, "not_found")
	}
	away := object{"url": g.nobody}
	for range 4 {
		if text := a.refused("browser_navigate", away, "navigation_failed"); strings.Contains(text, "paused") {
			t.Errorf("paused too early:\n%s", text)
		}
		a.must("browser_tabs", object{"action": "list"}, "0") // looking makes it no other call
	}
	text := a.refused("browser_navigate", away, "navigation_failed")
	if !strings.Contains(text, "the session is paused now, because the same call failed 5 times") || strings.Contains(text, "when made again") {
		t.Errorf("the fifth failure says\n%s", text)
	}
	a.must("browser_snapshot", object{}, "page ")
	text = a.refused("browser_navigate_back", object{}, "session_paused")
	for _, said := range []string{"paused by glovebox", "asks for guidance", "browser_request_human", "glovebox session resume " + id, "can be read"} {
		if !strings.Contains(text, said) {
			t.Errorf("the refusal lacks %q:\n%s", said, text)
		}
	}
	if strings.Contains(text, "when made again") {
		t.Errorf("a call that waits for a person is said to succeed when made again:\n%s", text)
	}
	other := g.curl(t, "agent")
	other.post("/v1/sessions/"+id+"/browser/reload", "").problem(fault.SessionPaused)
	other.post("/v1/sessions/"+id+"/resume", "").problem(fault.DeniedByPolicy)
	if shown := other.get("/v1/sessions/" + id).object(http.StatusOK); shown["state"] != "paused" || shown["hold"].(object)["code"] != "failures" {
		t.Errorf("the session is %v", shown)
	}
	if out, complaint, status := g.command(t, "session", "resume", id, "--note", "use the other button"); status != 0 || !strings.Contains(out, "open") {
		t.Fatalf("resume: %d\n%s%s", status, out, complaint)
	}
	text = a.must("browser_snapshot", object{}, "page ")
	if strings.Count(text, "handed back by ") != 1 || !strings.Contains(text, `they say: "use the other button"`) {
		t.Errorf("the agent is told\n%s", text)
	}
	if text = a.must("browser_navigate", object{"url": g.site + "/lab/controls"}, "Show 0"); strings.Contains(text, "handed back") {
		t.Errorf("the agent is told twice\n%s", text)
	}
	if n := g.alerts(t, id, "asks for guidance"); n != 1 {
		t.Errorf("%d alerts", n)
	}
}

// lastSession is the id of the session that was started last.
func (g *gateway) lastSession(t *testing.T) string {
	t.Helper()
	all := g.curl(t, "operator").get("/v1/sessions").object(http.StatusOK)["sessions"].([]any)
	return all[0].(object)["id"].(string)
}

// alerts counts the alerts of a session whose words contain text.
func (g *gateway) alerts(t *testing.T, id, text string) (n int) {
	t.Helper()
	for _, r := range g.curl(t, "operator").get("/v1/audit?limit=1000&session=" + id).object(http.StatusOK)["records"].([]any) {
		if r := r.(object); r["event_type"] == "alert" && strings.Contains(r["detail"].(string), text) {
			n++
		}
	}
	return n
}

// helpWanted lets an agent ask for a person, who signs in by the command line
// while the agent waits.
func helpWanted(t *testing.T, g *gateway) {
	a := g.streamable(t, g.token("agent"), "2026-07-28")
	a.must("browser_navigate", object{"url": g.site}, "Sign in to Northwind")
	id := g.lastSession(t)
	defer g.curl(t, "operator").post("/v1/sessions/"+id+"/archive", "")
	told := make(chan string, 1)
	go func() {
		text, _ := a.use("browser_request_human", object{"reason": "the site wants a password"})
		told <- text
	}()
	testwait.For(t, "the alert", func() bool { return g.alerts(t, id, "the site wants a password") == 1 })
	for _, line := range [][]string{
		{"session", "take", id, "--reason", "signing in"},
		{"click", "--role", "button", "--name", "Continue as demo user", "-s", id},
		{"session", "hand-back", id, "--note", "you are signed in"},
	} {
		if out, complaint, status := g.command(t, line...); status != 0 {
			t.Fatalf("%v: %d\n%s%s", line, status, out, complaint)
		}
	}
	text := <-told
	for _, said := range []string{"A person handed the session back.", `they say: "you are signed in"`, "the page went from " + g.site + "/login", "/invoices", "New invoice"} {
		if !strings.Contains(text, said) {
			t.Errorf("the answer lacks %q:\n%s", said, text)
		}
	}
}

// hostQuestions returns the waiting questions about hosts, of a session.
func (g *gateway) hostQuestions(t *testing.T, id string) (waits []object) {
	t.Helper()
	for _, q := range g.curl(t, "operator").get("/v1/approvals").object(http.StatusOK)["questions"].([]any) {
		if q := q.(object); q["session"] == id && q["verb"] == "session.allow" {
			waits = append(waits, q)
		}
	}
	return waits
}

// hostRequested lets an agent open a host that its session may not open.
func hostRequested(t *testing.T, g *gateway) {
	c, operator := g.curl(t, "agent"), g.curl(t, "operator")
	narrow := strings.TrimSuffix(strings.TrimPrefix(g.nobody, "http://"), "/")
	id := c.open(`{"allow": ["` + narrow + `"]}`)
	there := `{"url": "` + g.site + `/lab/controls"}`
	refused := c.post("/v1/browser/navigate", there).problem(fault.BlockedDomain)
	if !strings.Contains(refused["hint"].(string), "a person was asked whether to add localhost") {
		t.Errorf("refused with %v", refused)
	}
	c.post("/v1/browser/navigate", `{"url": "http://169.254.169.254/"}`).problem(fault.BlockedDomain) // nobody is asked
	c.post("/v1/browser/navigate", there).problem(fault.BlockedDomain)                                // nor a second time
	waits := g.hostQuestions(t, id)
	if len(waits) != 1 || waits[0]["verb"] != "session.allow" || waits[0]["input"] != "localhost" {
		t.Fatalf("questions %v", waits)
	}
	if out, complaint, status := g.command(t, "approvals", "approve", waits[0]["id"].(string)); status != 0 {
		t.Fatalf("approve: %d\n%s%s", status, out, complaint)
	}
	went := c.post("/v1/browser/navigate", there).object(http.StatusOK)
	if notes, _ := went["notes"].([]any); len(notes) == 0 || !strings.Contains(notes[0].(string), "a person allowed host localhost") {
		t.Errorf("told %v", went)
	}
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/away"}`).object(http.StatusOK) // its frame is not asked about
	c.post("/v1/browser/click", `{"selector": "button"}`).object(http.StatusOK)
	testwait.For(t, "the page's wish", func() bool { return len(g.hostQuestions(t, id)) > 0 })
	if waits := g.hostQuestions(t, id); len(waits) != 1 || waits[0]["input"] != "elsewhere.example" || !strings.Contains(waits[0]["why"].(string), "a page in a session of agent") {
		t.Errorf("questions %v", waits)
	}
	c.post("/v1/browser/navigate", `{"url": "https://new.example/"}`).problem(fault.BlockedDomain)
	operator.post("/v1/sessions/"+id+"/allow", `{"host": "new.example"}`).object(http.StatusOK)
	c.post("/v1/browser/navigate", `{"url": "https://new.example/"}`).problem(fault.NavigationFailed) // the host does not exist, but the proxy allows it
	operator.post("/v1/sessions/"+id+"/allow", `{"host": "https://new.example/"}`).problem(fault.InvalidRequest)
}

func TestAPersonTakesOverWithPlaywright(t *testing.T) {
	testenv.Heavy(t)
	g := start(t, settings{})
	c := g.curl(t, "agent")
	id := c.open(`{}`)
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/controls"}`).object(http.StatusOK)
	g.journey(t, "takeover.mjs", id)
	shown := c.get("/v1/browser/snapshot").object(http.StatusOK)
	notes, _ := shown["notes"].([]any)
	if len(notes) != 1 {
		t.Fatalf("notes %v", notes)
	}
	for _, said := range []string{"handed back by ", "/lab/controls", "/lab/escape", "tabs opened: 1", "signed in for you"} {
		if !strings.Contains(notes[0].(string), said) {
			t.Errorf("%q lacks %q", notes[0], said)
		}
	}
	c.post("/v1/sessions/"+id+"/archive", "").object(http.StatusOK)
}

func TestAPauseSurvivesARestart(t *testing.T) {
	g := start(t, settings{sandbox: "keep_boxes_on_shutdown: true"})
	c, operator := g.curl(t, "agent"), g.curl(t, "operator")
	id := c.open(`{}`)
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/controls"}`).object(http.StatusOK)
	for verb, state := range map[string]string{"pause": "paused", "take": "taken_over"} {
		operator.post("/v1/sessions/"+id+"/"+verb, `{"reason": "lunch"}`).object(http.StatusOK)
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
			g.end(signal)
			g.run()
			if shown := c.get("/v1/sessions/" + id).object(http.StatusOK); shown["state"] != state {
				t.Errorf("after %s it is %v", signal, shown)
			}
			c.post("/v1/browser/reload", "").problem(fault.SessionPaused)
			if seen := c.get("/v1/browser/snapshot"); state == "paused" {
				seen.object(http.StatusOK)
			} else {
				seen.problem(fault.SessionPaused)
			}
			operator.get("/v1/sessions/" + id + "/browser/snapshot").object(http.StatusOK)
		}
		operator.post("/v1/sessions/"+id+"/hand-back", "").object(http.StatusOK)
		c.get("/v1/browser/snapshot").object(http.StatusOK)
	}
}

// second is the token of another operator of the same scope.
const second = "the-token-of-another-operator-of-the-same-scope"

func TestATakeOverDisconnectsAnotherOperatorsClient(t *testing.T) {
	g := start(t, settings{tokens: fmt.Sprintf("{name: ben, role: operator, scope: default, sha256: %x}", sha256.Sum256([]byte(second)))})
	ann, ben := g.curl(t, "operator"), g.curl(t, "operator")
	ben.token = second
	id := ann.open(`{}`)
	conn := g.attach(t, id)
	told := make(chan error, 1)
	go func() {
		_, _, err := conn.Read(t.Context())
		told <- err
	}()
	if taken := ben.post("/v1/sessions/"+id+"/take", `{"reason": "my turn"}`).object(http.StatusOK); taken["hold"].(object)["by"] != "ben" {
		t.Errorf("taken %v", taken)
	}
	err := testwait.Receive(t, told, "the client to be told")
	if websocket.CloseStatus(err) != websocket.StatusPolicyViolation || !strings.Contains(err.Error(), "session_paused") {
		t.Errorf("told %v", err)
	}
	ann.post("/v1/sessions/"+id+"/browser/reload", "").problem(fault.SessionPaused)
	ann.post("/v1/sessions/"+id+"/hand-back", "").problem(fault.SessionPaused)
	ann.get("/v1/sessions/" + id + "/browser/snapshot").object(http.StatusOK)
	ben.post("/v1/sessions/"+id+"/browser/reload", "").object(http.StatusOK)
	ann.post("/v1/sessions/"+id+"/take", "").object(http.StatusOK)
	ann.post("/v1/sessions/"+id+"/hand-back", "").object(http.StatusOK)
	g.trailHolds(t)
}
