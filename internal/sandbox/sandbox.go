// Package sandbox is the contract for places a browser may run in: a driver
// makes boxes, a box holds one Chromium. Every driver passes the suite in
// sandboxtest.
package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"path"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Folders of a box, below Info.Dir: where its browser finds files to upload,
// and puts what it downloads. Each is a place of its own where the driver can
// make it one, so that a full one is not the browser's end.
const (
	UploadFolder   = "upload"
	DownloadFolder = "download"
)

// Driver makes, finds and ends boxes. It is safe for concurrent use.
type Driver interface {
	// Start makes a box and returns it when its browser answers calls, all
	// readiness phases passed. Whatever fails, nothing of the box is left.
	// Faults: sandbox_runtime_required when there is no engine or image,
	// start_failed with the phase and the last lines of the log.
	Start(ctx context.Context, spec Spec) (Box, error)
	// Attach takes a box up again that an earlier process of this gateway
	// started. Faults: not_found when there is no such box, or it is dead.
	Attach(ctx context.Context, id string, egress func(net.Conn)) (Box, error)
	// List returns the boxes of this gateway instance, in any state, also
	// those that were made but never started. Other instances' are not shown.
	List(ctx context.Context) ([]Info, error)
	// Stop ends a box and removes all of it. A box that is not there is no
	// error.
	Stop(ctx context.Context, id string) error
}

// Checker is a driver that can say what keeps boxes from starting, without
// making one.
type Checker interface {
	// Missing lists what is not there, the first to repair first; nothing when
	// all is.
	Missing(ctx context.Context) []Lack
}

// Lack is one thing that a machine does not have.
type Lack struct {
	Name   string // "engine", "image"
	Repair string // the command, or what to do
}

// Box is a running box.
type Box interface {
	Info() Info
	// Assign gives a box that was started without a scope to a scope and a
	// session, once. From then on the bridge refuses tokens of any other.
	Assign(ctx context.Context, scope, session string) error
	// CDP opens the connection to the browser. There is one at a time: a new
	// one ends the one before.
	CDP(ctx context.Context) (Stream, error)
	// Health asks the guest how the box is.
	Health(ctx context.Context) (Health, error)
	// Profile ends the browser in order, so that it writes all it knows, and
	// returns its profile as a tar, for the caller to read to its end and
	// close. The box is of no other use from then on; it may be asked again. It
	// is hostile input. Faults: invalid_request for a box without Spec.Profile,
	// cdp_error when the browser did not end by itself.
	Profile(ctx context.Context) (io.ReadCloser, error)
	// Put writes a file for the browser to upload, in a new folder below
	// Info.Uploads, and returns its path there. name is one plain file name.
	// Faults: invalid_request for another name, limit_reached when the box
	// has no room, cdp_error.
	Put(ctx context.Context, name string, content []byte) (path string, err error)
	// Fetch reads a file below Info.Downloads, by the id the browser gave it.
	// Faults: not_found, limit_reached when it has more than most bytes,
	// cdp_error.
	Fetch(ctx context.Context, id string, most int64) ([]byte, error)
	// Remove removes a file that Put wrote, by its path, or one below
	// Info.Downloads, by its id. One that is not there is no error.
	Remove(ctx context.Context, file string) error
	// Freeze stops all that runs in the box but its guest: it takes no processor
	// time, keeps its memory and its connections, and its guest goes on to answer
	// and to hold the lease. Whatever is sent to the browser thaws it, and so does
	// a new connection; thawed is closed when it has been. Health, files and
	// Assign need no thaw. Faults: cdp_error when it cannot be frozen, after which
	// it runs; provider_not_supported for a driver whose boxes are never frozen.
	Freeze(ctx context.Context) (thawed <-chan struct{}, err error)
	// Thaw has a frozen box go on; one that runs is no error. Faults: cdp_error.
	Thaw(ctx context.Context) error
	// Done is closed when the box is gone or its guest cannot be reached any
	// more; Err then says why.
	Done() <-chan struct{}
	Err() error
}

// Stream carries whole CDP messages; it fits cdp.Transport.
type Stream interface {
	Read() ([]byte, error)
	Write(message []byte) error
	Close() error
}

// Spec asks for a box.
type Spec struct {
	ID       string             // NewID; the caller stores it before Start
	Scope    string             // empty for a warm box, which is assigned later
	Session  string             // empty for a warm box
	Width    int                // of the display in pixels
	Height   int                //
	DPI      int                //
	Headless bool               // no display
	Profile  Profile            // nil for a browser that keeps nothing
	Egress   func(net.Conn)     // is handed every connection the box's browser makes; owns it
	Progress func(phase string) // is told what Start does; may be nil
}

// Check reports the first thing that no driver can do of what s asks for.
// Faults: invalid_request. Sizes are checked by bridge.Boot.
func (s Spec) Check() error {
	refuse := func(what, hint string) error {
		return fault.New(fault.InvalidRequest, "%s", what).Hinted("%s", hint)
	}
	switch {
	case !ValidID(s.ID):
		return refuse("the box id is not 16 hex digits", "use sandbox.NewID")
	case (s.Scope == "") != (s.Session == ""):
		return refuse("a box has a scope and a session, or neither", "give both or none")
	case s.Egress == nil:
		return refuse("nobody takes the box's connections", "set Egress")
	}
	return nil
}

// Profile writes the tar of the files that a browser starts with; nothing for a
// new one. What it faults with is what Start faults with.
type Profile func(w io.Writer) error

// Info is what is known of a box without asking it.
type Info struct {
	ID        string
	Name      string // of the container
	ScopeHash string // empty while unassigned
	Session   string // empty while unassigned
	State     string // created, running, exited
	Egress    string // EgressSealed or EgressBestEffort
	Created   time.Time
	Dir       string // the folder of the box that its browser writes to, as it sees it
}

// Uploads is where the box's browser finds files to upload.
func (i Info) Uploads() string { return path.Join(i.Dir, UploadFolder) }

// Downloads is where the box's browser puts what it downloads.
func (i Info) Downloads() string { return path.Join(i.Dir, DownloadFolder) }

// How far a box is held to its Spec's Egress.
const (
	EgressSealed     = "sealed"      // it has no other way out
	EgressBestEffort = "best-effort" // its browser is told to use no other; what takes the browser over is not
)

// Finding is one line of what a driver's check of the machine shows.
type Finding struct {
	Name   string // of what was looked at
	OK     bool   //
	Detail string // what was found
	Repair string // what to do; empty when it is OK
}

// Health is what a guest reports. It comes out of a box: hostile input, its
// sizes and ranges are checked by the bridge.
type Health struct {
	Phase     string    `json:"phase"` // starting, ready, failed
	Browser   Process   `json:"browser"`
	Display   Process   `json:"display"`
	Screen    string    `json:"screen,omitempty"` // name of the display, ":0"; empty without one
	Restarts  int       `json:"restarts"`         // of the browser, by the guest
	OOMKills  int       `json:"oomKills"`         // processes that the kernel ended because the box's memory was used up
	Renderers []Proof   `json:"renderers"`
	Log       []string  `json:"log"` // last lines of Chromium's log
	Since     time.Time `json:"since"`
	Frozen    bool      `json:"frozen,omitempty"` // its programs stand still, see Box.Freeze
}

// Process is one process of a box.
type Process struct {
	Running bool   `json:"running"`
	PID     int    `json:"pid,omitempty"`
	Exit    string `json:"exit,omitempty"` // why it is not running
}

// Proof is what /proc says of one renderer process.
type Proof struct {
	PID            int    `json:"pid"`
	SeccompFilters int    `json:"seccompFilters"`
	OwnUserNS      bool   `json:"ownUserNs"` // differs from the guest's
	OwnNetNS       bool   `json:"ownNetNs"`
	CapEff         string `json:"capEff"` // hex, "0000000000000000" is none
}

// Strong reports whether Chromium's own sandbox holds this renderer: two
// seccomp filters (the engine's and Chromium's), namespaces of its own, no
// capabilities.
func (p Proof) Strong() bool {
	return p.SeccompFilters >= 2 && p.OwnUserNS && p.OwnNetNS && p.CapEff == "0000000000000000"
}

// ScopeHash returns what is shown of a scope in names and labels: the first
// 16 hex digits of its SHA-256. The empty scope has the empty hash.
func ScopeHash(scope string) string {
	if scope == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(scope))
	return hex.EncodeToString(sum[:])[:16]
}
