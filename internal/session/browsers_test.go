package session_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// browser makes a browser verb's call and returns the status it answers.
func (r *rig) browser(who action.Caller, verb, key string, args any) (action.BrowserStatus, error) {
	r.t.Helper()
	result, err := r.call(r.t.Context(), who, verb, key, args)
	if err != nil {
		return action.BrowserStatus{}, err
	}
	return *result.Data.(*action.BrowserStatus), nil
}

func names(s action.BrowserStatus) (names []string) {
	for _, p := range s.Processes {
		names = append(names, p.Name)
	}
	return names
}

func TestABrowserIsStartedShownAndStopped(t *testing.T) {
	r := newRig(t)
	none, err := r.browser(alice, "browser.status", "", nil)
	must(t, err)
	if none.State != "inactive" || none.Missing == nil || none.Processes == nil {
		t.Errorf("before: %+v", none)
	}
	started, err := r.browser(alice, "browser.start", "", &action.BrowserStart{Width: 800, Height: 600})
	must(t, err)
	if started.State != "active" || started.Resolution.Width != 800 || started.StartedAt == nil ||
		!strings.HasPrefix(started.CDPURL, "/v1/sessions/"+started.Session+"/") || !slices.Equal(names(started), []string{"chromium", "xvfb"}) {
		t.Errorf("started: %+v", started)
	}
	again, err := r.browser(alice, "browser.start", "", &action.BrowserStart{Width: 800})
	must(t, err)
	if again.Session != started.Session {
		t.Errorf("again: %+v", again)
	}
	for range 2 {
		stopped, err := r.browser(alice, "browser.stop", "", nil)
		must(t, err)
		if stopped.State != "inactive" {
			t.Errorf("stopped: %+v", stopped)
		}
	}
	if after, err := r.browser(alice, "browser.status", started.Session, nil); err != nil || after.State != "inactive" {
		t.Errorf("after: %+v, %v", after, err)
	}
	_, err = r.browser(alice, "browser.start", started.Session, nil)
	wants(t, fault.NotActive, err)
}

func TestAStartThatAsksForSomethingElseIsRefused(t *testing.T) {
	r := newRig(t)
	r.profile("work")
	_, err := r.browser(admin, "browser.start", "", nil)
	must(t, err)
	headless := true
	for field, args := range map[string]action.BrowserStart{
		"width":     {Width: 999},
		"height":    {Height: 999},
		"dpi":       {DPI: 192},
		"headless":  {Headless: &headless},
		"contextId": {Context: "work"},
		"url":       {URL: "http://app.example/"},
	} {
		_, err := r.browser(admin, "browser.start", "", &args)
		wants(t, fault.AlreadyActive, err, "another "+field)
	}
	if _, err := r.browser(admin, "browser.start", "", &action.BrowserStart{URL: "about:blank"}); err != nil {
		t.Errorf("what runs is refused: %v", err)
	}
}

func TestStreamingIsAcceptedWithANote(t *testing.T) {
	r := newRig(t)
	rate := 30
	args := &action.BrowserStart{Video: "vp8", FrameRate: &rate, PortRange: "59050-59070"}
	result, err := r.call(t.Context(), alice, "browser.start", "", args)
	must(t, err)
	if !slices.ContainsFunc(result.Notes, func(n string) bool { return strings.Contains(n, "no streaming") }) {
		t.Errorf("notes %q", result.Notes)
	}
	for _, ports := range []string{"2-1", "1-65536"} {
		err := action.Check(&action.BrowserStart{PortRange: ports}) // by the gate
		wants(t, fault.InvalidRequest, err, "webrtcPortRange")
	}
}

func TestABrowserStartsWithAProfile(t *testing.T) {
	r := newRig(t)
	p := r.profile("work")
	s, err := r.browser(admin, "browser.start", "", &action.BrowserStart{Context: "work"})
	must(t, err)
	if s.Context != p.ID {
		t.Errorf("started %+v", s)
	}
	_, err = r.browser(bob, "browser.start", "", &action.BrowserStart{Context: p.ID})
	wants(t, fault.NotFound, err)
}

func TestAFailedBrowserSaysWhy(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	r.engine.Kill(s.Box)
	for !r.told("session", "its box is gone") {
		<-r.news
	}
	status, err := r.browser(alice, "browser.status", s.ID, nil)
	must(t, err)
	if status.State != "failed" || status.LastError == nil || !strings.Contains(status.LastError.Message, "box is gone") {
		t.Errorf("status %+v", status)
	}
}

func TestTheBrowsersLogIsForOperators(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	for _, who := range []action.Caller{alice, admin} {
		status, err := r.browser(who, "browser.status", s.ID, nil)
		must(t, err)
		if (len(status.Log) > 0) != (who.Role == action.Operator) {
			t.Errorf("%s sees the log %q", who.Role, status.Log)
		}
	}
}
