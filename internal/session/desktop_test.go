package session_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestTheDisplayIsShownAndItsWindowsChange(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{Width: 800, Height: 600})
	did := func(verb string, args any) any {
		t.Helper()
		result, err := r.call(t.Context(), alice, verb, s.ID, args)
		must(t, err)
		if result.Session != s.ID {
			t.Errorf("%s was done in %q", verb, result.Session)
		}
		return result.Data
	}
	if p := did("desktop.screenshot", &action.DesktopShot{Format: "jpeg", Scale: 0.5}).(*action.Screenshot); p.Format != "jpeg" || p.Width != 400 || p.Height != 300 || len(p.Bytes) == 0 {
		t.Errorf("the picture is %s, %d × %d", p.Format, p.Width, p.Height)
	}
	if p := did("desktop.screenshot_region", &action.DesktopRegion{X: 10, Y: 10, Width: 50, Height: 40}).(*action.Screenshot); p.Width != 50 || p.Height != 40 {
		t.Errorf("the part is %d × %d", p.Width, p.Height)
	}
	_, err := r.call(t.Context(), alice, "desktop.screenshot_region", s.ID, &action.DesktopRegion{X: 790, Width: 50, Height: 40})
	wants(t, fault.InvalidRequest, err)
	if d := did("desktop.display", nil).(*action.DesktopDisplay); d.Display == "" || d.Resolution != (action.Resolution{Width: 800, Height: 600, DPI: 96}) {
		t.Errorf("the display is %+v", d)
	}
	windows := did("desktop.windows", nil).(*action.DesktopWindows).Windows
	id := windows[0].ID
	if focused := did("desktop.window_focused", nil).(*action.DesktopWindow); len(windows) != 1 || *focused != windows[0] {
		t.Errorf("the windows are %+v, focused %+v", windows, focused)
	}
	did("desktop.window_focus", &action.ByID{ID: id})
	did("desktop.window_move", &action.MoveWindow{ByID: action.ByID{ID: id}, X: 5, Y: -6})
	did("desktop.window_resize", &action.ResizeWindow{ByID: action.ByID{ID: id}, Width: 300, Height: 200})
	want := action.DesktopWindow{ID: id, Title: "Chromium", X: 5, Y: -6, Width: 300, Height: 200, IsActive: true}
	if got := did("desktop.windows", nil).(*action.DesktopWindows).Windows[0]; got != want {
		t.Errorf("the window is %+v", got)
	}
	for _, wrong := range []string{"8", "x", "-7", "99999999999"} {
		_, err = r.call(t.Context(), alice, "desktop.window_focus", s.ID, &action.ByID{ID: wrong})
		wants(t, fault.NotFound, err)
	}
	if at := did("desktop.pointer", nil).(*action.DesktopPointer); at.Window != id {
		t.Errorf("the pointer is at %+v", at)
	}
	did("desktop.clipboard_set", &action.WriteClipboard{Text: "both", Selection: "both"})
	did("desktop.clipboard_set", &action.WriteClipboard{Text: "copied"})
	for selection, text := range map[string]string{"": "copied", "primary": "both"} {
		if got := did("desktop.clipboard", &action.ReadClipboard{Selection: selection}).(*action.ClipboardText); got.Text != text || got.Selection == "" {
			t.Errorf("%s is %+v", selection, got)
		}
	}
}

func TestAHeadlessSessionHasNoDisplay(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{Headless: true})
	for _, v := range action.Verbs {
		if isDesktop(v) {
			_, err := r.call(t.Context(), alice, v.Name, s.ID, validFor(v))
			wants(t, fault.ProviderNotSupported, err, "page verbs")
		}
	}
}

// isDesktop reports whether a verb is one of the display, and not of the live view.
func isDesktop(v *action.Verb) bool {
	return len(v.Name) > 8 && v.Name[:8] == "desktop." && v.Name != action.VerbDesktopWatch.Name
}

// validFor returns arguments of a verb; those with a window name the only one.
func validFor(v *action.Verb) any {
	switch args := v.NewArgs().(type) {
	case *action.ByID:
		args.ID = "7"
		return args
	case *action.MoveWindow:
		args.ID = "7"
		return args
	case *action.ResizeWindow:
		args.ID = "7"
		return args
	default:
		return args
	}
}

// TestTheDisplayOfASessionWithCredentialsIsForPeople checks agents, viewers and
// operators, each with every verb.
func TestTheDisplayOfASessionWithCredentialsIsForPeople(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	must(t, r.MarkCredentialed(t.Context(), s.ID))
	shown := []string{"desktop.screenshot", "desktop.screenshot_region"}
	open := []string{"desktop.pointer", "desktop.display", "desktop.windows", "desktop.window_focused", "desktop.window_focus", "desktop.window_move", "desktop.window_resize"}
	for _, v := range action.Verbs {
		if !isDesktop(v) {
			continue
		}
		for _, who := range []action.Caller{alice, watcher, admin} {
			_, err := r.call(t.Context(), who, v.Name, s.ID, validFor(v))
			allowed := who.Role == action.Operator || slices.Contains(open, v.Name) || who.Role == action.Viewer && slices.Contains(shown, v.Name)
			if refused := fault.CodeOf(err) == fault.DeniedByPolicy; refused == allowed {
				t.Errorf("%s by %s: %v", v.Name, who.Role, err)
			}
			if !allowed && v.Instead() == "" {
				t.Errorf("nothing says what to use in place of %s", v.Name)
			}
		}
	}
}

func TestWhatAPersonPastedIsForgottenAfterwards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		s := r.start(alice, action.SessionStart{})
		mine := r.watch(admin, s.ID)
		has := func() string {
			t.Helper()
			result, err := r.call(t.Context(), admin, "desktop.clipboard", s.ID, nil)
			must(t, err)
			return result.Data.(*action.ClipboardText).Text
		}
		for how, paste := range map[string]func() error{
			"by the live view": func() error { return mine.SetClipboard(t.Context(), "hunter2") },
			"by a call": func() error {
				return errOf(r.call(t.Context(), admin, "desktop.clipboard_set", s.ID, &action.WriteClipboard{Text: "hunter2", Selection: "both"}))
			},
		} {
			for _, later := range []string{"", "copied from the page"} {
				r.hands(admin, "session.take", s.ID, &action.Hands{})
				must(t, paste())
				if has() != "hunter2" {
					t.Errorf("%s: the person's text is not in the clipboard", how)
				}
				for _, who := range []action.Caller{watcher, ben, alice} {
					_, err := r.call(t.Context(), who, "desktop.clipboard", s.ID, nil)
					wants(t, fault.SessionPaused, err)
				}
				if later != "" {
					r.engine.Copy(s.Box, "clipboard", later)
				}
				r.hands(admin, "session.hand_back", s.ID, &action.HandBack{})
				if got := has(); got != later {
					t.Errorf("%s: the clipboard has %q, want %q", how, got, later)
				}
				if got := r.engine.Copy(s.Box, "primary", ""); got != "" {
					t.Errorf("%s: what is marked is %q", how, got)
				}
			}
		}
		r.hands(admin, "session.take", s.ID, &action.Hands{})
		must(t, mine.SetClipboard(t.Context(), "hunter2"))
		mine.Close()
		time.Sleep(61 * time.Second)
		synctest.Wait()
		if got := has(); r.show(admin, s.ID).State != "paused" || got != "" {
			t.Errorf("after the holder has gone the clipboard has %q", got)
		}
	})
}
