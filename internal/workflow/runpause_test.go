package workflow_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
)

// questioned returns the question that a run waits for.
func (h *harness) questioned(run action.Run) action.Question {
	h.t.Helper()
	if run.WaitsFor == "" {
		h.t.Fatalf("there is no question: %+v", run)
	}
	q, err := h.fakeGate.Show(context.Background(), "acme", run.WaitsFor)
	if err != nil || q.State != approval.Pending {
		h.t.Fatalf("question %+v, %v", q, err)
	}
	return q
}

func (h *harness) says(q action.Question, yes bool) {
	h.t.Helper()
	if _, err := h.make(person, "approval.answer", &action.Answer{ID: q.ID, Approve: yes, Reason: "because"}, 0); err != nil {
		h.t.Fatal(err)
	}
}

func (h *harness) show(run action.Run, wait int) action.Run {
	h.t.Helper()
	run, err := h.make(person, "run.show", &action.RunShow{ID: run.ID, Wait: wait}, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	return run
}

func TestPeopleAreAskedAboutEveryPausedRun(t *testing.T) {
	for _, who := range []action.Caller{bot, person} {
		for answer, want := range map[bool][2]string{true: {action.RunCompleted, "actions_failed"}, false: {action.RunFailed, "approval_denied"}} {
			b := good()
			b.fails["page.click #missing"] = fault.New(fault.NotFound, "no element matches")
			withHarness(t, b, func(h *harness) {
				run, err := h.make(who, "run.start", input(click("#missing"), click("#missing"), click("#missing"), click("#last")), 10*time.Second)
				if err != nil || run.State != action.RunPaused {
					t.Fatalf("run %+v, %v", run, err)
				}
				q := h.questioned(run)
				if !strings.Contains(q.Why, run.ID) || !strings.Contains(q.Why, "no element matches") {
					t.Errorf("the question is %q", q.Why)
				}
				page, err := h.log.Query(context.Background(), action.AuditQuery{Limit: 100}, "acme")
				if err != nil || !slices.ContainsFunc(page.Records, func(r action.Record) bool { return r.EventType == action.EventQuestion && r.ApprovalID == q.ID }) {
					t.Errorf("there is no event: %v", err)
				}
				h.says(q, answer)
				run = h.show(run, 60)
				h.wants(run, want[0], want[1])
				if slices.Contains(b.did(), "page.click #last") != answer {
					t.Errorf("did %v", b.did())
				}
			})
		}
	}
}

func TestAnApprovedHostLetsTheRunContinue(t *testing.T) {
	for _, who := range []action.Caller{bot, person} {
		for answer, want := range map[bool][2]string{true: {action.RunCompleted, "completed"}, false: {action.RunBlocked, "blocked_domain"}} {
			b := good()
			b.fails["page.click #out"] = fault.New(fault.BlockedDomain, "b.example is blocked").With("url", "https://b.example/next")
			withHarness(t, b, func(h *harness) {
				run, err := h.make(who, "run.start", input(click("#out"), click("#after")), 10*time.Second)
				if err != nil || run.State == action.RunEnded {
					t.Fatalf("run %+v, %v", run, err)
				}
				q := h.questioned(run)
				if !strings.Contains(q.Why, "b.example") {
					t.Errorf("the question is %q", q.Why)
				}
				h.says(q, answer)
				run = h.show(run, 60)
				h.wants(run, want[0], want[1])
				clicks := 0
				for _, what := range b.did() {
					if what == "page.click #out" {
						clicks++
					}
				}
				if clicks != 1 || slices.Contains(b.did(), "page.click #after") != answer {
					t.Errorf("did %v", b.did())
				}
			})
		}
	}
}

func TestCredentialsInRunsAreRefusedForEveryCaller(t *testing.T) {
	for _, who := range []action.Caller{bot, person} {
		withHarness(t, good(), func(h *harness) {
			value := "ghp_" + "q7Zk2XvB9mLw4RtY8nPc3HdJ6sFg1Ka5Ue0W"
			typed := action.RunAction{Type: "form_input", Locator: action.Locator{Selector: "#a"}, Value: &value}
			if _, err := h.make(who, "run.start", input(typed), 0); fault.CodeOf(err) != fault.CredentialDetected {
				t.Errorf("%s: %v", who.Actor, err)
			}
			if len(h.b.did()) > 0 {
				t.Errorf("did %v", h.b.did())
			}
		})
	}
}
