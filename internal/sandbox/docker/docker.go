// Package docker is the sandbox driver that runs boxes as containers of a Docker
// engine. A box has no network: the browser's connections and the gateway's go
// through two sockets in a folder that the gateway owns.
package docker

import (
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

// Time limits of requests to the engine.
const (
	queryTimeout  = 10 * time.Second // for a query
	createTimeout = 60 * time.Second // to make or start a container; under a second on an idle machine
	removeTimeout = 30 * time.Second // to kill and remove a container
)

// minPIDs is enough for a browser with a few tabs. Each tab needs 9 tasks; with a
// limit of 128 the browser hung silently at the third tab.
const minPIDs = 256

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
	options Options
	engine  *client.Client
	boxes   *bridge.BoxSet[*box]
}

var _ sandbox.Checker = (*Driver)(nil)

var _ sandbox.Driver = (*Driver)(nil)

// New returns a driver for the engine that the environment names (DOCKER_HOST and
// related variables; by default the system's socket). It does not connect to the
// engine; Check does. Faults: invalid_request.
func New(o Options) (*Driver, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(o.SocketDir)
	if err != nil {
		return nil, invalidOptions("a folder for sockets that can be named").Because(err)
	}
	o.SocketDir = dir
	if o.ReapAfter <= 0 {
		o.ReapAfter = removeTimeout // a running gateway has removed its own ended boxes by then
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	engine, err := client.New(client.FromEnv)
	if err != nil {
		return nil, fault.New(fault.SandboxRuntimeRequired, "the engine's address in the environment is wrong").
			Hinted("correct DOCKER_HOST and its companions, or unset them").Because(err)
	}
	return &Driver{options: o, engine: engine, boxes: bridge.NewBoxSet[*box]()}, nil
}

func (o *Options) validate() error {
	switch {
	case o.Image == "":
		return invalidOptions("the name of an image")
	case !prefixPattern.MatchString(o.NamePrefix):
		return invalidOptions("a name prefix of at most 29 letters, digits, dots, dashes and underscores")
	case !instancePattern.MatchString(o.Instance):
		return invalidOptions("the id of the gateway's instance")
	case o.SocketDir == "":
		return invalidOptions("a folder for sockets")
	case o.Key == nil:
		return invalidOptions("a key for the bridge")
	case o.Memory <= 0 || o.CPUs <= 0 || o.ShmSize <= 0:
		return invalidOptions("limits for memory, processors and shared memory")
	case o.PidsLimit < minPIDs:
		return invalidOptions("a limit of 256 tasks or more")
	case o.Lease <= 0 || o.RestartAttempts < 0:
		return invalidOptions("a lease, and restarts that are not negative")
	}
	return nil
}

// Close disconnects from all boxes without ending them, so that a restarted gateway
// can attach to them, and waits for the driver's goroutines. Boxes to which no
// gateway attaches end when their lease has expired.
func (d *Driver) Close() error {
	d.boxes.Close()
	return d.engine.Close()
}

// boxDir returns the folder of a box's sockets.
func (d *Driver) boxDir(id string) string { return filepath.Join(d.options.SocketDir, id) }

// listen opens the sockets of a box. Only the gateway can enter the folder above
// the box's folder. The box's folder is open to all users, so that the user of the
// box, which sees it through the mount, can enter it.
func (d *Driver) listen(o bridge.LinkOptions) (*bridge.Link, error) {
	if err := os.MkdirAll(d.options.SocketDir, 0o700); err != nil {
		return nil, folderFault(d.options.SocketDir, err)
	}
	if err := os.Chmod(d.options.SocketDir, 0o700); err != nil {
		return nil, folderFault(d.options.SocketDir, err)
	}
	o.Dir, o.Key, o.Lease, o.Log = d.boxDir(o.Box), d.options.Key, d.options.Lease, d.options.Log
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, folderFault(o.Dir, err)
	}
	if err := os.Chmod(o.Dir, 0o755); err != nil { // regardless of the umask
		return nil, folderFault(o.Dir, err)
	}
	return bridge.Listen(o)
}
