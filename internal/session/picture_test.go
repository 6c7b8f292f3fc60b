package session_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/session"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

var watcher = action.Caller{Actor: "vera", Scope: "alice", Role: action.Viewer}

// watch connects a viewer to a session.
func (r *rig) watch(who action.Caller, id string) action.Picture {
	r.t.Helper()
	p, err := r.Picture(r.t.Context(), action.Call{Verb: "desktop.watch", Caller: who}, action.Pin{Session: id})
	must(r.t, err)
	r.t.Cleanup(p.Close)
	return p
}

// frame returns the next frame of a video.
func (r *rig) frame(v action.Video) (action.Frame, error) {
	return v.Next(testwait.Context(r.t))
}

func TestViewersSeeTheDisplayAndTheState(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{Width: 800, Height: 600})
	_, err := r.Picture(t.Context(), action.Call{Verb: "desktop.watch", Caller: bob, Session: s.ID}, action.Pin{})
	wants(t, fault.SessionNotFound, err)
	p := r.watch(watcher, s.ID)
	for _, codec := range []string{"vp8", "h264"} {
		video, err := p.Video(t.Context(), codec)
		must(t, err)
		defer video.Close()
		if f, err := r.frame(video); err != nil || !f.Key || f.Width != 800 || f.Height != 600 {
			t.Errorf("%s: got %+v, %v", codec, f, err)
		}
	}
	_, err = p.Video(t.Context(), "theora")
	wants(t, fault.ProviderNotSupported, err, "vp8")
	state, changed, err := p.State()
	must(t, err)
	if state != (action.ViewState{Session: s.ID, Width: 800, Height: 600, State: "open", Role: "viewer"}) {
		t.Errorf("the state is %+v", state)
	}
	r.hands(admin, "session.take", s.ID, &action.Hands{})
	<-changed
	state, _, err = p.State()
	must(t, err)
	if state.State != "taken_over" || state.Holder != "ann" || state.Mine {
		t.Errorf("the state is %+v", state)
	}
	wants(t, fault.SessionPaused, p.Input(t.Context(), nil), "take it over")
	if mine, _, err := r.watch(admin, s.ID).State(); err != nil || !mine.Mine {
		t.Errorf("the holder sees %+v, %v", mine, err)
	}
}

func TestAnAgentMayNotWatchAPersonOrASessionWithCredentials(t *testing.T) {
	r := newRig(t)
	for name, begin := range map[string]func(id string){
		"taken over":  func(id string) { r.hands(admin, "session.take", id, &action.Hands{}) },
		"credentials": func(id string) { must(t, r.MarkCredentialed(t.Context(), id)) },
	} {
		s := r.start(alice, action.SessionStart{Name: name})
		mine := r.watch(alice, s.ID)
		video, err := mine.Video(t.Context(), "vp8")
		must(t, err)
		_, err = r.frame(video)
		must(t, err)
		people := r.watch(watcher, s.ID)
		_, changed, err := mine.State()
		must(t, err)
		over := make(chan error, 1)
		go func() {
			_, err := r.frame(video)
			over <- err
		}()
		begin(s.ID)
		if err := <-over; fault.CodeOf(err) != fault.SessionPaused && fault.CodeOf(err) != fault.DeniedByPolicy {
			t.Errorf("%s: the agent's video ended with %v", name, err)
		}
		<-changed
		if _, _, err := mine.State(); err == nil {
			t.Errorf("%s: the agent still sees the state", name)
		}
		if _, err := r.Picture(t.Context(), action.Call{Verb: "desktop.watch", Caller: alice}, action.Pin{Session: s.ID}); err == nil {
			t.Errorf("%s: the agent watches", name)
		}
		if _, _, err := people.State(); err != nil {
			t.Errorf("%s: a viewer is put out: %v", name, err)
		}
	}
}

func TestASessionThatEndsEndsItsPictures(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	p := r.watch(watcher, s.ID)
	video, err := p.Video(t.Context(), "vp8")
	must(t, err)
	_, err = r.frame(video)
	must(t, err)
	_, changed, err := p.State()
	must(t, err)
	must(t, errOf(r.call(t.Context(), admin, "session.close", s.ID, nil)))
	<-changed
	_, err = r.frame(video)
	wants(t, fault.NotActive, err)
	_, err = p.Video(t.Context(), "vp8")
	wants(t, fault.NotActive, err)
}

func TestAHeadlessSessionHasWholePicturesOnly(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{Headless: true})
	p := r.watch(watcher, s.ID)
	if codecs := p.Codecs(); !slices.Equal(codecs, []string{"jpeg"}) {
		t.Errorf("it has %q", codecs)
	}
	video, err := p.Video(t.Context(), "vp8")
	must(t, err)
	_, err = r.frame(video)
	wants(t, fault.ProviderNotSupported, err)
}

func TestASessionWhoseHolderIsGoneStaysPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(func(c *session.Config) { c.HolderGone, c.IdleTimeout, c.MaxAge = time.Minute, time.Hour, 2*time.Hour }))
		s := r.start(alice, action.SessionStart{})
		first, second := r.watch(admin, s.ID), r.watch(admin, s.ID)
		r.hands(admin, "session.take", s.ID, &action.Hands{})
		first.Close()
		idle(2 * time.Minute)
		if state := r.show(admin, s.ID).State; state != "taken_over" {
			t.Fatalf("with a window open it is %s", state)
		}
		second.Close()
		idle(30 * time.Second)
		third := r.watch(admin, s.ID) // comes back
		idle(2 * time.Minute)
		if state := r.show(admin, s.ID).State; state != "taken_over" {
			t.Fatalf("after coming back it is %s", state)
		}
		third.Close()
		idle(61 * time.Second)
		shown := r.show(admin, s.ID)
		if shown.State != "paused" || shown.Hold.Code != action.HolderGone || !r.told("alert", "did not come back") {
			t.Fatalf("it is %s, %+v", shown.State, shown.Hold)
		}
		wants(t, fault.SessionPaused, errOf(r.call(t.Context(), alice, "page.click", s.ID, &action.Click{})))
		r.hands(admin, "session.resume", s.ID, &action.HandBack{})
	})
}

func TestTheHolderDrivesAndOneStretchIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		s := r.start(alice, action.SessionStart{})
		mine, other := r.watch(admin, s.ID), r.watch(ben, s.ID)
		press := []action.PersonInput{{Kind: action.InputButtonDown, Button: 1}, {Kind: action.InputButtonUp, Button: 1}, {Kind: action.InputKeyDown, Keysym: 'a'}, {Kind: action.InputText, Text: "secret"}}
		wants(t, fault.SessionPaused, mine.Input(t.Context(), press), "take it over")
		wants(t, fault.SessionPaused, mine.SetClipboard(t.Context(), "x"))
		r.hands(admin, "session.take", s.ID, &action.Hands{})
		wants(t, fault.SessionPaused, other.Input(t.Context(), press), "take it over")
		must(t, mine.Input(t.Context(), press))
		must(t, mine.Input(t.Context(), press))
		must(t, mine.SetClipboard(t.Context(), "copied"))
		if text, err := mine.Clipboard(t.Context()); err != nil || text != "copied" {
			t.Errorf("the clipboard has %q, %v", text, err)
		}
		_, err := other.Clipboard(t.Context())
		wants(t, fault.SessionPaused, err)
		events, releases := r.engine.Input(s.Box)
		admitted := 0
		r.page(s.Box).set(func(t *tab) { admitted = t.admitted })
		if len(events) != 8 || releases != 0 || admitted != 1 {
			t.Errorf("the display got %d events, %d releases; admitted %d times", len(events), releases, admitted)
		}
		r.hands(ben, "session.take", s.ID, &action.Hands{})
		synctest.Wait()
		_, releases = r.engine.Input(s.Box)
		shown := 0
		r.page(s.Box).set(func(t *tab) { admitted, shown = t.admitted, t.shown })
		if releases != 1 || admitted != 0 || shown != 1 {
			t.Errorf("after another took it: %d releases, admitted %d times, active tab shown %d times", releases, admitted, shown)
		}
		if r.count("session", "ann had the controls for 0s: clicks 2, keys 14") != 1 || r.told("session", "secret") {
			t.Errorf("the records are %+v", r.events)
		}
		wants(t, fault.SessionPaused, mine.Input(t.Context(), press))
		must(t, other.Input(t.Context(), press))
		other.Close()
		synctest.Wait()
		if r.count("session", "ben had the controls") != 1 {
			t.Error("closing the window recorded nothing")
		}
	})
}
