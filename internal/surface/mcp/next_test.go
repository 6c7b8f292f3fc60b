package mcp_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/mcp"
)

var toolNames = regexp.MustCompile(`browser_[a-z_]*[a-z]`)

// byItself lists the codes whose next step is the same call with other
// arguments.
var byItself = []fault.Code{fault.InvalidRequest, fault.UnknownAction, fault.AlreadyActive, fault.InvalidProvider, fault.ProviderNotSupported}

// Every fault tells an agent what to do next, even if its author gave no hint:
// with tools that every client has, or what a person must do.
func TestEveryFaultSaysWhatToDoNext(t *testing.T) {
	var code fault.Code
	d := &fakeGate{answer: func(context.Context, action.Call) (action.Result, error) {
		return action.Result{}, fault.New(code, "no")
	}}
	c := connect(t, surface(t, d, func(o *mcp.Options) { o.Tools = []string{"core"} }), nil)
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	offered := names(list.Tools)
	for _, code = range fault.Codes() {
		result := use(t, c, "browser_click", map[string]any{"target": "e1"})
		_, step, said := strings.Cut(text(t, result), "\nNext: ")
		if !result.IsError || !said || structured(t, result)["error"].(map[string]any)["hint"] == "" {
			t.Errorf("%s: %s", code, text(t, result))
		}
		for _, name := range toolNames.FindAllString(step, -1) {
			if name != "browser_action_timeout" && !slices.Contains(offered, name) {
				t.Errorf("%s names %s, which is not offered", code, name)
			}
		}
		if !toolNames.MatchString(step) && !strings.Contains(step, "person") && !slices.Contains(byItself, code) {
			t.Errorf("%s leads to no tool and nobody: %q", code, step)
		}
	}
}

func TestHintsNameToolsAndNotVerbs(t *testing.T) {
	d := &fakeGate{answer: func(context.Context, action.Call) (action.Result, error) {
		return action.Result{}, fault.New(fault.StaleRef, "e1 is gone").Hinted("take a page.snapshot, or page.find; page.forward is none, nor is page.nothing")
	}}
	got := text(t, use(t, connect(t, surface(t, d), nil), "browser_click", map[string]any{"target": "e1"}))
	if !strings.Contains(got, "Next: take a browser_snapshot, or browser_find; page.forward is none, nor is page.nothing") {
		t.Errorf("got %s", got)
	}
}
