package cli_test

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/cli"
)

// answers returns a gate with an answer for each verb.
func answers(all map[string]any) *fakeGate {
	return &fakeGate{answer: func(c action.Call) (action.Result, error) { return action.Result{Data: all[c.Verb]}, nil }}
}

func TestFilesAreWrittenToOutput(t *testing.T) {
	r := newRig(t, answers(map[string]any{
		"page.screenshot": &action.Screenshot{Bytes: []byte("shot"), Format: "png"}, "page.pdf": &action.PDF{Bytes: []byte("pdf")},
		"page.har": &action.HAR{Bytes: []byte("har")}, "artifact.get": &action.File{Artifact: action.Artifact{Name: "a"}, Bytes: []byte("file")},
		"download.get": &action.File{Artifact: action.Artifact{Name: "d"}, Bytes: []byte("down")},
	}))
	for want, line := range map[string][]string{
		"shot": {"screenshot"}, "pdf": {"pdf"}, "har": {"har"}, "file": {"artifacts", "get", "a1"}, "down": {"downloads", "get", "d1"},
	} {
		for _, flag := range []string{"-o", "--output", "--out"} {
			path := "to-" + want + flag
			if out, complaint, status := r.run(append(line, flag, path)...); status != 0 || !strings.HasPrefix(out, path) || read(t, path) != want {
				t.Errorf("%v %s: %d %s%s", line, flag, status, out, complaint)
			}
		}
		if out, complaint, status := r.run(append(line, "-o", "-")...); status != 0 || out != want {
			t.Errorf("%v: %d %q %q", line, status, out, complaint)
		}
	}
	if _, complaint, status := r.run("screenshot", "page.png"); status != 2 || !strings.Contains(complaint, "-o page.png") {
		t.Errorf("%d %s", status, complaint)
	}
}

func TestAFileNamedByAPageOverwritesNone(t *testing.T) {
	r := newRig(t, answers(map[string]any{"artifact.get": &action.File{Artifact: action.Artifact{Name: "../mine"}, Bytes: []byte("theirs")}}))
	if err := os.WriteFile("mine", []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _, status := r.run("artifacts", "get", "a1"); status != 0 || read(t, "mine") != "mine" || read(t, "mine.1") != "theirs" {
		t.Errorf("%d %s", status, out)
	}
}

func TestNothingFoundHasItsOwnExitStatus(t *testing.T) {
	d := answers(map[string]any{"page.wait_for": &action.Waited{}, "page.find": &action.Matches{}})
	r := newRig(t, d)
	for _, line := range [][]string{{"wait", "#done"}, {"find", "total"}, {"wait", "#done", "--json"}, {"find", "total", "--json"}} {
		if out, complaint, status := r.run(line...); status != 5 || out == "" || complaint != "" {
			t.Errorf("%v: %d %q %q", line, status, out, complaint)
		}
	}
	d.answer = answers(map[string]any{"page.wait_for": &action.Waited{Found: true}, "page.find": &action.Matches{Total: 1}}).answer
	for _, line := range [][]string{{"wait", "#done"}, {"find", "total"}} {
		if _, _, status := r.run(line...); status != 0 {
			t.Errorf("%v: %d", line, status)
		}
	}
}

func TestInterruptedCommandsHaveTheExitStatusOfShells(t *testing.T) {
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		ctx, interrupt := context.WithCancelCause(t.Context())
		r := newRig(t, &fakeGate{answer: func(action.Call) (action.Result, error) {
			interrupt(cli.Interrupted{Signal: signal})
			<-ctx.Done()
			return action.Result{}, fault.New(fault.Internal, "late")
		}})
		if _, complaint, status := r.runIn(ctx, "snapshot"); status != want || complaint != "" {
			t.Errorf("%s: %d %s", signal, status, complaint)
		}
	}
}

func TestHintsOfFaultsNameCommands(t *testing.T) {
	d := &fakeGate{answer: func(action.Call) (action.Result, error) {
		return action.Result{}, fault.New(fault.NotFound, "gone").
			Hinted("take a page.snapshot or browser_find; browser_approval_status tells, or list with session.list; example.com and page.nothing stay")
	}}
	r := newRig(t, d)
	_, complaint, _ := r.run("click", "e1")
	want := "take a glovebox snapshot or glovebox find; glovebox approvals show tells, or list with glovebox session list; example.com and page.nothing stay"
	if !strings.Contains(complaint, want) {
		t.Errorf("it says %s", complaint)
	}
}

func TestCloseAllClosesEverySession(t *testing.T) {
	at := action.Session{}.Created
	d := answers(map[string]any{
		"session.list":  &action.SessionListing{Sessions: []action.Session{{ID: "s1", State: "open"}, {ID: "s2", State: "closed", Closed: &at}, {ID: "s3", State: "paused"}}},
		"session.close": &action.Session{State: "closed"},
	})
	r := newRig(t, d)
	if out, complaint, status := r.run("session", "close", "--all"); status != 0 || !strings.Contains(out, "closed 2 sessions") {
		t.Errorf("%d %s%s", status, out, complaint)
	}
	calls := d.taken()
	if len(calls) != 3 || calls[1].Session != "s1" || calls[2].Session != "s3" || calls[2].Verb != "session.close" {
		t.Errorf("calls %+v", calls)
	}
	if _, _, status := r.run("session", "close", "s1", "--all"); status != 2 {
		t.Errorf("status %d", status)
	}
}

func TestFrozenSessionsAreMarked(t *testing.T) {
	r := newRig(t, answers(map[string]any{
		"session.list":   &action.SessionListing{Sessions: []action.Session{{ID: "s1", State: "paused", Frozen: true}, {ID: "s2", State: "open"}}},
		"session.show":   &action.Session{ID: "s1", State: "open", Frozen: true},
		"browser.status": &action.BrowserStatus{State: "active", Frozen: true},
	}))
	for line, want := range map[string]string{"session list": "paused (frozen)", "session show s1": "open (frozen)", "status s1": "active (frozen)"} {
		out, complaint, status := r.run(strings.Fields(line)...)
		if status != 0 || strings.Count(out, "(frozen)") != 1 || !strings.Contains(out, want) {
			t.Errorf("%s: %d %s%s", line, status, out, complaint)
		}
	}
}

func TestShellCompletions(t *testing.T) {
	r := newRig(t, answers(map[string]any{
		"session.list":  &action.SessionListing{Sessions: []action.Session{{ID: "s0123", Name: "invoices", State: "open"}, {ID: "s4567", State: "paused"}}},
		"page.snapshot": &action.Snapshot{Text: "heading \"Hi\"\n button \"Save\" [e12]\n link \"More\" [e3]\n"},
	}))
	for _, c := range []struct {
		line []string
		want string
	}{
		{[]string{"session", "close", ""}, "invoices\topen\ns4567\tpaused\n"},
		{[]string{"session", "show", "in"}, "invoices\topen\n"},
		{[]string{"snapshot", "-s", "s4"}, "s4567\tpaused\n"},
		{[]string{"click", "e"}, "e12\tbutton \"Save\"\ne3\tlink \"More\"\n"},
		{[]string{"drag", "e12", "e3"}, "e3\tlink \"More\"\n"},
		{[]string{"screenshot", "--ref", "e1"}, "e12\tbutton \"Save\"\n"},
		{[]string{"mcp", "install", "--client", "cl"}, "claude-code\nclaude-desktop\n"},
		{[]string{"dialog", "a"}, "accept\n"},
		{[]string{"policy", "explain", "browser_hov"}, "browser_hover\tMove the pointer over an element\n"},
	} {
		out, _, status := r.run(append([]string{"__complete"}, c.line...)...)
		if status != 0 || !strings.HasPrefix(out, c.want) {
			t.Errorf("%q: %d %q", c.line, status, out)
		}
	}
	r.url = "http://127.0.0.1:1"
	if out, _, status := r.run("__complete", "click", ""); status != 0 || strings.Contains(out, "e1") {
		t.Errorf("without a gateway: %d %q", status, out)
	}
}
