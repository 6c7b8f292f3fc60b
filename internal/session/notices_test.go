package session_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestAnAgentLearnsOnceHowItsSessionEnded(t *testing.T) {
	for name, next := range map[string]struct {
		verb string
		args any
		note bool // reported by a note, not by a fault
	}{
		"an act":    {"page.click", &action.Click{}, false},
		"a read":    {"page.snapshot", nil, false},
		"a start":   {"session.start", nil, true},
		"a listing": {"session.list", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				_, err := r.by("one", alice, "session.start", "", &action.SessionStart{Name: "work", URL: "https://app.example/form?key=hunter2"})
				must(t, err)
				time.Sleep(301 * time.Second)
				synctest.Wait()
				for _, stranger := range []struct {
					by  string
					who action.Caller
				}{{"two", alice}, {"one", other}} {
					wants(t, fault.NotActive, errOf(r.by(stranger.by, stranger.who, "page.snapshot", "", nil)), "no session is open")
				}
				result, err := r.by("one", alice, next.verb, "", next.args)
				said := strings.Join(result.Notes, "; ")
				if !next.note {
					wants(t, fault.NotActive, err, "new session")
					if f := fault.From(err); f.Details["state"] != "ended" {
						t.Errorf("details %v", f.Details)
					} else {
						said = f.Message
					}
				} else {
					must(t, err)
				}
				for _, word := range []string{"session work ended at ", "idle for 5m0s", "it was at https://app.example/form"} {
					if !strings.Contains(said, word) || strings.Contains(said, "hunter2") {
						t.Errorf("reported %q, want %q", said, word)
					}
				}
				again, err := r.by("one", alice, "session.list", "", nil)
				must(t, err)
				if len(again.Notes) > 0 {
					t.Errorf("reported again: %q", again.Notes)
				}
				wants(t, fault.NotActive, errOf(r.by("one", alice, "page.click", "work", &action.Click{})), "ended at", "idle for", "app.example/form")
			})
		})
	}
}

func TestNoNoticeAboutASessionThatItsAgentClosed(t *testing.T) {
	r := newRig(t)
	r.start(alice, action.SessionStart{})
	must(t, errOf(r.call(t.Context(), alice, "session.close", "", nil)))
	wants(t, fault.NotActive, errOf(r.call(t.Context(), alice, "page.snapshot", "", nil)), "no session is open")
}

func TestTheNextSessionOfAConnectionHasOtherReferences(t *testing.T) {
	r := newRig(t)
	for life := range 3 {
		s, err := r.by("one", alice, "session.start", "", nil)
		must(t, err)
		box := r.show(alice, s.Session).Box
		if got := r.page(box).options.Life; got != life {
			t.Errorf("session %d gives references as life %d", life+1, got)
		}
		r.hands(admin, "session.close", s.Session, nil)
	}
}
