package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// plan is a checked request for a session.
type plan struct {
	args     action.SessionStart
	provider string
	shape    shape
	network  action.Network
	named    []string            // domains whose credentials it asks for
	sending  action.Sending      // how requests that may change something are treated
	goal     *action.Destination // where to go first
	run      string              // id of the run it is for, if it is for one
}

// plan checks a request as far as can be without starting anything.
func (pl *planner) plan(ctx context.Context, call action.Call) (plan, error) {
	args, err := argsOf[action.SessionStart](call)
	if err != nil {
		return plan{}, err
	}
	p := plan{args: *args, shape: pl.shapeOf(*args)}
	if p.provider, err = pl.providerOf(args.Provider); err != nil {
		return plan{}, err
	}
	if !pl.config.Enabled {
		return plan{}, fault.New(fault.BrowserDisabled, "browsers are switched off by browser.enabled").
			Hinted("do not retry; an operator can set browser.enabled to true")
	}
	if idPattern.MatchString(args.Name) {
		return plan{}, fault.New(fault.InvalidRequest, "name: %s looks like a session id", quoted(args.Name)).
			Hinted("choose another name")
	}
	if p.shape.profile, err = pl.keeper.idOf(ctx, call.Caller.Scope, args.Profile); err != nil {
		return plan{}, err
	}
	if err := cmp.Or(args.Emulate.Check(), pl.checkIdle(args.Timeout)); err != nil {
		return plan{}, err
	}
	if p.network, err = narrowedNetwork(*pl.networks.network.Load(), call.Caller, args.Allow); err != nil {
		return plan{}, err
	}
	if p.network.Proxy, err = pl.proxyOf(call.Caller, args.Proxy); err != nil {
		return plan{}, err
	}
	if p.sending, err = pl.sendingOf(call.Caller, args.Effects); err != nil {
		return plan{}, err
	}
	if p.named, err = pl.networks.domains(call.Caller, p.network, args.Credentials); err != nil {
		return plan{}, err
	}
	p.goal, err = pl.networks.try(p.network, args.URL)
	return p, err
}

func (pl *planner) providerOf(asked string) (string, error) {
	if asked == "" {
		asked = pl.config.Provider
	}
	switch asked {
	case providerSandbox:
		return asked, nil
	case "kernel":
		return "", fault.New(fault.ProviderNotSupported, "provider kernel is not supported yet").
			Hinted("use provider sandbox")
	default:
		return "", fault.New(fault.InvalidProvider, "%s is no provider", quoted(asked)).Hinted("use provider sandbox")
	}
}

// sendingOf is how a session treats requests that may change something. An agent
// can only be stricter than the configuration. Faults: invalid_request,
// denied_by_policy.
func (pl *planner) sendingOf(caller action.Caller, asked string) (action.Sending, error) {
	configured := cmp.Or(pl.config.Sending, action.SendAsked)
	strictness := map[action.Sending]int{action.SendNone: 2, action.SendAsked: 1, action.SendFree: 0}
	wanted := cmp.Or(action.Sending(asked), configured)
	level, known := strictness[wanted]
	switch {
	case !known:
		return "", fault.New(fault.InvalidRequest, "effects must be asked, none or free").Hinted("leave it out for security.effects.default").With("field", "effects")
	case caller.Role != action.Operator && level < strictness[configured]:
		return "", fault.New(fault.DeniedByPolicy, "sessions of agents treat effects as %s, or stricter", configured).
			Hinted("leave effects out; an operator can set security.effects.default").With("field", "effects")
	}
	return wanted, nil
}

// leastIdle is the shortest time without a call that a session may ask for.
const leastIdle = 5 * time.Second

// checkIdle refuses a time without a call, in milliseconds, that is longer than
// the configuration's or shorter than an agent needs between two calls.
func (pl *planner) checkIdle(ms int) error {
	most, asked := pl.config.IdleTimeout, time.Duration(ms)*time.Millisecond
	switch {
	case ms == 0:
		return nil
	case most > 0 && asked > most:
		return fault.New(fault.InvalidRequest, "timeout is longer than the gateway lets a session be idle, %s", most).
			Hinted("ask for at most %d ms, or leave it out; an operator can raise security.session_timeout", most.Milliseconds()).With("field", "timeout").With("max", most.Milliseconds())
	case asked < leastIdle:
		return fault.New(fault.InvalidRequest, "timeout is too short: a session needs %s between two calls", leastIdle).
			Hinted("ask for at least %d ms", leastIdle.Milliseconds()).With("field", "timeout")
	}
	return nil
}

func (pl *planner) shapeOf(args action.SessionStart) shape {
	device := action.Devices[args.Emulate.Value().Device]
	return shape{
		width: cmp.Or(args.Width, device.Width, pl.config.Width), height: cmp.Or(args.Height, device.Height, pl.config.Height),
		dpi: cmp.Or(args.DPI, device.DPI, pl.config.DPI), headless: args.Headless,
	}
}

// try lets the door compile the rules, and judge where the session
// would go first, before there is a box.
func (nw *networks) try(n action.Network, rawURL string) (*action.Destination, error) {
	key := "probe-" + newID()
	if err := nw.door.Open(key, n); err != nil {
		return nil, err
	}
	defer nw.door.Close(key)
	if rawURL == "" {
		return nil, nil
	}
	address, err := engine.Address(rawURL)
	if err != nil {
		return nil, err
	}
	goal := nw.door.Judge(key, address)
	return &goal, nil
}

func (l *lifecycle) lookAtStart(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	p, err := l.plans.plan(ctx, call)
	return action.Facts{Destination: p.goal}, action.Pin{}, err
}

// start starts a session. A page that does not load leaves it open, with a
// note.
func (l *lifecycle) start(ctx context.Context, call action.Call) (action.Result, error) {
	p, err := l.plans.plan(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	if p.goal != nil && !p.goal.Allowed {
		return action.Result{}, blockedFault(*p.goal)
	}
	sess, err := l.reserve(ctx, call, p)
	if err != nil {
		return action.Result{}, err
	}
	if err := l.launch(ctx, call, sess, p.shape); err != nil {
		return action.Result{}, err
	}
	result := action.Result{Session: sess.id}
	if p.args.URL != "" {
		result = l.pages.goFirst(ctx, sess, call, p.args.URL)
	}
	if many := l.sessions.crowded(sess.scope); many != "" {
		result.Notes = append(result.Notes, many)
	}
	record := sess.now()
	result.Data, result.Page = &record, record.Page
	return result, nil
}

// reserve makes the record of a session that is about to start. Faults:
// already_active, limit_reached.
func (l *lifecycle) reserve(ctx context.Context, call action.Call, p plan) (*openSession, error) {
	caller := call.Caller
	now := time.Now().UTC()
	sess := newLive(action.Session{
		ID: newID(), Name: p.args.Name, Scope: caller.Scope, Actor: caller.Actor, Provider: p.provider,
		State: starting, Created: now, LastUsed: now, Allow: allowed(p.network),
		Width: p.shape.width, Height: p.shape.height, DPI: p.shape.dpi, Headless: p.shape.headless,
		Profile: p.shape.profile, Proxy: p.network.Proxy, Effects: string(p.sending), Emulate: p.args.Emulate, Timeout: p.args.Timeout,
	}, p.network)
	sess.run = p.run
	sess.terms = terms{Network: p.network, Role: caller.Role, Connection: call.Connection, Lives: l.notices.livesOf(call), Profile: p.shape.profile, Run: p.run, Named: p.named, Sending: p.sending, Emulate: p.args.Emulate, Timeout: p.args.Timeout}
	if err := l.keeper.inherit(ctx, sess); err != nil {
		return nil, err
	}
	if err := l.sessions.enlist(ctx, sess, call.Progress); err != nil {
		return nil, err
	}
	if err := l.store.insert(ctx, entry{Session: sess.record, terms: sess.terms}); err != nil {
		l.sessions.remove(sess)
		return nil, err
	}
	return sess, nil
}

// launch gets a session its box. When that fails the session is failed, or
// closed when somebody closed it meanwhile.
func (l *lifecycle) launch(ctx context.Context, call action.Call, sess *openSession, s shape) error {
	began := time.Now()
	inside, cancel := context.WithTimeout(ctx, l.config.StartTimeout)
	defer cancel()
	sess.mu.Lock()
	inside, leave := sess.registerLocked(inside, call)
	sess.mu.Unlock()
	defer leave()
	got, kind, err := l.stageFor(inside, sess, s, call.Progress)
	if err == nil {
		if err = l.occupy(inside, sess, got); err != nil {
			l.boxes.unmake(ctx, got.box.Info().ID, got.browser)
		}
	}
	if err == nil {
		if l.opened(sess, got) {
			l.audit.event(sess.now(), call.ID, fmt.Sprintf("started in a %s box, headless %t, egress %s", kind, s.headless, got.box.Info().Egress))
			l.log.InfoContext(ctx, "session started", "session", sess.id, "box", got.box.Info().ID, "kind", kind, "took", time.Since(began))
			return nil
		}
		err = sess.over()
	}
	err = startFault(inside, err)
	l.log.WarnContext(ctx, "session did not start", "session", sess.id, "error", err)
	sess.end(ending{state: failed, reason: fault.From(err).Message, call: call.ID})
	l.conclude(sess)
	return err
}

// occupy makes a browser the session's.
func (l *lifecycle) occupy(ctx context.Context, sess *openSession, s stage) error {
	if err := l.creds.readopt(ctx, entry{Session: sess.now(), terms: sess.terms}, s.browser); err != nil || s.restarts == 0 {
		return err
	}
	sess.mu.Lock()
	sess.terms.Restarts = s.restarts
	terms := sess.terms
	sess.mu.Unlock()
	return l.store.saveTerms(ctx, sess.id, terms)
}

// stageFor returns a box whose page obeys the session's rules: a warm one, or
// else a new one, of whose phases progress is told.
func (l *lifecycle) stageFor(ctx context.Context, sess *openSession, s shape, progress func(string)) (stage, string, error) {
	for w := l.pool.take(s); w != nil; w = l.pool.take(s) {
		err := l.assign(ctx, sess, *w, s)
		if err == nil || ctx.Err() != nil || fault.CodeOf(err) == fault.SandboxWeak {
			return *w, "warm", err
		}
		l.log.WarnContext(ctx, "a warm box was of no use", "box", w.box.Info().ID, "error", err)
	}
	id := sandbox.NewID()
	sess.setBox(id)
	if err := l.saver.save(ctx, sess); err != nil {
		return stage{}, "", err
	}
	if err := l.networks.letOut(sess, id); err != nil {
		return stage{}, "", err
	}
	spec := l.boxes.spec(id, s)
	spec.Scope, spec.Session = sess.scope, sess.id
	if progress != nil {
		spec.Progress = progress
	}
	o := l.boxes.optionsOf(s, sess.terms)
	l.pages.guard(&o, id)
	got, err := l.boxes.make(ctx, spec, o)
	if err != nil {
		l.networks.door.Close(id)
	}
	return got, "cold", err
}

// assign gives a warm box to a session. Its sandbox is proven again: the first
// time was perhaps long ago.
func (l *lifecycle) assign(ctx context.Context, sess *openSession, w stage, s shape) (err error) {
	id := w.box.Info().ID
	sess.setBox(id)
	defer func() {
		if err != nil {
			l.boxes.unmake(ctx, id, w.browser)
		}
	}()
	if err := l.boxes.own(ctx, id, sess.id); err != nil {
		return err
	}
	if err := l.networks.letOut(sess, id); err != nil {
		return err
	}
	if err := w.box.Assign(ctx, sess.scope, sess.id); err != nil {
		return err
	}
	o := l.boxes.optionsOf(s, sess.terms)
	l.pages.guard(&o, id)
	o.Downloads, o.Uploads = w.box.Info().Downloads(), w.box.Info().Uploads()
	w.browser.Configure(o)
	_, err = l.boxes.prove(ctx, w.box)
	return err
}

// letOut gives a box the rules of its session.
func (nw *networks) letOut(sess *openSession, box string) error {
	sess.reaching.Lock()
	defer sess.reaching.Unlock()
	return nw.door.Open(box, sess.reach())
}

// startFault makes what went wrong fit for a caller.
func startFault(ctx context.Context, err error) error {
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		return err
	}
	if cause := context.Cause(ctx); cause != nil {
		if f := (*fault.Fault)(nil); errors.As(cause, &f) {
			return f
		}
	}
	return fault.New(fault.StartFailed, "the session's box did not start").
		Hinted("try again; glovebox doctor checks what a box needs").Because(err)
}
