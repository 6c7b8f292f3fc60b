package session

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Registry is the sessions of this gateway. It takes each call to the part that
// does it. It is safe for concurrent use.
type Registry struct {
	store    recordStore
	notices  *endNotices
	sessions *directory
	refusals *refusals
	networks *networks
	control  *control
	creds    *credentialAccess
	files    *fileStore
	pages    *pages
	life     *lifecycle
	browsers *browserVerbs
	profiles *profileVerbs
	runs     *runVerbs
}

// New makes a registry without sessions. Recover must be called next, and
// Close at the end.
func New(ctx context.Context, o Options) (*Registry, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	r, work := assemble(o)
	if err := r.networks.set(o.Config.Network); err != nil {
		return nil, err
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.life.stop = stop
	work.Go(func() { r.life.saver.run(background) })
	work.Go(func() { r.refusals.run(background) })
	work.Go(func() { r.refusals.passOn(background) })
	work.Go(func() { wait(background, r.life.ready, nil); r.life.pool.run(background) })
	work.Go(func() { wait(background, r.life.ready, nil); r.life.cleanUp(background) })
	return r, nil
}

// assemble makes the parts of a registry, each from those before it.
func assemble(o Options) (*Registry, *sync.WaitGroup) {
	config, log, known := o.Config, o.Log, o.Known
	work := new(sync.WaitGroup)
	store, audit := recordStore{db: o.DB}, auditor{record: o.Record}
	notices := &endNotices{known: known, generations: generations{byConnection: map[connection]int{}}}
	sessions := newDirectory(config, store, notices, work)
	saver := &saver{store: store, sessions: sessions, known: known, log: log, flush: make(chan struct{}, 1)}
	networks := &networks{door: o.Door, sessions: sessions, store: store, audit: audit, log: log}
	refusals := newRefusals(sessions, audit, networks, o.Wished)
	keeper := &profileKeeper{profiles: o.Profiles, audit: audit, log: log}
	boxes := &boxes{config: config, driver: o.Driver, door: o.Door, open: o.Open, page: o.Page, keeper: keeper, store: store, audit: audit, log: log, owned: map[string]struct{}{}}
	control := &control{config: config, sessions: sessions, saver: saver, audit: audit, log: log, work: work, limited: o.Limited}
	creds := &credentialAccess{
		config: config, vault: o.Vault, known: known, sessions: sessions, networks: networks, keeper: keeper,
		saver: saver, audit: audit, log: log, over: map[string]time.Time{},
	}
	files := &fileStore{artifacts: o.Artifacts, known: known, sessions: sessions, log: log}
	pages := &pages{
		sessions: sessions, networks: networks, control: control, creds: creds, files: files,
		refusals: refusals, saver: saver, outgoing: o.Outgoing, log: log,
	}
	plans := &planner{config: config, networks: networks, keeper: keeper}
	life := &lifecycle{
		config: config, sessions: sessions, notices: notices, store: store, saver: saver, audit: audit, refusals: refusals,
		networks: networks, boxes: boxes, pool: newPool(config, boxes, audit, log), control: control, creds: creds, keeper: keeper,
		files: files, pages: pages, plans: plans, freezer: &freezer{config: config, audit: audit, log: log, asks: o.Asks}, log: log,
		work: work, ready: make(chan struct{}),
	}
	return &Registry{
		store: store, notices: notices, sessions: sessions, refusals: refusals, networks: networks, control: control,
		creds: creds, files: files, pages: pages, life: life,
		browsers: &browserVerbs{sessions: sessions, boxes: boxes, keeper: keeper, life: life},
		profiles: &profileVerbs{sessions: sessions, networks: networks, creds: creds, keeper: keeper, saver: saver, plans: plans, life: life, log: log},
		runs:     &runVerbs{sessions: sessions, networks: networks, boxes: boxes, plans: plans, life: life},
	}, work
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
	if facts, err := r.control.barred(call); err != nil {
		return action.Facts{Session: facts}, action.Pin{}, err
	}
	switch call.Verb {
	case "page.crawl":
		return r.pages.lookAtCrawl(ctx, call)
	case "page.batch":
		return r.pages.lookAtBatch(ctx, call)
	}
	switch family(call.Verb) {
	case "page", "tab", "cookie", "download":
		return r.pages.lookAt(ctx, call)
	case "crawl":
		return r.pages.lookAtStep(ctx, call)
	case "session", "artifact", "cdp", "grant", "credential":
		return r.lookAtRecord(ctx, call)
	case "browser":
		return r.browsers.lookAt(ctx, call)
	case "profile":
		return r.profiles.lookAt(call), action.Pin{}, nil
	case "run":
		return r.runs.lookAt(ctx, call)
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
	if _, err := r.control.barred(call); err != nil {
		return action.Result{}, err
	}
	result, err := r.do(ctx, call, pin)
	if err == nil && call.Caller.Role == action.Agent && !call.Quiet && ctx.Err() == nil { // one that gave up hears nothing
		r.control.tellAgent(&result)
		r.notices.tell(call, &result)
	}
	return result, err
}

func (r *Registry) do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error) {
	if call.Verb == "page.crawl" {
		return r.pages.beginCrawl(ctx, call)
	}
	if family(call.Verb) == "crawl" {
		return r.pages.stepInCrawl(ctx, call)
	}
	if onPage(call.Verb) {
		return r.pages.do(ctx, call, pin)
	}
	switch call.Verb {
	case "session.start":
		return r.life.start(ctx, call)
	case "session.list":
		return r.list(ctx, call)
	case "session.show":
		return r.show(ctx, call)
	case "session.close":
		return r.life.close(ctx, call)
	case "session.archive":
		return r.life.archive(ctx, call)
	case "session.pause":
		return r.control.pauseVerb(ctx, call)
	case "session.resume", "session.hand_back":
		return r.control.resume(ctx, call)
	case "session.allow":
		return r.networks.allow(ctx, call)
	case "session.request_human":
		return r.control.requestHuman(ctx, call)
	case "session.take":
		return r.control.takeOver(ctx, call)
	case "credential.capture":
		return r.creds.capture(ctx, call)
	case "cdp.attach":
		return r.pages.endpoint(ctx, call)
	case "browser.start":
		return r.browsers.start(ctx, call)
	case "browser.stop":
		return r.browsers.stop(ctx, call)
	case "browser.status":
		return r.browsers.show(ctx, call)
	case "profile.list":
		return r.profiles.list(ctx, call)
	case "profile.create":
		return r.profiles.create(ctx, call)
	case "profile.delete":
		return r.profiles.delete(ctx, call)
	case "profile.export":
		return r.profiles.export(ctx, call)
	case "profile.import":
		return r.profiles.importLogin(ctx, call)
	case "run.open":
		return r.runs.open(ctx, call)
	case "run.probe":
		return r.runs.probe(ctx, call)
	case "run.guide":
		return action.Result{Session: call.Session, Data: new(action.None)}, nil // a person said to go on
	case "run.allow":
		return r.runs.allow(ctx, call)
	case "run.end":
		return r.runs.end(ctx, call)
	case "artifact.list":
		return r.files.list(ctx, call)
	case "artifact.put":
		return r.files.put(ctx, call)
	case "artifact.get":
		return r.files.get(ctx, call)
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
		return r.life.lookAtStart(ctx, call)
	case "session.list":
		return action.Facts{}, action.Pin{}, nil
	case "artifact.get":
		return r.files.lookAt(ctx, call)
	}
	record, facts, err := r.sessions.recordOf(ctx, call)
	return action.Facts{Session: facts, Page: pageOf(record)}, action.Pin{Session: record.ID}, err
}

func pageOf(record action.Session) action.Page {
	if record.Page == nil {
		return action.Page{}
	}
	return *record.Page
}

// Live returns how many sessions are open, those that start or close included.
func (r *Registry) Live() int { return r.sessions.count() }

// Pause pauses a session from the gate's side and alerts. A session that is
// paused already stays as it is. Faults: session_not_found, not_active.
func (r *Registry) Pause(ctx context.Context, session, code, why string) error {
	return r.control.pauseByID(ctx, session, code, why)
}

// RequestableHost returns the host that a person could add to a session so that a
// document may come from an address; empty where no host would help, or none
// is missing. Private places that are not configured cannot be asked for.
func (r *Registry) RequestableHost(session, address string) string {
	return r.networks.requestableHost(session, address)
}

// QueueNotice adds a note to the next answer to an agent of a session, once. A
// session that is over takes none.
func (r *Registry) QueueNotice(session, words string) { r.control.queueNotice(session, words) }

// Attach gives a client of the browser's protocol a place at the session's
// browser. heed is called for each of its messages. Faults: as Look,
// limit_reached, cdp_error.
func (r *Registry) Attach(ctx context.Context, call action.Call, pin action.Pin, heed func(action.Message)) (action.Attachment, error) {
	return r.pages.attach(ctx, call, pin, heed)
}

// TargetScreenshot keeps a picture of a page with what a pin names outlined, for the
// people who are asked about it: it may show what the agent may not read, so
// only operators can fetch the artifact whose id is returned. Faults:
// not_active, limit_reached, and those of the page engine.
func (r *Registry) TargetScreenshot(ctx context.Context, call action.Call, pin action.Pin) (string, error) {
	return r.pages.screenshot(ctx, call, pin)
}

// Refused records a request that the egress proxy or the page engine refused to
// a box; it does not wait. A page that asks without end is recorded in part,
// with how many were left out.
func (r *Registry) Refused(box string, refusal action.Refusal) { r.refusals.add(box, refusal) }

// Opens asks about a WebSocket that a box wants to open, and waits for a person
// where one is asked. An error refuses it.
func (r *Registry) Opens(ctx context.Context, box string, channel action.Channel) error {
	return r.pages.opensChannel(ctx, box, channel)
}

// SetNetwork changes what sessions may reach. Those that run lose what is not
// configured any more, unless an operator chose or allowed it, and gain
// nothing. Faults: invalid_request naming the entry that cannot be read; then
// nothing changes.
func (r *Registry) SetNetwork(n action.Network) error { return r.networks.set(n) }

// Recover takes up what an earlier process of this gateway left, removes what
// has grown old, and begins to fill the warm pool. Open sessions whose boxes
// live go on, with stale references; open ones without are failed; boxes
// without open sessions are ended. It is called once, before the first call. An
// engine that does not answer is no error: its boxes are ended when it does.
func (r *Registry) Recover(ctx context.Context) error { return r.life.recover(ctx) }

// Close ends everything, within 30 s or when ctx ends: warm boxes, and open
// sessions with theirs. With Config.KeepBoxes open sessions are left as they
// are, for the next process. What could not be ended is found by the next
// Recover.
func (r *Registry) Close(ctx context.Context) error { return r.life.shutdown(ctx) }

// list lists the scope's sessions, newest first.
func (r *Registry) list(ctx context.Context, call action.Call) (action.Result, error) {
	args, err := argsOf[action.SessionList](call)
	if err != nil {
		return action.Result{}, err
	}
	entries, err := r.store.list(ctx, call.Caller.Scope, args.IncludeArchived)
	if err != nil {
		return action.Result{}, err
	}
	listing := action.SessionListing{Sessions: make([]action.Session, 0, len(entries))}
	for _, e := range entries {
		listing.Sessions = append(listing.Sessions, r.sessions.newest(e.Session))
	}
	return action.Result{Data: &listing}, nil
}

func (r *Registry) show(ctx context.Context, call action.Call) (action.Result, error) {
	record, _, err := r.sessions.recordOf(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	return sessionResult(record), nil
}
