package guest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
	"github.com/gloveboxhq/glovebox/internal/sandbox/guest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func TestHeadfulBoxPassesEveryPhaseInOrder(t *testing.T) {
	b := start(t, func(c *guest.Config) { c.Headless = false })
	var p phases
	if err := b.link.WaitReady(testwait.Context(t), p.add); err != nil {
		t.Fatal(err)
	}
	want := "waiting for the guest, waiting for the display, waiting for the browser, waiting for the first answer"
	if got := strings.Join(p.names, ", "); got != want {
		t.Errorf("phases %q", got)
	}
	h := b.health()
	if h.Phase != bridge.PhaseReady || !h.Browser.Running || !h.Display.Running || h.Restarts != 0 {
		t.Errorf("health %+v", h)
	}
	s := b.cdp()
	wantVersion(t, s)
	// Opening a window fails if Chromium cannot draw on the display.
	call(t, s, 2, method("Target.createTarget"), `{"url":"about:blank"}`)
}

func TestHeadlessBoxHasNoDisplay(t *testing.T) {
	b := start(t, func(c *guest.Config) { c.Xvfb = "" })
	b.ready()
	if h := b.health(); h.Display.Running || h.Phase != bridge.PhaseReady {
		t.Errorf("health %+v", h)
	}
	wantVersion(t, b.cdp())
}

func TestFailureNamesPhaseProcessAndLog(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*testing.T, *guest.Config)
		phase  string
		says   []string
	}{
		{"no such browser", func(t *testing.T, c *guest.Config) { c.Chromium = "/nonexistent/chromium" },
			bridge.NotReadyHTTP, []string{"cannot start the browser", "no such file"}},
		{"browser exits at once", func(t *testing.T, c *guest.Config) {
			c.Chromium = script(t, "echo No usable sandbox >&2", "echo ERROR:dbus/bus.cc noise >&2", "exit 7")
		}, bridge.NotReadyHTTP, []string{"exited with status 7", "No usable sandbox"}},
		{"browser never answers", func(t *testing.T, c *guest.Config) {
			c.LaunchTimeout = 300 * time.Millisecond
			c.Chromium = script(t, "exec sleep 600")
		}, bridge.NotReadyHTTP, []string{"did not answer in time"}},
		{"browser speaks something else", func(t *testing.T, c *guest.Config) {
			c.Chromium = script(t, `printf 'hello\0' >&4`, "exec sleep 600")
		}, bridge.NotReadyHTTP, []string{"speaks no CDP"}},
		{"no such display", func(t *testing.T, c *guest.Config) { c.Headless, c.Xvfb = false, "/nonexistent/Xvfb" },
			bridge.NotReadyDisplay, []string{"cannot start the display", "browser not started"}},
		{"display exits at once", func(t *testing.T, c *guest.Config) {
			c.Headless, c.Xvfb = false, script(t, "echo cannot open screen >&2", "exit 3")
		}, bridge.NotReadyDisplay, []string{"the display exited with status 3", "Xvfb: cannot open screen"}},
		{"display never answers", func(t *testing.T, c *guest.Config) {
			c.Headless, c.DisplayTimeout = false, 300*time.Millisecond
			c.Xvfb = script(t, "exec sleep 600")
		}, bridge.NotReadyDisplay, []string{"the display did not answer in time"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := start(t, func(config *guest.Config) { c.change(t, config) })
			err := b.link.WaitReady(testwait.Context(t), nil)
			var f *fault.Fault
			if !errors.As(err, &f) || f.Code != fault.StartFailed || f.Details["phase"] != c.phase || f.Hint == "" {
				t.Fatalf("fault %+v", err)
			}
			if !strings.HasPrefix(f.Message, "sandbox_browser_launch_failed: "+c.phase+"; process ") ||
				!strings.Contains(f.Message, "; log: ") {
				t.Errorf("message %q", f.Message)
			}
			for _, say := range c.says {
				if !strings.Contains(f.Message, say) {
					t.Errorf("message lacks %q: %q", say, f.Message)
				}
			}
			if strings.Contains(f.Message, "dbus") {
				t.Errorf("message keeps noise: %q", f.Message)
			}
		})
	}
}

// TestCrashDuringStartIsRetried starts boxes whose browser or display exits twice
// before it works.
func TestCrashDuringStartIsRetried(t *testing.T) {
	programs := map[string]func(c *guest.Config) *string{
		"browser": func(c *guest.Config) *string { return &c.Chromium },
		"display": func(c *guest.Config) *string { c.Headless = false; return &c.Xvfb },
	}
	for name, program := range programs {
		for attempts := range 3 {
			t.Run(fmt.Sprintf("%s, attempts %d", name, attempts), func(t *testing.T) {
				b := start(t, func(c *guest.Config) {
					c.RestartAttempts = attempts
					real := program(c)
					// Each of the first two runs leaves a folder and exits.
					*real = script(t, "cd "+c.Dir, "mkdir once 2>/dev/null && exit 7", "mkdir twice 2>/dev/null && exit 7", `exec `+*real+` "$@"`)
				})
				err := b.link.WaitReady(testwait.Context(t), nil)
				if attempts < 2 {
					if fault.CodeOf(err) != fault.StartFailed || !strings.Contains(err.Error(), "exited with status 7") {
						t.Errorf("%v", err)
					}
					return
				}
				if h := b.health(); err != nil || h.Restarts != 2 || h.Phase != bridge.PhaseReady {
					t.Errorf("%v, %+v", err, h)
				}
			})
		}
	}
}

func TestGuestThatNeverDialsFailsInItsOwnPhase(t *testing.T) {
	b := prepare(t, nil)
	ctx, cancel := context.WithCancel(testwait.Context(t))
	defer cancel()
	err := b.link.WaitReady(ctx, func(string) { cancel() })
	if fault.CodeOf(err) != fault.StartFailed || !strings.Contains(err.Error(), bridge.NotReadyGuest) {
		t.Errorf("fault %v", err)
	}
}
