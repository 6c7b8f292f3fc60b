package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/sandboxtest"
	"github.com/gloveboxhq/glovebox/internal/session"
)

func TestASessionFromStartToArchive(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{Name: "invoices", Headless: true, Width: 800, URL: "https://app.example/list?token=x"})
	want := action.Session{
		ID: s.ID, Name: "invoices", Scope: "alice", Actor: "agent-a", Provider: "sandbox", State: "open", Box: s.Box,
		Created: s.Created, LastUsed: s.LastUsed, Actions: 1, Width: 800, Height: 720, DPI: 96, Headless: true,
		Allow: []string{"app.example", "*.wide.example", "localhost:3000"}, Egress: "sealed",
		Page:    &action.Page{URL: "https://app.example/list?token=x", Title: "Title"},
		Effects: "asked",
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{s.Box}, r.boxes()); diff != "" {
		t.Error(diff)
	}
	result, err := r.call(t.Context(), alice, "page.click", "invoices", &action.Click{})
	must(t, err)
	if result.Session != s.ID || result.Page == nil {
		t.Errorf("click answered %+v", result)
	}
	for range 2 { // closing is idempotent
		result, err = r.call(t.Context(), alice, "session.close", s.ID, nil)
		must(t, err)
		got := result.Data.(*action.Session)
		if got.State != "closed" || got.Reason != "closed by agent-a" || got.Closed == nil || got.Actions != 2 {
			t.Errorf("closed: %+v", got)
		}
	}
	if len(r.boxes()) != 0 {
		t.Errorf("boxes left: %v", r.boxes())
	}
	if got := r.show(alice, "invoices"); got.Page == nil || got.Page.URL != "https://app.example/list" {
		t.Errorf("the stored page is %+v", got.Page)
	}
	for range 2 {
		_, err = r.call(t.Context(), alice, "session.archive", s.ID, nil)
		must(t, err)
	}
	for hidden, args := range map[bool]*action.SessionList{true: {}, false: {IncludeArchived: true}} {
		result, err = r.call(t.Context(), alice, "session.list", "", args)
		must(t, err)
		if list := result.Data.(*action.SessionListing).Sessions; (len(list) == 0) != hidden {
			t.Errorf("archived hidden %t: %v", hidden, list)
		}
	}
	for _, what := range []string{"started in a cold box, headless true", "closed by agent-a", "archived"} {
		if !r.told("session", what) {
			t.Errorf("no event says %q", what)
		}
	}
}

func TestArchiveClosesFirst(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	result, err := r.call(t.Context(), alice, "session.archive", "", nil)
	must(t, err)
	if got := result.Data.(*action.Session); got.ID != s.ID || got.State != "archived" || len(r.boxes()) != 0 {
		t.Errorf("archived %+v with boxes %v", got, r.boxes())
	}
	if got := r.show(alice, s.ID); got.State != "archived" || got.Reason == "" {
		t.Errorf("shown %+v", got)
	}
}

func TestListIsNewestFirstAndCurrent(t *testing.T) {
	r := newRig(t)
	var want []string
	for range 3 {
		want = append([]string{r.start(alice, action.SessionStart{}).ID}, want...)
	}
	r.start(bob, action.SessionStart{})
	_, err := r.call(t.Context(), alice, "page.hover", want[2], &action.Hover{})
	must(t, err)
	result, err := r.call(t.Context(), alice, "session.list", "", &action.SessionList{})
	must(t, err)
	list := result.Data.(*action.SessionListing).Sessions
	var got []string
	for _, s := range list {
		got = append(got, s.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if list[2].Actions != 1 {
		t.Errorf("the oldest has %d actions, want the 1 it has just done", list[2].Actions)
	}
}

func TestStartsThatAreRefusedStartNothing(t *testing.T) {
	tests := []struct {
		name string
		who  action.Caller
		args action.SessionStart
		code fault.Code
		says string
	}{
		{"provider of later", alice, action.SessionStart{Provider: "kernel"}, fault.ProviderNotSupported, "kernel"},
		{"no provider", alice, action.SessionStart{Provider: "host"}, fault.InvalidProvider, `"host"`},
		{"name like an id", alice, action.SessionStart{Name: "s0123456789abcdef"}, fault.InvalidRequest, "name"},
		{"host outside", alice, action.SessionStart{Allow: []string{"app.example", "evil.example"}}, fault.BlockedDomain, "evil.example"},
		{"wider than configured", alice, action.SessionStart{Allow: []string{"*.example"}}, fault.BlockedDomain, "security.network.navigation"},
		{"apex of a pattern", alice, action.SessionStart{Allow: []string{"wide.example"}}, fault.BlockedDomain, "wide.example"},
		{"suffix that is no label", alice, action.SessionStart{Allow: []string{"notwide.example"}}, fault.BlockedDomain, "notwide.example"},
		{"everything", alice, action.SessionStart{Allow: []string{"*"}}, fault.BlockedDomain, "*"},
		{"private place", alice, action.SessionStart{Allow: []string{"localhost:22"}}, fault.BlockedDomain, "localhost:22"},
		{"first page outside", alice, action.SessionStart{URL: "https://evil.example/"}, fault.BlockedDomain, "evil.example"},
		{"first page outside what is asked", alice, action.SessionStart{URL: "https://app.example/", Allow: []string{"a.wide.example"}}, fault.BlockedDomain, "app.example"},
		{"first page of another scheme", alice, action.SessionStart{URL: "file:///etc/passwd"}, fault.InvalidURL, ""},
		{"operator's pattern is none", admin, action.SessionStart{Allow: []string{"a.*.example"}}, fault.InvalidRequest, "a.*.example"},
	}
	r := newRig(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := r.Look(t.Context(), action.Call{Verb: "session.start", Caller: tt.who, Args: &tt.args})
			if tt.args.URL == "" || tt.code == fault.InvalidURL { // where to go first is the gate's to judge
				wants(t, tt.code, err, tt.says)
			}
			_, err = r.Do(t.Context(), action.Call{Verb: "session.start", Caller: tt.who, Args: &tt.args}, action.Pin{})
			wants(t, tt.code, err, tt.says)
			if len(r.boxes()) != 0 {
				t.Errorf("boxes %v", r.boxes())
			}
		})
	}
	result, err := r.call(t.Context(), alice, "session.list", "", &action.SessionList{})
	must(t, err)
	if list := result.Data.(*action.SessionListing).Sessions; len(list) != 0 {
		t.Errorf("recorded %v", list)
	}
}

func TestLookAtStartTellsWhereItWouldGo(t *testing.T) {
	r := newRig(t)
	facts, _, err := r.Look(t.Context(), action.Call{Verb: "session.start", Caller: alice, Args: &action.SessionStart{URL: "evil.example"}})
	must(t, err)
	if d := facts.Destination; d == nil || d.Host != "evil.example" || d.Allowed || d.Reason == "" {
		t.Errorf("destination %+v", d)
	}
}

func TestAllowedHostsAreConfiguredAndAsked(t *testing.T) {
	tests := []struct {
		name string
		who  action.Caller
		ask  []string
		want []string
	}{
		{"agent asks for nothing", alice, nil, []string{"app.example", "*.wide.example", "localhost:3000"}},
		{"agent narrows", alice, []string{"A.Wide.example.", "*.b.wide.example"}, []string{"a.wide.example", "*.b.wide.example"}},
		{"agent names a private place", alice, []string{"localhost:3000"}, []string{"localhost:3000"}},
		{"operator names any host", admin, []string{"elsewhere.example", "localhost:9000"}, []string{"elsewhere.example", "localhost:9000"}},
	}
	r := newRig(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := r.start(tt.who, action.SessionStart{Allow: tt.ask})
			if diff := cmp.Diff(tt.want, s.Allow); diff != "" {
				t.Error(diff)
			}
			if d := r.door.Judge(s.Box, "https://app.example/"); d.Allowed != (tt.ask == nil) {
				t.Errorf("the door says %+v", d)
			}
		})
	}
}

func TestSwitchedOffBrowsersDoNotStart(t *testing.T) {
	r := newRig(t, with(func(c *session.Config) { c.Enabled = false }))
	_, err := r.call(t.Context(), alice, "session.start", "", &action.SessionStart{})
	wants(t, fault.BrowserDisabled, err, "browser.enabled")
}

func TestNamesAreUniqueAmongAScopesOpenSessions(t *testing.T) {
	r := newRig(t)
	first := r.start(alice, action.SessionStart{Name: "work"})
	_, err := r.call(t.Context(), alice, "session.start", "", &action.SessionStart{Name: "work"})
	wants(t, fault.AlreadyActive, err, "work")
	r.start(bob, action.SessionStart{Name: "work"})
	_, err = r.call(t.Context(), alice, "session.close", "work", nil)
	must(t, err)
	second := r.start(alice, action.SessionStart{Name: "work"})
	if got := r.show(alice, "work"); got.ID != second.ID {
		t.Errorf("work is %s, want the open %s (the closed one is %s)", got.ID, second.ID, first.ID)
	}
}

func TestASessionThatIsEndingHoldsNeitherNameNorPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(func(c *session.Config) { c.MaxConcurrent, c.MaxSessions = 1, 1 }))
		first := r.start(alice, action.SessionStart{Name: "work"})
		hold, done := make(chan struct{}), make(chan error, 1)
		r.driver.set(func(d *driver) { d.hold = hold })
		go func() {
			_, err := r.call(t.Context(), alice, "session.close", "work", nil)
			done <- err
		}()
		synctest.Wait()
		if got := r.show(alice, first.ID); got.State != "closing" {
			t.Fatalf("first: %+v", got)
		}
		second := r.start(alice, action.SessionStart{Name: "work"})
		if got := r.show(alice, "work"); got.ID != second.ID {
			t.Errorf("work is %+v", got)
		}
		close(hold)
		must(t, <-done)
	})
}

func TestABoxThatDoesNotStopHoldsNobodyForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		s := r.start(alice, action.SessionStart{})
		hold := make(chan struct{})
		r.driver.set(func(d *driver) { d.hold = hold })
		began := time.Now()
		_, err := r.call(t.Context(), alice, "session.close", s.ID, nil)
		must(t, err)
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("closing took %s", took)
		}
		close(hold)
		time.Sleep(61 * time.Second)
		synctest.Wait()
		if len(r.boxes()) != 0 {
			t.Errorf("boxes %v", r.boxes())
		}
	})
}

func TestLimitsOfOpenSessions(t *testing.T) {
	r := newRig(t, with(func(c *session.Config) { c.MaxConcurrent, c.MaxSessions = 2, 3 }))
	one := r.start(alice, action.SessionStart{})
	r.start(alice, action.SessionStart{})
	start := func(who action.Caller) error {
		_, err := r.call(t.Context(), who, "session.start", "", &action.SessionStart{})
		return err
	}
	wants(t, fault.LimitReached, start(alice), "security.max_concurrent_sessions")
	must(t, start(bob))
	wants(t, fault.LimitReached, start(bob), "security.max_sessions")
	_, err := r.call(t.Context(), alice, "session.close", one.ID, nil)
	must(t, err)
	must(t, start(bob))
	if n := len(r.boxes()); n != 3 {
		t.Errorf("%d boxes", n)
	}
}

func TestMinusOneIsNoLimitAndZeroIsNone(t *testing.T) {
	r := newRig(t, with(func(c *session.Config) { c.MaxConcurrent, c.MaxSessions = -1, -1 }))
	for range 7 {
		r.start(alice, action.SessionStart{})
	}
	r = newRig(t, with(func(c *session.Config) { c.MaxConcurrent = 0 }))
	_, err := r.call(t.Context(), alice, "session.start", "", &action.SessionStart{})
	wants(t, fault.LimitReached, err)
}

func TestAStartThatFailsLeavesARecordAndNoBox(t *testing.T) {
	for _, phase := range append([]string{"page"}, sandboxtest.Phases...) {
		t.Run(phase, func(t *testing.T) {
			r := newRig(t)
			broken := fault.New(fault.StartFailed, "no %s today", phase).Hinted("try later")
			if phase == "page" {
				r.fail = broken
			} else {
				r.engine.FailAt(phase, broken)
			}
			_, err := r.call(t.Context(), alice, "session.start", "", &action.SessionStart{Name: "n"})
			wants(t, fault.StartFailed, err, phase)
			got := r.show(alice, "n")
			if got.State != "failed" || !strings.Contains(got.Reason, phase) || len(r.boxes()) != 0 {
				t.Errorf("record %+v, boxes %v", got, r.boxes())
			}
			_, err = r.call(t.Context(), alice, "page.back", "n", nil)
			wants(t, fault.NotActive, err, phase)
		})
	}
}

func TestAnUnknownErrorOfAStartIsNotShown(t *testing.T) {
	r := newRig(t)
	r.fail = errors.New("secret detail")
	_, err := r.call(t.Context(), alice, "session.start", "", &action.SessionStart{Name: "n"})
	wants(t, fault.StartFailed, err)
	if strings.Contains(r.show(alice, "n").Reason+fault.From(err).Message, "secret") {
		t.Error("the text of an unknown error is shown")
	}
}

func TestACallerThatHangsUpLeavesNoBox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.engine.HoldAt("http")()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := r.call(ctx, alice, "session.start", "", &action.SessionStart{Name: "n"})
			done <- err
		}()
		synctest.Wait()
		if got := r.show(alice, "n"); got.State != "starting" || got.Box == "" {
			t.Errorf("while starting: %+v", got)
		}
		_, err := r.call(t.Context(), alice, "page.back", "n", nil)
		wants(t, fault.NotActive, err, "starting", "wait")
		cancel()
		wants(t, fault.StartFailed, <-done)
		if got := r.show(alice, "n"); got.State != "failed" || len(r.boxes()) != 0 {
			t.Errorf("afterwards: %+v, boxes %v", got, r.boxes())
		}
	})
}

func TestAStartingSessionCanBeClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.engine.HoldAt("handshake")()
		done := make(chan error, 1)
		go func() {
			_, err := r.call(t.Context(), alice, "session.start", "", &action.SessionStart{Name: "n"})
			done <- err
		}()
		synctest.Wait()
		result, err := r.call(t.Context(), alice, "session.close", "n", nil)
		must(t, err)
		if got := result.Data.(*action.Session); got.State != "closed" {
			t.Errorf("closed: %+v", got)
		}
		if err := <-done; err == nil || len(r.boxes()) != 0 {
			t.Errorf("start answered %v, boxes %v", err, r.boxes())
		}
	})
}

func TestAWeakSandboxIsRefused(t *testing.T) {
	weak := func(r *rig) { r.driver.weak = true }
	r := newRig(t, weak)
	_, err := r.call(t.Context(), alice, "session.start", "", &action.SessionStart{Name: "n"})
	wants(t, fault.SandboxWeak, err, "1 seccomp", "allow_weak_sandbox")
	if got := r.show(alice, "n"); got.State != "failed" || len(r.boxes()) != 0 {
		t.Errorf("%+v, boxes %v", got, r.boxes())
	}
	r = newRig(t, weak, with(func(c *session.Config) { c.AllowWeak = true }))
	r.start(alice, action.SessionStart{})
	if !r.told("box", "weak sandbox allowed") {
		t.Error("the audit does not say that the sandbox is weak")
	}
}

func TestWithoutAStoreNothingStarts(t *testing.T) {
	r := newRig(t)
	must(t, r.db.Writer.Close())
	_, err := r.call(t.Context(), alice, "session.start", "", &action.SessionStart{})
	if err == nil || len(r.boxes()) != 0 {
		t.Errorf("error %v, boxes %v", err, r.boxes())
	}
}

func TestAFirstPageThatDoesNotLoadLeavesTheSessionOpen(t *testing.T) {
	r := newRig(t, with(func(c *session.Config) { c.MaxActions = 0 }))
	result, err := r.call(t.Context(), alice, "session.start", "", &action.SessionStart{URL: "https://app.example/"})
	must(t, err)
	if len(result.Notes) != 1 || !strings.Contains(result.Notes[0], "did not load") || result.Session == "" {
		t.Errorf("answered %+v", result)
	}
}

func TestARegistryIsCheckedWhenItIsMade(t *testing.T) {
	r := newRig(t)
	for name, change := range map[string]func(*session.Options){
		"no driver":       func(o *session.Options) { o.Driver = nil },
		"no viewport":     func(o *session.Options) { o.Config.Width = 0 },
		"huge pool":       func(o *session.Options) { o.Config.WarmPool = 21 },
		"no idle timeout": func(o *session.Options) { o.Config.IdleTimeout = 0 },
		"broken network":  func(o *session.Options) { o.Config.Network.Navigation = []string{"https://x"} },
	} {
		o := r.options
		change(&o)
		if made, err := session.New(t.Context(), o); err == nil {
			t.Errorf("%s: made", name)
			_ = made.Close(t.Context())
		}
	}
}
