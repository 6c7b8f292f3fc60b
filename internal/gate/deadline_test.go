package gate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestEveryVerbEndsEvenIfSessionsHang(t *testing.T) {
	for verb, c := range map[string]struct {
		args any
		want string
	}{
		"page.back":     {&action.None{}, "browser_action_timeout:back:30s"},
		"page.goto":     {&action.Goto{URL: "https://app.example.com/", Timing: action.Timing{Timeout: 1500}}, "browser_action_timeout:goto:1.5s"},
		"page.reload":   {&action.Reload{Timing: action.Timing{Timeout: 120_000}}, "browser_action_timeout:reload:120s"},
		"page.wait_for": {&action.WaitFor{}, "browser_action_timeout:wait_for:5s"},
		"session.start": {&action.SessionStart{}, "browser_action_timeout:session.start:90s"},
	} {
		inBubble(t, func(t *testing.T, h *testGate) {
			stuck := make(chan struct{})
			defer close(stuck)
			h.fakeSessions.do = func(context.Context) { <-stuck } // ignores its context
			_, err := h.Call(context.Background(), action.Call{Verb: verb, Caller: agent, Args: c.args})
			wantCode(t, verb, err, fault.ActionTimeout)
			if fault.From(err).Message != c.want {
				t.Errorf("message %q, want %q", fault.From(err).Message, c.want)
			}
			if _, outcome := h.last(t); outcome.Result != "fault" {
				t.Errorf("outcome %+v", outcome)
			}
		})
	}
}

func TestACancelledCallIsRecorded(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		h.fakeSessions.element = &action.Element{Role: "tab", Name: "History"}
		ctx, cancel := context.WithCancel(context.Background())
		h.fakeSessions.do = func(ctx context.Context) { cancel(); <-ctx.Done() }
		h.fakeSessions.doErr = context.Canceled
		_, err := h.Call(ctx, click(agent))
		wantCode(t, "left", err, fault.ActionTimeout)
		if intent, outcome := h.last(t); intent.Seq == 0 || outcome.Result != "cancelled" {
			t.Errorf("intent %+v, outcome %+v", intent, outcome)
		}
	})
}

func TestAPanicIsAFaultAndIsRecorded(t *testing.T) {
	h := open(t)
	h.fakeSessions.element = &action.Element{Role: "tab", Name: "History"}
	h.fakeSessions.do = func(context.Context) { panic("secret detail") }
	_, err := h.Call(t.Context(), click(agent))
	wantCode(t, "panic", err, fault.Internal)
	if strings.Contains(err.Error(), "secret detail") {
		t.Error("the panic is shown")
	}
	if _, outcome := h.last(t); outcome.Result != "fault" {
		t.Errorf("outcome %+v", outcome)
	}
	h.fakeSessions.element = nil // makes Look panic
	_, err = h.Call(t.Context(), click(agent))
	wantCode(t, "panic in look", err, fault.Internal)
	h.last(t)
}

func TestUnknownErrorsAreNotShown(t *testing.T) {
	h := open(t)
	h.fakeSessions.doErr = errors.New("password=hunter2")
	_, err := h.Call(t.Context(), snapshot(agent))
	wantCode(t, "unknown error", err, fault.Internal)
	if strings.Contains(fmt.Sprintf("%s %+v", fault.From(err).Message, h.records(t)), "hunter2") {
		t.Error("the error's text is shown or recorded")
	}
}
