package session

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/artifact"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/profile"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// auditor writes what happens to sessions and boxes to the audit trail.
type auditor struct{ record func(action.Record) }

// endNotices remembers, for a while, the sessions that ended without a call of
// their agent, so that the agent is told with its next answer. It also counts
// how many sessions of a connection gave out references before.
type endNotices struct {
	known *redact.Book

	mu          sync.Mutex
	waiting     []endNotice
	generations generations
}

// directory knows the sessions that are not over, and the starts that wait
// until there is room for one more.
type directory struct {
	config  Config
	store   recordStore
	notices *endNotices
	work    *sync.WaitGroup // counts each session until nothing is left of it

	mu   sync.Mutex
	open roster // guarded by mu
}

// saver stores the records of sessions: at once where the caller waits for it,
// and within saveEvery where it does not.
type saver struct {
	store    recordStore
	sessions *directory
	known    *redact.Book
	log      *slog.Logger
	flush    chan struct{} // asks for changed records to be stored
}

// refusals records the requests that were refused to the pages of sessions. It
// hands on which hosts a page was refused that a person could allow.
type refusals struct {
	sessions  *directory
	audit     auditor
	networks  *networks
	queue     chan refused
	requests  chan hostRequest
	onRequest func(action.Session, string)
}

// networks decides which hosts sessions may reach, and keeps the egress proxy's
// rules in step with it.
type networks struct {
	door     Door
	sessions *directory
	store    recordStore
	audit    auditor
	log      *slog.Logger
	network  atomic.Pointer[action.Network] // of sessions that start from now on
}

// boxes makes and ends the boxes of sessions and of the warm pool, and knows
// which boxes somebody in this process looks after.
type boxes struct {
	config Config
	driver sandbox.Driver
	door   Door
	open   Opener
	page   engine.Options // what every page is opened with
	keeper *profileKeeper
	store  recordStore
	audit  auditor
	log    *slog.Logger

	mu    sync.Mutex
	owned map[string]struct{} // guarded by mu
}

// control pauses sessions, lets people take them over and hands them back. It
// pauses them by itself at a limit, and after too many failures.
type control struct {
	config   Config
	sessions *directory
	saver    *saver
	audit    auditor
	log      *slog.Logger
	work     *sync.WaitGroup
	limited  func(action.Session, string)
}

// credentialAccess puts credentials into the browsers of sessions, and sees to
// it that their secrets are known to the redaction before a browser has them.
type credentialAccess struct {
	config   Config
	vault    Vault
	known    *redact.Book
	sessions *directory
	networks *networks
	keeper   *profileKeeper
	saver    *saver
	audit    auditor
	log      *slog.Logger
	codes    usedCodes

	mu   sync.Mutex
	over map[string]time.Time // sessions that ended with secrets still known; guarded by mu
}

// profileKeeper gives boxes their profiles and saves what sessions leave in
// them.
type profileKeeper struct {
	profiles *profile.Store
	audit    auditor
	log      *slog.Logger
}

// fileStore keeps the files of sessions as artifacts, without the secrets that
// the session knows.
type fileStore struct {
	artifacts *artifact.Store
	known     *redact.Book
	sessions  *directory
	log       *slog.Logger
}

// pages does the verbs that act on what a session's browser shows.
type pages struct {
	sessions *directory
	networks *networks
	control  *control
	creds    *credentialAccess
	files    *fileStore
	refusals *refusals
	saver    *saver
	outgoing Outgoing
	log      *slog.Logger
}

// planner checks requests for sessions before anything is started.
type planner struct {
	config   Config
	networks *networks
	keeper   *profileKeeper
}

// freezer freezes the boxes of sessions that nobody uses.
type freezer struct {
	config Config
	audit  auditor
	log    *slog.Logger
	asks   func(action.Session) bool
}

// lifecycle starts sessions, watches over them, recovers them after a restart
// and ends them.
type lifecycle struct {
	config   Config
	sessions *directory
	notices  *endNotices
	store    recordStore
	saver    *saver
	audit    auditor
	refusals *refusals
	networks *networks
	boxes    *boxes
	pool     *pool
	control  *control
	creds    *credentialAccess
	keeper   *profileKeeper
	files    *fileStore
	pages    *pages
	plans    *planner
	freezer  *freezer
	log      *slog.Logger

	work      *sync.WaitGroup    // everything that runs in the background, and every session
	stop      context.CancelFunc // ends what runs in the background
	ready     chan struct{}      // closed by recover
	recovered sync.Once
}

// browserVerbs does the verbs that start, stop and describe a session by its
// browser.
type browserVerbs struct {
	sessions *directory
	boxes    *boxes
	keeper   *profileKeeper
	life     *lifecycle
}

// profileVerbs does the verbs about profiles.
type profileVerbs struct {
	sessions *directory
	networks *networks
	creds    *credentialAccess
	keeper   *profileKeeper
	saver    *saver
	plans    *planner
	life     *lifecycle
	log      *slog.Logger
}

// runVerbs does the verbs that a contract run makes of its browser.
type runVerbs struct {
	sessions *directory
	networks *networks
	boxes    *boxes
	plans    *planner
	life     *lifecycle
}
