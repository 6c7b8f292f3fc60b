package session_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestASessionGoesOnWithABrowserThatWasStartedAgain(t *testing.T) {
	for name, short := range map[string]bool{"crashed": false, "for want of memory": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				s := r.start(alice, action.SessionStart{URL: "https://app.example/form?key=hunter2"})
				for life := 1; life <= 2; life++ {
					before := r.page(s.Box)
					r.engine.Crash(s.Box, short)
					synctest.Wait()
					time.Sleep(time.Second)
					result, err := r.call(t.Context(), alice, "page.click", s.ID, &action.Click{})
					must(t, err)
					said := strings.Join(result.Notes, "; ")
					for _, word := range []string{"the browser crashed", "started again", "go there again"} {
						if !strings.Contains(said, word) {
							t.Errorf("it is told %q, without %q", said, word)
						}
					}
					if strings.Contains(said, "memory") != short || strings.Contains(said, "hunter2") || strings.Contains(said, "at https://app.example/form") != (life == 1) {
						t.Errorf("it is told %q", said)
					}
					after := r.page(s.Box)
					if after == before || after.options.Life != life {
						t.Errorf("the browser is the same: %t; its life is %d, want %d", after == before, after.options.Life, life)
					}
				}
				if shown := r.show(alice, s.ID); shown.State != "open" || !r.told("session", "was started again") {
					t.Errorf("it is %+v", shown)
				}
			})
		})
	}
}

func TestACallWhoseBrowserCrashesIsNotSaidToBeDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		s := r.start(alice, action.SessionStart{})
		r.page(s.Box).set(func(p *tab) { p.hold = make(chan struct{}) })
		done := make(chan error, 1)
		go func() { done <- errOf(r.call(t.Context(), alice, "page.click", s.ID, &action.Click{})) }()
		synctest.Wait()
		r.engine.Crash(s.Box, false)
		wants(t, fault.PageCrashed, <-done, "during page.click", "done or not")
	})
}

func TestAPageThatCrashedForWantOfMemorySaysSo(t *testing.T) {
	for short, want := range map[bool]string{true: "memory_limit", false: "the page crashed"} {
		r := newRig(t)
		s := r.start(alice, action.SessionStart{})
		r.page(s.Box).set(func(p *tab) { p.fail = fault.New(fault.PageCrashed, "the page crashed").Hinted("go there again") })
		if short {
			r.engine.OOMKill(s.Box)
		}
		err := errOf(r.call(t.Context(), alice, "page.click", s.ID, &action.Click{}))
		wants(t, fault.PageCrashed, err, want)
		if f := fault.From(err); (f.Details["reason"] == "memory") != short {
			t.Errorf("short of memory %t, details %v", short, f.Details)
		}
	}
}

func TestTheStatusOfAHeldSessionIsThatOfItsBrowser(t *testing.T) {
	for _, verb := range []string{"session.pause", "session.take"} {
		r := newRig(t)
		s := r.start(alice, action.SessionStart{})
		r.hands(admin, verb, s.ID, &action.Hands{Reason: "lunch"})
		result, err := r.call(t.Context(), alice, "browser.status", s.ID, nil)
		must(t, err)
		status := result.Data.(*action.BrowserStatus)
		if status.State != action.BrowserActive || len(status.Processes) == 0 || status.StartedAt == nil {
			t.Errorf("after %s the status is %+v", verb, status)
		}
		if said := strings.Join(result.Notes, ""); !strings.Contains(said, "ann") || !strings.Contains(said, "lunch") {
			t.Errorf("who holds it is told as %q", said)
		}
	}
}

func TestCredentialsArePutIntoABrowserThatWasStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cellar{}
		c.store("alice", "app.example", "1", "a-secret-of-the-site")
		r := newRig(t, drawing(c))
		s := r.start(alice, action.SessionStart{})
		for range 2 {
			must(t, r.page(s.Box).options.Prepare(t.Context(), "https://app.example/"))
			if n := len(r.page(s.Box).sets); n != 1 {
				t.Fatalf("the browser has got %d sets", n)
			}
			r.engine.Crash(s.Box, false)
			synctest.Wait()
			time.Sleep(time.Second)
			must(t, errOf(r.call(t.Context(), alice, "page.click", s.ID, &action.Click{})))
			if shown := r.show(alice, s.ID); len(shown.Credentialed) != 1 {
				t.Errorf("it is no session with credentials any more: %+v", shown)
			}
		}
	})
}
