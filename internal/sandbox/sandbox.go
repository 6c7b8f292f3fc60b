// Package sandbox defines the interfaces of the drivers that run browsers: a
// driver makes boxes, and each box runs one Chromium. Every driver passes the
// test suite in sandboxtest.
package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"path"
	"regexp"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/randid"
)

// Folders of a box, below Info.Dir: the browser reads files to upload from the
// one and writes downloads to the other. Where the driver can, each is a file
// system of its own, so that a full one does not stop the browser.
const (
	UploadFolder   = "upload"
	DownloadFolder = "download"
)

// Driver starts, finds and stops boxes. It is safe for concurrent use.
type Driver interface {
	// Start makes a box and returns it when all readiness phases have passed and
	// its browser answers calls. On failure it removes everything it made.
	// Faults: sandbox_runtime_required without an engine or image, start_failed
	// with the phase and the last lines of the log.
	Start(ctx context.Context, spec Spec) (Box, error)
	// Attach reconnects to a box that an earlier process of this gateway started.
	// Faults: not_found when there is no such box, or it has ended.
	Attach(ctx context.Context, id string, egress func(net.Conn)) (Box, error)
	// List returns the boxes of this gateway instance, in any state, including
	// those that were made but never started. It omits those of other instances.
	List(ctx context.Context) ([]Info, error)
	// Stop ends a box and removes everything that belongs to it. It does nothing
	// for a box that does not exist.
	Stop(ctx context.Context, id string) error
}

// Checker is implemented by drivers that can report what keeps boxes from
// starting without starting one.
type Checker interface {
	// Missing lists the dependencies that are missing, in the order in which to
	// repair them. It is empty when boxes can start.
	Missing(ctx context.Context) []MissingDependency
}

// MissingDependency is one thing that this machine lacks to run boxes.
type MissingDependency struct {
	Name   string // "engine", "image"
	Repair string // the command to run, or what to do
}

// Box is a running box.
type Box interface {
	Info() Info
	// Assign binds a box that was started without a scope to a scope and a
	// session, once. Afterwards the bridge refuses tokens of any other scope.
	Assign(ctx context.Context, scope, session string) error
	// CDP opens a connection to the browser. It closes the previous one: there is
	// one at a time.
	CDP(ctx context.Context) (Stream, error)
	// Health returns what the guest reports about the box.
	Health(ctx context.Context) (Health, error)
	// Profile shuts the browser down in order, so that it writes all its data, and
	// returns its profile as a tar. The caller reads it to the end and closes it.
	// The tar is untrusted input. Afterwards the box can do nothing but return the
	// profile again. Faults: invalid_request for a box without Spec.Profile,
	// cdp_error when the browser does not exit by itself.
	Profile(ctx context.Context) (io.ReadCloser, error)
	// Put writes a file for the browser to upload into a new folder below
	// Info.Uploads, and returns its path there. name is a file name without
	// folders. Faults: invalid_request for any other name, limit_reached when the
	// box has no space left, cdp_error.
	Put(ctx context.Context, name string, content []byte) (path string, err error)
	// Fetch reads a file below Info.Downloads. id is the name that the browser
	// gave it. Faults: not_found, limit_reached when the file is larger than most
	// bytes, cdp_error.
	Fetch(ctx context.Context, id string, most int64) ([]byte, error)
	// Remove removes a file that Put wrote, by its path, or a file below
	// Info.Downloads, by its id. It does nothing for a file that does not exist.
	Remove(ctx context.Context, file string) error
	// Freeze stops every process of the box except its guest: the box uses no
	// processor time and keeps its memory and its connections, while the guest
	// still answers and renews the lease. The next message to the browser, or the
	// next connection to it, thaws the box; thawed is closed then. Health, Assign
	// and the file methods do not thaw it. Faults: cdp_error when the box cannot
	// be frozen, and it keeps running; provider_not_supported for a driver that
	// never freezes boxes.
	Freeze(ctx context.Context) (thawed <-chan struct{}, err error)
	// Thaw resumes a frozen box. It does nothing for one that runs. Faults:
	// cdp_error.
	Thaw(ctx context.Context) error
	Screen
	// Done is closed when the box has ended or its guest cannot be reached any
	// more. Err then returns the reason.
	Done() <-chan struct{}
	Err() error
}

// Stream transports whole CDP messages. It implements cdp.Transport.
type Stream interface {
	Read() ([]byte, error)
	Write(message []byte) error
	Close() error
}

// Spec describes the box that Start makes.
type Spec struct {
	ID       string             // NewID; the caller stores it before Start
	Scope    string             // empty for a warm box, which is assigned later
	Session  string             // empty for a warm box
	Width    int                // of the display, in pixels
	Height   int                // of the display, in pixels
	DPI      int                // of the display
	Headless bool               // no display
	Profile  Profile            // nil: the browser stores no profile
	Egress   func(net.Conn)     // called with every connection of the browser, which it owns
	Progress func(phase string) // called when Start begins a phase; may be nil
}

// Check returns the first error in s that applies to every driver. Faults:
// invalid_request. bridge.Boot checks the sizes.
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

// Profile writes the tar of the profile that a browser starts with, and nothing
// for a new profile. Start returns its fault unchanged.
type Profile func(w io.Writer) error

// Info is what the driver knows about a box without asking its guest.
type Info struct {
	ID        string
	Name      string // of the container
	ScopeHash string // empty while unassigned
	Session   string // empty while unassigned
	State     string // created, running, exited
	Egress    string // EgressSealed or EgressBestEffort
	Created   time.Time
	Dir       string // where the browser writes its files, as a path inside the box
}

// Uploads returns the folder with files to upload, as a path inside the box.
func (i Info) Uploads() string { return path.Join(i.Dir, UploadFolder) }

// Downloads returns the folder with downloaded files, as a path inside the box.
func (i Info) Downloads() string { return path.Join(i.Dir, DownloadFolder) }

// How strictly a box is limited to its Spec's Egress.
const (
	EgressSealed     = "sealed"      // there is no other way to the network
	EgressBestEffort = "best-effort" // the browser is told to use no other; code that takes over the browser can
)

// Finding is one line of the report of a driver's check of the machine.
type Finding struct {
	Name   string // what was checked
	OK     bool
	Detail string // what the check found
	Repair string // what to do; empty when OK
}

// Health is the report of a guest. It comes from the box, so it is untrusted;
// the bridge limits its sizes and ranges.
type Health struct {
	Phase     string     `json:"phase"` // starting, ready, failed
	Browser   Process    `json:"browser"`
	Display   Process    `json:"display"`
	Screen    string     `json:"screen,omitempty"` // name of the display, ":0"; empty without one
	Restarts  int        `json:"restarts"`         // how often the guest restarted the browser
	OOMKills  int        `json:"oomKills"`         // processes that the kernel killed because the box ran out of memory
	Renderers []Renderer `json:"renderers"`
	Log       []string   `json:"log"` // last lines of Chromium's log
	Since     time.Time  `json:"since"`
	Frozen    bool       `json:"frozen,omitempty"` // its processes are stopped, see Box.Freeze
}

// Process is one process of a box.
type Process struct {
	Running bool   `json:"running"`
	PID     int    `json:"pid,omitempty"`
	Exit    string `json:"exit,omitempty"` // why it is not running
}

// Renderer is the sandboxing of one renderer process, as /proc shows it.
type Renderer struct {
	PID            int    `json:"pid"`
	SeccompFilters int    `json:"seccompFilters"`
	OwnUserNS      bool   `json:"ownUserNs"` // differs from the guest's
	OwnNetNS       bool   `json:"ownNetNs"`
	CapEff         string `json:"capEff"` // hex, "0000000000000000" is none
}

// Sandboxed reports whether Chromium's own sandbox confines this renderer: two
// seccomp filters (the engine's and Chromium's), namespaces of its own, and no
// capabilities.
func (p Renderer) Sandboxed() bool {
	return p.SeccompFilters >= 2 && p.OwnUserNS && p.OwnNetNS && p.CapEff == "0000000000000000"
}

// ScopeHash returns the form of a scope that appears in names and labels: the
// first 16 hex digits of its SHA-256, or nothing for the empty scope.
func ScopeHash(scope string) string {
	if scope == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(scope))
	return hex.EncodeToString(sum[:])[:16]
}

// idBytes is 8, so that a container name stays under 63 characters with the
// scope hash and a prefix of up to 20 characters.
const idBytes = 8

var idPattern = regexp.MustCompile(`^[0-9a-f]{16}$`)

// NewID returns a new box id: 16 hex digits.
func NewID() string {
	return randid.New("", idBytes)
}

// ValidID reports whether id has the format of a box id.
func ValidID(id string) bool { return idPattern.MatchString(id) }

// BoxName returns the name of a box: prefix, scope hash or "warm", and id.
func BoxName(prefix, scopeHash, id string) string {
	if scopeHash == "" {
		scopeHash = "warm"
	}
	return prefix + scopeHash + "-" + id
}
