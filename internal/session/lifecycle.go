package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// lifecycle starts sessions, watches them, recovers them after a restart of the
// gateway, and ends them.
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
	onRetain func(before time.Time) error // may be nil

	work      *sync.WaitGroup    // everything that runs in the background, and every session
	stop      context.CancelFunc // ends what runs in the background
	ready     chan struct{}      // closed by recover
	recovered sync.Once
}

func (l *lifecycle) lookAtStart(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	p, err := l.plans.plan(ctx, call)
	return action.Facts{Destination: p.destination}, action.Pin{}, err
}

// start starts a session. If its first page does not load, the session stays open
// and the answer has a note.
func (l *lifecycle) start(ctx context.Context, call action.Call) (action.Result, error) {
	p, err := l.plans.plan(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	if p.destination != nil && !p.destination.Allowed {
		return action.Result{}, blockedFault(*p.destination)
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
		result = l.pages.openFirst(ctx, sess, call, p.args.URL)
	}
	if many := l.sessions.crowded(sess.scope); many != "" {
		result.Notes = append(result.Notes, many)
	}
	record := sess.now()
	result.Data, result.Page = &record, record.Page
	return result, nil
}

// reserve makes the record of a new session. Faults: already_active,
// limit_reached.
func (l *lifecycle) reserve(ctx context.Context, call action.Call, p plan) (*openSession, error) {
	caller := call.Caller
	now := time.Now().UTC()
	of := terms{
		Network: p.network, Role: caller.Role, Connection: call.Connection, Lives: l.notices.livesOf(call), Profile: p.shape.profile,
		Run: p.run, Named: p.domains, Sending: p.sending, Emulate: p.args.Emulate, Timeout: p.args.Timeout,
	}
	if err := l.keeper.inherit(ctx, &of); err != nil {
		return nil, err
	}
	sess := newOpenSession(action.Session{
		ID: newID(), Name: p.args.Name, Scope: caller.Scope, Actor: caller.Actor, Provider: p.provider,
		State: starting, Created: now, LastUsed: now, Allow: allowed(p.network), Credentialed: of.secretHosts(),
		Width: p.shape.width, Height: p.shape.height, DPI: p.shape.dpi, Headless: p.shape.headless,
		Profile: p.shape.profile, Proxy: p.network.Proxy, Effects: string(p.sending), Emulate: p.args.Emulate, Timeout: p.args.Timeout,
	}, p.network, of)
	if err := l.sessions.enlist(ctx, sess, call.Progress); err != nil {
		return nil, err
	}
	if err := l.store.insert(ctx, entry{Session: sess.now(), terms: of}); err != nil {
		l.sessions.remove(sess)
		return nil, err
	}
	return sess, nil
}

// launch gives a session its box. If that fails the session is failed, or closed
// if it was closed meanwhile.
func (l *lifecycle) launch(ctx context.Context, call action.Call, sess *openSession, s shape) error {
	began := time.Now()
	inside, cancel := context.WithTimeout(ctx, l.config.StartTimeout)
	defer cancel()
	inside, leave := sess.register(inside, call)
	defer leave()
	got, kind, err := l.getBox(inside, sess, s, call.Progress)
	if err == nil {
		if err = l.adoptBrowser(inside, sess, got); err != nil {
			l.boxes.destroy(ctx, got.box.Info().ID, got.browser)
		}
	}
	if err == nil {
		if l.openWith(sess, got) {
			l.audit.event(sess.now(), call.ID, fmt.Sprintf("started in a %s box, headless %t, egress %s", kind, s.headless, got.box.Info().Egress))
			l.log.InfoContext(ctx, "session started", "session", sess.id, "box", got.box.Info().ID, "kind", kind, "took", time.Since(began))
			return nil
		}
		err = sess.over()
	}
	err = startFault(inside, err)
	l.log.WarnContext(ctx, "session did not start", "session", sess.id, "error", err)
	sess.end(ending{state: failed, reason: fault.From(err).Message, call: call.ID})
	l.finishEnd(sess)
	return err
}

// adoptBrowser makes the secrets of a session's profile known, and stores how
// often the box has restarted the browser.
func (l *lifecycle) adoptBrowser(ctx context.Context, sess *openSession, s stage) error {
	if err := l.creds.learnAgain(ctx, entry{Session: sess.now(), terms: sess.snapshot().terms}, s.browser); err != nil || s.restarts == 0 {
		return err
	}
	return l.saver.changeTerms(ctx, sess, func(t *terms) { t.Restarts = s.restarts })
}

// getBox returns a box whose page follows the session's rules: a warm one, or
// else a new one, whose phases are passed to progress.
func (l *lifecycle) getBox(ctx context.Context, sess *openSession, s shape, progress func(string)) (stage, string, error) {
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
	if err := l.networks.openEgress(sess, id); err != nil {
		return stage{}, "", err
	}
	spec := l.boxes.spec(id, s)
	spec.Scope, spec.Session = sess.scope, sess.id
	if progress != nil {
		spec.Progress = progress
	}
	o := l.boxes.optionsOf(s, sess.snapshot().terms)
	l.pages.setEngineFunctions(&o, id)
	got, err := l.boxes.make(ctx, spec, o)
	if err != nil {
		l.networks.egress.Close(id)
	}
	return got, "cold", err
}

// assign gives a warm box to a session. It checks the sandbox again, since the
// first check may be long ago.
func (l *lifecycle) assign(ctx context.Context, sess *openSession, w stage, s shape) (err error) {
	id := w.box.Info().ID
	sess.setBox(id)
	defer func() {
		if err != nil {
			l.boxes.destroy(ctx, id, w.browser)
		}
	}()
	if err := l.boxes.claim(ctx, id, sess.id); err != nil {
		return err
	}
	if err := l.networks.openEgress(sess, id); err != nil {
		return err
	}
	if err := w.box.Assign(ctx, sess.scope, sess.id); err != nil {
		return err
	}
	o := l.boxes.optionsOf(s, sess.snapshot().terms)
	l.pages.setEngineFunctions(&o, id)
	o.Downloads, o.Uploads = w.box.Info().Downloads(), w.box.Info().Uploads()
	w.browser.Configure(o)
	_, err = l.boxes.proveSandbox(ctx, w.box)
	return err
}

// startFault converts an error of a start to a fault for the caller.
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
