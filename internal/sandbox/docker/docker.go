// Package docker makes boxes of containers on a Docker engine, spoken to over
// its API. A box has no network: its browser's connections and our own go
// through two sockets in a folder the gateway owns.
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

// Bounds of what the engine is waited for.
const (
	askTime    = 10 * time.Second // for a question
	makeTime   = 60 * time.Second // for making or starting a container; under a second on an idle machine
	removeTime = 30 * time.Second // for killing and removing one
)

// leastPIDs is what a browser with a few tabs needs: 9 tasks for each tab, and
// with 128 it hangs silently at the third (measured).
const leastPIDs = 256

// Shapes of what goes into names and labels. With a scope hash, a box id and
// two dashes a name has at most 63 characters.
var (
	prefixPattern   = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,28}$`)
	instancePattern = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
)

// Options say how boxes are made. The zero value is refused.
type Options struct {
	Image           string        // tag of the image "glovebox image build" made
	NamePrefix      string        // of containers, as "glovebox-"; at most 29 characters
	Instance        string        // id of this gateway, the same in its next life: boxes of others are left alone
	SocketDir       string        // folder for the boxes' sockets; made, and closed to everybody else
	Key             *bridge.Key   // signs the bridge's tokens, the same in the next life
	Memory          int64         // bytes; swap is off
	CPUs            float64       // processors
	PidsLimit       int64         // tasks, threads included; 256 at least
	ShmSize         int64         // bytes of /dev/shm
	Lease           time.Duration // a box ends when no gateway answered for so long
	ReapAfter       time.Duration // beyond its lease, before what another gateway left is removed; 30 s where zero
	RestartAttempts int           // how often a guest restarts its browser
	Policy          []byte        // of browsers, beside the image's own: see sandbox.TrustPolicy; nil for none
	Log             *slog.Logger  // nil for none
}

// Driver makes, finds and ends boxes on one engine (sandbox.Driver).
type Driver struct {
	o      Options
	engine *client.Client
	ctx    context.Context // of the driver's life, which no call owns
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	boxes   map[string]*box     // held by this driver
	pending map[string]*pending // being started or attached
}

var _ sandbox.Checker = (*Driver)(nil)

var _ sandbox.Driver = (*Driver)(nil)

// pending is a Start or Attach in flight, which Stop ends first.
type pending struct {
	cancel context.CancelFunc
	over   chan struct{}
}

// New makes a driver for the engine the environment names (DOCKER_HOST and so
// on; the system's own socket by default). It does not ask the engine
// anything: Check does. Faults: invalid_request.
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
		o.ReapAfter = removeTime // a living gateway takes so long at most to remove its own
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

// Close lets go of every box without ending it, so that the gateway's next
// life can take them up, and waits for all the driver started. Boxes nobody
// takes up end by themselves within their lease.
func (d *Driver) Close() error {
	d.mu.Lock()
	d.cancel()
	d.mu.Unlock()
	d.wg.Wait()
	return d.engine.Close()
}

// reserve takes an id for a Start or an Attach. release gives it back, kept
// tells whether a box came of it.
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

// dir is the folder of a box's sockets.
func (d *Driver) dir(id string) string { return filepath.Join(d.o.SocketDir, id) }

// listen opens the sockets of a box. Who may reach them is decided here: the
// folder above is the gateway's alone, the box's own may be entered by the
// box's user, whom the mount lets in.
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
	if err := os.Chmod(o.Dir, 0o755); err != nil { // whatever the umask says
		return nil, noDir(o.Dir, err)
	}
	return bridge.Listen(o)
}

func noDir(dir string, err error) error {
	return fault.New(fault.StartFailed, "the folder for sockets %s cannot be used", dir).
		Hinted("make it writable for the gateway alone").Because(err)
}
