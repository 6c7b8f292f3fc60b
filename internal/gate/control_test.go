package gate_test

import (
	"context"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// TestWaitingForAPersonDoesNotTimeOut lets the sessions wait as long as the
// caller asked for, which is longer than the limit of any act.
func TestWaitingForAPersonDoesNotTimeOut(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		h.fakeSessions.do = func(ctx context.Context) {
			select {
			case <-time.After(55 * time.Second):
			case <-ctx.Done():
			}
		}
		call := action.Call{Verb: "session.request_human", Caller: agent, Session: "s1", Args: &action.HumanRequest{Reason: "a captcha"}, Wait: 55 * time.Second}
		if _, err := h.Call(context.Background(), call); err != nil {
			t.Fatal(err)
		}
		intent, outcome := h.last(t)
		if intent.InputValue != "a captcha" || outcome.Result != "ok" || outcome.DurationMS < 55_000 {
			t.Errorf("intent %+v, outcome %+v", intent, outcome)
		}
	})
}

func TestARefusalByAPausedSessionIsRecorded(t *testing.T) {
	h := open(t)
	h.fakeSessions.lookErr = fault.New(fault.SessionPaused, "session s1 is paused by ann: lunch").Hinted("wait")
	_, err := h.Call(t.Context(), click(agent))
	wantCode(t, "held", err, fault.SessionPaused)
	_, err = h.Call(t.Context(), snapshot(agent))
	wantCode(t, "held", err, fault.SessionPaused)
	if _, outcome := h.last(t); outcome.Result != "fault" || outcome.SessionID != "s1" || h.fakeSessions.count() != 0 {
		t.Errorf("outcome %+v", outcome)
	}
}
