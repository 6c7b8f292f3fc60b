package session_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/session"
)

func TestHostsOfARunAreCheckedBeforeItsBrowserStarts(t *testing.T) {
	r := newRig(t)
	for _, try := range []struct {
		who     action.Caller
		hosts   []string
		unknown []string
		code    fault.Code
	}{
		{who: alice, hosts: []string{"app.example"}},
		{who: alice, hosts: []string{"app.example", "evil.example", "*.evil.example"}, unknown: []string{"evil.example", "*.evil.example"}},
		{who: alice, hosts: []string{"app.example", "localhost:3001"}, code: fault.BlockedDomain},
		{who: admin, hosts: []string{"app.example", "localhost:3001"}, unknown: []string{"localhost:3001"}},
		{who: alice, hosts: []string{"app.example", "no host"}, code: fault.InvalidRequest},
	} {
		facts, _, err := r.Look(t.Context(), action.Call{Verb: "run.open", Caller: try.who, Args: &action.RunOpen{Run: "r1", URL: "https://app.example/", Hosts: try.hosts}})
		if try.code != "" {
			wants(t, try.code, err)
			continue
		}
		must(t, err)
		if !slices.Equal(facts.Run.Unknown, try.unknown) || facts.Destination == nil || !facts.Destination.Allowed {
			t.Errorf("%v: %+v to %+v", try.hosts, facts.Run, facts.Destination)
		}
	}
	if r.Live() != 0 {
		t.Error("the look started a session")
	}
}

func TestARunHasItsOwnBrowserWhichIsProbed(t *testing.T) {
	r := newRig(t)
	mine := r.start(alice, action.SessionStart{})
	result, err := r.call(t.Context(), alice, "run.open", "", &action.RunOpen{Run: "r1", URL: "https://app.example/", Hosts: []string{"app.example"}})
	must(t, err)
	opened := result.Data.(*action.Session)
	if opened.Name != "r1" || opened.State != "open" || opened.Headless || !slices.Equal(opened.Allow, []string{"app.example"}) {
		t.Errorf("opened %+v", opened)
	}
	if got := r.show(alice, opened.ID); got.ID != opened.ID {
		t.Errorf("by its id %+v", got)
	}
	if result, err := r.call(t.Context(), alice, "page.scroll", "", &action.Scroll{}); err != nil || result.Session != mine.ID {
		t.Errorf("a call that names no session went to %s (%v), want %s", result.Session, err, mine.ID)
	}
	for url, loaded := range map[string]bool{"https://app.example/": true, "https://elsewhere.example/": false} {
		result, err := r.call(t.Context(), alice, "run.probe", opened.ID, &action.RunProbe{Run: "r1", URL: url})
		must(t, err)
		checks := result.Data.(*action.RunChecks).Checks
		if len(checks) != 3 || !checks[0].OK || !checks[1].OK || checks[2].OK != loaded || checks[2].Name != action.AllowlistLoaded {
			t.Errorf("%s: %+v", url, checks)
		}
	}
	_, err = r.call(t.Context(), bob, "run.probe", opened.ID, &action.RunProbe{Run: "r1", URL: "https://app.example/"})
	wants(t, fault.SessionNotFound, err)
	_, err = r.call(t.Context(), alice, "run.end", opened.ID, &action.RunEnd{Run: "r1"})
	must(t, err)
	if got := r.show(alice, opened.ID); got.State != "closed" {
		t.Errorf("after its end %+v", got)
	}
}

func TestARunHasOnlyItsOwnLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(func(c *session.Config) { c.MaxActions, c.MaxAge = 2, 3*time.Minute }))
		result, err := r.call(t.Context(), alice, "run.open", "", &action.RunOpen{Run: "r1", URL: "https://app.example/", Hosts: []string{"app.example"}})
		must(t, err)
		for range action.MostRunActions + 1 { // its first page counts too
			_, err := r.call(t.Context(), alice, "page.click", result.Session, &action.Click{})
			must(t, err)
			time.Sleep(5 * time.Second)
		}
		_, err = r.call(t.Context(), alice, "run.end", result.Session, &action.RunEnd{Run: "r1"})
		must(t, err)
	})
}

func TestAHostThatAPersonAllowsIsAddedToARun(t *testing.T) {
	r := newRig(t)
	result, err := r.call(t.Context(), alice, "run.open", "", &action.RunOpen{Run: "r1", URL: "https://app.example/", Hosts: []string{"app.example"}})
	must(t, err)
	for url, host := range map[string]string{"https://other.example/x": "other.example", "https://app.example/": "", "http://10.0.0.1/": ""} {
		args := &action.RunAllow{Run: "r1", URL: url}
		facts, _, err := r.Look(t.Context(), action.Call{Verb: "run.allow", Caller: alice, Session: result.Session, Args: args})
		must(t, err)
		if facts.Destination == nil || facts.Destination.Host != host || facts.Destination.Allowed {
			t.Errorf("%s: %+v", url, facts.Destination)
		}
		_, err = r.call(t.Context(), alice, "run.allow", result.Session, args)
		if (err == nil) != (host != "") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if got := r.show(alice, result.Session).Allow; !slices.Contains(got, "other.example") {
		t.Errorf("allowed are %v", got)
	}
}
