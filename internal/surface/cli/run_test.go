package cli_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const runFile = `
url: https://a.example/
domain_allowlist: [a.example]
screenshot_dir: SHOTS
actions:
  - {type: left_click, role: button, name: Save}
  - {type: screenshot, name: end}
`

// finished is a run that ended with this status, with a screenshot.
func finished(status, code string, failed bool) *action.Run {
	return &action.Run{
		ID: "r1", State: action.RunEnded, FinalStatus: status, Reason: &action.RunReason{Code: code, Message: "why\x1b[2J"},
		Log:         []action.RunEntry{{Action: "left_click", Success: !failed, Details: "button \x1b[31mSave"}},
		Screenshots: []action.RunScreenshot{{Name: "001-end.png", Path: "/v1/artifacts/a1"}},
	}
}

// running returns a gate with this run.
func running(run *action.Run) *fakeGate {
	return &fakeGate{answer: func(c action.Call) (action.Result, error) {
		switch c.Verb {
		case "run.start":
			if c.Run != nil && c.Run.Step != nil {
				c.Run.State(*run)
				c.Run.Step(run.Log[0])
			}
			return action.Result{Data: run}, nil
		case "artifact.get":
			return action.Result{Data: &action.File{Artifact: action.Artifact{ID: "a1", Name: "x"}, Bytes: []byte("png")}}, nil
		}
		return action.Result{Data: run}, nil
	}}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestRunPrintsStepsWritesScreenshotsAndSetsTheStatus(t *testing.T) {
	for _, try := range []struct {
		status, code string
		failed       bool
		exit         int
	}{
		{action.RunCompleted, "completed", false, 0}, {action.RunCompleted, "actions_failed", true, 10}, {action.RunFailed, "not_active", true, 1},
		{action.RunBlocked, "blocked_domain", true, 4}, {action.RunTimedOut, "timeout", true, 9},
	} {
		r := newRig(t, running(finished(try.status, try.code, try.failed)))
		out, complaint, status := r.run("run", write(t, "run.yaml", strings.Replace(runFile, "SHOTS", "a/b", 1)))
		if status != try.exit || complaint != "" || !strings.Contains(out, "left_click") || !strings.Contains(out, try.status) || strings.Contains(out, "\x1b") {
			t.Errorf("%s: status %d, want %d\n%q %q", try.code, status, try.exit, out, complaint)
		}
		if got, err := os.ReadFile("a/b/001-end.png"); err != nil || string(got) != "png" || !strings.Contains(out, "a/b/001-end.png") {
			t.Errorf("the screenshot: %q %v\n%s", got, err, out)
		}
		out, _, status = r.run("run", "run.yaml", "--json")
		var whole struct{ Data action.Run }
		if err := json.Unmarshal([]byte(out), &whole); err != nil || status != try.exit || whole.Data.FinalStatus != try.status || whole.Data.Screenshots[0].Path != "a/b/001-end.png" {
			t.Errorf("%s as JSON: %v %d\n%s", try.code, err, status, out)
		}
	}
}

func TestScreenshotsAreWrittenBelowTheFolderOnly(t *testing.T) {
	r := newRig(t, running(finished(action.RunCompleted, "completed", false)))
	outside := t.TempDir()
	if err := os.Symlink(outside, "out"); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"out", "../x", "a/../../x", outside} {
		_, complaint, status := r.run("run", write(t, "run.yaml", strings.Replace(runFile, "SHOTS", dir, 1)))
		if status != 2 || !strings.Contains(complaint, "screenshots cannot be written") {
			t.Errorf("%s: %d %s", dir, status, complaint)
		}
	}
	for _, dir := range []string{outside, filepath.Join("..", "x")} {
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("%s holds %v", dir, left)
		}
	}
}

func TestRunFilesAreParsedStrictly(t *testing.T) {
	d := running(finished(action.RunCompleted, "completed", false))
	r := newRig(t, d)
	for name, text := range map[string]string{
		"unknown field": runFile + "retries: 3\n", "unknown action": strings.Replace(runFile, "left_click", "right_click", 1),
		"foreign field": strings.Replace(runFile, "name: end", "url: x", 1), "twice": runFile + "url: https://a.example/\n",
		"no YAML": "a: [", "no object": "- a\n", "number": strings.Replace(runFile, "https://a.example/", "7", 1),
		"long": "url: " + strings.Repeat("a", 1<<20),
	} {
		if _, complaint, status := r.run("run", write(t, "run.yaml", text)); status != 2 || complaint == "" {
			t.Errorf("%s: %d %s", name, status, complaint)
		}
	}
	if _, _, status := r.run("run", "nowhere.yaml"); status != 2 {
		t.Errorf("no file: %d", status)
	}
	if _, _, status := r.run("runs", "resume", "r1", "--guidance", "x", "--actions", write(t, "rest.yaml", "actions: [{type: fly}]")); status != 2 {
		t.Errorf("guidance with an unknown action: %d", status)
	}
	if calls := d.taken(); len(calls) != 0 {
		t.Errorf("came through: %+v", calls)
	}
	r.run("runs", "resume", "r1", "--guidance", "x", "--actions", write(t, "rest.json", `{"actions": [{"type": "go_back"}]}`))
	if calls := d.taken(); len(calls) != 1 || calls[0].Args.(*action.RunResume).Actions[0].Type != "go_back" {
		t.Errorf("guidance became %+v", calls)
	}
}

func TestAnInterruptedRunIsCancelled(t *testing.T) {
	run := finished(action.RunFailed, "cancelled", false)
	under := *run
	under.State, under.FinalStatus, under.Reason, under.Screenshots = action.RunRunning, "", nil, nil
	ctx, interrupt := context.WithCancel(t.Context())
	d := &fakeGate{answer: func(c action.Call) (action.Result, error) {
		switch c.Verb {
		case "run.start":
			return action.Result{Data: &under}, nil
		case "run.show":
			interrupt()
			return action.Result{Data: &under}, nil
		case "run.cancel":
			run.Screenshots = nil
			return action.Result{Data: run}, nil
		}
		return action.Result{}, fault.New(fault.Internal, "unexpected")
	}}
	r := newRig(t, d)
	d2 := d.answer
	d.answer = func(c action.Call) (action.Result, error) {
		if c.Verb == "run.start" {
			c.Run.State(under)
		}
		return d2(c)
	}
	out, _, status := r.runIn(ctx, "run", write(t, "run.yaml", runFile))
	if status != 1 || !strings.Contains(out, "error: why") {
		t.Errorf("%d %s", status, out)
	}
	calls := d.taken()
	if last := calls[len(calls)-1]; last.Verb != "run.cancel" || last.Args.(*action.ByID).ID != "r1" {
		t.Errorf("last call %+v", last)
	}
}

func TestCapabilityWorksWithoutAGateway(t *testing.T) {
	r := newRig(t, &fakeGate{})
	out, _, status := r.run("capability", "--json")
	var whole struct{ Data action.Capability }
	if err := json.Unmarshal([]byte(out), &whole); err != nil || status != 0 || whole.Data.ID != "BROWSER_AUTOMATION" || len(whole.Data.ActionTypes) != 10 {
		t.Errorf("%d %v\n%s", status, err, out)
	}
	if out, _, _ = r.run("capability"); !strings.Contains(out, "XVFB_DISPLAY_READY") || !strings.Contains(out, "High (R3)") {
		t.Error(out)
	}
}
