package gate_test

import (
	"cmp"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate"
)

func replay(t *testing.T, g *gate.Gate, by action.Caller) *action.Replay {
	t.Helper()
	result, err := g.Call(context.Background(), action.Call{Verb: "session.replay", Caller: by, Session: "s1", Args: &action.SessionReplay{}})
	if err != nil {
		t.Fatal(err)
	}
	return result.Data.(*action.Replay)
}

func TestOnlyOperatorsGetThePictureOfAQuestionInAReplay(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		call := click(agent)
		call.Wait = time.Second
		if result, err := h.Call(context.Background(), call); err != nil || result.Pending == nil {
			t.Fatalf("got %+v, %v", result, err)
		}
		for by, want := range map[action.Caller]string{operator: "picture of Delete invoice", viewer: ""} {
			part := replay(t, h.Gate, by)
			if len(part.Questions) != 1 || part.Questions[0].Screenshot != want || (len(part.Pictures) == 1) != (want != "") {
				t.Errorf("a %s gets %+v and %+v", by.Role, part.Questions, part.Pictures)
			}
		}
		_, err := h.Call(context.Background(), action.Call{Verb: "session.replay", Caller: agent, Session: "s1", Args: &action.SessionReplay{}})
		if fault.CodeOf(err) != fault.DeniedByPolicy {
			t.Errorf("an agent gets %v", err)
		}
	})
}

func TestARecordThatIsRedactedInAReplayHasNoLine(t *testing.T) {
	h, pages, known := withSecrets(t)
	if _, err := h.Call(t.Context(), snapshot(agent)); err != nil {
		t.Fatal(err)
	}
	call := snapshot(agent)
	call.Source.UserAgent = "tool " + canary
	if _, err := h.Call(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	pages.data = &action.Session{ID: "s1", Scope: "acme"}
	known.Learn("s1", credentials.Keep(canary))
	part := replay(t, h.Gate, operator)
	lines := 0
	for _, r := range part.Records {
		if strings.Contains(r.Line+r.UserAgent, canary) {
			t.Errorf("record %d has the secret", r.Seq)
		}
		if r.Line != "" {
			lines++
		}
	}
	if len(part.Records) != 4 || lines == 4 || lines == 0 {
		t.Errorf("%d of %d records have their line", lines, len(part.Records))
	}
}

// TestAReplayHasWhatAgentsSaw has the texts that agents got, without secrets, and
// none of answers that were withheld.
func TestAReplayHasWhatAgentsSaw(t *testing.T) {
	h, pages, known := withSecrets(t)
	known.Learn("s1", credentials.Keep(canary))
	see := func(by action.Caller, id string, data any) {
		t.Helper()
		call := snapshot(by)
		call.ID, pages.data = id, data
		if _, err := h.Call(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	}
	see(agent, "c1", &action.Snapshot{Text: "button \"Pay " + canary + "\" [e1]"})
	see(operator, "c2", &action.Snapshot{Text: "what an operator saw"})
	see(agent, "c3", &action.Marked{Markdown: "# Shop"})
	see(agent, "c4", &action.Extracted{Text: "a text"})
	h.fakeSessions.doErr = fault.New(fault.PageChanged, "it changed").Hinted("look again")
	if _, err := h.Call(t.Context(), snapshot(agent)); err == nil {
		t.Fatal("nothing failed")
	}
	h.fakeSessions.doErr = nil
	pages.data = &action.Session{ID: "s1", Scope: "acme"}
	var all []string
	for _, s := range replay(t, h.Gate, operator).Seen {
		all = append(all, s.CorrelationID+" "+s.Text)
	}
	if text := strings.Join(all, "; "); strings.Contains(text, canary) || !strings.HasPrefix(text, "c1 button \"Pay ") || !strings.HasSuffix(text, "; c3 # Shop; c4 a text") || len(all) != 3 {
		t.Errorf("the replay has %s", text)
	}
	plain, err := h.behind(h.fakeSessions)
	if err != nil {
		t.Fatal(err)
	}
	for id, changes := range map[string]*action.Changes{
		"d1": {Text: "+ text \"Saved\""}, "d2": {Snapshot: &action.Snapshot{Text: "page"}}, "d3": {Outcome: action.NothingChanged},
	} {
		h.fakeSessions.changes = changes
		if _, err := plain.Call(t.Context(), action.Call{ID: id, Verb: "page.wait_for", Args: &action.WaitFor{URL: "x"}, Caller: agent, Changes: true}); err != nil {
			t.Fatal(err)
		}
		seen := replay(t, plain, viewer).Seen
		if want := cmp.Or(changes.Text, changes.Outcome, "page"); seen[len(seen)-1] != (action.Sight{CorrelationID: id, Text: want}) {
			t.Errorf("of %+v the replay has %+v", changes, seen)
		}
	}
}
