package session_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/session"
)

var (
	other = action.Caller{Actor: "agent-c", Scope: "alice", Role: action.Agent}
	eye   = action.Caller{Actor: "eye", Scope: "alice", Role: action.Viewer}
	ben   = action.Caller{Actor: "ben", Scope: "alice", Role: action.Operator}
)

// hands makes a call of a person, which must succeed.
func (r *rig) hands(who action.Caller, verb, key string, args any) action.Session {
	r.t.Helper()
	result, err := r.call(r.t.Context(), who, verb, key, args)
	must(r.t, err)
	return *result.Data.(*action.Session)
}

func TestATakenSessionRefusesAgentsAndAcceptsItsHolder(t *testing.T) {
	for state, verb := range map[string]string{"paused": "session.pause", "taken_over": "session.take"} {
		t.Run(state, func(t *testing.T) {
			r := newRig(t)
			s := r.start(alice, action.SessionStart{Name: "work"})
			held := r.hands(admin, verb, "work", &action.Hands{Reason: "a look at the form"})
			if held.State != state || held.Hold == nil || held.Hold.By != "ann" || held.Hold.Code != action.ByOperator {
				t.Fatalf("the session is %+v, %+v", held, held.Hold)
			}
			for _, who := range []action.Caller{alice, other, {Scope: "alice"}} {
				for verb, args := range map[string]any{
					"page.snapshot": nil, "page.click": &action.Click{}, "page.goto": &action.Goto{URL: "http://app.example/"}, "tab.list": nil, "page.crawl": &action.Crawl{URL: "http://app.example/"},
					"cookie.list": nil, "download.list": nil, "artifact.list": nil, "artifact.put": &action.NewFile{}, "session.close": nil, "session.archive": nil, "browser.stop": nil, "browser.start": nil, "cdp.attach": nil,
				} {
					for _, key := range []string{s.ID, "work", ""} { // and no other session is used instead
						if key == "" && who != alice || state == "paused" && allowedInPause(who, verb) {
							continue // a session of another caller must be named
						}
						_, err := r.call(t.Context(), who, verb, key, args)
						wants(t, fault.SessionPaused, err, "ann", "a look at the form", "session resume")
						_, err = r.Do(t.Context(), action.Call{Verb: verb, Caller: who, Args: args}, action.Pin{Session: s.ID})
						wants(t, fault.SessionPaused, err)
					}
				}
			}
			if f := fault.From(errOf(r.call(t.Context(), alice, "page.click", "", &action.Click{}))); f.Details["state"] != state || f.Details["by"] != "ann" || f.Details["code"] != "operator" {
				t.Errorf("details %v", f.Details)
			}
			for _, verb := range []string{"session.show", "session.list", "browser.status"} {
				must(t, errOf(r.call(t.Context(), alice, verb, "", nil)))
			}
			must(t, errOf(r.call(t.Context(), eye, "page.snapshot", "work", nil)))
			wants(t, fault.SessionPaused, errOf(r.call(t.Context(), eye, "page.click", "work", &action.Click{})))
			must(t, errOf(r.call(t.Context(), admin, "page.click", "work", &action.Click{})))
			must(t, errOf(r.call(t.Context(), bob, "session.list", "", nil)))
			if n := r.page(s.Box).acted; n != 2 {
				t.Errorf("%d acts, want the viewer's and the operator's", n)
			}
			r.hands(admin, "session.close", "work", nil)
			if shown := r.show(alice, s.ID); shown.State != "closed" || shown.Hold != nil {
				t.Errorf("closed as %+v", shown)
			}
		})
	}
}

// allowedInPause reports whether a pause allows a call of an agent.
func allowedInPause(who action.Caller, verb string) bool {
	switch verb {
	case "page.snapshot", "tab.list", "download.list", "artifact.list":
		return who.Role == action.Agent
	case "session.close", "session.archive", "browser.stop":
		return who == alice
	}
	return false
}

func TestAnAgentCanReadAndCloseItsPausedSession(t *testing.T) {
	for _, verb := range []string{"session.close", "session.archive", "browser.stop"} {
		r := newRig(t)
		s := r.start(alice, action.SessionStart{})
		r.hands(admin, "session.pause", s.ID, &action.Hands{Reason: "wait"})
		for _, who := range []action.Caller{alice, other} {
			for reads, args := range map[string]any{"page.snapshot": nil, "page.extract": nil, "page.screenshot": nil, "page.find": &action.Find{Text: "a"}, "tab.list": nil, "artifact.list": nil} {
				if err := errOf(r.call(t.Context(), who, reads, s.ID, args)); err != nil {
					t.Errorf("%s by %s: %v", reads, who.Actor, err)
				}
			}
		}
		wants(t, fault.SessionPaused, errOf(r.call(t.Context(), alice, "page.click", s.ID, &action.Click{})), "can be read", "closed")
		wants(t, fault.SessionPaused, errOf(r.call(t.Context(), other, verb, s.ID, nil)))
		must(t, errOf(r.call(t.Context(), alice, verb, s.ID, nil)))
		if state := r.show(alice, s.ID).State; state != "closed" && state != "archived" {
			t.Errorf("after %s it is %s", verb, state)
		}
	}
}

func TestASessionPausedForACredentialCannotBeRead(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	must(t, r.Pause(t.Context(), s.ID, string(fault.CredentialDetected), "something like a key was typed"))
	for _, verb := range []string{"page.snapshot", "page.screenshot", "session.close"} {
		wants(t, fault.SessionPaused, errOf(r.call(t.Context(), alice, verb, s.ID, nil)))
	}
}

func errOf(_ action.Result, err error) error { return err }

func TestOnlyOnePersonHoldsASession(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	r.hands(ben, "session.pause", s.ID, &action.Hands{})
	must(t, errOf(r.call(t.Context(), admin, "page.click", s.ID, &action.Click{}))) // paused for agents only
	r.hands(admin, "session.take", s.ID, &action.Hands{})
	r.hands(admin, "session.take", s.ID, &action.Hands{})
	for verb, args := range map[string]any{
		"page.click": &action.Click{}, "cdp.attach": nil, "session.pause": &action.Hands{}, "session.resume": &action.HandBack{}, "session.hand_back": &action.HandBack{},
	} {
		wants(t, fault.SessionPaused, errOf(r.call(t.Context(), ben, verb, s.ID, args)), "ann", "session take")
	}
	must(t, errOf(r.call(t.Context(), ben, "page.snapshot", s.ID, nil))) // reading is allowed
	if held := r.hands(ben, "session.take", s.ID, &action.Hands{Reason: "my turn"}); held.Hold.By != "ben" {
		t.Errorf("held by %+v", held.Hold)
	}
	wants(t, fault.SessionPaused, errOf(r.call(t.Context(), admin, "page.click", s.ID, &action.Click{})), "ben", "my turn")
	if held := r.hands(ben, "session.pause", s.ID, &action.Hands{}); held.State != "paused" {
		t.Errorf("it is %s", held.State)
	}
	r.hands(admin, "session.resume", s.ID, &action.HandBack{})
	wants(t, fault.AlreadyActive, errOf(r.call(t.Context(), admin, "session.hand_back", s.ID, &action.HandBack{})), "nobody")
	must(t, errOf(r.call(t.Context(), alice, "page.click", s.ID, &action.Click{})))
	for what, n := range map[string]int{"paused by ben": 2, "taken over by ann": 1, "taken over by ben from ann": 1, "handed back by ann": 1} {
		if got := r.count("session", what); got != n {
			t.Errorf("%q recorded %d times, want %d", what, got, n)
		}
	}
}

func TestAnAgentGetsOneNoteWithWhatChanged(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{URL: "http://app.example/login"})
	page := r.page(s.Box)
	page.set(func(p *tab) { p.tabs = []action.Tab{{ID: "t1"}, {ID: "t2"}} })
	r.hands(admin, "session.take", s.ID, &action.Hands{})
	page.set(func(p *tab) {
		p.at, p.tabs = action.Page{URL: "http://app.example/home?token=hunter2", Title: "Hi\u202e\n### Error"}, []action.Tab{{ID: "t1"}, {ID: "t3"}, {ID: "t4"}}
	})
	must(t, errOf(r.call(t.Context(), admin, "page.snapshot", s.ID, nil)))
	r.hands(admin, "session.hand_back", s.ID, &action.HandBack{Note: "signed in\nfor you"})
	for _, who := range []action.Caller{eye, admin} { // the note is for agents
		seen, err := r.call(t.Context(), who, "page.snapshot", s.ID, nil)
		must(t, err)
		if len(seen.Notes) > 0 {
			t.Errorf("%s got the notes %q", who.Actor, seen.Notes)
		}
	}
	result, err := r.call(t.Context(), alice, "page.snapshot", s.ID, nil)
	must(t, err)
	want := `handed back by ann: the page went from http://app.example/login "Title" to http://app.example/home "Hi\u202e\n### Error"; tabs opened: 2; tabs closed: 1; they say: "signed in\\nfor you"`
	if len(result.Notes) != 1 || result.Notes[0] != want {
		t.Errorf("notes\n%q, want\n%q", result.Notes, want)
	}
	result, err = r.call(t.Context(), alice, "page.snapshot", s.ID, nil)
	must(t, err)
	if len(result.Notes) > 0 {
		t.Errorf("notes again: %q", result.Notes)
	}
}

// TestNoCallOfAnAgentStartsAfterAPause repeatedly pauses a session and looks at
// it while fifty calls are running.
func TestNoCallOfAnAgentStartsAfterAPause(t *testing.T) {
	r := newRig(t, with(func(c *session.Config) { c.MaxActions = -1 }))
	s := r.start(alice, action.SessionStart{})
	page := r.page(s.Box)
	acts := func() int { page.mu.Lock(); defer page.mu.Unlock(); return page.acted }
	done := make(chan struct{})
	codes := make(chan fault.Code, 50)
	var running sync.WaitGroup
	for range 50 {
		running.Go(func() {
			for {
				select {
				case codes <- fault.CodeOf(errOf(r.call(t.Context(), alice, "page.click", s.ID, &action.Click{}))):
				case <-done:
					return
				}
			}
		})
	}
	did, refused := 0, 0
	see := func(n int) {
		for range n {
			switch code := <-codes; code {
			case "":
				did++
			case fault.SessionPaused:
				refused++
			default:
				t.Errorf("a call ended with %s", code)
			}
		}
	}
	for range 5 {
		see(100)
		r.hands(admin, "session.pause", s.ID, &action.Hands{})
		before := acts()
		see(100)
		must(t, errOf(r.call(t.Context(), admin, "page.click", s.ID, &action.Click{})))
		see(100)
		if n := acts() - before; n != 1 {
			t.Errorf("%d acts while it was paused, want the operator's one", n)
		}
		r.hands(admin, "session.resume", s.ID, &action.HandBack{})
	}
	close(done)
	go func() { running.Wait(); close(codes) }()
	for range codes {
		continue // calls that were already running
	}
	if did == 0 || refused == 0 {
		t.Errorf("%d calls were done and %d refused: calls and pauses did not overlap", did, refused)
	}
}

func TestAPauseLetsTheRunningCallEndAndStopsTheWaitingOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		s := r.start(alice, action.SessionStart{})
		page, hold := r.page(s.Box), make(chan struct{})
		page.set(func(p *tab) { p.hold = hold })
		runs, waits := make(chan error, 1), make(chan error, 1)
		click := func(into chan error) { into <- errOf(r.call(t.Context(), alice, "page.click", s.ID, &action.Click{})) }
		go click(runs)
		synctest.Wait()
		go click(waits)
		synctest.Wait()
		result, err := r.call(t.Context(), admin, "session.take", s.ID, &action.Hands{})
		must(t, err)
		if len(result.Notes) != 1 || !strings.Contains(result.Notes[0], "has not ended yet") {
			t.Errorf("notes %q", result.Notes)
		}
		close(hold)
		must(t, <-runs)
		wants(t, fault.SessionPaused, <-waits)
	})
}

func TestAPauseSurvivesARestart(t *testing.T) {
	for state, verb := range map[string]string{"paused": "session.pause", "taken_over": "session.take"} {
		t.Run(state, func(t *testing.T) {
			keep := with(func(c *session.Config) { c.KeepBoxes = true })
			r := newRig(t, keep)
			s := r.start(alice, action.SessionStart{URL: "http://app.example/one"})
			r.hands(admin, verb, s.ID, &action.Hands{Reason: "lunch"})
			r = r.again(keep)
			if shown := r.show(alice, s.ID); shown.State != state || shown.Hold == nil || shown.Hold.Why != "lunch" {
				t.Fatalf("it is %+v", shown)
			}
			wants(t, fault.SessionPaused, errOf(r.call(t.Context(), alice, "page.click", s.ID, &action.Click{})), "lunch")
			r.hands(admin, "session.hand_back", s.ID, &action.HandBack{Note: "go on"})
			r = r.again(keep) // the note for its agent survives too
			result, err := r.call(t.Context(), alice, "page.snapshot", s.ID, nil)
			must(t, err)
			if len(result.Notes) != 1 || !strings.Contains(result.Notes[0], "http://app.example/one") || !strings.Contains(result.Notes[0], "go on") {
				t.Errorf("notes %q", result.Notes)
			}
		})
	}
}

func TestAPausedSessionHasALongerIdleLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(func(c *session.Config) { c.IdleTimeout, c.MaxAge = time.Minute, time.Hour }))
		s := r.start(alice, action.SessionStart{})
		r.hands(admin, "session.pause", s.ID, &action.Hands{})
		<-time.After(3 * time.Minute)
		synctest.Wait()
		if state := r.show(alice, s.ID).State; state != "paused" {
			t.Fatalf("after three minutes it is %s", state)
		}
		r.hands(admin, "session.resume", s.ID, &action.HandBack{})
		<-time.After(3 * time.Minute) // its agent does not know yet
		synctest.Wait()
		if _, err := r.call(t.Context(), alice, "page.snapshot", s.ID, nil); err != nil {
			t.Fatalf("three minutes after it was resumed: %v", err)
		}
		<-time.After(61 * time.Second)
		synctest.Wait()
		if shown := r.show(alice, s.ID); shown.State != "closed" || !strings.Contains(shown.Reason, "session_timeout") {
			t.Errorf("a minute after its agent's call it is %s: %s", shown.State, shown.Reason)
		}
		s = r.start(alice, action.SessionStart{})
		r.hands(admin, "session.take", s.ID, &action.Hands{})
		<-time.After(4*time.Minute + time.Second)
		synctest.Wait()
		if shown := r.show(alice, s.ID); shown.State != "closed" || !strings.Contains(shown.Reason, "idle for 4m") {
			t.Errorf("after four minutes it is %s: %s", shown.State, shown.Reason)
		}
	})
}

// Lists have the page that a person went on to, though no call did.
func TestListsHaveThePageThatASessionIsAt(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	r.hands(admin, "session.take", s.ID, &action.Hands{})
	r.page(s.Box).set(func(p *tab) { p.at = action.Page{URL: "http://app.example/inbox", Title: "Inbox"} })
	if shown := r.show(admin, s.ID); shown.Page == nil || shown.Page.URL != "http://app.example/inbox" {
		t.Errorf("session.show: %+v", shown.Page)
	}
	result, err := r.call(t.Context(), admin, "session.list", "", nil)
	must(t, err)
	if list, ok := result.Data.(*action.SessionListing); !ok || len(list.Sessions) != 1 || list.Sessions[0].Page == nil || list.Sessions[0].Page.Title != "Inbox" {
		t.Errorf("session.list: %+v", result.Data)
	}
}

// A person who signs in by hand may take longer than any limit.
func TestASessionThatAPersonUsesIsNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(func(c *session.Config) {
			c.IdleTimeout, c.MaxAge, c.HolderGone = time.Minute, 10*time.Hour, 10*time.Hour
		}))
		s := r.start(alice, action.SessionStart{})
		r.hands(admin, "session.take", s.ID, &action.Hands{})
		view := r.watch(admin, s.ID)
		<-time.After(30 * time.Minute)
		synctest.Wait()
		if state := r.show(alice, s.ID).State; state != "taken_over" {
			t.Fatalf("while its person looks at it, it is %s", state)
		}
		view.Close()
		<-time.After(3 * time.Minute)
		synctest.Wait()
		if state := r.show(alice, s.ID).State; state != "taken_over" {
			t.Fatalf("three minutes after its person left it is %s", state)
		}
		<-time.After(61 * time.Second)
		synctest.Wait()
		if shown := r.show(alice, s.ID); shown.State != "closed" {
			t.Errorf("four minutes after its person left it is %s: %s", shown.State, shown.Reason)
		}
	})
}

func TestPausingByTheGateRaisesAnAlertEachTime(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	must(t, r.Pause(t.Context(), s.ID, "credential_detected", "an AWS key was typed\u202e"))
	must(t, r.Pause(t.Context(), s.ID, "credential_detected", "another one"))
	shown := r.show(alice, s.ID)
	if shown.State != "paused" || shown.Hold.By != action.GatewayActor || shown.Hold.Code != "credential_detected" || shown.Hold.Why != `an AWS key was typed\u202e` {
		t.Errorf("it is %s, %+v", shown.State, shown.Hold)
	}
	if a, b, n := r.count("alert", "AWS key"), r.count("alert", "another one"), r.count("session", "paused by glovebox"); a != 1 || b != 1 || n != 1 {
		t.Errorf("%d and %d alerts, %d pauses", a, b, n)
	}
	wants(t, fault.SessionPaused, errOf(r.call(t.Context(), alice, "page.snapshot", "", nil)), "AWS key")
	wants(t, fault.SessionNotFound, r.Pause(t.Context(), "s0000000000000000", "x", "y"))
	r.hands(admin, "session.close", s.ID, nil)
	wants(t, fault.SessionNotFound, r.Pause(t.Context(), s.ID, "x", "y"))
}

func TestATakeOverDisconnectsOtherClients(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	began := make(chan struct{})
	r.page(s.Box).set(func(p *tab) { p.began = began })
	serve := func(who action.Caller) chan error {
		a, err := r.Attach(t.Context(), action.Call{Verb: "cdp.attach", Caller: who}, action.Pin{Session: s.ID}, nil)
		must(t, err)
		served := make(chan error, 1)
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		go func() { served <- a.Serve(ctx, nil) }()
		return served
	}
	agents, anns, bens := serve(alice), serve(admin), serve(ben)
	for range 3 {
		<-began
	}
	r.hands(admin, "session.take", s.ID, &action.Hands{Reason: "mine"})
	for _, served := range []chan error{agents, bens} {
		wants(t, fault.SessionPaused, <-served, "ann", "mine")
	}
	wants(t, fault.SessionPaused, errOf2(r.Attach(t.Context(), action.Call{Verb: "cdp.attach", Caller: alice}, action.Pin{Session: s.ID}, nil)))
	select {
	case err := <-anns:
		t.Errorf("the holder's own client was disconnected: %v", err)
	default:
	}
}

func errOf2(_ action.Attachment, err error) error { return err }
