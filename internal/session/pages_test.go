package session_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/session"
)

func TestASessionOfAnotherScopeLooksAbsent(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{Name: "work"})
	mine := r.start(bob, action.SessionStart{})
	for _, verb := range action.Verbs {
		room, _, _ := strings.Cut(verb.Name, ".")
		if (room != "page" && room != "session" && verb.Name != "artifact.list") || verb.Name == "session.start" || verb.Name == "session.list" {
			continue
		}
		if verb.Name == "session.replay" { // the gate does it
			continue
		}
		for _, key := range []string{s.ID, "work"} {
			_, foreign := r.call(t.Context(), bob, verb.Name, key, verb.NewArgs())
			_, bogus := r.call(t.Context(), bob, verb.Name, "none", verb.NewArgs())
			wants(t, fault.SessionNotFound, foreign)
			if strings.ReplaceAll(foreign.Error(), key, "none") != bogus.Error() {
				t.Errorf("%s %s: %q, of one that never was %q", verb.Name, key, foreign, bogus)
			}
			// The pin of an earlier look gives no access either.
			call := action.Call{Verb: verb.Name, Caller: bob, Args: verb.NewArgs()}
			_, err := r.Do(t.Context(), call, action.Pin{Session: s.ID})
			wants(t, fault.SessionNotFound, err)
		}
	}
	if got := r.show(alice, s.ID); got.State != "open" || got.Actions != 0 {
		t.Errorf("alice's session became %+v", got)
	}
	if got := r.show(bob, ""); got.ID != mine.ID {
		t.Errorf("bob's own is %s", got.ID)
	}
}

func TestAnUnnamedCallUsesTheLastUsedSession(t *testing.T) {
	r := newRig(t)
	_, err := r.call(t.Context(), alice, "page.back", "", nil)
	wants(t, fault.NotActive, err, "session.start")
	r.start(bob, action.SessionStart{})
	_, err = r.call(t.Context(), alice, "session.show", "", nil)
	wants(t, fault.NotActive, err, "no session is open")

	one, two := r.start(alice, action.SessionStart{}), r.start(alice, action.SessionStart{})
	if got := r.show(alice, ""); got.ID != two.ID {
		t.Errorf("meant %s, want the second, %s", got.ID, two.ID)
	}
	_, err = r.call(t.Context(), alice, "page.snapshot", one.ID, &action.TakeSnapshot{})
	must(t, err)
	result, err := r.call(t.Context(), alice, "page.back", "", nil)
	must(t, err)
	if result.Session != one.ID {
		t.Errorf("meant %s, want the one used last, %s", result.Session, one.ID)
	}
	_, err = r.call(t.Context(), alice, "session.close", one.ID, nil)
	must(t, err)
	if got := r.show(alice, ""); got.ID != two.ID {
		t.Errorf("meant %s, want the one still open, %s", got.ID, two.ID)
	}
}

func TestDoUsesTheSessionOfItsLook(t *testing.T) {
	r := newRig(t)
	one := r.start(alice, action.SessionStart{})
	call := action.Call{Verb: "page.back", Caller: alice}
	facts, pin, err := r.Look(t.Context(), call)
	must(t, err)
	r.start(alice, action.SessionStart{}) // is now the last used one
	result, err := r.Do(t.Context(), call, pin)
	must(t, err)
	if result.Session != one.ID || facts.Session.ID != one.ID || facts.Session.Box != one.Box || pin.Document != "d1" {
		t.Errorf("acted in %s, looked at %+v", result.Session, facts.Session)
	}
}

func TestLookJudgesTheDestinationOfACall(t *testing.T) {
	r := newRig(t)
	r.start(alice, action.SessionStart{})
	for url, allowed := range map[string]bool{"https://app.example/x": true, "https://evil.example/": false, "about:blank": true} {
		facts, _, err := r.Look(t.Context(), action.Call{Verb: "page.goto", Caller: alice, Args: &action.Goto{URL: url}})
		must(t, err)
		if d := facts.Destination; d == nil || d.Allowed != allowed || d.URL == "" || (d.Reason == "") != allowed {
			t.Errorf("%s: %+v", url, d)
		}
	}
}

func TestOnlyAScrapeWithAURLCountsAsAnAction(t *testing.T) {
	r := newRig(t, with(func(c *session.Config) { c.MaxActions = 1 }))
	r.start(alice, action.SessionStart{})
	lists := map[string]string{"a": "h1"}
	for _, to := range []string{"", "", "https://app.example/", ""} {
		_, err := r.call(t.Context(), alice, "page.scrape", "", &action.Scrape{Selectors: lists, URL: to})
		must(t, err)
	}
	_, err := r.call(t.Context(), alice, "page.scrape", "", &action.Scrape{Selectors: lists, URL: "https://app.example/"})
	wants(t, fault.LimitReached, err)
}

func TestPDFsAreStored(t *testing.T) {
	r := newRig(t)
	r.start(alice, action.SessionStart{})
	result, err := r.call(t.Context(), alice, "page.pdf", "", &action.PrintPDF{})
	must(t, err)
	if a := result.Artifacts; len(a) != 1 || a[0].MediaType != "application/pdf" || a[0].Name != "page.pdf" {
		t.Errorf("artifacts %+v, notes %q", a, result.Notes)
	}
}

func TestTheGuardRefusesDocumentsOutsideTheNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		s := r.start(alice, action.SessionStart{})
		_, err := r.call(t.Context(), alice, "page.goto", "", &action.Goto{URL: "https://evil.example/?key=k"})
		wants(t, fault.BlockedDomain, err, "evil.example", "security.network.navigation")
		synctest.Wait()
		if len(r.blocked()) != 1 || r.blocked()[0].TargetURL != "https://evil.example/" || r.blocked()[0].SessionID != s.ID {
			t.Errorf("recorded %+v", r.blocked())
		}
	})
}

func TestConnectionsOfABoxUseTheProxyAndRefusalsAreRecorded(t *testing.T) {
	for _, warm := range []int{0, 1} {
		r := newRig(t, pooled(warm))
		for warm > 0 && !r.told("box", "warm box is ready") {
			<-r.news
		}
		s := r.start(alice, action.SessionStart{})
		inside, outside := net.Pipe()
		var way sandboxEgress
		r.driver.set(func(d *driver) { way = d.ways[s.Box] }) // the pool may be making the next box
		way(outside)
		_, err := inside.Write([]byte("GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"))
		must(t, err)
		answer, err := http.ReadResponse(bufio.NewReader(inside), nil)
		must(t, err)
		_, err = io.Copy(io.Discard, answer.Body)
		must(t, errors.Join(err, answer.Body.Close(), inside.Close()))
		if answer.StatusCode != http.StatusForbidden {
			t.Fatalf("answered %s", answer.Status)
		}
		must(t, r.Close(t.Context())) // refusals are recorded by then
		if got := r.blocked()[0]; got.Domain != "evil.example" || got.SessionID != s.ID || got.Scope != "alice" || got.ContainerID != s.Box || got.URL != "https://asker.example/page" {
			t.Errorf("recorded %+v", got)
		}
	}
}

func (r *rig) blocked() (list []action.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if e.EventType == "blocked" {
			list = append(list, e)
		}
	}
	return list
}

func TestRecordsOfRefusalsAreRateLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		s := r.start(alice, action.SessionStart{})
		refuse := func(n int) {
			for i := range n {
				r.Refused(s.Box, action.Refusal{Host: fmt.Sprintf("h%d.example", i), Reason: "no", Time: time.Now()})
			}
			synctest.Wait()
		}
		refuse(1000)
		first := len(r.blocked())
		time.Sleep(10 * time.Second)
		refuse(1)
		all := r.blocked()
		if first != 100 || len(all) != 101 || !strings.Contains(all[100].Detail, "900 refusals before it") {
			t.Errorf("%d at first, then %d, last %+v", first, len(all), all[len(all)-1])
		}
		refuse(100)
		_, err := r.call(t.Context(), alice, "session.close", "", nil)
		must(t, err)
		synctest.Wait()
		last := r.blocked()
		if !strings.Contains(last[len(last)-1].Detail, "81 more refusals") {
			t.Errorf("last %+v of %d", last[len(last)-1], len(last))
		}
		r.Refused("unknown", action.Refusal{})
	})
}

func TestFailuresInARowAreCounted(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	failures := func() int {
		facts, _, err := r.Look(t.Context(), action.Call{Verb: "session.show", Caller: alice})
		must(t, err)
		return facts.Session.Failures
	}
	click := func() {
		_, err := r.call(t.Context(), alice, "page.click", "", &action.Click{})
		if (err == nil) != (r.page(s.Box).fail == nil) {
			t.Errorf("click: %v", err)
		}
	}
	r.page(s.Box).set(func(p *tab) { p.fail = fault.New(fault.NotActionable, "it is covered").Hinted("look again") })
	click()
	click()
	if n := failures(); n != 2 {
		t.Errorf("%d failures, want 2", n)
	}
	r.page(s.Box).set(func(p *tab) { p.fail = nil })
	click()
	if n := failures(); n != 0 {
		t.Errorf("%d failures after a success", n)
	}
}

func TestActionsAreLimitedAndOnlyChangesCount(t *testing.T) {
	r := newRig(t, with(func(c *session.Config) { c.MaxActions = 2 }))
	s := r.start(alice, action.SessionStart{Name: "work"})
	for _, verb := range []string{"page.click", "page.snapshot", "page.extract", "page.screenshot", "page.type"} {
		row, _ := action.Lookup(verb)
		_, err := r.call(t.Context(), alice, verb, "", row.NewArgs())
		must(t, err)
	}
	_, err := r.call(t.Context(), alice, "page.click", "", &action.Click{})
	wants(t, fault.LimitReached, err, "security.max_actions_per_session", "2 actions")
	if got := r.show(alice, s.ID); got.State != "paused" || got.Hold.Code != "limit_reached" || len(r.boxes()) != 1 {
		t.Errorf("%+v, boxes %v", got, r.boxes())
	}
	must(t, errOf(r.call(t.Context(), alice, "page.snapshot", "work", &action.TakeSnapshot{})))
	wants(t, fault.SessionPaused, errOf(r.call(t.Context(), alice, "page.click", "", &action.Click{})), "max_actions_per_session", "2 actions")
}

func TestChangesRunOneByOneAndReadsDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		s := r.start(alice, action.SessionStart{})
		page, hold := r.page(s.Box), make(chan struct{})
		page.set(func(p *tab) { p.hold = hold })
		done := make(chan error)
		do := func(verb string) {
			_, err := r.call(t.Context(), alice, verb, "", nil)
			done <- err
		}
		for range 4 {
			go do("page.back")
		}
		synctest.Wait()
		page.set(func(p *tab) {
			if p.running != 1 {
				t.Errorf("%d changes at once", p.running)
			}
			p.hold = nil
		})
		_, err := r.call(t.Context(), alice, "page.snapshot", "", nil)
		must(t, err)
		close(hold)
		for range 4 {
			must(t, <-done)
		}
		if page.most != 2 { // one change and one read
			t.Errorf("%d verbs at once", page.most)
		}
	})
}

func TestScreenshotsAreStoredForTheirScopeOnly(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	shoot := func() action.Result {
		result, err := r.call(t.Context(), alice, "page.screenshot", "", &action.TakeScreenshot{})
		must(t, err)
		return result
	}
	first := shoot()
	if len(first.Artifacts) != 1 || first.Artifacts[0].Session != s.ID || first.Artifacts[0].MediaType != "image/png" {
		t.Fatalf("artifacts %+v", first.Artifacts)
	}
	id := first.Artifacts[0].ID
	if second := shoot(); len(second.Artifacts) != 0 || len(second.Notes) != 1 || second.Data == nil {
		t.Errorf("without room: %+v", second)
	}
	_, err := r.call(t.Context(), alice, "session.close", "", nil)
	must(t, err)
	result, err := r.call(t.Context(), alice, "artifact.get", "", &action.ByID{ID: id})
	must(t, err)
	if file := result.Data.(*action.File); len(file.Bytes) != 60 || result.Session != s.ID {
		t.Errorf("file %+v", file)
	}
	result, err = r.call(t.Context(), alice, "artifact.list", s.ID, nil)
	must(t, err)
	if list := result.Data.(*action.ArtifactListing).Artifacts; len(list) != 1 || list[0].ID != id {
		t.Errorf("listed %v", list)
	}
	_, err = r.call(t.Context(), bob, "artifact.get", "", &action.ByID{ID: id})
	wants(t, fault.NotFound, err)
	_, err = r.Do(t.Context(), action.Call{Verb: "artifact.get", Caller: bob, Args: &action.ByID{ID: id}}, action.Pin{Session: s.ID})
	wants(t, fault.NotFound, err)
}

func TestOtherVerbsAreUnknownHere(t *testing.T) {
	r := newRig(t)
	r.start(alice, action.SessionStart{})
	for _, verb := range []string{"", "audit.query", "page.fly", "session.fly", "artifact.fly"} {
		_, err := r.Do(t.Context(), action.Call{Verb: verb, Caller: alice}, action.Pin{})
		wants(t, fault.UnknownAction, err)
	}
	_, err := r.Do(t.Context(), action.Call{Verb: "session.start", Caller: alice, Args: &action.Goto{}}, action.Pin{})
	wants(t, fault.Internal, err)
}

func TestCallsInFlightEndWithTheSession(t *testing.T) {
	endings := map[string]struct {
		end   func(r *rig, s action.Session)
		state string
		says  string
	}{
		"closed":          {func(r *rig, s action.Session) { _, _ = r.call(r.t.Context(), alice, "session.close", s.ID, nil) }, "closed", "closed by agent-a"},
		"box killed":      {func(r *rig, s action.Session) { r.engine.Kill(s.Box) }, "failed", "its box is gone"},
		"browser gone":    {func(r *rig, s action.Session) { _ = r.page(s.Box).stream.Close() }, "failed", "its browser is gone"},
		"gateway is shut": {func(r *rig, _ action.Session) { must(r.t, r.Close(r.t.Context())) }, "closed", "shut down"},
	}
	for name, tt := range endings {
		for _, deaf := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, deaf %t", name, deaf), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { callsEnd(t, deaf, tt.state, tt.says, tt.end) })
			})
		}
	}
}

func callsEnd(t *testing.T, deaf bool, state, says string, end func(*rig, action.Session)) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	r.page(s.Box).set(func(p *tab) { p.hold, p.deaf = make(chan struct{}), deaf })
	done := make(chan error, 2)
	for range 2 { // one runs, one waits for its turn
		go func() {
			_, err := r.call(t.Context(), alice, "page.back", s.ID, nil)
			done <- err
		}()
	}
	synctest.Wait()
	end(r, s)
	for range 2 {
		wants(t, fault.NotActive, <-done, says, "start a new session")
	}
	synctest.Wait()
	if got := r.show(alice, s.ID); got.State != state || !strings.Contains(got.Reason, says) {
		t.Errorf("record %+v", got)
	}
	if len(r.boxes()) != 0 {
		t.Errorf("boxes %v", r.boxes())
	}
	_, err := r.call(t.Context(), alice, "page.back", s.ID, nil)
	wants(t, fault.NotActive, err, says)
}

func TestAnIdleSessionIsClosedAndABusyOneIsNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(func(c *session.Config) { c.MaxAge = -1 }))
		idle, busy := r.start(alice, action.SessionStart{Name: "idle"}), r.start(alice, action.SessionStart{Name: "busy"})
		hold := make(chan struct{})
		r.page(busy.Box).set(func(p *tab) { p.hold = hold })
		done := make(chan error, 1)
		go func() {
			_, err := r.call(t.Context(), alice, "page.back", "busy", nil)
			done <- err
		}()
		time.Sleep(299 * time.Second)
		if got := r.show(alice, idle.ID); got.State != "open" {
			t.Errorf("after 299 s: %+v", got)
		}
		time.Sleep(400 * time.Second)
		got := r.show(alice, idle.ID)
		if got.State != "closed" || got.Closed.Sub(got.Created) != 300*time.Second {
			t.Errorf("after 699 s: %+v", got)
		}
		_, err := r.call(t.Context(), alice, "page.back", "idle", nil)
		wants(t, fault.NotActive, err, "idle for 5m0s", "security.session_timeout")
		close(hold)
		must(t, <-done)
		time.Sleep(299 * time.Second)
		if got := r.show(alice, busy.ID); got.State != "open" {
			t.Errorf("the busy one: %+v", got)
		}
	})
}

func TestASessionWithoutLimitsStaysOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(func(c *session.Config) { c.MaxAge, c.IdleTimeout, c.MaxActions, c.Retention = -1, -1, -1, -1 }))
		s := r.start(alice, action.SessionStart{})
		time.Sleep(48 * time.Hour)
		if got := r.show(alice, s.ID); got.State != "open" {
			t.Errorf("%+v", got)
		}
	})
}

func TestAFaultOfThePageIsPassedOn(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	broken := fault.New(fault.PageCrashed, "the page crashed").Hinted("navigate again")
	r.page(s.Box).set(func(p *tab) { p.fail = broken })
	_, err := r.call(t.Context(), alice, "page.back", "", nil)
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if got := r.show(alice, s.ID); got.State != "open" {
		t.Errorf("record %+v", got)
	}
}
