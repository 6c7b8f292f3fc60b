package mcp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestAskingForAPersonWaitsAndThenShowsThePage(t *testing.T) {
	back := false
	d := &fakeGate{answer: func(_ context.Context, c action.Call) (action.Result, error) {
		if c.Verb != "session.request_human" || back {
			result := answerOf(c)
			result.Notes = []string{"handed back by ann: nothing changed"}
			return result, nil
		}
		return action.Result{Session: "s1", Data: &action.HumanRequested{State: action.StillHeld, Hold: &action.Hold{By: "bot", Why: "a captcha"}}}, nil
	}}
	c := connect(t, surface(t, d), nil)
	ask := map[string]any{"reason": "a captcha"}
	result := use(t, c, "browser_request_human", ask)
	state := structured(t, result)["result"].(map[string]any)["state"]
	if got := text(t, result); result.IsError || state != "pending" || !strings.Contains(got, "browser_request_human again") || strings.Contains(got, "### Snapshot") {
		t.Errorf("while it is held: %v\n%s", state, got)
	}
	back = true
	if got := text(t, use(t, c, "browser_request_human", ask)); !strings.Contains(got, "handed back by ann") || !strings.Contains(got, "button \"Save\" [e1]") {
		t.Errorf("handed back:\n%s", got)
	}
	if got := d.call(t, 0); got.Args.(*action.HumanRequest).Reason != "a captcha" || got.Wait <= 0 {
		t.Errorf("call %+v", got)
	}
	if result := use(t, c, "browser_request_human", map[string]any{"reason": ""}); !result.IsError {
		t.Error("a person was asked for nothing")
	}
}
