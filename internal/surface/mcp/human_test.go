package mcp_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/mcp"
)

func TestAskingForAPersonWaitsAndThenShowsThePage(t *testing.T) {
	back := false
	d := &door{answer: func(_ context.Context, c action.Call) (action.Result, error) {
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

func TestToolsAreChosenByGroup(t *testing.T) {
	list := func(groups ...string) (names []string) {
		t.Helper()
		offered, err := connect(t, surface(t, site(), func(o *mcp.Options) { o.Tools = groups }), nil).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range offered.Tools {
			names = append(names, tool.Name)
		}
		return names
	}
	all, few := list(), list("read", "read")
	if !slices.Contains(few, "browser_markdown") || !slices.Contains(few, "browser_navigate") || slices.Contains(few, "browser_crawl") {
		t.Errorf("read is %v", few)
	}
	var every []string
	for _, group := range []string{"core", "act", "read", "many", "debug", "session"} {
		every = append(every, list(group)...)
	}
	for _, name := range all {
		if !slices.Contains(every, name) {
			t.Errorf("%s is in no group", name)
		}
	}
	_, err := mcp.New(mcp.Options{Door: site(), Tools: []string{"reed"}})
	if f := fault.From(err); f == nil || f.Code != fault.InvalidRequest || !strings.Contains(f.Hint, "read") {
		t.Errorf("an unknown group: %v", err)
	}
}
