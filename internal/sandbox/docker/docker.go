// Package docker is the sandbox driver that runs boxes as containers of a Docker
// engine. A box has no network: the browser's connections and the gateway's go
// through two sockets in a folder that the gateway owns.
package docker

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

// Time limits of requests to the engine.
const (
	askTime    = 10 * time.Second // for a query
	makeTime   = 60 * time.Second // to make or start a container; under a second on an idle machine
	removeTime = 30 * time.Second // to kill and remove a container
)

// leastPIDs is enough for a browser with a few tabs. Each tab needs 9 tasks; with a
// limit of 128 the browser hung silently at the third tab.
const leastPIDs = 256

// Formats of the parts of names and labels. A container's name has at most 63
// characters: the prefix, a scope hash, a box id and two dashes.
var (
	prefixPattern   = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,28}$`)
	instancePattern = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
)

// Options are the settings of a driver. The zero value is refused.
type Options struct {
	Image           string        // tag of the image that "glovebox image build" made
	NamePrefix      string        // of container names, such as "glovebox-"; at most 29 characters
	Instance        string        // id of this gateway, constant over restarts; boxes of other instances are not touched
	SocketDir       string        // folder for the boxes' sockets; made, and closed to other users
	Key             *bridge.Key   // signs the bridge's tokens, constant over restarts
	Memory          int64         // bytes; there is no swap
	CPUs            float64       // number of processors
	PidsLimit       int64         // tasks, including threads; at least 256
	ShmSize         int64         // bytes of /dev/shm
	Lease           time.Duration // a box exits when no gateway has answered for this long
	ReapAfter       time.Duration // how long after its lease the ended box of another gateway is removed; 30 s by default
	RestartAttempts int           // how often a guest restarts its browser
	Policy          []byte        // managed policy of browsers in addition to the image's: see sandbox.TrustPolicy; may be nil
	Log             *slog.Logger  // may be nil
}

// Driver runs boxes on one engine (sandbox.Driver).
type Driver struct {
	o      Options
	engine *client.Client
	ctx    context.Context // ends with the driver
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	boxes   map[string]*box     // started or attached by this driver
	pending map[string]*pending // being started or attached
}

var _ sandbox.Checker = (*Driver)(nil)

var _ sandbox.Driver = (*Driver)(nil)

// pending is a Start or Attach that has not returned. Stop cancels it first.
type pending struct {
	cancel context.CancelFunc
	over   chan struct{}
}

// New returns a driver for the engine that the environment names (DOCKER_HOST and
// related variables; by default the system's socket). It does not connect to the
// engine; Check does. Faults: invalid_request.
func New(o Options) (*Driver, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(o.SocketDir)
	if err != nil {
		return nil, invalid("a folder for sockets that can be named").Because(err)
	}
	o.SocketDir = dir
	if o.ReapAfter <= 0 {
		o.ReapAfter = removeTime // a running gateway has removed its own ended boxes by then
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	engine, err := client.New(client.FromEnv)
	if err != nil {
		return nil, fault.New(fault.SandboxRuntimeRequired, "the engine's address in the environment is wrong").
			Hinted("correct DOCKER_HOST and its companions, or unset them").Because(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Driver{
		o: o, engine: engine, ctx: ctx, cancel: cancel,
		boxes: map[string]*box{}, pending: map[string]*pending{},
	}, nil
}

func (o *Options) check() error {
	switch {
	case o.Image == "":
		return invalid("the name of an image")
	case !prefixPattern.MatchString(o.NamePrefix):
		return invalid("a name prefix of at most 29 letters, digits, dots, dashes and underscores")
	case !instancePattern.MatchString(o.Instance):
		return invalid("the id of the gateway's instance")
	case o.SocketDir == "":
		return invalid("a folder for sockets")
	case o.Key == nil:
		return invalid("a key for the bridge")
	case o.Memory <= 0 || o.CPUs <= 0 || o.ShmSize <= 0:
		return invalid("limits for memory, processors and shared memory")
	case o.PidsLimit < leastPIDs:
		return invalid("a limit of 256 tasks or more")
	case o.Lease <= 0 || o.RestartAttempts < 0:
		return invalid("a lease, and restarts that are not negative")
	}
	return nil
}

func invalid(what string) *fault.Fault {
	return fault.New(fault.InvalidRequest, "the docker driver needs %s", what).
		Hinted("see browser.sandbox in the configuration")
}

// Close disconnects from all boxes without ending them, so that a restarted gateway
// can attach to them, and waits for the driver's goroutines. Boxes to which no
// gateway attaches end when their lease has expired.
func (d *Driver) Close() error {
	d.mu.Lock()
	d.cancel()
	d.mu.Unlock()
	d.wg.Wait()
	return d.engine.Close()
}

// reserve reserves an id for a Start or an Attach. The caller calls release with
// the resulting box, or with nil on failure.
func (d *Driver) reserve(ctx context.Context, id string) (life context.Context, release func(made *box), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() != nil {
		return nil, nil, fault.New(fault.NotActive, "the gateway is ending").Hinted("start it again")
	}
	if held := d.boxes[id]; d.pending[id] != nil || held != nil && held.Err() == nil {
		return nil, nil, fault.New(fault.StartFailed, "box %s is there already", id).Hinted("use a fresh id")
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

// dir returns the folder of a box's sockets.
func (d *Driver) dir(id string) string { return filepath.Join(d.o.SocketDir, id) }

// listen opens the sockets of a box. Only the gateway can enter the folder above
// the box's folder. The box's folder is open to all users, so that the user of the
// box, which sees it through the mount, can enter it.
func (d *Driver) listen(o bridge.LinkOptions) (*bridge.Link, error) {
	if err := os.MkdirAll(d.o.SocketDir, 0o700); err != nil {
		return nil, noDir(d.o.SocketDir, err)
	}
	if err := os.Chmod(d.o.SocketDir, 0o700); err != nil {
		return nil, noDir(d.o.SocketDir, err)
	}
	o.Dir, o.Key, o.Lease, o.Log = d.dir(o.Box), d.o.Key, d.o.Lease, d.o.Log
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, noDir(o.Dir, err)
	}
	if err := os.Chmod(o.Dir, 0o755); err != nil { // regardless of the umask
		return nil, noDir(o.Dir, err)
	}
	return bridge.Listen(o)
}

func noDir(dir string, err error) error {
	return fault.New(fault.StartFailed, "the folder for sockets %s cannot be used", dir).
		Hinted("make it writable for the gateway alone").Because(err)
}
