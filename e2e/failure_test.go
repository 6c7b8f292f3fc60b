package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// chromium returns the process ids, as this machine sees them, of the box's
// browser or of its renderers.
func (g *gateway) chromium(t *testing.T, kind string) []int {
	t.Helper()
	found, all := g.processes(t, kind)
	if len(found) == 0 {
		t.Fatalf("no %s in\n%s", kind, all)
	}
	return found
}

// processes is chromium, which may have none, and all other processes of the box.
func (g *gateway) processes(t *testing.T, kind string) (found []int, all string) {
	t.Helper()
	boxes := g.boxes()
	if len(boxes) != 1 {
		t.Fatalf("boxes %v", boxes)
	}
	out, err := exec.CommandContext(t.Context(), "docker", "top", boxes[0], "-eo", "pid,args").Output()
	if err != nil {
		t.Fatalf("docker top: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		is := strings.Contains(line, "/chromium ") && strings.Contains(line, "--remote-debugging-pipe") && !strings.Contains(line, "--type=")
		if kind == "renderer" {
			is = strings.Contains(line, "--type=renderer")
		}
		pid, err := strconv.Atoi(strings.Fields(line)[0])
		if is && err == nil {
			found = append(found, pid)
		}
	}
	return found, string(out)
}

// midClick starts a click that the page never finishes, kills processes during
// it, and returns its result.
func midClick(t *testing.T, g *gateway, c curl, kind string) answer {
	t.Helper()
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/slow-click"}`).object(http.StatusOK)
	pids := g.chromium(t, kind)
	came := make(chan answer, 1)
	started := g.lab.clicked.Load()
	go func() {
		came <- c.post("/v1/browser/click", `{"text": "Show more", "timeout": 120000}`)
	}()
	testwait.For(t, "the click to reach the page", func() bool { return g.lab.clicked.Load() > started })
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
	return <-came
}

// rendererKilled kills the renderer of a page during a click: the call fails at
// once, and the session continues.
func rendererKilled(t *testing.T, g *gateway) {
	c := g.curl(t, "agent")
	c.open(`{}`)
	midClick(t, g, c, "renderer").problem(fault.PageCrashed)
	c.get("/v1/browser/snapshot").problem(fault.PageCrashed)
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/controls"}`).object(http.StatusOK)
	text := c.get("/v1/browser/snapshot").object(http.StatusOK)["snapshot"].(string)
	c.post("/v1/browser/click", `{"ref": "`+ref(t, text, `button "Show 0"`)+`"}`).object(http.StatusOK)
}

// browserKilled kills the whole browser during a click: its box restarts it,
// once. The second time the session fails and says why, and another one can
// start.
func browserKilled(t *testing.T, g *gateway) {
	c := g.curl(t, "agent")
	id := c.open(`{}`)
	crashed := midClick(t, g, c, "browser").problem(fault.PageCrashed)
	if detail, _ := crashed["detail"].(string); !strings.Contains(detail, "started again") {
		t.Errorf("told %v", crashed)
	}
	got := midClick(t, g, c, "browser").problem(fault.NotActive)
	if hint, _ := got["hint"].(string); !strings.Contains(hint, "session") {
		t.Errorf("it does not say what to do: %v", got)
	}
	var shown object
	testwait.For(t, "the session to end", func() bool {
		shown = c.get("/v1/sessions/" + id).object(http.StatusOK)
		return shown["state"] == "failed"
	})
	if reason, _ := shown["reason"].(string); !strings.Contains(reason, "gone") {
		t.Errorf("the session is %v", shown)
	}
	g.settled(t)
	c.open(`{}`)
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/controls"}`).object(http.StatusOK)
}

// callerGoesAway disconnects during a click: the call ends, is in the trail, and
// the session continues.
func callerGoesAway(t *testing.T, g *gateway) {
	c := g.curl(t, "agent")
	id := c.open(`{}`)
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/slow-click"}`).object(http.StatusOK)
	started := g.lab.clicked.Load()
	ctx, hangUp := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		body := strings.NewReader(`{"text": "Show more"}`)
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/v1/browser/click", body)
		if err != nil {
			ended <- err
			return
		}
		request.Header.Set("Authorization", "Bearer "+c.token)
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		ended <- err
	}()
	testwait.For(t, "the click to reach the page", func() bool { return g.lab.clicked.Load() > started })
	hangUp()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the request ended with %v", err)
	}
	testwait.For(t, "the click to be in the trail", func() bool { return strings.HasSuffix(g.verbs(t, id), "page.click cancelled") })
	for i, want := range []int{1, 0} { // it is said once
		next := c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/controls"}`).object(http.StatusOK)
		if got := fmt.Sprint(next["notes"]); strings.Count(got, "the call before, page.click, was cancelled: it may have been carried out") != want {
			t.Errorf("answer %d after it notes %s", i+1, got)
		}
	}
}

func TestAMissingEngineIsReported(t *testing.T) {
	g := prepare(t, settings{env: []string{"DOCKER_HOST=unix:///nonexistent/docker.sock"}})
	doctorSays(t, g, "engine", "start Docker")
	g.run()
	problem := g.curl(t, "agent").post("/v1/sessions", `{}`).problem(fault.SandboxRuntimeRequired)
	if problem["hint"] == "" || problem["hint"] == nil {
		t.Errorf("no hint: %v", problem)
	}
	out, complaint, status := g.command(t, "session", "start")
	if status != 8 || !strings.Contains(complaint, "error: ") || !strings.Contains(complaint, "hint: ") || out != "" {
		t.Errorf("status %d\n%s%s", status, out, complaint)
	}
	a := g.stdio(t)
	a.refused("browser_navigate", object{"url": g.site}, "sandbox_runtime_required")
}

func TestAMissingImageIsReportedWithTheBuildCommand(t *testing.T) {
	g := prepare(t, settings{image: "glovebox-browser:never-built"})
	doctorSays(t, g, "image", "glovebox image build")
	g.run()
	problem := g.curl(t, "agent").post("/v1/sessions", `{}`).problem(fault.InstallRequired)
	if hint, _ := problem["hint"].(string); !strings.Contains(hint, "glovebox image build") {
		t.Errorf("the hint is %v", problem["hint"])
	}
	out, complaint, status := g.command(t, "session", "start", "--json")
	var failed struct {
		Error fault.Fault `json:"error"`
	}
	if err := json.Unmarshal([]byte(out), &failed); err != nil || status != 8 || failed.Error.Code != fault.InstallRequired {
		t.Errorf("status %d %v\n%s%s", status, err, out, complaint)
	}
}

// doctorSays expects one check to fail, with a repair command.
func doctorSays(t *testing.T, g *gateway, name, repair string) {
	t.Helper()
	out, complaint, status := g.command(t, "doctor", "--json")
	if status != 8 {
		t.Errorf("doctor ended with %d\n%s%s", status, out, complaint)
	}
	var report struct {
		Data []struct {
			Name   string
			OK     bool
			Repair string
		}
	}
	if err := json.NewDecoder(strings.NewReader(out)).Decode(&report); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, check := range report.Data {
		if check.Name == name {
			if check.OK || !strings.Contains(check.Repair, repair) {
				t.Errorf("doctor says %+v", check)
			}
			return
		}
	}
	t.Errorf("doctor does not look at the %s: %s", name, out)
}
