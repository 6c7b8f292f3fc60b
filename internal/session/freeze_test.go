package session_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/session"
)

// freezing freezes sessions after two minutes, and ends them after two hours.
func freezing(c *session.Config) {
	c.FreezeAfter, c.IdleTimeout, c.MaxAge = 2*time.Minute, 2*time.Hour, 3*time.Hour
}

// idle lets time pass.
func idle(long time.Duration) {
	time.Sleep(long)
	synctest.Wait()
}

func (r *rig) wantFrozen(id, box string, want bool) {
	r.t.Helper()
	if got := r.engine.Frozen(box); got != want {
		r.t.Errorf("the box is frozen: %t, want %t", got, want)
	}
	shown := r.show(alice, id)
	if shown.Frozen != want || shown.State != "open" {
		r.t.Errorf("it is shown as %s, frozen %t, want %t", shown.State, shown.Frozen, want)
	}
	status, err := r.browser(alice, "browser.status", id, nil)
	must(r.t, err)
	if status.Frozen != want || status.State != "active" {
		r.t.Errorf("its browser is shown as %s, frozen %t, want %t", status.State, status.Frozen, want)
	}
	listed, err := r.call(r.t.Context(), alice, "session.list", "", &action.SessionList{})
	must(r.t, err)
	all := listed.Data.(*action.SessionListing).Sessions
	if !slices.ContainsFunc(all, func(s action.Session) bool { return s.ID == id && s.Frozen == want }) {
		r.t.Errorf("it is listed as %+v", all)
	}
}

func TestAWatchedSessionIsNotFrozen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(freezing))
		s := r.start(alice, action.SessionStart{})
		p := r.watch(watcher, s.ID)
		idle(10 * time.Minute)
		r.wantFrozen(s.ID, s.Box, false)
		p.Close()
		idle(3 * time.Minute)
		r.wantFrozen(s.ID, s.Box, true)
	})
}

func TestAnIdleSessionIsFrozenAndTheNextCallThawsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(freezing))
		s := r.start(alice, action.SessionStart{})
		for range 2 {
			idle(119 * time.Second)
			r.wantFrozen(s.ID, s.Box, false)
			idle(2 * time.Second)
			r.wantFrozen(s.ID, s.Box, true)
			idle(10 * time.Minute)
			r.wantFrozen(s.ID, s.Box, true)
			result, err := r.call(t.Context(), alice, "page.click", s.ID, &action.Click{})
			must(t, err)
			if said := strings.Join(result.Notes, "; "); !strings.Contains(said, "stood still for 10m1s while nobody used it") {
				t.Errorf("its agent gets the notes %q", said)
			}
			r.wantFrozen(s.ID, s.Box, false)
		}
		synctest.Wait()
		if r.count("session", "frozen: nobody has used it for 2m0s (browser.freeze_after_seconds)") != 2 || r.count("session", "woken up; it stood still for 10m") != 2 {
			t.Errorf("the events are %+v", r.events)
		}
		for _, e := range r.events {
			if strings.HasPrefix(e.Detail, "woken up") && e.CorrelationID != "c1" {
				t.Errorf("no event names the call that thawed it: %+v", e)
			}
		}
	})
}

func TestASessionInUseIsNotFrozen(t *testing.T) {
	for name, use := range map[string]func(r *rig, s action.Session) (leave func()){
		"a call": func(r *rig, s action.Session) func() {
			hold, done := make(chan struct{}), make(chan error, 1)
			r.page(s.Box).set(func(p *tab) { p.hold = hold })
			go func() { done <- errOf(r.call(r.t.Context(), alice, "page.click", s.ID, &action.Click{})) }()
			return func() {
				close(hold)
				must(r.t, <-done)
			}
		},
		"a client of the protocol": func(r *rig, s action.Session) func() {
			a, err := r.Attach(r.t.Context(), action.Call{Verb: "cdp.attach", Caller: admin}, action.Pin{Session: s.ID}, nil)
			must(r.t, err)
			ctx, cancel := context.WithCancel(r.t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				_ = a.Serve(ctx, nil)
			}()
			return func() {
				cancel()
				<-done
			}
		},
		"a crawl": func(r *rig, s action.Session) func() {
			result, err := r.call(r.t.Context(), alice, "page.crawl", s.ID, &action.Crawl{URL: "https://app.example/"})
			must(r.t, err)
			return func() {
				_, err := r.call(r.t.Context(), alice, "crawl.end", s.ID, &action.CrawlEnd{Crawl: result.Data.(*action.CrawlOpened).ID})
				must(r.t, err)
			}
		},
		"a download, or an answer that has not come": func(r *rig, s action.Session) func() {
			r.page(s.Box).set(func(p *tab) { p.busy = true })
			return func() { r.page(s.Box).set(func(p *tab) { p.busy = false }) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, with(freezing))
				s := r.start(alice, action.SessionStart{})
				leave := use(r, s)
				idle(10 * time.Minute)
				r.wantFrozen(s.ID, s.Box, false)
				leave()
				idle(2*time.Minute + 10*time.Second)
				r.wantFrozen(s.ID, s.Box, true)
			})
		})
	}
}

func TestASessionWithAnOpenQuestionIsNotFrozen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := time.Now().Add(10 * time.Minute)
		r := newRig(t, with(freezing), func(r *rig) {
			r.options.HasQuestions = func(s action.Session) bool { return s.Scope == "alice" && time.Now().Before(asked) }
		})
		s := r.start(alice, action.SessionStart{})
		idle(9 * time.Minute)
		r.wantFrozen(s.ID, s.Box, false)
		idle(2 * time.Minute)
		r.wantFrozen(s.ID, s.Box, true)
	})
}

// TestACallDuringFreezingThawsTheBox starts activity between the check whether a
// session is idle and the freezing of its box.
func TestACallDuringFreezingThawsTheBox(t *testing.T) {
	for name, begin := range map[string]func(r *rig, s action.Session){
		"a call of the page engine": func(r *rig, s action.Session) { r.page(s.Box).set(func(p *tab) { p.busy = true }) },
		"a message": func(r *rig, s action.Session) {
			if err := r.page(s.Box).stream.Write([]byte(`{"id":1,"method":"Browser.getVersion"}`)); err != nil {
				r.t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, with(freezing))
				s := r.start(alice, action.SessionStart{})
				r.driver.set(func(d *driver) { d.onFreeze = func() { begin(r, s) } })
				idle(2*time.Minute + time.Second)
				r.wantFrozen(s.ID, s.Box, false)
				if r.told("session", "frozen:") {
					t.Error("it is reported as frozen")
				}
				r.driver.set(func(d *driver) { d.onFreeze = nil })
				r.page(s.Box).set(func(p *tab) { p.busy = false })
				idle(10 * time.Second)
				r.wantFrozen(s.ID, s.Box, true)
			})
		})
	}
}

func TestABoxThatCannotBeFrozenKeepsRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(freezing))
		r.driver.set(func(d *driver) { d.freezeErr = fault.New(fault.ProviderNotSupported, "never").Hinted("x") })
		s := r.start(alice, action.SessionStart{})
		idle(time.Hour)
		r.wantFrozen(s.ID, s.Box, false)
		if _, err := r.call(t.Context(), alice, "page.click", s.ID, &action.Click{}); err != nil {
			t.Error(err)
		}
	})
}

func TestFreezingCanBeDisabled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(freezing), with(func(c *session.Config) { c.FreezeAfter = -1 }))
		s := r.start(alice, action.SessionStart{})
		idle(time.Hour)
		r.wantFrozen(s.ID, s.Box, false)
	})
}

func TestLimitsApplyToAFrozenSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(freezing), with(func(c *session.Config) { c.MaxAge = time.Hour }))
		s := r.start(alice, action.SessionStart{})
		idle(59 * time.Minute)
		r.wantFrozen(s.ID, s.Box, true)
		idle(time.Minute)
		if shown := r.show(alice, s.ID); shown.State != "paused" || !strings.Contains(shown.Hold.Why, "max_session_minutes") {
			t.Errorf("its time is over, and it is %+v", shown)
		}
		idle(10 * time.Hour)
		if shown := r.show(alice, s.ID); shown.State != "closed" || !strings.Contains(shown.Reason, "session_timeout") || shown.Frozen {
			t.Errorf("nobody used it, and it is %+v", shown)
		}
		if boxes := r.boxes(); len(boxes) != 0 {
			t.Errorf("boxes are left: %v", boxes)
		}
	})
}

func TestAFrozenSessionCanBeClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(freezing))
		for _, verb := range []string{"session.close", "session.archive", "browser.stop"} {
			s := r.start(alice, action.SessionStart{})
			idle(3 * time.Minute)
			r.wantFrozen(s.ID, s.Box, true)
			_, err := r.call(t.Context(), alice, verb, s.ID, nil)
			must(t, err)
			if shown := r.show(alice, s.ID); isOpenState(shown.State) || shown.Frozen || len(r.boxes()) != 0 {
				t.Errorf("%s: it is %+v, boxes %v", verb, shown, r.boxes())
			}
		}
	})
}

func isOpenState(state string) bool { return state != "closed" && state != "archived" }

func TestAFrozenSessionGoesOnAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(freezing), with(keep))
		s := r.start(alice, action.SessionStart{URL: "https://app.example/"})
		idle(3 * time.Minute)
		r.wantFrozen(s.ID, s.Box, true)
		next := r.again(with(freezing), with(keep))
		next.wantFrozen(s.ID, s.Box, false)
		_, err := next.call(t.Context(), alice, "page.click", s.ID, &action.Click{})
		must(t, err)
		idle(3 * time.Minute)
		next.wantFrozen(s.ID, s.Box, true)
	})
}
