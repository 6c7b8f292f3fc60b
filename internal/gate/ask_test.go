package gate_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// inBubble runs f with a testGate in a synctest bubble.
func inBubble(t *testing.T, f func(t *testing.T, h *testGate)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := build(t, policy.Config{Enabled: true})
		defer h.close(t)
		f(t, h)
	})
}

// waiting returns the only waiting question.
func (h *testGate) waiting(t *testing.T) action.Question {
	t.Helper()
	result, err := h.Call(context.Background(), action.Call{Verb: "approval.list", Caller: operator})
	if err != nil {
		t.Fatal(err)
	}
	l := result.Data.(*action.QuestionListing)
	if len(l.Questions) != 1 {
		t.Fatalf("%d questions wait", len(l.Questions))
	}
	return l.Questions[0]
}

// attend lets a person follow questions from now until ctx ends, and passes on
// those that wait. The function that it returns waits for the end.
func (h *testGate) attend(ctx context.Context, t testing.TB, asked func(action.Question)) (ended func()) {
	began, over := make(chan struct{}), make(chan struct{})
	after := int64(0)
	watch := &action.EventWatch{Begin: sync.OnceFunc(func() { close(began) }), Event: func(e action.Event) error {
		if after = e.ID; e.Question != nil && e.Question.State == approval.Pending {
			asked(*e.Question)
		}
		return nil
	}}
	go func() {
		defer close(over)
		for ctx.Err() == nil { // the gate ends it after some minutes
			_, err := h.Call(ctx, action.Call{Verb: "events.follow", Caller: operator, Args: &action.FollowEvents{Kinds: "question", After: &after}, Events: watch})
			if err != nil && ctx.Err() == nil {
				t.Errorf("questions cannot be followed: %v", err)
				return
			}
		}
	}()
	select {
	case <-began:
	case <-over:
	}
	return func() { <-over }
}

func (h *testGate) answer(t *testing.T, a action.Answer) error {
	t.Helper()
	_, err := h.Call(context.Background(), action.Call{Verb: "approval.answer", Caller: operator, Args: &a})
	return err
}

func TestAQuestionBlocksUntilAPersonAnswers(t *testing.T) {
	for _, yes := range []bool{true, false} {
		inBubble(t, func(t *testing.T, h *testGate) {
			result := make(chan error, 1)
			go func() {
				_, err := h.Call(context.Background(), click(agent))
				result <- err
			}()
			synctest.Wait()
			q := h.waiting(t)
			if q.Risk != action.High || q.Element == nil || q.Element.Name != "Delete invoice" || q.Page.URL != "https://app.example.com/invoices?token=masked" {
				t.Errorf("question %+v", q)
			}
			time.Sleep(40 * time.Second) // synthetic clock
			if h.fakeSessions.count() != 0 {
				t.Error("it ran before the answer")
			}
			if err := h.answer(t, action.Answer{ID: q.ID, Approve: yes}); err != nil {
				t.Fatal(err)
			}
			err := <-result
			synctest.Wait()
			if yes && (err != nil || h.fakeSessions.count() != 1) {
				t.Errorf("approved: %v, %d done", err, h.fakeSessions.count())
			}
			if yes && h.fakeSessions.pins[0].Print != "Delete invoice" {
				t.Errorf("done with pin %+v", h.fakeSessions.pins[0])
			}
			if !yes {
				wantCode(t, "denied", err, fault.ApprovalDenied)
			}
			h.checkStory(t, yes)
		})
	}
}

// TestACallReportsTheQuestionItWaitsFor checks that a call reports its question
// while it waits, and reports none if the question was answered before.
func TestACallReportsTheQuestionItWaitsFor(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		var told []action.Pending
		call := click(agent)
		call.Wait, call.Asked = 30*time.Second, func(p action.Pending) { told = append(told, p) }
		result := make(chan action.Result, 1)
		go func() {
			r, err := h.Call(context.Background(), call)
			if err != nil {
				t.Error(err)
			}
			result <- r
		}()
		synctest.Wait()
		q := h.waiting(t)
		if len(told) != 1 || told[0] != (action.Pending{Approval: q.ID, Expires: q.Expires, Risk: action.High}) {
			t.Errorf("reported %+v", told)
		}
		if r := <-result; r.Pending == nil || *r.Pending != told[0] {
			t.Errorf("answered with %+v", r.Pending)
		}
		if err := h.answer(t, action.Answer{ID: q.ID, Approve: true}); err != nil {
			t.Fatal(err)
		}
		if r, err := h.Call(context.Background(), call); err != nil || r.Pending != nil || len(told) != 1 {
			t.Errorf("%+v %v, reported %d times", r, err, len(told))
		}
	})
}

// checkStory checks what a question left in the trail.
func (h *testGate) checkStory(t *testing.T, yes bool) {
	t.Helper()
	story, decision := map[string]int{}, map[bool]string{true: "approved", false: "denied"}[yes]
	for _, r := range h.records(t) {
		if r.Action != "page.click" {
			continue
		}
		story[r.EventType]++
		if r.EventType == action.EventIntent && r.HITLDecision != "pending" ||
			r.EventType == action.EventOutcome && (r.HITLDecision != decision || r.AnsweredBy != "ann") ||
			r.EventType == action.EventAnswer && (r.HITLDecision != decision || r.AnsweredBy != "ann") {
			t.Errorf("record %+v", r)
		}
	}
	if fmt.Sprint(story) != "map[answer:1 intent:1 outcome:1 question:1]" {
		t.Errorf("the trail holds %v", story)
	}
	if v, err := h.audit.Verify(context.Background()); err != nil || !v.OK {
		t.Errorf("verdict %+v, %v", v, err)
	}
}

func TestAnUnansweredQuestionDeniesAndIsRecorded(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		start := time.Now()
		_, err := h.Call(context.Background(), click(agent))
		wantCode(t, "silence", err, fault.ApprovalTimeout)
		if took := time.Since(start).Round(time.Second); took != approval.DefaultTimeouts.High {
			t.Errorf("waited %s", took)
		}
		if _, outcome := h.last(t); outcome.HITLDecision != "expired" || outcome.DurationMS < approval.DefaultTimeouts.High.Milliseconds()-1000 {
			t.Errorf("outcome %+v", outcome)
		}
		if h.fakeSessions.count() != 0 {
			t.Error("it ran")
		}
	})
}

func TestARepeatedCallUsesTheAnswerThatCameLater(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		call := click(agent)
		call.Wait = 2 * time.Second
		for range 2 { // identical questions are one
			result, err := h.Call(context.Background(), call)
			if err != nil || result.Pending == nil || result.Pending.Risk != action.High {
				t.Fatalf("got %+v, %v", result, err)
			}
			if _, outcome := h.last(t); outcome.Result != "pending" || outcome.HITLDecision != "pending" {
				t.Errorf("outcome %+v", outcome)
			}
		}
		q := h.waiting(t)
		status, err := h.Call(context.Background(), action.Call{Verb: "approval.status", Caller: agent, Args: &action.ByID{ID: q.ID}})
		if s := status.Data.(*action.Question); err != nil || s.State != "pending" || s.Element != nil {
			t.Errorf("status %+v, %v", s, err)
		}
		if err := h.answer(t, action.Answer{ID: q.ID, Approve: true}); err != nil {
			t.Fatal(err)
		}
		other := call
		other.Args = &action.Click{Locator: action.Locator{Ref: "e7"}, ClickCount: 2}
		if result, err := h.Call(context.Background(), other); err != nil || result.Pending == nil {
			t.Errorf("another call used the approval: %+v, %v", result, err)
		}
		if result, err := h.Call(context.Background(), call); err != nil || result.Pending != nil || h.fakeSessions.count() != 1 {
			t.Errorf("the same call: %+v, %v, %d done", result, err, h.fakeSessions.count())
		}
		if result, err := h.Call(context.Background(), call); err != nil || result.Pending == nil || h.fakeSessions.count() != 1 {
			t.Errorf("the approval was used twice: %+v, %v", result, err)
		}
	})
}

func TestConcurrentIdenticalCallsShareAQuestionButNotItsAnswer(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		var wg sync.WaitGroup
		var timeouts, ok int
		var mu sync.Mutex
		for range 3 {
			wg.Go(func() {
				_, err := h.Call(context.Background(), click(agent))
				mu.Lock()
				defer mu.Unlock()
				switch fault.CodeOf(err) {
				case "":
					ok++
				case fault.ApprovalTimeout:
					timeouts++
				default:
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if err := h.answer(t, action.Answer{ID: h.waiting(t).ID, Approve: true}); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		if ok != 1 || timeouts != 2 || h.fakeSessions.count() != 1 {
			t.Errorf("%d ran, %d expired, %d were done", ok, timeouts, h.fakeSessions.count())
		}
	})
}

func TestAGrantCoversLaterCalls(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		h.fakeSessions.element = &action.Element{Role: "button", Name: "Save"}
		call := click(agent)
		call.Wait = time.Second
		if result, err := h.Call(context.Background(), call); err != nil || result.Pending == nil {
			t.Fatalf("got %+v, %v", result, err)
		}
		if err := h.answer(t, action.Answer{ID: h.waiting(t).ID, Approve: true, ForSession: true}); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if result, err := h.Call(context.Background(), call); err != nil || result.Pending != nil {
				t.Fatalf("under the grant: %+v, %v", result, err)
			}
		}
		if intent, _ := h.last(t); intent.Rule != "grant" {
			t.Errorf("intent %+v", intent)
		}
		h.fakeSessions.element = &action.Element{Role: "button", Name: "Delete"}
		if result, err := h.Call(context.Background(), call); err != nil || result.Pending == nil {
			t.Errorf("the grant covered a HIGH call: %+v, %v", result, err)
		}
	})
}

// TestAQuestionShowsTheScriptAndTheTrailItsHash lets an agent ask for a script.
func TestAQuestionShowsTheScriptAndTheTrailItsHash(t *testing.T) {
	h := open(t)
	script := "fetch('/x', {method: 'DELETE'}) //" + strings.Repeat("x", 3000) + "end"
	result, err := h.Call(t.Context(), action.Call{Verb: "page.execute", Caller: agent, Args: &action.Execute{Expression: script}, Wait: time.Millisecond})
	if err != nil || result.Pending == nil {
		t.Fatalf("%+v %v", result, err)
	}
	shown, err := h.Call(t.Context(), action.Call{Verb: "approval.show", Caller: operator, Args: &action.ByID{ID: result.Pending.Approval}})
	if err != nil || shown.Data.(*action.Question).Input != script {
		t.Errorf("shown %+v %v", shown.Data, err)
	}
	for _, r := range h.records(t) {
		if strings.Contains(r.InputValue+r.Detail, "DELETE") {
			t.Errorf("recorded %+v", r)
		}
	}
}
