package session_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/session"
)

// TestASecretCannotBeGuessedLetterByLetter lets an agent search for missing
// elements as often as it can during a session. It must be fewer times than
// guessing a secret of 32 hexadecimal digits needs, if the page had an element
// for each digit.
func TestASecretCannotBeGuessedLetterByLetter(t *testing.T) {
	const digits, tries = 32, 8 // of sixteen, on average
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		q := session.NewLookups()
		for began := time.Now(); time.Since(began) < 20*time.Minute; {
			if q.Miss() == nil {
				asked++
				continue
			}
			time.Sleep(time.Second) // synthetic clock
		}
		if asked < 100 || asked >= digits*tries {
			t.Errorf("%d questions in twenty minutes", asked)
		}
		t.Logf("%d of the %d that are needed", asked, digits*tries)
		time.Sleep(time.Hour)
		for range 30 {
			must(t, q.Miss())
		}
		wants(t, fault.LimitReached, q.Miss(), "wait 10 s", "snapshot")
	})
}

func TestLookUpsWithoutAMatchAreLimited(t *testing.T) {
	none := action.Locator{Selector: "#p0-a"}
	zero := 0
	for name, ask := range map[string]struct {
		verb string
		args any
		fail error
		data any
		cost int
	}{
		"an element that is not there": {"page.hover", &action.Hover{Locator: none}, fault.New(fault.NotFound, "no").Hinted("x"), nil, 1},
		"a wait in vain":               {"page.wait_for", &action.WaitFor{Locator: none, Timeout: &zero}, nil, &action.Waited{}, 1},
		"a wait for what is away":      {"page.wait_for", &action.WaitFor{Locator: none, State: "detached"}, nil, &action.Waited{Found: true}, 1},
		"many lists at once":           {"page.scrape", &action.Scrape{Selectors: map[string]string{"a": "b"}}, nil, &action.Scraped{Data: map[string][]string{"a": {}, "b": {}, "c": {"x"}}}, 2},
		"words that are not there":     {"page.find", &action.Find{Text: "x"}, nil, &action.Matches{}, 1},
		"requests that were not made":  {"page.network", &action.ReadNetwork{Pattern: "x"}, nil, &action.NetworkListing{}, 1},
		"what is there":                {"page.wait_for", &action.WaitFor{Locator: none}, nil, &action.Waited{Found: true}, 0},
		"a reference":                  {"page.hover", &action.Hover{Locator: action.Locator{Ref: "e1"}}, fault.New(fault.StaleRef, "no").Hinted("x"), nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := session.Cost(ask.verb, ask.args, ask.data, ask.fail); got != ask.cost {
				t.Errorf("it costs %d, want %d", got, ask.cost)
			}
		})
	}
}

func TestTooManyLookUpsAreRefused(t *testing.T) {
	r := newRig(t, with(func(c *session.Config) { c.MaxFailures = -1 }))
	s := r.start(alice, action.SessionStart{})
	engine := r.page(s.Box)
	engine.set(func(t *tab) { t.fail = fault.New(fault.NotFound, "no").Hinted("look again") })
	hover := &action.Hover{Locator: action.Locator{Selector: "#p0-a"}}
	ask := func(who action.Caller) error {
		_, err := r.call(t.Context(), who, "page.hover", s.ID, hover)
		return err
	}
	for range 40 {
		wants(t, fault.NotFound, ask(alice))
	}
	must(t, r.MarkCredentialed(t.Context(), s.ID))
	for range 30 {
		wants(t, fault.NotFound, ask(alice))
	}
	wants(t, fault.LimitReached, ask(alice), "snapshot")
	wants(t, fault.NotFound, ask(admin))
	engine.set(func(t *tab) { t.fail = nil })
	_, err := r.call(t.Context(), alice, "page.hover", s.ID, &action.Hover{Locator: action.Locator{Ref: "e1"}})
	must(t, err)
}
