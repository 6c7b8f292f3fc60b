// Package guest runs inside a box as its first process: it starts the display and
// Chromium, copies bytes between them and the gateway, reaps orphans, restarts
// what crashes a limited number of times, and exits when no gateway answers. It
// has no access to policy, secrets or verbs, so an attacker who takes it over gains
// nothing.
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

// Paths and numbers in the image.
const (
	chromiumBinary = "/usr/lib/chromium/chromium" // not Debian's wrapper, which adds extensions and --disable-dev-shm-usage
	xvfbBinary     = "/usr/bin/Xvfb"
	encoderBinary  = "/usr/local/bin/glovebox-screen"
	boxDir         = "/tmp" // the only writable folder of a box; the profile is on its own tmpfs below
	boxUID         = 10001
	boxProxyPort   = 3128
)

// Config is the configuration of a guest. FromEnvironment returns it in a box;
// tests make their own outside of one.
type Config struct {
	bridge.Boot
	SocketDir      string        // directory of the gateway's sockets
	Chromium       string        // path of the browser
	Xvfb           string        // path of the display server
	Encoder        string        // path of the program that captures and encodes the display
	Dir            string        // writable; holds profile and home
	ProxyPort      int           // loopback port of the browser's proxy; 0 lets the system choose
	UID            int           // user of Chromium and Xvfb when the guest is root; Chromium's sandbox refuses root
	Shared         bool          // programs of other boxes can reach this display's socket: protect it with a cookie
	Reap           bool          // reap orphans: the guest is the first process, or a subreaper
	DisplayTimeout time.Duration // until the X socket answers
	LaunchTimeout  time.Duration // until the browser answers its first call
	Log            *slog.Logger
}

// FromEnvironment returns the configuration of a guest in a box. Faults:
// invalid_request, which names the variable.
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
		Encoder:        encoderBinary,
		Dir:            boxDir,
		ProxyPort:      boxProxyPort,
		UID:            boxUID,
		Reap:           os.Getpid() == 1,
		DisplayTimeout: 10 * time.Second, // shorter than the gateway's phase
		LaunchTimeout:  12 * time.Second, // as long as the gateway's phase
		Log:            log,
	}, nil
}

func (c Config) validate() error {
	if err := c.Boot.Check(); err != nil {
		return err
	}
	invalid := func(what string) error {
		return fault.New(fault.InvalidRequest, "a guest needs %s", what).
			Hinted("start it with what guest.FromEnvironment returns")
	}
	switch {
	case c.SocketDir == "" || c.Dir == "":
		return invalid("a directory of sockets and one to write to")
	case c.Chromium == "" || (c.Xvfb == "" && !c.Headless):
		return invalid("the paths of its programs")
	case c.LaunchTimeout <= 0 || (c.DisplayTimeout <= 0 && !c.Headless):
		return invalid("deadlines")
	case c.Log == nil:
		return invalid("a log")
	case os.Getuid() == 0 && c.UID <= 0:
		return invalid("a user for Chromium that is not root")
	}
	return nil
}

func (c Config) profileDir() string { return filepath.Join(c.Dir, "prof", "default") }
func (c Config) homeDir() string    { return filepath.Join(c.Dir, "home") }

// folders are the folders through which files are exchanged with the gateway.
func (c Config) folders() bridge.Folders {
	return bridge.Folders{
		Upload:   filepath.Join(c.Dir, sandbox.UploadFolder),
		Download: filepath.Join(c.Dir, sandbox.DownloadFolder),
	}
}

// makeDirs makes the folders that Chromium writes to, owned by its user. Without
// Config.Profile each browser gets a new profile, because a crash leaves locks and
// partial files. A profile that the gateway sent is kept after a crash, as on a
// person's machine. The folder for crash dumps is read-only: Chromium 156 writes
// dumps, which contain the memory of pages, even with --disable-breakpad, and
// without its crash handler (--disable-crashpad-for-testing) its network process
// dies.
func (c Config) makeDirs() error {
	if !c.Profile {
		if err := os.RemoveAll(c.profileDir()); err != nil {
			return err
		}
	}
	dir := c.homeDir()
	dirs := []string{filepath.Join(c.Dir, "prof"), c.profileDir(), c.folders().Upload, c.folders().Download, dir}
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

// environ is the whole environment of the programs in the box. It has no variable
// of the guest.
func (c Config) environ(display string) []string {
	env := []string{
		"HOME=" + c.homeDir(),
		"TMPDIR=" + c.Dir,
		"PATH=/usr/local/bin:/usr/bin:/bin",
		"LANG=C.UTF-8",
		"DBUS_SESSION_BUS_ADDRESS=disabled:", // there is no bus
		"DBUS_SYSTEM_BUS_ADDRESS=disabled:",
	}
	if display != "" {
		env = append(env, "DISPLAY="+display)
	}
	if c.Shared {
		env = append(env, "XAUTHORITY="+c.cookieFile())
	}
	return env
}
