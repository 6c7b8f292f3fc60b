package workflow_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

var checked = []string{"DOMAIN_ALLOWLIST_APPROVED", "DOCKER_CONTAINER_ACTIVE", "XVFB_DISPLAY_READY", "DOMAIN_ALLOWLIST_LOADED"}

func TestARunDoesItsActionsInOrder(t *testing.T) {
	withHarness(t, good(), func(h *harness) {
		run := h.run(bot, input(
			action.RunAction{Type: "read_page"}, action.RunAction{Type: "form_input", Locator: action.Locator{Selector: "#q"}, Value: new("s3cret text")},
			click("#a"), action.RunAction{Type: "scroll_down"}, action.RunAction{Type: "search_text", Locator: action.Locator{Text: "x"}},
			action.RunAction{Type: "wait", MS: new(250)}, action.RunAction{Type: "screenshot", Locator: action.Locator{Name: "../../the end.png"}},
			action.RunAction{Type: "go_back"}, action.RunAction{Type: "navigate", URL: a + "/two"}))
		h.wants(run, action.RunFailed, "approval_timeout") // typing on a host that is not trusted is MEDIUM, and nobody answered
		run = h.run(person, input(
			action.RunAction{Type: "read_page"}, action.RunAction{Type: "form_input", Locator: action.Locator{Selector: "#q"}, Value: new("s3cret text")},
			click("#a"), action.RunAction{Type: "scroll_down"}, action.RunAction{Type: "search_text", Locator: action.Locator{Text: "x"}},
			action.RunAction{Type: "wait", MS: new(250)}, action.RunAction{Type: "screenshot", Locator: action.Locator{Name: "../../the end.png"}},
			action.RunAction{Type: "go_back"}, action.RunAction{Type: "navigate", URL: a + "/two"}))
		h.wants(run, action.RunCompleted, "completed")
		want := slices.Concat(checked, []string{"navigate", "read_page", "form_input", "left_click", "scroll_down", "search_text", "wait", "screenshot", "go_back", "navigate"})
		if got := steps(run); !slices.Equal(got, want) {
			t.Errorf("did %v", got)
		}
		if len(run.Screenshots) != 1 || run.Screenshots[0].Name != "001-______the_end.png" || run.Screenshots[0].Path != "/v1/artifacts/a1" {
			t.Errorf("screenshots %+v", run.Screenshots)
		}
		if run.Content.Text != "hello" || len(run.Content.Elements) != 1 || run.Content.Elements[0].Ref != "e1" {
			t.Errorf("content %+v", run.Content)
		}
		for _, e := range run.Log {
			if strings.Contains(e.Details, "s3cret") {
				t.Errorf("the log contains typed text: %+v", e)
			}
		}
		again, err := h.make(bot, "run.show", &action.RunShow{ID: run.ID}, 0)
		if err != nil || again.FinalStatus != action.RunCompleted || len(again.Log) != len(run.Log) {
			t.Errorf("shown as %+v, %v", again, err)
		}
	})
}

func TestAnInvalidRunIsRefusedCompletely(t *testing.T) {
	b := good()
	withHarness(t, b, func(h *harness) {
		for name, spoil := range map[string]func(*action.RunStart){
			"no list":         func(r *action.RunStart) { r.DomainAllowlist = nil },
			"no host":         func(r *action.RunStart) { r.DomainAllowlist = []string{"a.example", "https://a.example/"} },
			"everything":      func(r *action.RunStart) { r.DomainAllowlist = []string{"*"} },
			"no actions":      func(r *action.RunStart) { r.Actions = nil },
			"unknown type":    func(r *action.RunStart) { r.Actions[1].Type = "download" },
			"no type":         func(r *action.RunStart) { r.Actions[1].Type = "" },
			"foreign field":   func(r *action.RunStart) { r.Actions[1].URL = a },
			"no element":      func(r *action.RunStart) { r.Actions[1].Selector = "" },
			"url elsewhere":   func(r *action.RunStart) { r.URL = "https://b.example/" },
			"sub-domain":      func(r *action.RunStart) { r.URL = "https://x.a.example/" },
			"navigate away":   func(r *action.RunStart) { r.Actions[1] = action.RunAction{Type: "navigate", URL: "https://b.example/"} },
			"no url":          func(r *action.RunStart) { r.URL = "a.example" },
			"file":            func(r *action.RunStart) { r.URL = "file:///etc/passwd" },
			"user in url":     func(r *action.RunStart) { r.URL = "https://u:p@a.example/" },
			"too long":        func(r *action.RunStart) { r.Actions = slices.Repeat(r.Actions, 51) },
			"time":            func(r *action.RunStart) { r.Timeout = new(120_001) },
			"no time":         func(r *action.RunStart) { r.Timeout = new(0) },
			"folder outside":  func(r *action.RunStart) { r.ScreenshotDir = "../shots" },
			"folder climbs":   func(r *action.RunStart) { r.ScreenshotDir = "shots/../../x" },
			"absolute folder": func(r *action.RunStart) { r.ScreenshotDir = "/tmp/shots" },
			"value twice": func(r *action.RunStart) {
				r.Actions[1] = action.RunAction{Type: "form_input", Locator: action.Locator{Selector: "#q"}, Value: new("x"), Options: []string{"x"}}
			},
			"control in value": func(r *action.RunStart) {
				r.Actions[1] = action.RunAction{Type: "form_input", Locator: action.Locator{Selector: "#q"}, Value: new("x\x1b")}
			},
		} {
			args := input(click("#a"), click("#b"))
			spoil(args)
			if _, err := h.make(person, "run.start", args, 0); fault.CodeOf(err).Info().Status != 400 || fault.From(err).Hint == "" {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, args := range []*action.RunStart{{Archetype: "Reviewer"}, {Phase: "Deploy"}} {
			args.URL, args.DomainAllowlist, args.Actions = a, []string{"a.example"}, []action.RunAction{click("#a")}
			if _, err := h.make(person, "run.start", args, 0); fault.CodeOf(err) != fault.DeniedByPolicy {
				t.Errorf("%+v: %v", args, err)
			}
		}
		if _, err := h.make(action.Caller{Actor: "eve", Scope: "acme", Role: action.Viewer}, "run.start", input(click("#a")), 0); fault.CodeOf(err) != fault.DeniedByPolicy {
			t.Errorf("a viewer's: %v", err)
		}
		if did := b.did(); len(did) != 0 {
			t.Errorf("did %v", did)
		}
		result, err := h.Call(h.t.Context(), action.Call{Verb: "run.list", Caller: person, Args: &action.RunList{}})
		if err != nil || len(result.Data.(*action.RunListing).Runs) != 0 {
			t.Errorf("recorded %+v %v", result.Data, err)
		}
	})
}

func TestAFailedActionIsLoggedAndTheNextOneRuns(t *testing.T) {
	b := good()
	b.fails["page.click #missing"] = fault.New(fault.NotFound, "no element matches")
	withHarness(t, b, func(h *harness) {
		run := h.run(person, input(click("#missing"), click("#missing"), click("#there"), click("#missing")))
		h.wants(run, action.RunCompleted, "actions_failed")
		if got := steps(run)[5:]; !slices.Equal(got, []string{"!left_click", "!left_click", "left_click", "!left_click"}) || run.Failed() != 3 {
			t.Errorf("did %v", got)
		}
	})
}

func TestFaultsThatEndARun(t *testing.T) {
	for code, want := range map[fault.Code]string{
		fault.BlockedDomain: action.RunBlocked, "credential_detected": action.RunFailed, fault.NotActive: action.RunFailed,
		fault.LimitReached: action.RunFailed, fault.Internal: action.RunFailed,
	} {
		b := good()
		b.fails["page.click #a"] = fault.New(code, "why")
		withHarness(t, b, func(h *harness) {
			run := h.run(person, input(click("#a"), click("#b")))
			h.wants(run, want, string(code))
			if did := b.did(); slices.Contains(did, "page.click #b") || steps(run)[len(run.Log)-1] != "!left_click" {
				t.Errorf("%s: did %v, noted %v", code, did, steps(run))
			}
		})
	}
}

func TestAPageThatDoesNotLoadEndsTheRun(t *testing.T) {
	b := good()
	b.fails["page.goto"] = fault.New(fault.NavigationFailed, "net::ERR_CONNECTION_REFUSED")
	withHarness(t, b, func(h *harness) { h.wants(h.run(person, input(click("#a"))), action.RunFailed, "navigation_failed") })
}

func TestAFailedCheckEndsTheRunBeforeItsFirstAction(t *testing.T) {
	b := good()
	b.checks[1].OK, b.checks[1].Detail = false, "no display"
	withHarness(t, b, func(h *harness) {
		run := h.run(person, input(click("#a")))
		h.wants(run, action.RunFailed, "preflight_failed")
		if did := b.did(); !slices.Equal(did, []string{"run.open", "run.probe", "run.end"}) || steps(run)[2] != "!XVFB_DISPLAY_READY" {
			t.Errorf("did %v, noted %v", did, steps(run))
		}
	})
}

func TestTheTimeLimitIsForAllActionsTogether(t *testing.T) {
	b := good()
	b.slow["page.click"], b.slow["run.open"] = 400*time.Millisecond, 20*time.Second
	withHarness(t, b, func(h *harness) {
		args := input(slices.Repeat([]action.RunAction{click("#a")}, 10)...)
		args.Timeout = new(1000)
		run := h.run(person, args)
		h.wants(run, action.RunTimedOut, "timeout")
		if got := steps(run)[5:]; !slices.Equal(got, []string{"left_click", "left_click", "!left_click"}) {
			t.Errorf("did %v", got)
		}
		args = input(action.RunAction{Type: "wait", MS: new(60_000)}, click("#a"))
		h.wants(h.run(person, args), action.RunTimedOut, "timeout")
	})
}
