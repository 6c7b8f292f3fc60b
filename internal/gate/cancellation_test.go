package gate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// TestTheOutcomeOfACancelledCallIsReported checks that the outcome and the
// agent's next answer say what happened.
func TestTheOutcomeOfACancelledCallIsReported(t *testing.T) {
	for name, with := range map[string]struct {
		button string
		caller action.Caller
		err    error // of the act
		part   string
		became string
		tells  bool
	}{
		"waiting for a person": {button: "Delete invoice", caller: agent, became: "it was not carried out", tells: true},
		"waiting for its turn": {button: "Next", caller: agent, err: fmt.Errorf("%w: %w", action.ErrNoTurn, context.Canceled), became: "it was not carried out", tells: true},
		"acting":               {button: "Next", caller: agent, err: context.Canceled, became: "it may have been carried out", tells: true},
		"acting, with a fault": {button: "Next", caller: agent, err: fault.New(fault.CDPError, "the browser is gone"), became: "it may have been carried out", tells: true},
		"as a step":            {button: "Next", caller: agent, err: context.Canceled, part: "step 2 of 3", became: "it may have been carried out", tells: true},
		"done":                 {button: "Next", caller: agent, became: "it was carried out", tells: true},
		"by an operator":       {button: "Next", caller: operator, became: "it was carried out"},
	} {
		t.Run(name, func(t *testing.T) {
			h := openWith(t, policy.Config{Enabled: true, Trusted: []string{"app.example.com"}})
			h.fakeSessions.element.Name, h.fakeSessions.doErr = with.button, with.err
			ctx, cancel := context.WithCancel(t.Context())
			h.fakeSessions.do = func(context.Context) { cancel() }
			call := click(with.caller)
			call.Part, call.Asked = with.part, func(action.Pending) { cancel() }
			_, err := h.Call(ctx, call)
			_, outcome := h.last(t)
			if outcome.Result != "cancelled" || !strings.HasSuffix(outcome.Detail, with.became) && !strings.Contains(outcome.Detail, with.became+"; now at ") {
				t.Errorf("outcome %+v", outcome)
			}
			if done := with.became == "it was carried out"; done != (err == nil) || !done && !strings.Contains(outcome.Error, "page.click was cancelled: "+with.became) {
				t.Errorf("%v, outcome %q", err, outcome.Error)
			}
			said := "browser_click"
			if with.part != "" {
				said += " (" + with.part + ")"
			}
			want := "[]"
			if with.tells {
				want = "[s1: the call before, " + said + ", was cancelled: " + with.became + "]"
			}
			if got := fmt.Sprint(h.fakeSessions.remarks); got != want {
				t.Errorf("the next answer says %s, want %s", got, want)
			}
		})
	}
}

func TestACancelledReadLeavesNoNotice(t *testing.T) {
	h := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	h.fakeSessions.do, h.fakeSessions.doErr = func(context.Context) { cancel() }, context.Canceled
	if _, err := h.Call(ctx, snapshot(agent)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, outcome := h.last(t); outcome.Result != "cancelled" || outcome.Detail != "it was not carried out" || len(h.fakeSessions.remarks) != 0 {
		t.Errorf("outcome %+v, remarks %q", outcome, h.fakeSessions.remarks)
	}
}

// TestACancelledCallKeepsItsEarlierRefusal cancels calls that were refused
// before.
func TestACancelledCallKeepsItsEarlierRefusal(t *testing.T) {
	h := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	h.fakeSessions.look, h.fakeSessions.lookErr = func(context.Context) { cancel() }, fault.New(fault.StaleRef, "e7 is gone").Hinted("look again")
	_, err := h.Call(ctx, click(agent))
	wantCode(t, "the call", err, fault.StaleRef)
	if _, outcome := h.last(t); outcome.Result != "fault" || len(h.fakeSessions.remarks) != 0 {
		t.Errorf("outcome %+v, remarks %q", outcome, h.fakeSessions.remarks)
	}
}
