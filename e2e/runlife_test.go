package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func runGuided(t *testing.T, g *gateway) {
	agent, operator := g.curl(t, "agent"), g.curl(t, "operator")
	miss := `{"type": "left_click", "selector": "#nowhere", "timeout": 200},`
	begun := agent.post("/v1/runs", g.batch("/lab/controls", strings.Repeat(miss, 4)+`{"type": "read_page"}`), "Prefer: wait=0").object(http.StatusAccepted)
	at := "/v1/runs/" + begun["run_id"].(string)
	var paused object
	testwait.For(t, "the run to pause", func() bool {
		paused = agent.get(at).object(http.StatusOK)
		return paused["state"] == "paused"
	})
	if why, _ := paused["reason"].(object); why["code"] != "actions_failed" || len(g.boxes()) != 1 {
		t.Errorf("paused for %v, with boxes %v", why, g.boxes())
	}
	agent.post(at+"/resume", `{"guidance": "go on"}`).problem(fault.DeniedByPolicy)
	operator.post(at+"/resume", `{"guidance": "x", "actions": [{"type": "navigate", "url": "http://outside.example/"}]}`).problem(fault.InvalidRequest)
	operator.post(at+"/resume", `{"guidance": "it is #count", "actions": [{"type": "left_click", "selector": "#count"}]}`).object(http.StatusOK)
	end := agent.ended(at)
	wantRun(t, end, "completed", "actions_failed", "navigate", "!left_click", "!left_click", "!left_click", "!pause", "resume", "left_click")
	operator.post(at+"/resume", `{"guidance": "go on"}`).problem(fault.NotActive)
}

func runCancelled(t *testing.T, g *gateway) {
	c := g.curl(t, "agent")
	begun := c.post("/v1/runs", g.batch("/lab/controls", `{"type": "screenshot"}, {"type": "wait", "ms": 120000}`, `"timeout": 120000`)).object(http.StatusAccepted)
	at := "/v1/runs/" + begun["run_id"].(string)
	testwait.For(t, "the screenshot", func() bool { return len(c.get(at).object(http.StatusOK)["screenshots"].([]any)) == 1 })
	stranger := curl{t: t, base: c.base, token: stranger}
	stranger.get(at).problem(fault.NotFound)
	stranger.post(at+"/cancel", "").problem(fault.NotFound)
	end := c.post(at+"/cancel", "").object(http.StatusOK)
	wantRun(t, end, "error", "cancelled", "navigate", "screenshot", "!wait")
	if shots, _ := end["screenshots"].([]any); len(shots) != 1 {
		t.Errorf("kept %v", shots)
	}
}

func runEvents(t *testing.T, g *gateway) {
	answer := g.curl(t, "agent").post("/v1/runs", g.batch("/lab/controls", `{"type": "read_page"}`), "Accept: text/event-stream")
	if answer.status != http.StatusOK || answer.header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %s\n%s", answer.status, answer.header.Get("Content-Type"), answer.body)
	}
	var names []string
	var last object
	for event := range strings.SplitSeq(strings.TrimSpace(string(answer.body)), "\n\n") {
		name, data, _ := strings.Cut(strings.TrimPrefix(event, "event: "), "\ndata: ")
		if last = nil; json.Unmarshal([]byte(data), &last) != nil {
			t.Errorf("event %q", event)
		}
		if name == "step" {
			name, _ = last["action"].(string)
		}
		names = append(names, name)
	}
	for _, want := range append(slices.Clone(preflight), "navigate", "read_page", "state") {
		if !slices.Contains(names, want) {
			t.Errorf("no %s in %v", want, names)
		}
	}
	if whole, _ := last["data"].(object); names[len(names)-1] != "done" || whole["final_status"] != "completed" {
		t.Errorf("the last of %v is %v", names, last)
	}
}

// runCommand runs files by the command line, as the operator.
func runCommand(t *testing.T, g *gateway) {
	folder := t.TempDir()
	file := filepath.Join(folder, "steps.yaml")
	inFile := func(text string) (string, int) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), binary, "run", file, "--config", g.config)
		command.Dir = folder
		out, _ := command.CombinedOutput()
		return string(out), command.ProcessState.ExitCode()
	}
	head := "url: " + g.site + "/lab/controls\ndomain_allowlist: [localhost]\nscreenshot_dir: shots\ntimeout: 120000\nactions:\n"
	out, status := inFile(head + "  - {type: left_click, selector: '#count'}\n  - {type: screenshot, name: end}\n")
	if status != 0 || !strings.Contains(out, "left_click") || !strings.Contains(out, "completed: every action was done") {
		t.Errorf("%d\n%s", status, out)
	}
	if picture, err := os.ReadFile(filepath.Join(folder, "shots", "001-end.png")); err != nil || !bytes.HasPrefix(picture, []byte("\x89PNG")) {
		t.Errorf("the picture: %d bytes, %v", len(picture), err)
	}
	if out, status = inFile(head + "  - {type: left_click, selector: '#nowhere', timeout: 300}\n"); status != 10 || !strings.Contains(out, "FAIL left_click") {
		t.Errorf("%d\n%s", status, out)
	}
	if out, status = inFile(head + "  - {type: fly}\n"); status != 2 || !strings.Contains(out, "is no type of action") {
		t.Errorf("%d\n%s", status, out)
	}
	if out, _, status = g.command(t, "runs", "list", "--limit", "1"); status != 0 || !strings.Contains(out, "actions_failed") {
		t.Errorf("%d\n%s", status, out)
	}
}

func runTool(t *testing.T, g *gateway) {
	defer g.deniesAll(t)()
	a := g.stdio(t)
	args := func(path string, actions ...any) object {
		return object{"url": g.site + path, "domain_allowlist": []string{"localhost"}, "actions": actions}
	}
	text := a.must("browser_run", args("/login", object{"type": "read_page"}), "ended, completed: completed")
	if !strings.Contains(text, "- DOMAIN_ALLOWLIST_LOADED ok") || !strings.Contains(text, "Continue as demo user") {
		t.Error(text)
	}
	a.must("browser_run", args("/warren/one", object{"type": "navigate", "url": g.site + "/warren/out"}), "ended, blocked_domain: blocked_domain")
	a.refused("browser_run", args("/login", object{"type": "fly"}), "invalid_request")
}

func TestARestartFailsRunsAndLeavesNoBox(t *testing.T) {
	testenv.Heavy(t)
	g := start(t, settings{sandbox: "keep_boxes_on_shutdown: true"})
	for _, try := range []struct {
		signal syscall.Signal
		reason string
	}{{syscall.SIGTERM, "gateway_stopped"}, {syscall.SIGKILL, "gateway_restarted"}} {
		c := g.curl(t, "agent")
		begun := c.post("/v1/runs", g.batch("/lab/controls", `{"type": "wait", "ms": 120000}`, `"timeout": 120000`)).object(http.StatusAccepted)
		at := "/v1/runs/" + begun["run_id"].(string)
		testwait.For(t, "the run to wait", func() bool { return len(stepsOf(c.get(at).object(http.StatusOK))) == len(preflight)+1 })
		g.end(try.signal)
		g.run()
		run := c.get(at).object(http.StatusOK)
		if why, _ := run["reason"].(object); run["final_status"] != "error" || why["code"] != try.reason || !slices.Contains(stepsOf(run), "navigate") {
			t.Errorf("after %s: %v %v", try.signal, run["final_status"], why)
		}
		g.settled(t) // even if boxes survive a gateway, since nothing executes the run any more
	}
}

// runExamples runs the examples of docs/runs.md.
func runExamples(t *testing.T, g *gateway) {
	page, err := os.ReadFile("../docs/runs.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for part := range strings.SplitSeq(string(page), "```yaml\n") {
		text, _, fenced := strings.Cut(part, "```")
		if !fenced || !strings.HasPrefix(text, "url:") {
			continue
		}
		n++
		folder := t.TempDir()
		text = strings.NewReplacer("https://shop.example", g.site, "shop.example", "localhost").Replace(text)
		if err := os.WriteFile(filepath.Join(folder, "run.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		command := exec.CommandContext(ctx, binary, "run", "run.yaml", "--config", g.config)
		command.Dir, command.WaitDelay = folder, time.Second
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("example %d: %v\n%s", n, err, out)
		}
	}
	if n == 0 {
		t.Error("the page shows no example")
	}
}
