// Package session manages the open browsers: it starts and ends boxes, keeps warm
// ones ready, enforces the limits of sessions, and carries out verbs on the page
// of the session that they name. The gate decides what is allowed.
//
// A Registry consists of parts, each of which owns its state behind its own lock:
// the directory of open sessions, the life cycle, the boxes, what sessions may
// reach (networks), pauses (control), credentials, profiles, files and pages.
// They share the openSessions, whose state only their own methods use.
package session

import (
	"context"
	"fmt"
	"image"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/artifact"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/profile"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/store"
)

// The states of a session (docs/control.md).
const (
	starting  = "starting"
	open      = "open"
	paused    = "paused"
	takenOver = "taken_over"
	closing   = "closing"
	closed    = "closed"
	failed    = "failed"
	archived  = "archived"
)

// providerSandbox is the provider whose boxes a sandbox.Driver makes.
const providerSandbox = "sandbox"

// EgressProxy serves the connections of boxes, by the rules of each box.
type EgressProxy interface {
	// Open sets or replaces the rules of a box. Faults: invalid_request for an
	// invalid pattern.
	Open(box string, n action.Network) error
	// Close removes a box's rules and ends its connections.
	Close(box string)
	// Handle serves a connection of a box's browser and takes ownership of it.
	Handle(box string, conn net.Conn)
	// Judge parses a URL and says whether a document of the box may be loaded
	// from there.
	Judge(box, rawURL string) action.Destination
	// Transport fetches for a box, under the rules for its browser.
	Transport(box string) *http.Transport
	// Unreached returns why no connection to the host of a URL can be made; ""
	// if one can.
	Unreached(ctx context.Context, box, rawURL string) string
}

// Vault has the credentials of sites. A writable one is a Keeper too.
type Vault interface {
	// For returns the credentials for a document from a host in a scope; nil if
	// there are none. host is normalized: lower case, punycode, no port. Faults:
	// credentials_unavailable if the source does not answer or its data is
	// invalid.
	For(ctx context.Context, scope, host string) (*credentials.Set, error)
}

// Outgoing judges requests that may change something, before a session's browser
// sends them. It also gets their results.
type Outgoing interface {
	Outgoing(ctx context.Context, s action.Session, from action.Sender, r action.Request) (action.Ruling, error)
	Receipt(s action.Session, e action.Effect)
	Over(session string)
}

// Browser is the page engine for one box's browser.
type Browser interface {
	Configure(o engine.Options)
	Look(ctx context.Context, verb string, args any) (action.Facts, action.Pin, error)
	Do(ctx context.Context, verb string, args any, pin action.Pin) (action.Result, error)
	// AdmitInput has pages accept input that no act announced, as a person's is,
	// until leave is called.
	AdmitInput(ctx context.Context) (leave func(), err error)
	// RefuseInput has pages refuse input that no act announced, until again is called.
	RefuseInput(ctx context.Context) (again func())
	// SendStroke presses or releases a key or a button in the page of a tab; the active one if
	// tab is empty.
	SendStroke(ctx context.Context, tab string, s engine.Stroke) error
	// PagePoint converts a point of the display to the viewport of the active tab.
	PagePoint(ctx context.Context, p image.Point) (x, y float64, inside bool, err error)
	// FocusedField returns a reference to the field that has the focus, if any has.
	FocusedField(ctx context.Context) (ref string, err error)
	// ShowActive has the window show the active tab.
	ShowActive(ctx context.Context)
	// Painted waits until input that the browser had before has reached the page.
	Painted(ctx context.Context) error
	// Screencast takes pictures of the active tab, at most fps a second.
	Screencast(fps int) *engine.Screencast
	Attach(ctx context.Context, onMessage func(action.Message)) (action.Attachment, error)
	Crawl(o engine.CrawlOptions) engine.Crawler
	Inject(ctx context.Context, set credentials.Set) error
	Adopt(ctx context.Context, set credentials.Set) error
	Fresh(ctx context.Context, domains []string) ([]credentials.Secret, error)
	Purge(ctx context.Context, domains []string) error
	Capture(ctx context.Context, domain string) (set credentials.Set, left []string, err error)
	Origins() []string
	StorageState(ctx context.Context, origins []string) (action.StorageState, error)
	Restore(ctx context.Context, cookies []action.NewCookie, origins []action.OriginState) error
	TargetScreenshot(ctx context.Context, pin action.Pin) ([]byte, error)
	Page() action.Page
	Busy() bool       // a call is not answered yet, or a download is under way
	Acting() []string // ids of the acts that may cause requests now, the newest first
	// Initiator returns which document last asked for something of a host, waiting
	// until ctx ends for the browser to say so; "" when it does not.
	Initiator(ctx context.Context, host string) string
	Done() <-chan struct{}
	Err() error
	Close() error
}

var _ Browser = (*engine.Browser)(nil)

// Proxy is an upstream proxy that sessions can name.
type Proxy struct {
	Name   string
	Scopes []string // that can use it; all if empty. The first proxy of a scope is its default
}

// Opener connects the page engine to a box's browser.
type Opener func(ctx context.Context, box sandbox.Box, o engine.Options) (Browser, error)

// Config has the defaults and limits of sessions. -1 disables a limit.
type Config struct {
	Enabled       bool           // false refuses every start
	Provider      string         // default of sessions
	Width         int            // of the display, pixels
	Height        int            //
	DPI           int            //
	Network       action.Network // what agents' sessions may reach at most
	Proxies       []Proxy        // upstream proxies that sessions can name
	WarmPool      int            // boxes kept ready
	ColdStart     bool           // make no warm box before the first session
	AllowWeak     bool           // continue if Chromium's own sandbox is not proven
	KeepBoxes     bool           // leave open sessions' boxes running at Close, for the next process
	IdleTimeout   time.Duration  // without a call
	HolderGone    time.Duration  // after the holder's last window was closed, until a session is not taken over any more
	FreezeAfter   time.Duration  // without a call, until the box is frozen; 0 or less: never
	MaxAge        time.Duration  // from start
	MaxActions    int            // calls that change something
	MaxFailures   int            // consecutive failed actions of an agent, after which a person is asked
	MaxRepeated   int            // the same for a repeated action; 0 means no limit
	MaxConcurrent int            // open sessions of a scope
	MaxSessions   int            // open sessions of all scopes
	Sending       action.Sending // how requests that may change something are treated; asked when empty
	AutoInject    bool           // inject the credentials of every visited host, not only of named ones
	Retention     time.Duration  // of ended sessions and of artifacts
	StartQueue    time.Duration  // how long a start waits for a free place; 0: it does not wait
	StartTimeout  time.Duration  // of a box and its page; 60 s if 0
}

// Options configure a Registry. DB, Artifacts, Profiles, Driver, Egress, Open,
// Config and Log are required.
type Options struct {
	DB            *store.DB
	Artifacts     *artifact.Store
	Profiles      *profile.Store
	Driver        sandbox.Driver
	Egress        EgressProxy
	Open          Opener
	Page          engine.Options               // options of every page; the session sets size and guard
	OnRetain      func(before time.Time) error // called when what is older is removed, to remove what others keep of sessions; nil if nobody does
	Record        func(action.Record)          // called with events for the audit trail; must be safe for concurrent use
	OnHostRequest func(action.Session, string) // called with a refused host that a person could allow; it may block
	OnLimit       func(action.Session, string) // called with a session that was paused at a limit, and the limit; it may block
	HasQuestions  func(action.Session) bool    // reports whether a question about a session is open; it may block
	Outgoing      Outgoing                     // judges requests of sessions' browsers; nil allows all
	Vault         Vault                        // nil: no session gets credentials
	Known         *redact.SecretStore          // gets the secrets of a session before its browser does
	Config        Config
	Log           *slog.Logger
}

const (
	defaultStart = 60 * time.Second // wall time; the deadlines of the phases add up to 30 s
	maxWarm      = 20
)

func (o *Options) check() error {
	switch {
	case o.DB == nil, o.Artifacts == nil, o.Profiles == nil, o.Driver == nil, o.Egress == nil, o.Open == nil, o.Log == nil:
		return fmt.Errorf("a session registry needs a database, artifacts, profiles, a driver, an egress proxy, an opener and a log")
	case o.Config.Width <= 0 || o.Config.Height <= 0 || o.Config.DPI <= 0:
		return fmt.Errorf("the viewport %dx%d at %d dpi is invalid", o.Config.Width, o.Config.Height, o.Config.DPI)
	case o.Config.WarmPool < 0 || o.Config.WarmPool > maxWarm:
		return fmt.Errorf("browser.sandbox.warm_pool: %d is not between 0 and %d", o.Config.WarmPool, maxWarm)
	case o.Config.IdleTimeout == 0 || o.Config.MaxAge == 0 || o.Config.Retention == 0 || o.Config.MaxFailures == 0 || o.Config.HolderGone == 0:
		return fmt.Errorf("idle time-out, longest life, retention, failures in a row and the wait for a holder must be set; a negative one is no limit")
	}
	if o.Config.StartTimeout <= 0 {
		o.Config.StartTimeout = defaultStart
	}
	if o.Known == nil {
		o.Known = new(redact.SecretStore)
	}
	if o.Record == nil {
		o.Record = func(action.Record) {}
	}
	return nil
}
