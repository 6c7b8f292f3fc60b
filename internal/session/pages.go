package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/artifact"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// pages carries out the verbs that act on what a session's browser shows.
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

// lookAt returns the facts of the page that a call would act on.
func (p *pages) lookAt(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	sess, err := p.sessions.admit(ctx, call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	ctx, leave, err := sess.enter(ctx, call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	defer leave()
	if err := sess.checkLookup(call); err != nil {
		return action.Facts{Session: sess.facts()}, action.Pin{}, err
	}
	ctx = withRights(ctx, call)
	if !call.Peek {
		if err := p.control.exhausted(ctx, sess, call); err != nil {
			return action.Facts{Session: sess.facts()}, action.Pin{}, err
		}
	}
	browser, err := sess.waitBrowser(ctx)
	if err != nil {
		return action.Facts{Session: sess.facts()}, action.Pin{}, err
	}
	facts, pin, err := browser.Look(ctx, call.Verb, call.Args)
	err = ifCrashed(browser, err)
	pin.Session = sess.id
	sess.countMisses(call, action.Result{}, err)
	if err == nil {
		err = p.creds.learnRotated(ctx, sess)
	}
	if err != nil && !call.Peek {
		err = p.failure(ctx, sess, call, err)
	}
	if err == nil && call.Verb == action.VerbPageFillSecret.Name {
		facts.Secret, err = p.creds.secretFacts(ctx, sess, call, facts.Page.URL)
	}
	facts.Session = sess.facts()
	if facts.Destination != nil && facts.Destination.URL != "" {
		judged := p.networks.egress.Judge(facts.Session.Box, facts.Destination.URL)
		facts.Destination = &judged
	}
	return facts, pin, err
}

// lookAtBatch finds the session of a batch. Its steps look at the page.
func (p *pages) lookAtBatch(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	sess, err := p.sessions.admit(ctx, call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	return action.Facts{Session: sess.facts()}, action.Pin{Session: sess.id}, nil
}

// do carries out a page verb. Only one verb at a time changes a page.
func (p *pages) do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error) {
	sess, err := p.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	ctx, leave, err := sess.enter(ctx, call)
	if err != nil {
		return action.Result{Session: sess.id}, err
	}
	defer p.saver.ask()
	defer leave()
	if err := sess.checkLookup(call); err != nil {
		return action.Result{Session: sess.id}, err
	}
	result, err := p.act(withRights(ctx, call), sess, call, pin)
	sess.countMisses(call, result, err)
	if unlearned := p.creds.learnRotated(ctx, sess); unlearned != nil {
		result, err = action.Result{}, cmp.Or(err, unlearned)
	}
	result.Session = sess.id
	if err != nil {
		return result, p.failure(ctx, sess, call, err)
	}
	sess.with(func(st *sessionState) { st.succeed(call, result) })
	if name, kind, content := fileOf(result.Data); len(content) > 0 {
		p.files.keep(ctx, sess, name, kind, content, &result)
	}
	return result, nil
}

func (p *pages) act(ctx context.Context, sess *openSession, call action.Call, pin action.Pin) (action.Result, error) {
	verb, known := action.Lookup(call.Verb)
	if !known {
		return action.Result{}, unknown(call.Verb)
	}
	verb = verb.As(call.Args)
	if verb.Class != action.Read {
		release, err := sess.takeTurn(ctx, call)
		if err != nil {
			return action.Result{}, err
		}
		defer release()
		ctx = engine.Yielding(ctx, release)
	}
	if err := sess.checkBegin(call); err != nil {
		return action.Result{}, err
	}
	if err := p.count(ctx, sess, verb, call); err != nil {
		return action.Result{}, err
	}
	if a, is := call.Args.(*action.Goto); is && a.DomainHint != "" {
		if err := p.creds.injectNamed(ctx, sess, call.Caller, a.DomainHint); err != nil {
			return action.Result{}, err
		}
	}
	if call.Verb == action.VerbPageFillSecret.Name {
		return p.creds.fillSecret(ctx, sess, call, pin)
	}
	sess.noteScripted(call)
	if call.Act != nil {
		ctx = engine.Acting(ctx, *call.Act)
	}
	browser, err := sess.waitBrowser(ctx)
	if err != nil {
		return action.Result{}, err
	}
	result, err := browser.Do(ctx, call.Verb, call.Args, pin)
	if put := context.Cause(ctx); fault.CodeOf(put) == fault.DeniedByPolicy { // credentials were injected meanwhile
		return action.Result{}, put
	}
	return result, ifCrashed(browser, err)
}

// crashError is the error of a call whose browser crashed. The session may
// already have the next browser.
type crashError struct{ error }

func (e crashError) Unwrap() error { return e.error }

func ifCrashed(browser Browser, err error) error {
	if err == nil {
		return nil
	}
	select {
	case <-browser.Done():
		return crashError{err}
	default:
		return err
	}
}

// count counts an action before it is done, even if it fails.
func (p *pages) count(ctx context.Context, sess *openSession, verb *action.Verb, call action.Call) error {
	if err := p.control.exhausted(ctx, sess, call); err != nil || !verb.Counts {
		return err
	}
	sess.with(func(st *sessionState) { st.record.Actions++ })
	return nil
}

// succeed records a successful call on the session's page.
func (s *sessionState) succeed(call action.Call, result action.Result) {
	if call.Caller.Role == action.Agent {
		s.failures.succeed(call)
	}
	if call.Verb == action.VerbPageGoto.Name && s.oomTold > s.oomKnown {
		s.oomKnown = s.oomTold
	}
	if result.Page != nil {
		at := *result.Page
		s.record.Page = &at
	}
}

// failure counts a failure and returns the fault for the caller. If the box or
// browser is gone, it ends the session here, since the watcher may not have
// noticed yet.
func (p *pages) failure(ctx context.Context, sess *openSession, call action.Call, err error) error {
	if code := fault.CodeOf(err); code == fault.LimitReached || code == fault.SessionPaused {
		return err
	}
	s := sess.stage()
	var crash crashError
	crashed := errors.As(err, &crash)
	if crashed {
		err = crash.error
	}
	alive := s.alive()
	select {
	case <-s.box.Done():
		sess.lose(p.log, s)
	default:
	}
	if !alive { // the watcher ends the session or restarts its browser
		_, _ = sess.waitBrowser(ctx)
	}
	if over := sess.over(); over != nil {
		return over.Because(err)
	}
	switch {
	case !alive || crashed:
		err = browserCrashed(call, err)
	case fault.CodeOf(err) == fault.PageCrashed:
		err = p.explainCrash(ctx, sess, err)
	}
	if errors.Is(context.Cause(ctx), context.Canceled) { // the caller cancelled; the page did not fail
		return err
	}
	return p.control.countFailure(ctx, sess, call, err)
}

// openFirst opens the first page of a session.
func (p *pages) openFirst(ctx context.Context, sess *openSession, start action.Call, rawURL string) action.Result {
	call := action.Call{ID: start.ID, Verb: action.VerbPageGoto.Name, Session: sess.id, Caller: start.Caller, Args: &action.Goto{URL: rawURL}, Act: start.Act}
	_, pin, err := p.lookAt(ctx, call)
	var result action.Result
	if err == nil {
		result, err = p.do(ctx, call, pin)
	}
	result.Session = sess.id
	if err != nil {
		f := fault.From(err)
		note := "the session is open, but its first page did not load: " + f.Message
		if f.Hint != "" {
			note += "; " + f.Hint
		}
		result.Notes = append(result.Notes, note)
	}
	return result
}

// screenshot stores a screenshot of a page, with the pinned element outlined, for
// the people who are asked about it. It may show what the agent may not read, so
// only operators can fetch this artifact. Faults: not_active, limit_reached, and
// those of the page engine.
func (p *pages) screenshot(ctx context.Context, call action.Call, pin action.Pin) (string, error) {
	call.Session = pin.Session
	sess, err := p.sessions.admit(ctx, call)
	if err != nil {
		return "", err
	}
	ctx, leave, err := sess.enter(ctx, call)
	if err != nil {
		return "", err
	}
	defer leave()
	picture, err := sess.stage().browser.TargetScreenshot(ctx, pin)
	if err != nil {
		return "", fmt.Errorf("cannot take the picture: %w", err)
	}
	owner := artifact.Owner{Scope: sess.scope, Session: sess.id, Private: true}
	kept, err := p.files.save(ctx, owner, "question.jpeg", "image/jpeg", picture)
	if err != nil {
		return "", fmt.Errorf("cannot keep the picture: %w", err)
	}
	return kept.ID, nil
}
