package session

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/artifact"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/profile"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// Registry holds the sessions of this gateway. It is safe for concurrent use.
type Registry struct {
	ledger    recordStore
	artifacts *artifact.Store
	profiles  *profile.Store
	driver    sandbox.Driver
	door      Door
	open      Opener
	page      engine.Options
	record    func(action.Record)
	outgoing  Outgoing
	vault     Vault
	known     *redact.Book
	config    Config
	network   atomic.Pointer[action.Network] // of sessions that start from now on
	log       *slog.Logger

	pool  *pool
	stop  context.CancelFunc // ends what runs in the background
	flush chan struct{}      // asks for dirty records to be stored
	work  sync.WaitGroup     // everything that runs in the background, and every session
	ready chan struct{}      // closed by Recover

	recovered sync.Once

	codes usedCodes // that were typed

	refusals chan refused // wait to be recorded
	wishes   chan hostRequest    // wait to be told
	wished   func(action.Session, string)
	limited  func(action.Session, string)
	asks     func(action.Session) bool

	queue []*starter // starts that wait for room; guarded by mu

	farewells []endNotice // that nobody was told; guarded by mu
	lives     generations      // guarded by mu

	over map[string]time.Time // sessions that ended with secrets still known; guarded by mu

	mu    sync.Mutex
	live  map[string]*openSession    // by id
	owned map[string]struct{} // boxes that somebody in this process looks after
	shut  bool                // no session may start any more
}

// New makes a registry without sessions. Recover must be called next, and
// Close at the end.
func New(ctx context.Context, o Options) (*Registry, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	r := &Registry{
		ledger: recordStore{db: o.DB}, artifacts: o.Artifacts, profiles: o.Profiles, driver: o.Driver, door: o.Door, open: o.Open, page: o.Page,
		record: o.Record, outgoing: o.Outgoing, vault: o.Vault, known: o.Known, config: o.Config, log: o.Log,
		flush: make(chan struct{}, 1), ready: make(chan struct{}), refusals: make(chan refused, maxRefusals), wishes: make(chan hostRequest, maxHostRequests), wished: o.Wished, limited: o.Limited, asks: o.Asks, over: map[string]time.Time{}, lives: generations{byConnection: map[connection]int{}}, live: map[string]*openSession{}, owned: map[string]struct{}{},
	}
	if err := r.SetNetwork(o.Config.Network); err != nil {
		return nil, err
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	r.pool = newPool(r)
	r.work.Go(func() { r.save(background) })
	r.work.Go(func() { r.tell(background) })
	r.work.Go(func() { r.passOn(background) })
	r.work.Go(func() { wait(background, r.ready, nil); r.pool.run(background) })
	r.work.Go(func() { wait(background, r.ready, nil); r.keepHouse(background) })
	return r, nil
}

// waitingRefusals is how many refusals may wait to be recorded.
const maxRefusals = 256

// probe is the door's name for rules that are only tried.
const probeBoxID = "probe"

// Look returns the facts a call is judged by, and the pin that ties the
// verdict to them. Nothing changes, but that a session over its limits ends.
// Faults: session_not_found, not_active, session_paused, not_found, limit_reached,
// provider_not_supported, invalid_provider, blocked_domain, and those of the
// page engine.
func (r *Registry) Look(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	if facts, err := r.barred(call); err != nil {
		return action.Facts{Session: facts}, action.Pin{}, err
	}
	switch call.Verb {
	case "page.crawl":
		return r.lookAtCrawl(ctx, call)
	case "page.batch":
		return r.lookAtBatch(ctx, call)
	}
	switch family(call.Verb) {
	case "page", "tab", "cookie", "download":
		return r.lookAtPage(ctx, call)
	case "crawl":
		return r.lookAtStep(ctx, call)
	case "session", "artifact", "cdp", "grant", "credential":
		return r.lookAtRecord(ctx, call)
	case "browser":
		return r.lookAtBrowser(ctx, call)
	case "profile":
		return r.lookAtProfiles(call), action.Pin{}, nil
	case "run":
		return r.lookAtRun(ctx, call)
	default:
		return action.Facts{}, action.Pin{}, unknown(call.Verb)
	}
}

// Do does what a call asks for. pin is what Look returned for the same call.
// Faults: as Look, and already_active, start_failed, sandbox_weak,
// sandbox_runtime_required, browser_disabled, page_changed.
func (r *Registry) Do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error) {
	if pin.Session != "" {
		call.Session = pin.Session // what was judged, also where the call named none
	}
	if _, err := r.barred(call); err != nil {
		return action.Result{}, err
	}
	result, err := r.do(ctx, call, pin)
	if err == nil && call.Caller.Role == action.Agent && !call.Quiet && ctx.Err() == nil { // one that gave up hears nothing
		r.tellAgent(&result)
		r.tellFarewell(call, &result)
	}
	return result, err
}

func (r *Registry) do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error) {
	if call.Verb == "page.crawl" {
		return r.beginCrawl(ctx, call)
	}
	if family(call.Verb) == "crawl" {
		return r.stepInCrawl(ctx, call)
	}
	if onPage(call.Verb) {
		return r.actOnPage(ctx, call, pin)
	}
	switch call.Verb {
	case "session.start":
		return r.start(ctx, call)
	case "session.list":
		return r.list(ctx, call)
	case "session.show":
		return r.show(ctx, call)
	case "session.close":
		return r.close(ctx, call)
	case "session.archive":
		return r.archive(ctx, call)
	case "session.pause":
		return r.pause(ctx, call)
	case "session.resume", "session.hand_back":
		return r.release(ctx, call)
	case "session.allow":
		return r.allow(ctx, call)
	case "session.request_human":
		return r.requestHuman(ctx, call)
	case "session.take":
		return r.takeOver(ctx, call)
	case "credential.capture":
		return r.capture(ctx, call)
	case "cdp.attach":
		return r.endpoint(ctx, call)
	case "browser.start":
		return r.startBrowser(ctx, call)
	case "browser.stop":
		return r.stopBrowser(ctx, call)
	case "browser.status":
		return r.showBrowser(ctx, call)
	case "profile.list":
		return r.listProfiles(ctx, call)
	case "profile.create":
		return r.createProfile(ctx, call)
	case "profile.delete":
		return r.deleteProfile(ctx, call)
	case "profile.export":
		return r.exportProfile(ctx, call)
	case "profile.import":
		return r.importProfile(ctx, call)
	case "run.open":
		return r.openRun(ctx, call)
	case "run.probe":
		return r.probeRun(ctx, call)
	case "run.guide":
		return action.Result{Session: call.Session, Data: new(action.None)}, nil // a person said to go on
	case "run.allow":
		return r.allowRun(ctx, call)
	case "run.end":
		return r.endRun(ctx, call)
	case "artifact.list":
		return r.listArtifacts(ctx, call)
	case "artifact.put":
		return r.saveArtifact(ctx, call)
	case "artifact.get":
		return r.loadArtifact(ctx, call)
	}
	return action.Result{}, unknown(call.Verb)
}

// onPage reports whether a verb acts on a session's browser.
func onPage(verb string) bool {
	switch family(verb) {
	case "page", "tab", "cookie", "download":
		return true
	}
	return false
}

func family(verb string) string {
	name, _, _ := strings.Cut(verb, ".")
	return name
}

func unknown(verb string) *fault.Fault {
	return fault.New(fault.UnknownAction, "sessions know no verb %q", verb).Hinted("see the table of verbs")
}

// argsOf returns a call's arguments as T, which absent ones are the zero of.
func argsOf[T any](call action.Call) (*T, error) {
	if call.Args == nil {
		return new(T), nil
	}
	args, ok := call.Args.(*T)
	if !ok {
		return nil, fault.New(fault.Internal, "%s was called with arguments of another verb", call.Verb).
			Hinted("look for the correlation id in the gateway's log")
	}
	return args, nil
}

// lookAtRecord looks at calls that touch no page.
func (r *Registry) lookAtRecord(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	switch call.Verb {
	case "session.start":
		return r.lookAtStart(ctx, call)
	case "session.list":
		return action.Facts{}, action.Pin{}, nil
	case "artifact.get":
		return r.lookAtArtifact(ctx, call)
	}
	record, facts, err := r.recordOf(ctx, call)
	return action.Facts{Session: facts, Page: pageOf(record)}, action.Pin{Session: record.ID}, err
}

func pageOf(record action.Session) action.Page {
	if record.Page == nil {
		return action.Page{}
	}
	return *record.Page
}

// Live returns how many sessions are open, those that start or close included.
func (r *Registry) Live() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.live)
}
