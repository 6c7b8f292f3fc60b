// Package browsertest starts a real Chromium for tests of the page engine: one
// process for each test binary, with its own sandbox on, driven over a pipe.
package browsertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

const testUser = 10001 // Chromium's sandbox refuses root; the image uses the same id

// Chromium is a running browser.
type Chromium struct {
	command *exec.Cmd
	dir     string
	in, out *os.File
	once    sync.Once
}

// For starts a browser for a test, with the given flags after its own, and stops
// it when the test ends. The test is skipped where there is no Chromium.
func For(t testing.TB, flags ...string) *Chromium { return startFor(t, true, flags) }

// EagerFor starts one that fetches ahead of navigations, as none in a box does.
func EagerFor(t testing.TB, flags ...string) *Chromium { return startFor(t, false, flags) }

func startFor(t testing.TB, asInBox bool, flags []string) *Chromium {
	t.Helper()
	testenv.Require(t, testenv.Chromium)
	c, err := start(testenv.ChromiumPath(), asInBox, flags)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return c
}

// Start starts Chromium with the given flags after its own.
func Start(flags ...string) (*Chromium, error) { return start(testenv.ChromiumPath(), true, flags) }

// StartForPages starts one for tests of what is in a page, see
// testenv.PageChromiumPath. It lacks what Chromium's windows do: downloads that a
// page's window begins, the dialog for a name and password, error pages.
func StartForPages(flags ...string) (*Chromium, error) {
	return start(testenv.PageChromiumPath(), true, flags)
}

// StartOnDisplay starts one whose windows are on an X display, such as ":1".
func StartOnDisplay(display string, flags ...string) (*Chromium, error) {
	return startOn(display, testenv.ChromiumPath(), true, flags)
}

func start(path string, asInBox bool, flags []string) (*Chromium, error) {
	return startOn("", path, asInBox, flags)
}

// startOn starts one that is headless if display is empty.
func startOn(display, path string, asInBox bool, flags []string) (*Chromium, error) {
	dir, err := os.MkdirTemp("", "glovebox-chromium-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a profile: %w", err)
	}
	fromUs, toChromium, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("cannot make a pipe: %w", err)
	}
	fromChromium, toUs, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("cannot make a pipe: %w", err)
	}
	if asInBox {
		if err := writePreferences(filepath.Join(dir, "profile", "Default")); err != nil {
			return nil, err
		}
	}
	args := append([]string{
		"--remote-debugging-pipe", "--no-startup-window", "--no-first-run",
		"--disable-gpu", "--disable-quic", "--disable-sync", "--disable-background-networking",
		"--disable-component-update", "--disable-back-forward-cache", "--mute-audio",
		"--disable-features=DeferRendererTasksAfterInput,WebUIOmniboxPopup,WebUIOmniboxAimPopup,Translate,OptimizationHints",
		"--user-data-dir=" + filepath.Join(dir, "profile"),
	}, flags...)
	env := []string{"HOME=" + dir, "PATH=/usr/bin:/bin", "LANG=C.UTF-8"}
	if display == "" {
		args = append([]string{"--headless"}, args...)
	} else {
		args, env = append([]string{"--ozone-platform=x11", "--window-position=0,0"}, args...), append(env, "DISPLAY="+display)
	}
	c := &Chromium{command: exec.Command(path, args...), dir: dir, in: fromChromium, out: toChromium}
	c.command.ExtraFiles = []*os.File{fromUs, toUs}
	c.command.Env = env
	c.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		c.command.SysProcAttr.Credential = &syscall.Credential{Uid: testUser, Gid: testUser}
		if err := handOver(dir); err != nil {
			return nil, fmt.Errorf("cannot hand the profile over: %w", err)
		}
	}
	if err := c.command.Start(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", path, err)
	}
	_, _ = fromUs.Close(), toUs.Close()
	return c, nil
}

// preferences are what a box has by its managed policy: nothing is fetched ahead
// of a navigation (NetworkPredictionOptions 2), and PDF documents are downloaded
// (AlwaysOpenPdfExternally).
const preferences = `{"net": {"network_prediction_options": 2}, "plugins": {"always_open_pdf_externally": true}}`

func writePreferences(dir string) error {
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "Preferences"), []byte(preferences), 0o600)
	}
	if err != nil {
		return fmt.Errorf("cannot write preferences: %w", err)
	}
	return nil
}

// handOver gives a folder, and what is in it, to the user that Chromium runs as.
func handOver(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, testUser, testUser)
	})
}

// Transport returns the browser's pipe. There is one: call it once.
func (c *Chromium) Transport() cdp.Transport {
	return cdp.NewPipe(c.in, c.out, func() error {
		_ = c.out.Close()
		return c.in.Close()
	})
}

// PID returns the browser's process id.
func (c *Chromium) PID() int { return c.command.Process.Pid }

// Stop ends the browser and everything it started, and removes its profile.
func (c *Chromium) Stop() {
	c.once.Do(func() {
		_ = syscall.Kill(-c.command.Process.Pid, syscall.SIGKILL)
		_ = c.command.Wait()
		_, _ = c.in.Close(), c.out.Close()
		_ = os.RemoveAll(c.dir)
	})
}
