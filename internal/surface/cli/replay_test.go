package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// replayGate answers with a replay of two parts and a picture.
func replayGate() *fakeGate {
	const picture = "0123456789abcdef0123456789abcdef"
	part := func(seq int64, next string) *action.Replay {
		return &action.Replay{
			Session: action.Session{ID: "s1"}, Next: next, Questions: []action.Question{{ID: "q1", Why: "why"}},
			Records:  []action.ReplayRecord{{Record: action.Record{Seq: seq, Action: "page.click"}, Line: `{"action":"page.click","detail":"a\u001bb"}`}},
			Pictures: []action.ReplayPicture{{Seq: seq, Artifact: picture}},
		}
	}
	return &fakeGate{answer: func(c action.Call) (action.Result, error) {
		switch args := c.Args.(type) {
		case *action.ByID:
			return action.Result{Data: &action.File{Artifact: action.Artifact{ID: args.ID, MediaType: "image/png"}, Bytes: make([]byte, 3000)}}, nil
		case *action.SessionReplay:
			if args.Cursor == "1-2" {
				return action.Result{Data: part(2, "")}, nil
			}
		}
		first := part(1, "1-2")
		first.Trail = &action.ReplayTrail{Seq: 2, Count: 2}
		return action.Result{Data: first}, nil
	}}
}

func TestSessionExportWritesEachPartOnceIntoAPrivateFile(t *testing.T) {
	d := replayGate()
	r := newRig(t, d)
	out, complaint, status := r.run("session", "export", "n")
	if status != 0 || !strings.Contains(out, "2 records") || !strings.Contains(complaint, "picture 1 of 2") {
		t.Fatalf("status %d: %s %s", status, out, complaint)
	}
	calls := d.taken()
	if len(calls) != 3 || calls[0].Session != "n" || calls[1].Session != "s1" || calls[1].Args.(*action.SessionReplay).Cursor != "1-2" || calls[2].Verb != "artifact.get" {
		t.Errorf("calls %+v", calls)
	}
	info, err := os.Stat("replay-s1.html")
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(info, err)
	}
	page, err := os.ReadFile("replay-s1.html")
	if err != nil || strings.Count(string(page), `a\\u001bb`) != 2 || strings.Count(string(page), `"q1"`) != 2 || strings.Count(string(page), "data-picture=") != 1 {
		t.Errorf("the page has not each record and picture once, and the question in both parts: %v", err)
	}
}

func TestSessionExportReplacesAFileOnlyByForce(t *testing.T) {
	r := newRig(t, replayGate())
	if err := os.WriteFile("mine.html", []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, complaint, status := r.run("session", "export", "n", "-o", "mine.html"); status != fault.InvalidRequest.Info().Exit || !strings.Contains(complaint, "--force") {
		t.Errorf("status %d: %s", status, complaint)
	}
	if kept, err := os.ReadFile("mine.html"); string(kept) != "mine" {
		t.Errorf("the file is %.40q, %v", kept, err)
	}
	if _, complaint, status := r.run("session", "export", "n", "-o", "mine.html", "--force", "--no-pictures"); status != 0 {
		t.Errorf("status %d: %s", status, complaint)
	}
	page, err := os.ReadFile("mine.html")
	info, _ := os.Stat("mine.html")
	if err != nil || strings.Contains(string(page), "data-picture=") || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
}

func TestAnExportThatFailsLeavesNoFile(t *testing.T) {
	d := replayGate()
	good := d.answer
	r := newRig(t, d)
	for _, line := range [][]string{{"--max-bytes", "50"}, {"--max-bytes", "15000"}, {"-o", "no/such/folder.html"}, {}} {
		d.answer = func(c action.Call) (action.Result, error) {
			if c.Verb == "artifact.get" && len(line) == 0 {
				return action.Result{}, fault.New(fault.LimitReached, "too many calls")
			}
			return good(c)
		}
		_, complaint, status := r.run(append([]string{"session", "export", "n"}, line...)...)
		want := fault.LimitReached.Info().Exit
		if len(line) > 0 && line[0] == "-o" {
			want = fault.InvalidRequest.Info().Exit
		}
		if status != want {
			t.Errorf("%v: status %d, want %d: %s", line, status, want, complaint)
		}
		if left, err := filepath.Glob("*"); err != nil || len(left) > 0 {
			t.Errorf("%v left %v", line, left)
		}
		if left, err := filepath.Glob(".*"); err != nil || len(left) > 0 {
			t.Errorf("%v left %v", line, left)
		}
	}
}

func TestAReplayWithoutEndIsRefused(t *testing.T) {
	d := &fakeGate{answer: func(action.Call) (action.Result, error) {
		return action.Result{Data: &action.Replay{Next: "1-2"}}, nil
	}}
	if _, complaint, status := newRig(t, d).run("session", "replay", "n"); status != fault.Internal.Info().Exit || len(d.taken()) != 2 {
		t.Errorf("status %d: %s", status, complaint)
	}
}
