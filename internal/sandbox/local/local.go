// Package local is the sandbox driver that runs boxes as processes in the gateway's
// own container. A box is a guest with its own user and network namespaces, Landlock
// rules, limits, and no capabilities. The driver refuses to run outside of a
// container. docs/security.md compares it with a container for each box.
package local

import (
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

// minTasks is enough for a browser with a few tabs. Each tab needs 9 tasks.
const minTasks = 256

var instancePattern = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// Options are the settings of a driver. The zero value is refused.
type Options struct {
	Dir             string        // folder of all boxes' sockets and files, preferably a tmpfs; a path of at most 60 characters
	NamePrefix      string        // of box names, such as "glovebox-"
	Instance        string        // id of this gateway, constant over restarts
	Arguments       []string      // command line that runs this program as a guest: its name, then arguments with which it calls Enter
	Key             *bridge.Key   // signs the bridge's tokens, constant over restarts
	PidsLimit       int64         // tasks of a box, including threads; at least 256
	Lease           time.Duration // a box exits when no gateway has answered for this long
	RestartAttempts int           // how often a guest restarts its browser
	Policy          []byte        // managed policy of browsers in addition to the image's: see sandbox.TrustPolicy; may be nil
	AllowWeak       bool          // run boxes even where they can read the gateway's files
	Log             *slog.Logger  // may be nil
}

// Driver runs boxes in this container (sandbox.Driver).
type Driver struct {
	options Options
	boxes   *bridge.BoxSet[*box]

	mu        sync.Mutex
	isolation *isolation // nil until detectIsolation has succeeded
}

var _ sandbox.Driver = (*Driver)(nil)

// New returns a driver. It does not check what the container allows; Check and the
// first Start do. Faults: invalid_request, sandbox_runtime_required outside of a
// container, start_failed when browsers would not find Options.Policy.
func New(o Options) (*Driver, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if err := Contained(); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, invalidOptions("a folder that can be named").Because(err)
	}
	o.Dir = dir
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := checkPolicyLink(o.Policy); err != nil {
		return nil, err
	}
	return &Driver{options: o, boxes: bridge.NewBoxSet[*box]()}, nil
}

func (o *Options) validate() error {
	switch {
	case o.Dir == "":
		return invalidOptions("a folder")
	case !instancePattern.MatchString(o.Instance):
		return invalidOptions("the id of the gateway's instance")
	case len(o.Arguments) == 0:
		return invalidOptions("the arguments of a guest")
	case o.Key == nil:
		return invalidOptions("a key for the bridge")
	case o.PidsLimit < minTasks:
		return invalidOptions("a limit of 256 tasks or more")
	case o.Lease <= 0 || o.RestartAttempts < 0:
		return invalidOptions("a lease, and restarts that are not negative")
	}
	return nil
}

// Close disconnects from all boxes without ending them, so that a restarted gateway
// can attach to them, and waits for the driver's goroutines.
func (d *Driver) Close() error {
	d.boxes.Close()
	return nil
}

// isolation are the protections that this container allows a box to have.
type isolation struct {
	sealed bool // its own network namespace
	files  bool // Landlock
	users  bool // another user than the gateway's
}

// detectIsolation finds out once which protections a box can have. Faults: sandbox_weak.
func (d *Driver) detectIsolation() (isolation, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isolation != nil {
		return *d.isolation, nil
	}
	w := isolation{sealed: true, files: landlockVersion() >= minLandlock, users: os.Geteuid() == 0}
	user := os.Geteuid()
	if w.users {
		user = boxUser
	}
	config := BoxConfig{Sockets: "/", Home: "/", Sealed: true, Files: w.files}
	if sealed := d.probe(config, user); sealed != nil {
		config.Sealed, w.sealed = false, false
		if err := d.probe(config, user); err != nil {
			return isolation{}, fault.New(fault.SandboxWeak, "a box cannot have a user namespace here, which Chromium's own sandbox needs too").
				Hinted("start the container with --security-opt seccomp=<file>, of what glovebox image seccomp prints, and look whether user.max_user_namespaces is above 0").
				Because(err)
		}
		d.options.Log.Warn("boxes have no network namespace of their own: egress is best-effort", "reason", sealed)
	}
	if !w.files && !w.users && !d.options.AllowWeak {
		return isolation{}, fault.New(fault.SandboxWeak, "a box would be able to read the gateway's files: there is no Landlock, and no user for each box").
			Hinted("use a kernel with Landlock (5.19 or newer), or run the gateway as root of its container with the capabilities SETUID, SETGID, CHOWN and DAC_OVERRIDE; browser.sandbox.allow_weak_sandbox goes on without")
	}
	d.isolation = &w
	return w, nil
}
