package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// deeds returns what a lab page's server was told to do.
type deeds struct {
	mu   sync.Mutex
	done []string
}

func (d *deeds) serve(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	d.done = append(d.done, r.Method+" "+strings.TrimPrefix(r.URL.Path, "/lab/deeds"))
	d.mu.Unlock()
	w.WriteHeader(http.StatusAccepted)
}

func (d *deeds) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.done, ", ")
}

const deedsPage = `<h1>Files</h1><p id=said>nothing yet</p>
<button onclick="act('DELETE', '/files/7')">Remove file</button>
<button onclick="act('POST', '/files/7/delete')">Next page</button>
<button onclick="act('POST', '/search')">Search files</button>
<button onclick="act('POST', '/names')">Save name</button>
<script>const act = (method, path) => fetch('/lab/deeds' + path, {method}).then(r => said.textContent = 'answered ' + r.status, () => said.textContent = 'failed')</script>`

// TestEffectsAreAskedAboutWhenTheyAreSent checks that a person is asked once
// about the request of an act when it is sent, and that the answer and the trail
// name it.
func TestEffectsAreAskedAboutWhenTheyAreSent(t *testing.T) {
	g := start(t, settings{})
	a := g.stdio(t)
	a.must("browser_navigate", object{"url": g.site + "/lab/effects"}, "Files")
	a.must("browser_click", object{"role": "button", "name": "Search files"}, "sent POST "+g.site+"/lab/deeds/search: 202")
	answered := g.answer(t, "deny", "keep it")
	a.refused("browser_click", object{"role": "button", "name": "Next page"}, "approval_denied")
	<-answered
	if done := g.lab.deeds.String(); done != "POST /search" {
		t.Fatalf("done: %s", done)
	}
	answered = g.answer(t, "approve", "it is old")
	a.must("browser_click", object{"role": "button", "name": "Remove file"}, "sent DELETE "+g.site+"/lab/deeds/files/7: 202")
	<-answered
	if done := g.lab.deeds.String(); done != "POST /search, DELETE /files/7" {
		t.Errorf("done: %s", done)
	}
	var navigations, effects, asked int
	for _, r := range g.trail(t) {
		switch {
		case r.EventType == "navigation" && strings.HasSuffix(r.TargetURL, "/lab/effects"):
			navigations++
		case r.EventType == "effect" && r.Result == "ok":
			effects++
		case r.EventType == "question" && r.Action == "page.request":
			asked++
		}
	}
	if navigations == 0 || effects < 2 || asked != 2 {
		t.Errorf("%d navigations, %d effects, %d questions in the trail", navigations, effects, asked)
	}
	g.trailHolds(t)
}

// TestHeldRequestsAreNotSentWhenTheGatewayDies checks that a waiting request is
// not sent when the gateway is killed, nor when another one takes its place.
func TestHeldRequestsAreNotSentWhenTheGatewayDies(t *testing.T) {
	g := start(t, settings{sandbox: "keep_boxes_on_shutdown: true"})
	c := g.curl(t, "agent")
	c.post("/v1/sessions", `{"name": "held"}`).object(http.StatusOK)
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/effects"}`).object(http.StatusOK)
	waits := c.post("/v1/browser/click", `{"role": "button", "name": "Remove file"}`, "Prefer: wait=0").object(http.StatusAccepted)
	if waits["done"] != true {
		t.Errorf("the answer is %v", waits)
	}
	g.end(syscall.SIGKILL)
	g.run()
	c = g.curl(t, "agent")
	c.get("/v1/browser/snapshot").object(http.StatusOK)
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/effects"}`).object(http.StatusOK)
	c.post("/v1/browser/click", `{"role": "button", "name": "Search files"}`).object(http.StatusOK)
	testwait.For(t, "what is harmless to leave", func() bool { return strings.Contains(g.lab.deeds.String(), "search") })
	if done := g.lab.deeds.String(); done != "POST /search" {
		t.Errorf("done: %s", done)
	}
	c.post("/v1/sessions/held/close", "").object(http.StatusOK)
}

// TestAReadOnlyAgentChangesNothing uses glovebox mcp --read-only: no request that
// changes something is sent, nobody is asked, and the agent learns why.
func TestAReadOnlyAgentChangesNothing(t *testing.T) {
	g := start(t, settings{security: `effects: {rules: [{hosts: [localhost], methods: [POST], paths: ["/lab/deeds/search"], risk: LOW}]}`})
	command := exec.Command(binary, "mcp", "--read-only", "--config", g.config)
	command.Env = append(os.Environ(), g.env...)
	a := connect(t, &sdk.CommandTransport{Command: command}, "", nil)
	a.must("browser_navigate", object{"url": g.site + "/lab/effects"}, "Files")
	for _, name := range []string{"Remove file", "Next page", "Save name"} {
		a.must("browser_click", object{"role": "button", "name": name}, "this session only reads")
	}
	a.must("browser_click", object{"role": "button", "name": "Search files"}, "sent POST")
	if done := g.lab.deeds.String(); done != "POST /search" {
		t.Errorf("done: %s", done)
	}
	if list, _, _ := g.command(t, "approvals", "list"); strings.Contains(list, "page.request") {
		t.Errorf("people were asked: %s", list)
	}
	if show, _, _ := g.command(t, "session", "list", "--json"); !strings.Contains(show, `"effects": "none"`) && !strings.Contains(show, `"effects":"none"`) {
		t.Error(fmt.Sprint("the session does not say that it only reads: ", show))
	}
}

// TestACrawlAndARunCanOnlyRead checks that a crawl and a run that only read send
// nothing else, even if their session may.
func TestACrawlAndARunCanOnlyRead(t *testing.T) {
	testenv.Heavy(t)
	g := start(t, settings{})
	c := g.curl(t, "agent")
	c.open(`{"name": "reads"}`)
	crawl := func(more string) string {
		return string(c.post("/v1/browser/crawl", `{"url": "`+g.site+`/lab/counter", "maxPages": 1, "extract": "text"`+more+`}`).body)
	}
	if body := crawl(`, "effects": "none"`); !strings.Contains(body, "refused") {
		t.Errorf("a crawl that only reads: %s", body)
	}
	click := `{"type": "left_click", "role": "button", "name": "Search files"}`
	run := c.run(g.batch("/lab/effects", click, `"effects": "none"`))
	if run["final_status"] != "completed" || !strings.Contains(fmt.Sprint(run["execution_log"]), "only reads") {
		t.Errorf("a run that only reads: %v", run)
	}
	if done := g.lab.deeds.String(); done != "" {
		t.Fatalf("what only reads did: %s", done)
	}
	if body := crawl(""); !strings.Contains(body, "counted") {
		t.Errorf("a crawl: %s", body)
	}
	c.run(g.batch("/lab/effects", click))
	if done := g.lab.deeds.String(); done != "POST /names, POST /search" {
		t.Errorf("done: %s", done)
	}
	c.post("/v1/runs", g.batch("/lab/effects", click, `"effects": "free"`)).problem(fault.InvalidRequest)
}
