package xdisplay_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/xdisplay"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// startXterm opens a window with a title.
func startXterm(t *testing.T, s *server, title, geometry string) {
	t.Helper()
	testenv.Require(t, testenv.Program("xterm"))
	command := exec.Command("xterm", "-u8", "-T", title, "-geometry", geometry, "-e", "sleep", "600")
	command.Env = append(s.environ(), "LC_ALL=C.UTF-8")
	startProgram(t, command)
}

// windowNamed waits for a window whose title begins with a text.
func windowNamed(t *testing.T, d *xdisplay.Display, title string) xdisplay.Window {
	t.Helper()
	var found xdisplay.Window
	testwait.For(t, "a window "+title, func() bool {
		windows, err := d.Windows(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(windows, func(w xdisplay.Window) bool { return strings.HasPrefix(w.Title, title) })
		if i >= 0 {
			found = windows[i]
		}
		return i >= 0
	})
	return found
}

// eachManager runs a test without a window manager, and with one.
func eachManager(t *testing.T, test func(t *testing.T, s *server, d *xdisplay.Display)) {
	t.Run("no window manager", func(t *testing.T) {
		t.Parallel()
		s := startServer(t)
		test(t, s, s.open(t))
	})
	t.Run("openbox", func(t *testing.T) {
		t.Parallel()
		testenv.Require(t, testenv.Program("openbox"))
		s := startServer(t)
		command := exec.Command("openbox", "--sm-disable")
		command.Env = append(s.environ(), "HOME="+t.TempDir())
		startProgram(t, command)
		d := s.open(t)
		testwait.For(t, "openbox", func() bool { return d.Managed(t.Context()) })
		test(t, s, d)
	})
}

func TestWindowsAreListedAndChanged(t *testing.T) {
	t.Parallel()
	eachManager(t, func(t *testing.T, s *server, d *xdisplay.Display) {
		startXterm(t, s, "first", "20x5+10+20")
		first := windowNamed(t, d, "first")
		startXterm(t, s, "second", "30x6+300+200")
		second := windowNamed(t, d, "second")
		if first.ID == second.ID || first.Width < 50 || first.Height < 30 {
			t.Errorf("the windows are %+v and %+v", first, second)
		}
		for _, id := range []uint32{first.ID, second.ID, first.ID} {
			if err := d.Focus(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			windows, err := d.Windows(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range windows {
				if w.Active != (w.ID == id) {
					t.Errorf("%d has the focus: %t", w.ID, w.Active)
				}
			}
		}
		if err := d.Move(t.Context(), first.ID, 123, 145); err != nil {
			t.Fatal(err)
		}
		if err := d.Resize(t.Context(), first.ID, 333, 222); err != nil {
			t.Fatal(err)
		}
		testwait.For(t, "the window's place and size", func() bool {
			w := windowNamed(t, d, "first")
			// A manager puts the frame there, and xterm has whole letters only.
			return w.X >= 123 && w.X < 133 && w.Y >= 145 && w.Y < 175 && w.Width > 320 && w.Width <= 333 && w.Height > 205 && w.Height <= 222
		})
		w := windowNamed(t, d, "first")
		input(t, d, at(action.InputMove, w.X+30, w.Y+20, 0))
		if p, err := d.Pointer(t.Context()); err != nil || p != (xdisplay.Pointer{X: w.X + 30, Y: w.Y + 20, Window: w.ID}) {
			t.Errorf("the pointer is %+v, want it in window %d: %v", p, w.ID, err)
		}
		input(t, d, at(action.InputMove, screenWidth-1, screenHeight-1, 0))
		if p, err := d.Pointer(t.Context()); err != nil || p != (xdisplay.Pointer{X: screenWidth - 1, Y: screenHeight - 1}) {
			t.Errorf("the pointer is %+v: %v", p, err)
		}
	})
}

func TestChromiumIsTypedIntoBelowAWindowManager(t *testing.T) {
	t.Parallel()
	eachManager(t, func(t *testing.T, s *server, d *xdisplay.Display) {
		startXterm(t, s, "other", "20x5+10+20")
		other := windowNamed(t, d, "other")
		c := startChromium(t, s, editor)
		browser := windowNamed(t, d, "test page")
		for _, text := range []string{"plain", "Wörld 你好 🎉"} {
			for _, id := range []uint32{other.ID, browser.ID} {
				if err := d.Focus(t.Context(), id); err != nil {
					t.Fatal(err)
				}
			}
			c.until("document.hasFocus()")
			c.eval("field.focus(); field.value = ''")
			input(t, d, action.PersonInput{Kind: action.InputText, Text: text})
			c.until(fmt.Sprintf("field.value === %q", text))
		}
	})
}

func TestTitlesOfWindowsAreHarmless(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	d := s.open(t)
	h := startHostile(t, s)
	title := h.atom("_NET_WM_NAME")
	for _, test := range []struct{ title, want string }{
		{"plain 你好", "plain 你好"},
		{"a\u202eb\u200bc\x1b[0md\ne\x00f", "abc[0mdef"},
		{"bytes \xff\xfe", "bytes \u00ff\u00fe"}, // the property does not say that it is UTF-8
		{strings.Repeat("x", 50_000), strings.Repeat("x", 300) + "…"},
	} {
		h.setText(h.window, title, 31, test.title) // STRING
		windows, err := d.Windows(t.Context())
		if err != nil || len(windows) != 1 {
			t.Fatalf("windows %v: %v", windows, err)
		}
		if windows[0].Title != test.want {
			t.Errorf("the title is %q, want %q", windows[0].Title, test.want)
		}
	}
}

func TestWindowsThatDoNotExistAreNotFound(t *testing.T) {
	t.Parallel()
	eachManager(t, func(t *testing.T, s *server, d *xdisplay.Display) {
		startXterm(t, s, "there", "20x5+10+20")
		w := windowNamed(t, d, "there")
		for _, id := range []uint32{0, 1, w.ID + 1, 1<<32 - 1} {
			for name, err := range map[string]error{
				"focus": d.Focus(t.Context(), id), "move": d.Move(t.Context(), id, 0, 0), "resize": d.Resize(t.Context(), id, 10, 10),
			} {
				if fault.CodeOf(err) != fault.NotFound {
					t.Errorf("%s of %d: %v", name, id, err)
				}
			}
		}
		for name, err := range map[string]error{
			"no width": d.Resize(t.Context(), w.ID, 0, 10), "huge": d.Resize(t.Context(), w.ID, 10, 20_000), "far": d.Move(t.Context(), w.ID, -20_000, 0),
		} {
			if fault.CodeOf(err) != fault.InvalidRequest {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
