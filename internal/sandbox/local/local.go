// Package local is the sandbox driver that runs boxes as processes in the gateway's
// own container. A box is a guest with its own user and network namespaces, Landlock
// rules, limits, and no capabilities. The driver refuses to run outside of a
// container. docs/security.md compares it with a container for each box.
package local

import (
	"context"
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

// leastTasks is enough for a browser with a few tabs. Each tab needs 9 tasks.
const leastTasks = 256

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
	o      Options
	ctx    context.Context // ends with the driver
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	boxes   map[string]*box     // started or attached by this driver
	pending map[string]*pending // being started or attached
	walls   *walls              // nil until survey has succeeded
}

var _ sandbox.Driver = (*Driver)(nil)

// pending is a Start or Attach that has not returned. Stop cancels it first.
type pending struct {
	cancel context.CancelFunc
	over   chan struct{}
}

// New returns a driver. It does not check what the container allows; Check and the
// first Start do. Faults: invalid_request, sandbox_runtime_required outside of a
// container, start_failed when browsers would not find Options.Policy.
func New(o Options) (*Driver, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := Contained(); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, invalid("a folder that can be named").Because(err)
	}
	o.Dir = dir
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := policyFindable(o.Policy); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Driver{o: o, ctx: ctx, cancel: cancel, boxes: map[string]*box{}, pending: map[string]*pending{}}, nil
}

func (o *Options) check() error {
	switch {
	case o.Dir == "":
		return invalid("a folder")
	case !instancePattern.MatchString(o.Instance):
		return invalid("the id of the gateway's instance")
	case len(o.Arguments) == 0:
		return invalid("the arguments of a guest")
	case o.Key == nil:
		return invalid("a key for the bridge")
	case o.PidsLimit < leastTasks:
		return invalid("a limit of 256 tasks or more")
	case o.Lease <= 0 || o.RestartAttempts < 0:
		return invalid("a lease, and restarts that are not negative")
	}
	return nil
}

func invalid(what string) *fault.Fault {
	return fault.New(fault.InvalidRequest, "the local driver needs %s", what).
		Hinted("see browser.sandbox in the configuration")
}

// Close disconnects from all boxes without ending them, so that a restarted gateway
// can attach to them, and waits for the driver's goroutines.
func (d *Driver) Close() error {
	d.mu.Lock()
	d.cancel()
	d.mu.Unlock()
	d.wg.Wait()
	return nil
}

// reserve reserves an id for a Start or an Attach. The caller calls release with the
// resulting box, or with nil on failure.
func (d *Driver) reserve(ctx context.Context, id string) (life context.Context, release func(made *box), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() != nil {
		return nil, nil, fault.New(fault.NotActive, "the gateway is ending").Hinted("start it again")
	}
	if held := d.boxes[id]; d.pending[id] != nil || held != nil && held.Err() == nil {
		return nil, nil, there(id)
	}
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(d.ctx, cancel)
	p := &pending{cancel: cancel, over: make(chan struct{})}
	d.pending[id] = p
	d.wg.Add(1)
	return ctx, func(made *box) {
		unhook()
		cancel()
		d.mu.Lock()
		delete(d.pending, id)
		if made != nil {
			d.boxes[id] = made
		}
		d.mu.Unlock()
		close(p.over)
		d.wg.Done()
	}, nil
}

func there(id string) *fault.Fault {
	return fault.New(fault.StartFailed, "box %s is there already", id).Hinted("use a fresh id")
}

func notThere(id string) *fault.Fault {
	return fault.New(fault.NotFound, "there is no running box %s", id).Hinted("start a new session")
}

func ended(id, how string) *fault.Fault {
	return fault.New(fault.NotActive, "box %s %s", id, how).Hinted("start a new session")
}

func noDir(dir string, err error) *fault.Fault {
	return fault.New(fault.StartFailed, "the folder for boxes %s cannot be used", dir).
		Hinted("mount a tmpfs there that the gateway may write to").Because(err)
}

// walls are the protections that this container allows a box to have.
type walls struct {
	sealed bool // its own network namespace
	files  bool // Landlock
	users  bool // another user than the gateway's
}

// survey finds out once which protections a box can have. Faults: sandbox_weak.
func (d *Driver) survey() (walls, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.walls != nil {
		return *d.walls, nil
	}
	w := walls{sealed: true, files: landlock() >= leastLandlock, users: os.Geteuid() == 0}
	user := os.Geteuid()
	if w.users {
		user = boxUser
	}
	place := Place{Sockets: "/", Home: "/", Sealed: true, Files: w.files}
	if sealed := d.probe(place, user); sealed != nil {
		place.Sealed, w.sealed = false, false
		if err := d.probe(place, user); err != nil {
			return walls{}, fault.New(fault.SandboxWeak, "a box cannot have a user namespace here, which Chromium's own sandbox needs too").
				Hinted("start the container with --security-opt seccomp=<file>, of what glovebox image seccomp prints, and look whether user.max_user_namespaces is above 0").
				Because(err)
		}
		d.o.Log.Warn("boxes have no network namespace of their own: egress is best-effort", "reason", sealed)
	}
	if !w.files && !w.users && !d.o.AllowWeak {
		return walls{}, fault.New(fault.SandboxWeak, "a box would be able to read the gateway's files: there is no Landlock, and no user for each box").
			Hinted("use a kernel with Landlock (5.19 or newer), or run the gateway as root of its container with the capabilities SETUID, SETGID, CHOWN and DAC_OVERRIDE; browser.sandbox.allow_weak_sandbox goes on without")
	}
	d.walls = &w
	return w, nil
}
