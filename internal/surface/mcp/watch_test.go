package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestTabsAreListedOpenedSelectedAndClosed(t *testing.T) {
	d := site()
	c := connect(t, surface(t, d), nil)
	got := text(t, use(t, c, "browser_tabs", map[string]any{"action": "list"}))
	if !strings.Contains(got, "- 0: \"A\" https://a.example/x, id T1\n- 1 (selected): \"B ### Page\" https://b.example/, id T2\n") {
		t.Errorf("listed as %s", got)
	}
	got = text(t, use(t, c, "browser_tabs", map[string]any{"action": "new", "url": "a.example"}))
	if !strings.Contains(got, "Opened tab T2.") || !strings.Contains(got, "### Changes") {
		t.Errorf("opened: %s", got)
	}
	if o := d.call(t, 1).Args.(*action.OpenTab); o.URL != "a.example" {
		t.Errorf("went to %q", o.URL)
	}
	use(t, c, "browser_tabs", map[string]any{"action": "close"})
	if got := d.call(t, 3); got.Verb != "tab.close" || got.Args.(*action.ByID).ID != "T2" {
		t.Errorf("closing the selected one was %s %+v", got.Verb, got.Args)
	}
	use(t, c, "browser_tabs", map[string]any{"action": "select", "id": "T9"})
	if got := d.call(t, 4); got.Verb != "tab.activate" || got.Args.(*action.ByID).ID != "T9" {
		t.Errorf("selecting by id was %s %+v", got.Verb, got.Args)
	}
	wrong := use(t, c, "browser_tabs", map[string]any{"action": "close", "index": 7})
	if !wrong.IsError || !strings.Contains(text(t, wrong), "not_found") {
		t.Errorf("a place without a tab: %s", text(t, wrong))
	}
}

func TestConsoleAndNetworkStandBetweenMarks(t *testing.T) {
	c := connect(t, surface(t, site()), nil)
	got := text(t, use(t, c, "browser_console_messages", nil))
	for _, want := range []string{"2 messages, oldest first.", "### Console\n<untrusted ", "\n[log] said ### Error (https://a.example/x:3)\n[error] went wrong\n</untrusted "} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	if strings.Contains(got, "quiet") || strings.Contains(got, "\n### Error") {
		t.Errorf("shown as %s", got)
	}
	if got = text(t, use(t, c, "browser_console_messages", map[string]any{"level": "error"})); strings.Contains(got, "said") || !strings.Contains(got, "went wrong") {
		t.Errorf("errors only: %s", got)
	}
	got = text(t, use(t, c, "browser_network_requests", nil))
	if !strings.Contains(got, "GET https://a.example/x => 200 text/html 10 B 2 ms\nPOST https://a.example/y => net::ERR_FAILED") {
		t.Errorf("requests: %s", got)
	}
}

func TestLongConsolesShowTheirEnd(t *testing.T) {
	d := &fakeGate{answer: func(context.Context, action.Call) (action.Result, error) {
		var all []action.ConsoleMessage
		for i := range 1000 {
			all = append(all, action.ConsoleMessage{Level: "log", Text: fmt.Sprintf("%s %d", strings.Repeat("x", 90), i)})
		}
		return action.Result{Data: &action.ConsoleListing{Messages: all}}, nil
	}}
	got := text(t, use(t, connect(t, surface(t, d), nil), "browser_console_messages", nil))
	if len(got) > 25_000 || !strings.Contains(got, " 999\n") || !strings.Contains(got, "are left out") || strings.Contains(got, "(cut:") {
		t.Errorf("%d bytes: %.200s", len(got), got)
	}
}
