package session_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/session"
)

// counting are the faults that count as failures of an agent's action. No other
// code may count.
var counting = map[fault.Code]bool{
	fault.PageChanged: true, fault.PageCrashed: true, fault.NotActionable: true, fault.DialogOpen: true,
	fault.NavigationFailed: true, fault.CDPError: true, fault.ActionTimeout: true, fault.Internal: true,
}

func TestOnlyFailuresOnThePageArePausedFor(t *testing.T) {
	r := newRig(t, with(func(c *session.Config) { c.MaxConcurrent, c.MaxSessions = -1, -1 }))
	for _, code := range fault.Codes() {
		s := r.start(alice, action.SessionStart{})
		r.page(s.Box).set(func(p *tab) { p.fail = fault.New(code, "as it is").Hinted("do this") })
		for range 3 {
			if err := errOf(r.call(t.Context(), alice, "page.click", s.ID, &action.Click{})); fault.CodeOf(err) != code {
				t.Errorf("%s: %v", code, err)
			}
		}
		if state := r.show(alice, s.ID).State; (state == "paused") != counting[code] {
			t.Errorf("after three times %s it is %s", code, state)
		}
		r.hands(admin, "session.close", s.ID, nil)
	}
}

func TestThreeFailuresInARowPauseAndASuccessResets(t *testing.T) {
	none := fault.New(fault.NotActionable, "it is covered").Hinted("look again")
	for name, tt := range map[string]struct {
		most  int
		calls []struct {
			who   action.Caller
			verb  string
			fails bool
		}
		paused bool
	}{
		"three in a row":            {3, acts("click- click- click-"), true},
		"a success between":         {3, acts("click- click- click+ click- click-"), false},
		"reads between":             {3, acts("click- click- snapshot+ snapshot- click-"), false},
		"a failing read between":    {3, acts("click- click- snapshot- click-"), true},
		"failing reads":             {3, acts("snapshot- snapshot- snapshot- snapshot-"), false},
		"an operator's":             {3, acts("click-! click-! click-! click-!"), false},
		"an operator's between":     {3, acts("click- click- click+! click-"), true},
		"another limit":             {1, acts("click-"), true},
		"two are not":               {3, acts("click- click-"), false},
		"switched off":              {-1, acts("click- click- click- click- click-"), false},
		"other acts of other tools": {3, acts("click- back- reload-"), true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, with(func(c *session.Config) { c.MaxFailures = tt.most }))
			s := r.start(alice, action.SessionStart{})
			var last error
			for _, c := range tt.calls {
				r.page(s.Box).set(func(p *tab) { p.fail = nil })
				if c.fails {
					r.page(s.Box).set(func(p *tab) { p.fail = none })
				}
				last = errOf(r.call(t.Context(), c.who, c.verb, s.ID, nil))
				if (last != nil) != c.fails {
					t.Fatalf("%s: %v", c.verb, last)
				}
			}
			shown := r.show(alice, s.ID)
			if (shown.State == "paused") != tt.paused {
				t.Fatalf("it is %s", shown.State)
			}
			if !tt.paused {
				return
			}
			wants(t, fault.NotActionable, last, "look again", "paused now", "hands it back")
			if shown.Hold.By != action.GatewayActor || shown.Hold.Code != action.Failures || r.count("alert", "asks for guidance") != 1 {
				t.Errorf("held %+v, %d alerts", shown.Hold, r.count("alert", "asks for guidance"))
			}
			wants(t, fault.SessionPaused, errOf(r.call(t.Context(), alice, "page.click", s.ID, nil)), "asks for guidance")
			r.hands(admin, "session.resume", s.ID, &action.HandBack{Note: "try the menu"})
			if facts, _, err := r.Look(t.Context(), action.Call{Verb: "session.show", Caller: alice}); err != nil || facts.Session.Failures != 0 {
				t.Errorf("%d failures after it was resumed, %v", facts.Session.Failures, err)
			}
		})
	}
}

func TestRepeatingTheSameFailedCallPauses(t *testing.T) {
	covered := fault.New(fault.NotActionable, "it is covered").Hinted("look")
	save, next := &action.Click{Locator: action.Locator{Ref: "e1"}}, &action.Click{Locator: action.Locator{Ref: "e2"}}
	for name, tt := range map[string]struct {
		most   int
		clicks []*action.Click
		paused bool
	}{
		"the same call":             {5, []*action.Click{save, save, save, save, save}, true},
		"four times":                {5, []*action.Click{save, save, save, save}, false},
		"another call between":      {5, []*action.Click{save, save, save, save, next, save}, false},
		"no limit":                  {-1, []*action.Click{save, save, save, save, save, save}, false},
		"as often as is configured": {2, []*action.Click{save, save}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, with(func(c *session.Config) { c.MaxFailures, c.MaxRepeated = 10, tt.most }))
			s := r.start(alice, action.SessionStart{})
			var last error
			for _, click := range tt.clicks {
				r.page(s.Box).set(func(p *tab) { p.fail = nil })
				must(t, errOf(r.call(t.Context(), alice, "page.snapshot", s.ID, nil))) // a read is a success, but the repeated call stays the same
				r.page(s.Box).set(func(p *tab) { p.fail = covered })
				last = errOf(r.call(t.Context(), alice, "page.click", s.ID, click))
			}
			if state := r.show(alice, s.ID).State; (state == "paused") != tt.paused {
				t.Fatalf("it is %s", state)
			}
			if tt.paused {
				wants(t, fault.NotActionable, last, "the same call failed", "paused now")
				if fault.From(last).Retryable() {
					t.Error("the fault of the call that paused the session is retryable")
				}
			}
		})
	}
}

// acts parses a script: the verb of a page, + or - for success or failure, ! for
// an operator.
func acts(script string) (calls []struct {
	who   action.Caller
	verb  string
	fails bool
}) {
	for _, word := range strings.Fields(script) {
		who, rest := alice, word
		if rest[len(rest)-1] == '!' {
			who, rest = admin, rest[:len(rest)-1]
		}
		calls = append(calls, struct {
			who   action.Caller
			verb  string
			fails bool
		}{who, "page." + rest[:len(rest)-1], rest[len(rest)-1] == '-'})
	}
	return calls
}

func TestACallThatRunsOutOfTimeIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(func(c *session.Config) { c.MaxFailures = 1 }))
		s := r.start(alice, action.SessionStart{})
		r.page(s.Box).set(func(p *tab) { p.hold = make(chan struct{}) })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := errOf(r.call(ctx, alice, "page.click", s.ID, &action.Click{})); err == nil {
			t.Error("it was done")
		}
		if shown := r.show(alice, s.ID); shown.State != "paused" {
			t.Errorf("it is %s", shown.State)
		}
	})
}

func TestALostSessionRaisesAnAlert(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		s := r.start(alice, action.SessionStart{})
		r.hands(admin, "session.take", s.ID, &action.Hands{})
		r.engine.Kill(s.Box)
		synctest.Wait()
		if shown := r.show(alice, s.ID); shown.State != "failed" || shown.Hold != nil || r.count("alert", "the session failed: its box is gone") != 1 {
			t.Errorf("it is %s, %d alerts", shown.State, r.count("alert", ""))
		}
	})
}

func TestARequestForAPersonPausesAndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		s := r.start(alice, action.SessionStart{})
		ask := func(wait time.Duration) (*action.HumanRequested, action.Result) {
			t.Helper()
			result, err := r.Do(t.Context(), action.Call{Verb: "session.request_human", Caller: alice, Wait: wait, Args: &action.HumanRequest{Reason: "a code\u202e from the phone"}}, action.Pin{Session: s.ID})
			must(t, err)
			return result.Data.(*action.HumanRequested), result
		}
		began := time.Now()
		got, _ := ask(55 * time.Second)
		if got.State != action.StillHeld || got.Hold.Code != action.HelpWanted || got.Hold.By != alice.Actor || got.Hold.Why != `a code\u202e from the phone` || time.Since(began) != 55*time.Second {
			t.Fatalf("after %s: %+v %+v", time.Since(began), got, got.Hold)
		}
		type answered struct {
			got    *action.HumanRequested
			result action.Result
		}
		came := make(chan answered, 1)
		go func() { got, result := ask(0); came <- answered{got, result} }()
		synctest.Wait()
		r.hands(admin, "session.take", s.ID, &action.Hands{}) // the call still waits
		synctest.Wait()
		r.hands(admin, "session.hand_back", s.ID, &action.HandBack{Note: "done"})
		a := <-came
		if a.got.State != action.HandedBack || a.got.Hold != nil || len(a.result.Notes) != 1 {
			t.Errorf("answered %+v, notes %q", a.got, a.result.Notes)
		}
		if n := r.count("alert", "help_wanted: a code"); n != 1 {
			t.Errorf("%d alerts, want one", n)
		}
		ended := make(chan error, 1)
		go func() {
			ended <- errOf(r.Do(t.Context(), action.Call{Verb: "session.request_human", Caller: alice, Args: &action.HumanRequest{Reason: "x"}}, action.Pin{Session: s.ID}))
		}()
		synctest.Wait()
		r.hands(admin, "session.close", s.ID, nil)
		wants(t, fault.NotActive, <-ended, "closed by ann")
	})
}

// An agent that asked for a person and gave up finds its session as it left it: nobody has
// to hand it back.
func TestASessionGoesOnWhenItsAgentWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(func(c *session.Config) { c.IdleTimeout, c.MaxAge = time.Hour, 10*time.Hour }))
		s := r.start(alice, action.SessionStart{})
		ask := func(ctx context.Context, wait time.Duration) error {
			return errOf(r.Do(ctx, action.Call{Verb: "session.request_human", Caller: alice, Wait: wait, Args: &action.HumanRequest{Reason: "a code"}}, action.Pin{Session: s.ID}))
		}
		must(t, ask(t.Context(), 50*time.Second))
		idle(5 * time.Minute)
		must(t, ask(t.Context(), 50*time.Second)) // it still waits
		idle(6 * time.Minute)
		wants(t, fault.SessionPaused, errOf(r.call(t.Context(), alice, "page.click", s.ID, &action.Click{})))
		idle(5 * time.Minute)
		result, err := r.call(t.Context(), alice, "page.snapshot", s.ID, nil)
		must(t, err)
		if len(result.Notes) != 1 || !strings.Contains(result.Notes[0], "nobody came") || !r.told("session", "nobody came") {
			t.Errorf("notes %q", result.Notes)
		}
		gone, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave) // its client ends
		if ask(gone, time.Minute) == nil {
			t.Error("a call whose client went away succeeded")
		}
		idle(11 * time.Minute)
		if state := r.show(alice, s.ID).State; state != "open" {
			t.Errorf("after its client went away it is %s", state)
		}
		must(t, ask(t.Context(), time.Second))
		r.hands(admin, "session.take", s.ID, &action.Hands{}) // a person came
		idle(20 * time.Minute)
		if state := r.show(alice, s.ID).State; state != "taken_over" {
			t.Errorf("with a person it is %s", state)
		}
	})
}
