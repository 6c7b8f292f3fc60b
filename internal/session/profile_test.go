package session_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/session"
)

// tarOf is what a browser leaves that was used.
func tarOf(t *testing.T, text string) []byte {
	t.Helper()
	var raw bytes.Buffer
	w := tar.NewWriter(&raw)
	must(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "Default/Cookies", Size: int64(len(text)), Mode: 0o600}))
	_, err := io.WriteString(w, text)
	must(t, errors.Join(err, w.Close()))
	return raw.Bytes()
}

func (r *rig) profile(name string) action.Profile {
	r.t.Helper()
	result, err := r.call(r.t.Context(), admin, "profile.create", "", &action.ProfileCreate{Name: name})
	must(r.t, err)
	return *result.Data.(*action.Profile)
}

// saved returns what a profile holds.
func (r *rig) saved(id string) string {
	r.t.Helper()
	var raw bytes.Buffer
	must(r.t, r.kept.Load(r.t.Context(), id, &raw))
	return raw.String()
}

func (r *rig) shut(who action.Caller, id string) {
	r.t.Helper()
	_, err := r.call(r.t.Context(), who, "session.close", id, nil)
	must(r.t, err)
}

func TestWhatASessionLeavesInAProfileTheNextOneHas(t *testing.T) {
	r := newRig(t)
	p := r.profile("work")
	first := r.start(admin, action.SessionStart{Profile: "work"})
	if first.Profile != p.ID || !r.page(first.Box).options.Keeps {
		t.Fatalf("started %+v", first)
	}
	r.engine.SetProfile(first.Box, tarOf(t, "signed in"))
	r.shut(admin, first.ID)
	second := r.start(admin, action.SessionStart{Profile: p.ID})
	if !strings.Contains(string(r.engine.Profile(second.Box)), "signed in") {
		t.Errorf("the next box got %q", r.engine.Profile(second.Box))
	}
	off := r.start(admin, action.SessionStart{})
	if r.page(off.Box).options.Keeps || len(r.engine.Profile(off.Box)) > 0 {
		t.Error("a session without a profile has one")
	}
	if !r.told("session", "its profile was saved") {
		t.Error("no record says so")
	}
}

func TestAProfileHasOneUserAtATime(t *testing.T) {
	r := newRig(t)
	p := r.profile("work")
	s := r.start(admin, action.SessionStart{Name: "one", Profile: "work"})
	_, err := r.call(t.Context(), admin, "session.start", "", &action.SessionStart{Profile: p.ID})
	wants(t, fault.AlreadyActive, err, "in use by session one", "close")
	for _, key := range []string{p.ID, "work"} {
		_, err = r.call(t.Context(), admin, "profile.delete", "", &action.ByID{ID: key})
		wants(t, fault.AlreadyActive, err, "in use")
	}
	result, err := r.call(t.Context(), admin, "profile.list", "", &action.None{})
	must(t, err)
	if got := result.Data.(*action.ProfileListing).Contexts; len(got) != 1 || got[0].Session != s.ID {
		t.Errorf("listed %+v", got)
	}
	r.shut(admin, s.ID)
	gone, err := r.call(t.Context(), admin, "profile.delete", "", &action.ByID{ID: "work"})
	must(t, err)
	if got := gone.Data.(*action.ProfileDeleted); got.ID != p.ID {
		t.Errorf("deleted %+v, want %s", got, p.ID)
	}
	_, err = r.call(t.Context(), admin, "session.start", "", &action.SessionStart{Profile: p.ID})
	wants(t, fault.NotFound, err, "profile")
}

// TestAProfileIsInUseUntilItWasSaved holds the end of the box, which comes
// after saving.
func TestAProfileIsInUseUntilItWasSaved(t *testing.T) {
	r := newRig(t)
	p := r.profile("work")
	s := r.start(admin, action.SessionStart{Profile: "work"})
	hold := make(chan struct{})
	r.driver.set(func(d *driver) { d.hold = hold })
	ended := make(chan error, 1)
	go func() {
		_, err := r.call(context.Background(), admin, "session.close", s.ID, nil)
		ended <- err
	}()
	for !r.told("session", "its profile was saved") {
		<-r.news
	}
	_, err := r.call(t.Context(), admin, "session.start", "", &action.SessionStart{Profile: p.ID})
	wants(t, fault.AlreadyActive, err)
	r.driver.set(func(d *driver) { d.hold = nil })
	close(hold)
	must(t, <-ended)
	r.start(admin, action.SessionStart{Profile: p.ID})
}

func TestProfilesAreOfTheirScope(t *testing.T) {
	r := newRig(t)
	p := r.profile("work")
	for _, key := range []string{p.ID, "work"} {
		_, err := r.call(t.Context(), bob, "session.start", "", &action.SessionStart{Profile: key})
		wants(t, fault.NotFound, err)
	}
	r.start(admin, action.SessionStart{Profile: "work"})
	for _, key := range []string{p.ID, "work"} {
		_, err := r.call(t.Context(), bob, "profile.delete", "", &action.ByID{ID: key})
		wants(t, fault.NotFound, err)
	}
}

func TestAWarmBoxServesNoProfile(t *testing.T) {
	r := newRig(t, with(func(c *session.Config) { c.WarmPool = 1 }))
	for !r.told("box", "warm box is ready") {
		<-r.news
	}
	r.profile("work")
	s := r.start(admin, action.SessionStart{Profile: "work"})
	if !r.told("session", "started in a cold box") || s.Profile == "" {
		t.Errorf("started %+v", s)
	}
}

func TestABadBundleLeavesTheProfileAsItWas(t *testing.T) {
	r := newRig(t)
	p := r.profile("work")
	first := r.start(admin, action.SessionStart{Profile: "work"})
	r.engine.SetProfile(first.Box, tarOf(t, "signed in"))
	r.shut(admin, first.ID)
	second := r.start(admin, action.SessionStart{Profile: "work"})
	r.engine.SetProfile(second.Box, []byte(strings.Repeat("no tar", 500)))
	r.shut(admin, second.ID)
	if !strings.Contains(r.saved(p.ID), "signed in") {
		t.Error("the profile is lost")
	}
	if !r.told("session", "its profile was not saved") {
		t.Error("no record says so")
	}
}

func TestALostBoxLosesTheLastSessionOnly(t *testing.T) {
	r := newRig(t)
	p := r.profile("work")
	s := r.start(admin, action.SessionStart{Profile: "work"})
	r.engine.Kill(s.Box)
	for !r.told("session", "its box is gone") {
		<-r.news
	}
	_, err := r.call(t.Context(), admin, "session.close", s.ID, nil)
	must(t, err)
	r.saved(p.ID)
}

func TestAShutdownSavesProfiles(t *testing.T) {
	r := newRig(t)
	p := r.profile("work")
	s := r.start(admin, action.SessionStart{Profile: "work"})
	r.engine.SetProfile(s.Box, tarOf(t, "signed in"))
	next := r.again()
	if !strings.Contains(next.saved(p.ID), "signed in") {
		t.Error("the shutdown saved nothing")
	}
}

func TestASessionThatOutlivesARestartSavesAtItsEnd(t *testing.T) {
	keep := with(func(c *session.Config) { c.KeepBoxes = true })
	r := newRig(t, keep)
	p := r.profile("work")
	s := r.start(admin, action.SessionStart{Profile: "work"})
	next := r.again(keep)
	if again := next.show(admin, s.ID); again.State != "open" || again.Profile != p.ID {
		t.Fatalf("taken up as %+v", again)
	}
	_, err := next.call(t.Context(), admin, "session.start", "", &action.SessionStart{Profile: p.ID})
	wants(t, fault.AlreadyActive, err)
	next.engine.SetProfile(s.Box, tarOf(t, "signed in"))
	next.shut(admin, s.ID)
	if !strings.Contains(next.saved(p.ID), "signed in") {
		t.Error("nothing was saved")
	}
}

// TestABrowserThatEndedWithTheGatewayIsRescued: the gateway was killed between
// the end of the browser and the saving of its files.
func TestABrowserThatEndedWithTheGatewayIsRescued(t *testing.T) {
	keep := with(func(c *session.Config) { c.KeepBoxes = true })
	r := newRig(t, keep)
	p := r.profile("work")
	s := r.start(admin, action.SessionStart{Profile: "work"})
	r.engine.SetProfile(s.Box, tarOf(t, "signed in"))
	next := r.again(keep, func(r *rig) { r.fail = errors.New("no browser") })
	if again := next.show(admin, s.ID); again.State != "failed" {
		t.Fatalf("the session is %+v", again)
	}
	if !strings.Contains(next.saved(p.ID), "signed in") {
		t.Error("nothing was saved")
	}
}
