package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// preflight is the part of a run's log before its first action.
var preflight = []string{"DOMAIN_ALLOWLIST_APPROVED", "DOCKER_CONTAINER_ACTIVE", "XVFB_DISPLAY_READY", "DOMAIN_ALLOWLIST_LOADED"}

// batch is the input of a run that begins at a path of the site.
func (g *gateway) batch(path, actions string, more ...string) string {
	if !strings.Contains(strings.Join(more, ""), `"timeout"`) {
		more = append(more, `"timeout": 120000`)
	}
	return fmt.Sprintf(`{"url": "%s%s", "domain_allowlist": ["localhost"], "actions": [%s]%s}`, g.site, path, strings.ReplaceAll(actions, "SITE", g.site), strings.Join(append([]string{""}, more...), ", "))
}

// ended waits for the end of a run that was begun.
func (c curl) ended(at string) (run object) {
	c.t.Helper()
	testwait.For(c.t, "the end of the run", func() bool {
		run = c.get(at + "?wait=60").object(http.StatusOK)
		return run["state"] == "ended"
	})
	return run
}

// runs to its end over REST, as a caller who waits would.
func (c curl) run(body string) object {
	c.t.Helper()
	run := c.post("/v1/runs", body, "Prefer: wait=300").object(http.StatusOK)
	fits(c.t, run)
	return run
}

// fits validates an ended run against the published schema.
func fits(t *testing.T, run object) {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile("../docs/reference/run-output.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(run)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		t.Errorf("not as published: %v\n%s", err, text)
	}
}

// wantRun expects that a run ended with this status after these actions. A failed
// one has an exclamation mark before it.
func wantRun(t *testing.T, run object, status, reason string, actions ...string) {
	t.Helper()
	got, _ := run["reason"].(object)
	text, _ := json.MarshalIndent(run["execution_log"], "", " ")
	if run["state"] != "ended" || run["final_status"] != status || got["code"] != reason {
		t.Errorf("want %s (%s), got %v %v\n%s", status, reason, run["final_status"], got, text)
	}
	if did := stepsOf(run); !slices.Equal(did, append(slices.Clone(preflight), actions...)) {
		t.Errorf("want %v after the checks, did %v\n%s", actions, did, text)
	}
}

func stepsOf(run object) (all []string) {
	lines, _ := run["execution_log"].([]any)
	for _, one := range lines {
		line, _ := one.(object)
		name, _ := line["action"].(string)
		if line["success"] != true {
			name = "!" + name
		}
		all = append(all, name)
	}
	return all
}

// detail is the last line of a run's log.
func detail(run object) string {
	lines, _ := run["execution_log"].([]any)
	line, _ := lines[len(lines)-1].(object)
	text, _ := line["details"].(string)
	return text
}

// contractRuns are the scenarios of contract runs that can share a gateway.
func contractRuns(t *testing.T, g *gateway) {
	testenv.Heavy(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *gateway)
	}{
		{"NormalNavigation", runNavigates}, {"SeveralSteps", runSteps}, {"BlockedDomain", runBlocked}, {"UnknownDomain", runAsks},
		{"BlockedRedirect", runRedirected}, {"CredentialTyped", runCredential}, {"ElementMissing", runMissing}, {"TimeOut", runTimeout},
		{"ActionLimit", runTooLong}, {"ContainerIsolation", runIsolated},
		{"Guidance", runGuided}, {"Cancelled", runCancelled}, {"Events", runEvents}, {"CommandLine", runCommand}, {"Tool", runTool}, {"Examples", runExamples},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, g) })
		g.settled(t)
	}
}

func runNavigates(t *testing.T, g *gateway) {
	run := g.curl(t, "agent").run(g.batch("/login", `{"type": "read_page"}`, `"actor": "nightly"`))
	wantRun(t, run, "completed", "completed", "navigate", "read_page")
	content, _ := run["page_content"].(object)
	if content["url"] != g.site+"/login" || !strings.Contains(content["title"].(string), "Sign in") || !strings.Contains(content["text_content"].(string), "Continue as demo user") {
		t.Errorf("content %v", content)
	}
	if elements, _ := content["interactive_elements"].([]any); !slices.ContainsFunc(elements, func(e any) bool { return e.(object)["name"] == "Continue as demo user" }) {
		t.Errorf("elements %v", elements)
	}
	if run["actor"] != "nightly" || run["archetype"] != "Builder" || run["phase"] != "Build" {
		t.Errorf("for %v %v %v", run["actor"], run["archetype"], run["phase"])
	}
}

func runSteps(t *testing.T, g *gateway) {
	c := g.curl(t, "agent")
	run := c.run(g.batch("/lab/controls", `
		{"type": "form_input", "selector": "#q", "value": "Ada & Søn"}, {"type": "form_input", "selector": "#colour", "options": ["Green"]},
		{"type": "left_click", "selector": "#count"}, {"type": "search_text", "text": "Show 1"}, {"type": "scroll_down", "amount": 500}, {"type": "scroll_up", "amount": 100},
		{"type": "wait", "ms": 50}, {"type": "wait", "selector": "#end", "timeout": 120000}, {"type": "screenshot", "name": "controls"},
		{"type": "navigate", "url": "SITE/warren/one"}, {"type": "go_back"}, {"type": "screenshot", "full_page": true}, {"type": "read_page"}`, `"timeout": 120000`))
	wantRun(t, run, "completed", "completed", "navigate", "form_input", "form_input", "left_click", "search_text", "scroll_down", "scroll_up", "wait", "wait", "screenshot",
		"navigate", "go_back", "screenshot", "read_page")
	shots, _ := run["screenshots"].([]any)
	if len(shots) != 2 || shots[0].(object)["name"] != "001-controls.png" {
		t.Fatalf("screenshots %v", shots)
	}
	for _, one := range shots {
		picture := c.get(one.(object)["path"].(string))
		if picture.status != http.StatusOK || !bytes.HasPrefix(picture.body, []byte("\x89PNG")) {
			t.Errorf("%v: %d, %d bytes", one, picture.status, len(picture.body))
		}
	}
	text, _ := json.Marshal(run["execution_log"])
	if strings.Contains(string(text), "Ada") {
		t.Errorf("what was typed is in the log: %s", text)
	}
	runAudited(t, g, run)
}

// runAudited expects each step of a run in the trail, with all that the contract
// requires of a record.
func runAudited(t *testing.T, g *gateway, run object) {
	t.Helper()
	seen := map[string]int{}
	for _, r := range g.trail(t) {
		if r.SessionID != run["session_id"] || r.EventType != "outcome" {
			continue
		}
		seen[r.Action]++
		if r.Action == "page.type" && (r.InputValue == "" || r.TargetElement == "" || r.Result != "ok" || r.ContainerID == "" || r.Actor == "" || r.Surface != "rest") {
			t.Errorf("record %+v", r)
		}
		if r.Action == "page.screenshot" && r.Screenshot == "" {
			t.Errorf("a screenshot without its file: %+v", r)
		}
	}
	for verb, n := range map[string]int{"run.open": 1, "run.probe": 1, "page.goto": 2, "page.type": 1, "page.select": 1, "page.click": 1, "page.find": 1, "page.scroll": 2, "page.wait_for": 2, "page.screenshot": 2, "page.back": 1, "run.end": 1} {
		if seen[verb] != n {
			t.Errorf("%s left %d outcomes, want %d", verb, seen[verb], n)
		}
	}
}

func runBlocked(t *testing.T, g *gateway) {
	c := g.curl(t, "agent")
	before := len(c.get("/v1/runs").object(http.StatusOK)["runs"].([]any))
	for _, spoiled := range []string{
		strings.Replace(g.batch("/login", `{"type": "read_page"}`), g.site, "http://outside.example", 1),
		g.batch("/login", `{"type": "read_page"}, {"type": "navigate", "url": "http://outside.example/"}`),
		g.batch("/login", `{"type": "download"}`), g.batch("/login", `{"type": "read_page", "depth": 3}`), g.batch("/login", `{"type": "read_page"}`, `"screenshot_dir": "../.."`),
		g.batch("/login", `{"type": "read_page"}`, `"timeout": 120001`), g.batch("/login", ``),
	} {
		if o := c.post("/v1/runs", spoiled).problem(fault.InvalidRequest); o["hint"] == "" {
			t.Errorf("no hint: %v", o)
		}
	}
	defer g.deniesAll(t)()
	c.post("/v1/runs", g.batch("/login", `{"type": "read_page"}`, `"archetype": "Reviewer"`)).problem(fault.DeniedByPolicy)
	c.post("/v1/runs", g.batch("/login", `{"type": "read_page"}`, `"phase": "Deploy"`)).problem(fault.DeniedByPolicy)
	if after := len(c.get("/v1/runs").object(http.StatusOK)["runs"].([]any)); after != before || len(g.boxes()) != 0 {
		t.Errorf("%d runs were recorded, %d boxes started", after-before, len(g.boxes()))
	}
	// A link of the page leads where the run may not go.
	run := c.run(g.batch("/warren/leave", `{"type": "left_click", "text": "out"}, {"type": "read_page"}`))
	wantRun(t, run, "blocked_domain", "blocked_domain", "navigate", "!left_click")
	if !strings.Contains(detail(run), "outside.example") {
		t.Errorf("the log says %q", detail(run))
	}
}

// runAsks names unapproved hosts: there is one question, and a box only after an
// approval.
func runAsks(t *testing.T, g *gateway) {
	agent, operator := g.curl(t, "agent"), g.curl(t, "operator")
	body := strings.Replace(g.batch("/login", `{"type": "read_page"}`), `["localhost"]`, `["localhost", "outside.example", "*.other.example"]`, 1)
	for answer, want := range map[string][2]string{"false": {"blocked_domain", "approval_denied"}, "true": {"completed", "completed"}} {
		begun := agent.post("/v1/runs", body, "Prefer: wait=2")
		run := begun.object(http.StatusAccepted)
		asked, _ := run["waits_for"].(string)
		if run["state"] != "pending" || asked == "" || begun.header.Get("Location") != "/v1/runs/"+run["run_id"].(string) || len(g.boxes()) != 0 {
			t.Fatalf("%v, at %s", run, begun.header.Get("Location"))
		}
		question := operator.get("/v1/approvals/" + asked).object(http.StatusOK)
		if question["risk"] != "HIGH" || !strings.Contains(question["why"].(string), "outside.example, *.other.example") {
			t.Errorf("question %v", question)
		}
		agent.post("/v1/approvals/"+asked+"/answer", `{"approve": true}`).problem(fault.DeniedByPolicy)
		operator.post("/v1/approvals/"+asked+"/answer", `{"approve": `+answer+`, "reason": "because"}`).object(http.StatusOK)
		end := agent.ended("/v1/runs/" + run["run_id"].(string))
		fits(t, end)
		if got, _ := end["reason"].(object); end["final_status"] != want[0] || got["code"] != want[1] {
			t.Errorf("after %s: %v %v", answer, end["final_status"], end["reason"])
		}
	}
}

func runRedirected(t *testing.T, g *gateway) {
	defer g.deniesAll(t)()
	c := g.curl(t, "agent")
	run := c.run(g.batch("/warren/one", `{"type": "navigate", "url": "SITE/warren/out"}, {"type": "read_page"}`))
	wantRun(t, run, "blocked_domain", "blocked_domain", "navigate", "!navigate")
	if !strings.Contains(detail(run), "outside.example") {
		t.Errorf("the log says %q", detail(run))
	}
	wantRun(t, c.run(g.batch("/warren/out", `{"type": "read_page"}`)), "blocked_domain", "blocked_domain", "!navigate")
}

// deniesAll lets an operator deny every question, until the returned function is
// called.
func (g *gateway) deniesAll(t *testing.T) (end func()) {
	t.Helper()
	c := g.curl(t, "operator")
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for again(ctx) {
			list, _ := c.get("/v1/approvals").object(http.StatusOK)["questions"].([]any)
			for _, q := range list {
				if id, is := q.(object)["id"].(string); is {
					c.post("/v1/approvals/"+id+"/answer", `{"approve": false, "reason": "not that"}`)
				}
			}
		}
	}()
	return func() { stop(); <-done }
}

// runCredential types what is forbidden: text into a password field, and text
// like a key into any field.
func runCredential(t *testing.T, g *gateway) {
	c := g.curl(t, "agent")
	run := c.run(g.batch("/login", `{"type": "form_input", "role": "textbox", "name": "Password", "value": "correct horse"}, {"type": "read_page"}`))
	wantRun(t, run, "completed", "actions_failed", "navigate", "!form_input", "read_page")
	if text, _ := json.Marshal(run); bytes.Contains(text, []byte("correct horse")) {
		t.Errorf("the password is in the output: %s", text)
	}
	key := "AKIA" + "Q3EGRFJ7Z5LLBKDM" // in two pieces: no scanner of this tree need find it
	got := c.post("/v1/runs", g.batch("/lab/controls", `{"type": "form_input", "selector": "#q", "value": "`+key+`"}, {"type": "read_page"}`))
	got.problem(fault.CredentialDetected) // before anything of it was begun
	if bytes.Contains(got.body, []byte(key)) {
		t.Errorf("the key is in the answer: %s", got.body)
	}
}

func runMissing(t *testing.T, g *gateway) {
	run := g.curl(t, "agent").run(g.batch("/lab/controls", `{"type": "left_click", "selector": "#nowhere", "timeout": 500}, {"type": "search_text", "text": "nowhere to be found"}, {"type": "left_click", "selector": "#count"}`))
	wantRun(t, run, "completed", "actions_failed", "navigate", "!left_click", "!search_text", "left_click")
}

func runTimeout(t *testing.T, g *gateway) {
	c := g.curl(t, "agent")
	wantRun(t, c.run(g.batch("/lab/never", `{"type": "read_page"}`, `"timeout": 1500`)), "timeout", "timeout", "!navigate")
	var run object
	for limit, opened := 4000, false; !opened; limit *= 2 { // until it is enough for the page to open
		run = c.run(g.batch("/lab/controls", `{"type": "wait", "ms": 120000}, {"type": "read_page"}`, fmt.Sprintf(`"timeout": %d`, limit)))
		opened = slices.Contains(stepsOf(run), "navigate") || limit > 60000
	}
	wantRun(t, run, "timeout", "timeout", "navigate", "!wait")
}

// runTooLong has more actions than a session may do.
func runTooLong(t *testing.T, g *gateway) {
	scrolls := strings.TrimSuffix(strings.Repeat(`{"type": "scroll_down", "amount": 1},`, 101), ",")
	g.curl(t, "agent").post("/v1/runs", g.batch("/lab/controls", scrolls)).problem(fault.InvalidRequest)
}

// TestARunIsNotEndedByTheLimitOfSessions checks that a run has its own limits.
func TestARunIsNotEndedByTheLimitOfSessions(t *testing.T) {
	g := start(t, settings{security: "max_actions_per_session: 3"})
	run := g.curl(t, "agent").run(g.batch("/lab/controls", `{"type": "scroll_down"}, {"type": "scroll_up"}, {"type": "scroll_down"}, {"type": "read_page"}`))
	wantRun(t, run, "completed", "completed", "navigate", "scroll_down", "scroll_up", "scroll_down", "read_page")
	g.settled(t)
	g.trailHolds(t)
}

// runIsolated inspects the box of a run while it runs.
func runIsolated(t *testing.T, g *gateway) {
	c := g.curl(t, "agent")
	for _, place := range []string{"file:///etc/passwd", "chrome://version", "data:text/html,x", "javascript:1"} {
		c.post("/v1/runs", strings.Replace(g.batch("", `{"type": "read_page"}`), g.site, place, 1)).problem(fault.InvalidURL)
	}
	run := c.post("/v1/runs", g.batch("/lab/controls", `{"type": "wait", "ms": 120000}`, `"timeout": 120000`)).object(http.StatusAccepted)
	id := run["run_id"].(string)
	testwait.For(t, "the run to wait", func() bool { return len(stepsOf(c.get("/v1/runs/"+id).object(http.StatusOK))) == len(preflight)+1 })
	noInterface(t, g, id)
	out, err := exec.CommandContext(t.Context(), "docker", "inspect", "--format", `{{range .Mounts}}{{.Type}} {{.RW}} {{.Source}};{{end}}{{.HostConfig.NetworkMode}} {{.HostConfig.Privileged}} {{.HostConfig.ReadonlyRootfs}}`, g.boxes()[0]).Output()
	if err != nil {
		t.Fatal(err)
	}
	mounts, rest, _ := strings.Cut(strings.TrimSpace(string(out)), ";")
	if !strings.HasPrefix(mounts, "bind false "+filepath.Join(g.dir, "state", "boxes")) || rest != "none false true" {
		t.Errorf("the box has %s", out)
	}
	end := c.post("/v1/runs/"+id+"/cancel", "").object(http.StatusOK)
	wantRun(t, end, "error", "cancelled", "navigate", "!wait")
}
