package session_test

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/session"
)

// asked records the questions about limits.
func asked(r *rig) (said func() []string) {
	var mu sync.Mutex
	var all []string
	r.options.OnLimit = func(s action.Session, why string) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, s.State+" "+why)
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}

func TestASessionAtALimitIsPausedUntilAPersonResumesIt(t *testing.T) {
	for name, limit := range map[string]struct {
		set   func(*session.Config)
		reach func(*rig, action.Session)
		key   string
	}{
		"actions": {func(c *session.Config) { c.MaxActions = 2 }, func(r *rig, s action.Session) {
			for range 2 {
				must(r.t, errOf(r.call(r.t.Context(), alice, "page.click", s.ID, &action.Click{})))
			}
			wants(r.t, fault.LimitReached, errOf(r.call(r.t.Context(), alice, "page.click", s.ID, &action.Click{})), "paused, not ended", "glovebox session resume")
		}, "security.max_actions_per_session"},
		"time": {func(c *session.Config) { c.MaxAge, c.IdleTimeout = 2*time.Minute, time.Hour }, func(*rig, action.Session) {
			time.Sleep(3 * time.Minute)
		}, "browser.max_session_minutes"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var said func() []string
				r := newRig(t, with(limit.set), func(r *rig) { said = asked(r) })
				s := r.start(alice, action.SessionStart{})
				for range 2 { // and again, when the extension is used up
					limit.reach(r, s)
					synctest.Wait()
					shown := r.show(alice, s.ID)
					if shown.State != "paused" || shown.Hold.Code != string(fault.LimitReached) || !strings.Contains(shown.Hold.Why, limit.key) {
						t.Fatalf("it is %+v, %+v", shown, shown.Hold)
					}
					r.hands(admin, "session.resume", s.ID, &action.HandBack{})
					must(t, errOf(r.call(t.Context(), alice, "page.snapshot", s.ID, nil)))
				}
				if told := said(); len(told) != 2 || !strings.HasPrefix(told[0], "paused "+limit.key) {
					t.Errorf("people were asked %q", told)
				}
			})
		})
	}
}

func TestAgentsAreWarnedAtFourFifthsOfALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(func(c *session.Config) { c.MaxActions, c.MaxAge, c.IdleTimeout = 5, 10*time.Minute, time.Hour }))
		s := r.start(alice, action.SessionStart{})
		act := func(who action.Caller) string {
			result, err := r.call(t.Context(), who, "page.click", s.ID, &action.Click{})
			must(t, err)
			return strings.Join(result.Notes, "; ")
		}
		for i, want := range []string{"", "", "", "4 of 5 actions"} {
			if said := act(alice); !strings.Contains(said, want) || want == "" && said != "" {
				t.Errorf("after %d actions the notes are %q", i+1, said)
			}
		}
		time.Sleep(8 * time.Minute)
		if said := act(alice); !strings.Contains(said, "5 of 5 actions") || !strings.Contains(said, "all but 2m0s of its time") {
			t.Errorf("the notes are %q", said)
		}
		if result, err := r.call(t.Context(), admin, "page.snapshot", s.ID, nil); err != nil || len(result.Notes) > 0 {
			t.Errorf("a person gets the notes %q, %v", result.Notes, err)
		}
	})
}

func TestAStartWarnsAboutManyOpenSessions(t *testing.T) {
	r := newRig(t)
	for i := range 5 {
		result, err := r.call(t.Context(), alice, "session.start", "", nil)
		must(t, err)
		if said := strings.Join(result.Notes, ""); strings.Contains(said, "of 5 sessions") != (i >= 3) {
			t.Errorf("the start of session %d says %q", i+1, said)
		}
	}
}

func TestAPausedSessionEndsAtItsIdleLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(func(c *session.Config) { c.MaxAge, c.IdleTimeout = 10*time.Minute, 30*time.Minute }))
		s := r.start(alice, action.SessionStart{})
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if shown := r.show(alice, s.ID); shown.State != "paused" {
			t.Fatalf("its time is over, and it is %+v", shown)
		}
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		if shown := r.show(alice, s.ID); shown.State != "closed" || !strings.Contains(shown.Reason, "session_timeout") || len(r.boxes()) != 0 {
			t.Errorf("nobody resumed it, and it is %+v; boxes %v", shown, r.boxes())
		}
	})
}
