package workflow_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestThreeFailuresInARowPauseTheRun(t *testing.T) {
	b := good()
	b.fails["page.click #missing"] = fault.New(fault.NotFound, "no element matches")
	withHarness(t, b, func(h *harness) {
		args := input(slices.Repeat([]action.RunAction{click("#missing")}, 4)...)
		args.Timeout = new(1000)
		run, err := h.make(bot, "run.start", args, time.Minute) // much longer than its time limit, which does not run during a pause
		if err != nil || run.State != action.RunPaused || run.Reason.Code != "actions_failed" || run.Session != "s1" {
			t.Fatalf("run %+v, %v", run, err)
		}
		for who, want := range map[action.Caller]fault.Code{bot: fault.DeniedByPolicy, {Actor: "eve", Scope: "other", Role: action.Operator}: fault.NotFound} {
			if _, err := h.make(who, "run.resume", &action.RunResume{ID: run.ID, Guidance: "go on"}, 0); fault.CodeOf(err) != want {
				t.Errorf("%s resumed: %v", who.Actor, err)
			}
		}
		away := &action.RunResume{ID: run.ID, Guidance: "there", Actions: []action.RunAction{{Type: "navigate", URL: "https://b.example/"}}}
		if _, err := h.make(person, "run.resume", away, 0); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("resumed to elsewhere: %v", err)
		}
		if slices.Contains(b.did(), "session.resume") {
			t.Error("refused guidance resumed the session")
		}
		if _, err := h.make(person, "run.resume", &action.RunResume{ID: run.ID, Guidance: "it is #there", Actions: []action.RunAction{click("#there")}}, 0); err != nil {
			t.Fatal(err)
		}
		run, err = h.make(bot, "run.show", &action.RunShow{ID: run.ID, Wait: 60}, 0)
		if err != nil {
			t.Fatal(err)
		}
		h.wants(run, action.RunCompleted, "actions_failed")
		if got := steps(run)[5:]; !slices.Equal(got, []string{"!left_click", "!left_click", "!left_click", "!pause", "resume", "left_click"}) {
			t.Errorf("did %v", got)
		}
		if !slices.Contains(b.did(), "session.resume") {
			t.Error("the session was not resumed")
		}
		if last := run.Log[len(run.Log)-2]; last.Details != "ann: it is #there" {
			t.Errorf("guidance %+v", last)
		}
		if _, err := h.make(person, "run.resume", &action.RunResume{ID: run.ID, Guidance: "go on"}, 0); fault.CodeOf(err) != fault.NotActive {
			t.Errorf("resumed after its end: %v", err)
		}
	})
}

func TestARunEndsWhenItsTokenIsRevoked(t *testing.T) {
	b := good()
	b.slow["page.click"] = 4 * time.Second
	withHarness(t, b, func(h *harness) {
		life, revoke := context.WithCancelCause(context.Background())
		bind := func(ctx context.Context) (context.Context, func()) {
			bound, cancel := context.WithCancelCause(ctx)
			stop := context.AfterFunc(life, func() { cancel(context.Cause(life)) })
			return bound, func() { stop(); cancel(nil) }
		}
		result, err := h.Call(context.Background(), action.Call{Verb: "run.start", Caller: person, Args: input(click("#a"), click("#b")), Wait: time.Second, Bind: bind})
		run, ok := result.Data.(*action.Run)
		if err != nil || !ok || run.State != action.RunRunning {
			t.Fatalf("run %+v, %v", result.Data, err)
		}
		revoke(fault.New(fault.Unauthenticated, "the token was revoked"))
		ended, err := h.make(person, "run.show", &action.RunShow{ID: run.ID, Wait: 60}, 0)
		if err != nil {
			t.Fatal(err)
		}
		h.wants(ended, action.RunFailed, string(fault.Unauthenticated))
		if slices.Contains(b.did(), "page.click #b") {
			t.Errorf("did %v", b.did())
		}
	})
}

func TestAPausedRunWithoutGuidanceEnds(t *testing.T) {
	b := good()
	b.fails["page.click"] = fault.New(fault.NotFound, "no element matches")
	withHarness(t, b, func(h *harness) {
		h.wants(h.run(bot, input(click("#a"), click("#a"), click("#a"))), action.RunFailed, "no_guidance")
	})
}

func TestAPausedSessionPausesTheRunBeforeItsAction(t *testing.T) {
	b := good()
	b.fails["page.click #a"] = fault.New(fault.SessionPaused, "a person has taken the session")
	withHarness(t, b, func(h *harness) {
		run, err := h.make(bot, "run.start", input(click("#a")), time.Minute)
		if err != nil || run.State != action.RunPaused || run.Reason.Code != "session_paused" {
			t.Fatalf("run %+v, %v", run, err)
		}
		b.mu.Lock()
		delete(b.fails, "page.click #a")
		b.mu.Unlock()
		if _, err := h.make(person, "run.resume", &action.RunResume{ID: run.ID, Guidance: "done"}, 0); err != nil {
			t.Fatal(err)
		}
		run, _ = h.make(bot, "run.show", &action.RunShow{ID: run.ID, Wait: 60}, 0)
		h.wants(run, action.RunCompleted, "completed")
	})
}

func TestUnapprovedHostsWaitForAPerson(t *testing.T) {
	for answer, want := range map[string][2]string{"yes": {action.RunCompleted, "completed"}, "no": {action.RunBlocked, "approval_denied"}, "": {action.RunBlocked, "approval_timeout"}} {
		b := good()
		withHarness(t, b, func(h *harness) {
			args := input(click("#a"))
			args.DomainAllowlist = append(args.DomainAllowlist, "b.example", "*.c.example")
			run, err := h.make(bot, "run.start", args, time.Second)
			if err != nil || run.State != action.RunPending || run.WaitsFor == "" || b.open != 0 {
				t.Fatalf("run %+v, %v", run, err)
			}
			q, err := h.fakeGate.Show(h.t.Context(), "acme", run.WaitsFor)
			if err != nil || q.Risk != action.High || !strings.Contains(q.Why, "b.example, *.c.example") {
				t.Errorf("question %+v %v", q, err)
			}
			if answer != "" {
				if _, err := h.fakeGate.Answer(h.t.Context(), person, action.Answer{ID: q.ID, Approve: answer == "yes", Reason: "because"}); err != nil {
					t.Fatal(err)
				}
			}
			for range 12 { // a HIGH question waits as long as ten calls
				run, _ = h.make(bot, "run.show", &action.RunShow{ID: run.ID, Wait: 60}, 0)
			}
			h.wants(run, want[0], want[1])
			if ok := run.Log[0].Success; run.Log[0].Action != "DOMAIN_ALLOWLIST_APPROVED" || ok != (answer == "yes") || run.WaitsFor != "" {
				t.Errorf("first line %+v", run.Log[0])
			}
		})
	}
}

func TestACancelledRunKeepsWhatItDid(t *testing.T) {
	b := good()
	b.slow["page.reload"] = time.Hour
	withHarness(t, b, func(h *harness) {
		run, err := h.make(bot, "run.start", input(click("#a"), action.RunAction{Type: "wait", MS: new(20_000)}, click("#b")), time.Second)
		if err != nil || run.State != action.RunRunning {
			t.Fatalf("%+v %v", run, err)
		}
		if _, err := h.make(action.Caller{Actor: "eve", Scope: "other", Role: action.Operator}, "run.cancel", &action.ByID{ID: run.ID}, 0); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("another scope cancelled: %v", err)
		}
		run, err = h.make(bot, "run.cancel", &action.ByID{ID: run.ID}, 0)
		if err != nil {
			t.Fatal(err)
		}
		h.wants(run, action.RunFailed, "cancelled")
		if got := steps(run)[5:]; !slices.Equal(got, []string{"left_click", "!wait"}) {
			t.Errorf("did %v", got)
		}
		if again, err := h.make(bot, "run.cancel", &action.ByID{ID: run.ID}, 0); err != nil || again.FinalStatus != run.FinalStatus {
			t.Errorf("cancelled twice: %+v %v", again, err)
		}
	})
}

func TestARunReportsProgressAndContinuesWithoutItsCaller(t *testing.T) {
	withHarness(t, good(), func(h *harness) {
		ctx, leave := context.WithCancel(h.t.Context())
		var lines, states []string
		watch := &action.RunWatch{
			Step: func(e action.RunEntry) {
				if lines = append(lines, e.Action); e.Action == "left_click" {
					leave()
				}
			},
			State: func(r action.Run) { states = append(states, r.State) },
		}
		args := input(click("#a"), action.RunAction{Type: "wait", MS: new(2000)}, click("#b"))
		result, err := h.Call(ctx, action.Call{Verb: "run.start", Caller: bot, Args: args, Run: watch})
		run := result.Data.(*action.Run)
		if err != nil || run.State != action.RunRunning || lines[0] != checked[0] || len(states) == 0 || states[len(states)-1] != action.RunRunning {
			t.Fatalf("%+v, %v: %v %v", run, err, lines, states)
		}
		end, err := h.make(bot, "run.show", &action.RunShow{ID: run.ID, Wait: 60}, 0)
		if err != nil {
			t.Fatal(err)
		}
		h.wants(end, action.RunCompleted, "completed")
	})
}

func TestEveryStepHasAnIntentAndAnOutcome(t *testing.T) {
	withHarness(t, good(), func(h *harness) {
		run := h.run(person, input(click("#a"), action.RunAction{Type: "screenshot"}))
		page, err := h.log.Query(h.t.Context(), action.AuditQuery{Limit: 1000}, "acme")
		if err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for _, r := range page.Records {
			if strings.HasPrefix(r.CorrelationID, run.ID+".") || r.Action == "run.start" {
				count[r.Action+" "+r.EventType]++
			}
		}
		for _, verb := range []string{"run.start", "run.open", "run.probe", "page.goto", "page.click", "page.screenshot", "run.end"} {
			if count[verb+" intent"] != 1 || count[verb+" outcome"] != 1 {
				t.Errorf("%s left %d intents and %d outcomes", verb, count[verb+" intent"], count[verb+" outcome"])
			}
		}
	})
}

func TestARestartFailsRunsAndEndsTheirBrowsers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	b := good()
	b.slow["page.click"] = time.Hour
	first := openHarness(t, path, b)
	run, err := first.make(bot, "run.start", input(click("#a")), 50*time.Millisecond)
	for err == nil && !slices.Contains(b.did(), "page.click #a") { // then its intent is stored, and nothing after it
		run, err = first.make(bot, "run.show", &action.RunShow{ID: run.ID, Wait: 1}, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	// The second gateway reads what the first has stored so far, as after a crash.
	second := openHarness(t, path, good())
	got, err := second.make(bot, "run.show", &action.RunShow{ID: run.ID}, 0)
	if err != nil {
		t.Fatal(err)
	}
	second.wants(got, action.RunFailed, "gateway_restarted")
	second.b.mu.Lock()
	second.b.open = 1
	second.b.mu.Unlock()
	second.EndOrphans()
	second.close()
	if did := second.b.did(); !slices.Equal(did, []string{"run.end"}) {
		t.Errorf("did %v", did)
	}
	first.close()
	third := openHarness(t, path, good())
	defer third.close()
	if got, err = third.make(bot, "run.show", &action.RunShow{ID: run.ID}, 0); err != nil || got.Reason.Code != "gateway_stopped" {
		t.Errorf("after a shutdown: %+v %v", got.Reason, err)
	}
}

func TestTheNumberOfRunsIsLimited(t *testing.T) {
	b := good()
	b.slow["run.open"] = time.Hour
	withHarness(t, b, func(h *harness) {
		var err error
		n := 0
		for ; err == nil && n < 100; n++ {
			_, err = h.make(bot, "run.start", input(click("#a")), time.Millisecond)
		}
		if n != 21 || fault.CodeOf(err) != fault.LimitReached {
			t.Errorf("%d runs, then %v", n-1, err)
		}
	})
}

func TestABrowserThatStartsTooLateIsEnded(t *testing.T) {
	b := good()
	b.late = true
	b.slow["run.open"] = 2 * time.Second
	withHarness(t, b, func(h *harness) {
		run, err := h.make(bot, "run.start", input(click("#a")), time.Second)
		if err != nil || run.State != action.RunPending {
			t.Fatalf("%+v %v", run, err)
		}
		if run, err = h.make(bot, "run.cancel", &action.ByID{ID: run.ID}, 0); err != nil {
			t.Fatal(err)
		}
		h.wants(run, action.RunFailed, "cancelled")
		if did := b.did(); did[len(did)-1] != "run.end" || b.ended != run.ID {
			t.Errorf("did %v, ended %q", did, b.ended)
		}
	})
}
