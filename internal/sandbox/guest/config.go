// Package guest is our half inside a box, its first process: it starts the
// display and Chromium, carries bytes between them and the gateway, reaps what
// dies, restarts what crashes within bounds, and ends when no gateway answers.
// It knows nothing of policy, secrets or verbs: whoever captures it learns
// nothing and can ask for nothing.
package guest

import (
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

// Where things are in the image.
const (
	chromiumBinary = "/usr/lib/chromium/chromium" // the real one: Debian's wrapper adds extensions and --disable-dev-shm-usage
	xvfbBinary     = "/usr/bin/Xvfb"
	boxDir         = "/tmp" // the only writable place in a box, the profile on a tmpfs of its own below
	boxUID         = 10001
	boxProxyPort   = 3128
)

// Config says how a guest runs. FromEnvironment fills it for a box; tests fill
// it for outside of one.
type Config struct {
	bridge.Boot
	SocketDir      string        // where the gateway's sockets are
	Chromium       string        // path of the browser
	Xvfb           string        // path of the display
	Dir            string        // writable: profile and home are below
	ProxyPort      int           // on loopback, of the browser's way out; 0 lets the system choose
	UID            int           // whom Chromium and Xvfb run as when the guest is root; Chromium's sandbox refuses root
	Shared         bool          // other boxes' programs see this one's display socket: it takes a cookie
	Reap           bool          // take over orphans: the guest is the first process, or a subreaper
	DisplayTimeout time.Duration // until the X socket answers
	LaunchTimeout  time.Duration // until the browser answers its first call
	Log            *slog.Logger
}

// FromEnvironment returns the configuration of a guest in a box. Faults:
// invalid_request, naming the variable.
func FromEnvironment(log *slog.Logger) (Config, error) {
	boot, err := bridge.BootFrom(os.Getenv)
	if err != nil {
		return Config{}, err
	}
	return Config{
		Boot:           boot,
		SocketDir:      bridge.MountPoint,
		Chromium:       chromiumBinary,
		Xvfb:           xvfbBinary,
		Dir:            boxDir,
		ProxyPort:      boxProxyPort,
		UID:            boxUID,
		Reap:           os.Getpid() == 1,
		DisplayTimeout: 10 * time.Second, // a deadline of its own
		LaunchTimeout:  12 * time.Second, // as the gateway's phase HTTP
		Log:            log,
	}, nil
}

func (c Config) check() error {
	if err := c.Boot.Check(); err != nil {
		return err
	}
	bad := func(what string) error {
		return fault.New(fault.InvalidRequest, "a guest needs %s", what).
			Hinted("start it with what guest.FromEnvironment returns")
	}
	switch {
	case c.SocketDir == "" || c.Dir == "":
		return bad("a directory of sockets and one to write to")
	case c.Chromium == "" || (c.Xvfb == "" && !c.Headless):
		return bad("the paths of its programs")
	case c.LaunchTimeout <= 0 || (c.DisplayTimeout <= 0 && !c.Headless):
		return bad("deadlines")
	case c.Log == nil:
		return bad("a log")
	case os.Getuid() == 0 && c.UID <= 0:
		return bad("a user for Chromium that is not root")
	}
	return nil
}

func (c Config) profile() string { return filepath.Join(c.Dir, "prof", "default") }
func (c Config) home() string    { return filepath.Join(c.Dir, "home") }

// folders are where files are exchanged with the gateway.
func (c Config) folders() bridge.Folders {
	return bridge.Folders{
		Upload:   filepath.Join(c.Dir, sandbox.UploadFolder),
		Download: filepath.Join(c.Dir, sandbox.DownloadFolder),
	}
}

// makeDirs makes what Chromium writes to, owned by whom it runs as. The profile
// is new for each browser, because one that crashed leaves locks and
// half-written files; but for one that the gateway sent: there a new browser
// takes over what is left, as on a person's machine. The place where crash dumps begin is closed: Chromium 156 writes them
// with --disable-breakpad too, they hold the memory of pages, and without its
// crash handler (--disable-crashpad-for-testing) its network process dies.
func (c Config) makeDirs() error {
	if !c.Profile {
		if err := os.RemoveAll(c.profile()); err != nil {
			return err
		}
	}
	dir := c.home()
	dirs := []string{filepath.Join(c.Dir, "prof"), c.profile(), c.folders().Upload, c.folders().Download, dir}
	for _, name := range []string{".config", "chromium", "Crash Reports", "new"} {
		dir = filepath.Join(dir, name)
		dirs = append(dirs, dir)
	}
	for _, d := range dirs {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
		if os.Getuid() == 0 {
			if err := os.Chown(d, c.UID, c.UID); err != nil {
				return err
			}
		}
	}
	return os.Chmod(dir, 0o500)
}

// environ is all that the programs of a box see: nothing of the gateway's.
func (c Config) environ(display string) []string {
	env := []string{
		"HOME=" + c.home(),
		"TMPDIR=" + c.Dir,
		"PATH=/usr/local/bin:/usr/bin:/bin",
		"LANG=C.UTF-8",
		"DBUS_SESSION_BUS_ADDRESS=disabled:", // there is no bus: do not look for one
		"DBUS_SYSTEM_BUS_ADDRESS=disabled:",
	}
	if display != "" {
		env = append(env, "DISPLAY="+display)
	}
	if c.Shared {
		env = append(env, "XAUTHORITY="+c.cookie())
	}
	return env
}
