package session

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Registry has the sessions of this gateway. It passes each call to the part that
// carries it out. It is safe for concurrent use.
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
	pictures *pictures
	desktop  *desktopVerbs
	input    *desktopInput
	life     *lifecycle
	browsers *browserVerbs
	profiles *profileVerbs
	runs     *runVerbs
	verbs    map[string]handler // by name
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
	work.Go(func() { r.refusals.runRequests(background) })
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
	networks := &networks{egress: o.Egress, sessions: sessions, store: store, audit: audit, log: log}
	refusals := newRefusals(sessions, audit, networks, o.OnHostRequest)
	keeper := &profileKeeper{profiles: o.Profiles, audit: audit, log: log}
	boxes := &boxes{config: config, driver: o.Driver, egress: o.Egress, open: o.Open, page: o.Page, keeper: keeper, store: store, audit: audit, log: log, claimed: map[string]struct{}{}}
	control := &control{config: config, sessions: sessions, saver: saver, audit: audit, log: log, work: work, onLimit: o.OnLimit}
	creds := &credentialAccess{
		config: config, vault: o.Vault, known: known, sessions: sessions, networks: networks, keeper: keeper,
		saver: saver, audit: audit, log: log, endedAt: map[string]time.Time{},
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
		files: files, pages: pages, plans: plans, freezer: &freezer{config: config, audit: audit, log: log, hasQuestions: o.HasQuestions}, log: log,
		onRetain: o.OnRetain, work: work, ready: make(chan struct{}),
	}
	r := &Registry{
		store: store, notices: notices, sessions: sessions, refusals: refusals, networks: networks, control: control,
		creds: creds, files: files, pages: pages, life: life,
		desktop:  &desktopVerbs{sessions: sessions},
		input:    &desktopInput{sessions: sessions, pages: pages},
		pictures: &pictures{sessions: sessions, control: control, log: log, work: work},
		browsers: &browserVerbs{sessions: sessions, boxes: boxes, keeper: keeper, life: life},
		profiles: &profileVerbs{sessions: sessions, networks: networks, creds: creds, keeper: keeper, saver: saver, plans: plans, life: life, log: log},
		runs:     &runVerbs{sessions: sessions, networks: networks, boxes: boxes, plans: plans, life: life},
	}
	r.verbs = r.handlers()
	return r, work
}

// maxRefusals is how many refusals may wait to be recorded.
const maxRefusals = 256

// probeBoxID is the box that rules are tried for which no box has.
const probeBoxID = "probe"

// Look returns the facts a call is judged by, and the pin that ties the
// verdict to them. Nothing changes, except that a session at its limits is
// paused.
// Faults: session_not_found, not_active, session_paused, not_found, limit_reached,
// provider_not_supported, invalid_provider, blocked_domain, and those of the
// page engine.
func (r *Registry) Look(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	if facts, err := r.control.checkPause(call); err != nil {
		return action.Facts{Session: facts}, action.Pin{}, err
	}
	switch call.Verb {
	case action.VerbPageCrawl.Name:
		return r.pages.lookAtCrawl(ctx, call)
	case action.VerbPageBatch.Name:
		return r.pages.lookAtBatch(ctx, call)
	}
	if inputVerbs[call.Verb] {
		return r.input.lookAt(ctx, call)
	}
	switch family(call.Verb) {
	case "page", "tab", "cookie", "download":
		return r.pages.lookAt(ctx, call)
	case "crawl":
		return r.pages.lookAtStep(ctx, call)
	case "session", "artifact", "cdp", "desktop", "grant", "credential":
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

// PageAct returns the call of a page verb that a call of mouse or keyboard equals. It
// is judged and done in place of that call. equals is false for other calls, and for
// input to the display itself. Faults: those of Look, not_actionable.
func (r *Registry) PageAct(ctx context.Context, call action.Call) (page action.Call, equals bool, err error) {
	if !inputVerbs[call.Verb] {
		return call, false, nil
	}
	if _, err := r.control.checkPause(call); err != nil {
		return call, false, err
	}
	return r.input.pageAct(ctx, call)
}

// Do does what a call asks for. pin is what Look returned for the same call.
// Faults: as Look, and already_active, start_failed, sandbox_weak,
// sandbox_runtime_required, browser_disabled, page_changed.
func (r *Registry) Do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error) {
	if pin.Session != "" {
		call.Session = pin.Session // the one that was judged, also where the call names none
	}
	if _, err := r.control.checkPause(call); err != nil {
		return action.Result{}, err
	}
	do, known := r.handler(call.Verb)
	if !known {
		return action.Result{}, unknown(call.Verb)
	}
	result, err := do(ctx, call, pin)
	if err == nil && call.Caller.Role == action.Agent && !call.Quiet && ctx.Err() == nil { // a caller that gave up gets no notes
		r.control.addNotes(&result)
		r.notices.tell(call, &result)
	}
	return result, err
}

// handler returns the function that does the calls of a verb.
func (r *Registry) handler(verb string) (do func(context.Context, action.Call, action.Pin) (action.Result, error), known bool) {
	own := r.verbs[verb]
	switch {
	case verb == action.VerbPageCrawl.Name:
		own = r.pages.beginCrawl
	case family(verb) == "crawl":
		own = r.pages.stepInCrawl
	case onPage(verb):
		return r.pages.do, true
	case inputVerbs[verb]:
		return r.input.do, true
	}
	return func(ctx context.Context, call action.Call, _ action.Pin) (action.Result, error) {
		return own(ctx, call)
	}, own != nil
}

// handler does the calls of a verb that touches no page.
type handler func(ctx context.Context, call action.Call) (action.Result, error)

// handlers returns what does each verb that touches no page.
func (r *Registry) handlers() map[string]handler {
	all := map[string]handler{}
	handleBare(all, action.VerbSessionStart, r.life.start)
	handle(all, action.VerbSessionList, r.list)
	handleBare(all, action.VerbSessionShow, r.show)
	handleBare(all, action.VerbSessionClose, r.life.close)
	handleBare(all, action.VerbSessionArchive, r.life.archive)
	handle(all, action.VerbSessionPause, r.control.pauseVerb)
	handle(all, action.VerbSessionResume, r.control.resume)
	handle(all, action.VerbSessionHandBack, r.control.resume)
	handle(all, action.VerbSessionAllow, r.networks.allow)
	handle(all, action.VerbSessionRequestHuman, r.control.requestHuman)
	handle(all, action.VerbSessionTake, r.control.takeOver)
	handle(all, action.VerbCredentialCapture, r.creds.capture)
	handleBare(all, action.VerbCDPAttach, r.pages.endpoint)
	handleBare(all, action.VerbDesktopWatch, r.pictures.endpoint)
	r.desktop.add(all)
	handle(all, action.VerbBrowserStart, r.browsers.start)
	handleBare(all, action.VerbBrowserStop, r.browsers.stop)
	handleBare(all, action.VerbBrowserStatus, r.browsers.show)
	handleBare(all, action.VerbProfileList, r.profiles.list)
	handle(all, action.VerbProfileCreate, r.profiles.create)
	handle(all, action.VerbProfileDelete, r.profiles.delete)
	handle(all, action.VerbProfileExport, r.profiles.export)
	handle(all, action.VerbProfileImport, r.profiles.importLogin)
	handleBare(all, action.VerbRunOpen, r.runs.open)
	handle(all, action.VerbRunProbe, r.runs.probe)
	handle(all, action.VerbRunAllow, r.runs.allow)
	handleBare(all, action.VerbRunEnd, r.runs.end)
	handleBare(all, action.VerbArtifactList, r.files.list)
	handle(all, action.VerbArtifactPut, r.files.put)
	handle(all, action.VerbArtifactGet, r.files.get)
	handleBare(all, action.VerbRunGuide, func(_ context.Context, call action.Call) (action.Result, error) {
		return action.Result{Session: call.Session, Data: new(action.None)}, nil // a person said to go on
	})
	return all
}

// handle sets the function of a verb. The compiler checks that it accepts the
// verb's arguments.
func handle[A, R any](all map[string]handler, verb action.Definition[A, R], do func(context.Context, action.Call, *A) (action.Result, error)) {
	all[verb.Name] = func(ctx context.Context, call action.Call) (action.Result, error) {
		args, err := argsOf[A](call)
		if err != nil {
			return action.Result{}, err
		}
		return do(ctx, call, args)
	}
}

// handleBare is handle for functions that do not use the arguments.
func handleBare[A, R any](all map[string]handler, verb action.Definition[A, R], do handler) {
	all[verb.Name] = do
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

// argsOf returns a call's arguments as T; the zero T if there are none.
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
	case action.VerbSessionStart.Name:
		return r.life.lookAtStart(ctx, call)
	case action.VerbSessionList.Name:
		return action.Facts{}, action.Pin{}, nil
	case action.VerbArtifactGet.Name:
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

// Live returns the number of open sessions, including those that are starting or
// closing.
func (r *Registry) Live() int { return r.sessions.count() }

// Pause pauses a session for the gate and raises an alert. A paused session stays
// as it is. Faults: session_not_found, not_active.
func (r *Registry) Pause(ctx context.Context, session, code, why string) error {
	return r.control.pauseByID(ctx, session, code, why)
}

// RequestableHost returns the host that a person could add to a session so that a
// document may come from an address; empty if no host would help or none is
// missing. Private addresses that are not configured cannot be requested.
func (r *Registry) RequestableHost(session, address string) string {
	return r.networks.requestableHost(session, address)
}

// QueueNotice adds a note to the next answer to an agent of a session, once. It
// does nothing if the session has ended.
func (r *Registry) QueueNotice(session, words string) { r.control.queueNotice(session, words) }

// Attach attaches a client of the DevTools protocol to the session's browser. onMessage
// is called with each of its messages. Faults: as Look,
// limit_reached, cdp_error.
func (r *Registry) Attach(ctx context.Context, call action.Call, pin action.Pin, onMessage func(action.Message)) (action.Attachment, error) {
	return r.pages.attach(ctx, call, pin, onMessage)
}

// Picture connects a viewer to the live picture of a session. Faults: as Look,
// limit_reached.
func (r *Registry) Picture(ctx context.Context, call action.Call, pin action.Pin) (action.Picture, error) {
	return r.pictures.connect(ctx, call, pin)
}

// TargetScreenshot stores a screenshot of a page, with the pinned element
// outlined, for the people who are asked about it. It may show what the agent may
// not read, so only operators can fetch this artifact. Faults: not_active,
// limit_reached, and those of the page engine.
func (r *Registry) TargetScreenshot(ctx context.Context, call action.Call, pin action.Pin) (string, error) {
	return r.pages.screenshot(ctx, call, pin)
}

// Refused records a request of a box that the egress proxy or the page engine
// refused. It does not block. If a page is refused very often, only some refusals
// are recorded, with the number of the others.
func (r *Registry) Refused(box string, refusal action.Refusal) { r.refusals.add(box, refusal) }

// Opens judges a WebSocket that a box wants to open, and waits for a person if
// one is asked. An error refuses it.
func (r *Registry) Opens(ctx context.Context, box string, channel action.Channel) error {
	return r.pages.opensChannel(ctx, box, channel)
}

// SetNetwork changes what sessions may reach. Running sessions lose what is not
// configured any more, unless an operator chose or a person allowed it, and gain
// nothing. Faults: invalid_request, which names the bad entry; then nothing
// changes.
func (r *Registry) SetNetwork(n action.Network) error { return r.networks.set(n) }

// Recover recovers the sessions of an earlier process of this gateway, removes
// old records, and starts to fill the warm pool. Open sessions whose boxes run
// continue, with stale references; those without a box fail; boxes without an
// open session are ended. It must be called once, before the first call. If the
// engine does not answer, that is not an error: its boxes are ended later.
func (r *Registry) Recover(ctx context.Context) error { return r.life.recover(ctx) }

// Close ends everything, within 30 s or when ctx ends: warm boxes, and open
// sessions with their boxes. With Config.KeepBoxes open sessions are left to the
// next process. What could not be ended is handled by the next Recover.
func (r *Registry) Close(ctx context.Context) error { return r.life.shutdown(ctx) }

// list lists the scope's sessions, newest first.
func (r *Registry) list(ctx context.Context, call action.Call, args *action.SessionList) (action.Result, error) {
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
