package session

import (
	"context"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// pause keeps agents from a session until a person resumes it. One that is
// paused already stays as it is. Faults: session_paused when another person
// took it over, and those of session.show.
func (r *Registry) pause(ctx context.Context, call action.Call) (action.Result, error) {
	args, err := argsOf[action.Hands](call)
	if err != nil {
		return action.Result{}, err
	}
	return r.handle(ctx, call, args.Reason, false)
}

// takeOver makes a session the caller's own: they act in it until they hand it
// back, and nobody else does. It may be taken from another person. Faults:
// those of session.show.
func (r *Registry) takeOver(ctx context.Context, call action.Call) (action.Result, error) {
	args, err := argsOf[action.Hands](call)
	if err != nil {
		return action.Result{}, err
	}
	return r.handle(ctx, call, args.Reason, true)
}

// handle puts a person's hold on a session, or changes the one it has, and
// waits for what runs in it to end.
func (r *Registry) handle(ctx context.Context, call action.Call, reason string, taken bool) (action.Result, error) {
	l, err := r.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	hold := action.Hold{By: call.Caller.Actor, Code: action.ByOperator, Why: said(reason)}
	if hold.Why == "" {
		hold.Why = "a person is at it"
	}
	fresh, err := r.seize(ctx, l, hold, taken)
	did := "paused by " + hold.By
	if !fresh && err == nil {
		did, err = r.changeHands(ctx, l, hold, taken)
	}
	if did != "" && (fresh || err == nil) {
		if taken && fresh {
			did = "taken over by " + hold.By
		}
		r.event(l.now(), call.ID, did+": "+hold.Why)
	}
	if err != nil {
		return action.Result{Session: l.id}, err
	}
	result := shown(l.now())
	if !l.quiet(ctx) {
		result.Notes = append(result.Notes, "what the agent was doing has not ended yet; nothing new begins")
	}
	return result, nil
}

// changeHands gives the hold there is to another person, or makes a pause of
// it. did is empty when it stays as it is.
func (r *Registry) changeHands(ctx context.Context, l *live, hold action.Hold, taken bool) (did string, err error) {
	l.mu.Lock()
	had := l.control.Hold
	if had == nil {
		l.mu.Unlock()
		return "", fault.New(fault.PageChanged, "the session was handed back meanwhile").Hinted("make the call again")
	}
	switch {
	case !isOpen(l.record.State):
		defer l.mu.Unlock()
		return "", l.gone()
	case l.control.Taken && had.By == hold.By && taken, !l.control.Taken && !taken:
		l.mu.Unlock()
		return "", nil
	case l.control.Taken && had.By != hold.By && !taken:
		err := l.held("take it from them: glovebox session take " + l.id)
		l.mu.Unlock()
		return "", err
	case l.control.Taken && taken:
		did = fmt.Sprintf("taken over by %s from %s", hold.By, had.By)
	case taken:
		did = "taken over by " + hold.By
	default:
		did = "paused by " + hold.By
	}
	hold.Since = had.Since
	l.control.Hold, l.control.Taken = &hold, taken
	l.settleState()
	l.mu.Unlock()
	return did, r.keepControl(ctx, l)
}

// quiet waits until no action runs in a session whose agents are kept out.
// False says that one still does.
func (l *live) quiet(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, turnLimit)
	defer cancel()
	select {
	case l.turn <- struct{}{}:
		<-l.turn
		return true
	case <-ctx.Done():
		return false
	}
}

// release hands a session back to its agents, which are told what changed.
// Faults: already_active when nobody holds it, session_paused when another
// person took it over, and those of session.show.
func (r *Registry) release(ctx context.Context, call action.Call) (action.Result, error) {
	args, err := argsOf[action.HandBack](call)
	if err != nil {
		return action.Result{}, err
	}
	l, err := r.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	seen := r.look(ctx, l)
	l.mu.Lock()
	had, err := l.mayRelease(call.Caller)
	if err != nil {
		l.mu.Unlock()
		return action.Result{Session: l.id}, err
	}
	what := handedBack(call.Caller.Actor, args.Note, seen.view.since(l.control.Before))
	r.extend(l, time.Now())
	l.control.Hold, l.control.Taken, l.control.Before, l.failures = nil, false, view{}, failures{}
	l.settleState()
	l.note(what)
	l.mu.Unlock()
	err = r.keepControl(ctx, l)
	r.event(l.now(), call.ID, fmt.Sprintf("handed back by %s; it was held by %s: %s", call.Caller.Actor, had.By, what))
	return shown(l.now()), err
}

// mayRelease returns the hold that a person may end. mu must be held.
func (l *live) mayRelease(by action.Caller) (*action.Hold, error) {
	hold := l.control.Hold
	switch {
	case !isOpen(l.record.State):
		return nil, l.gone()
	case hold == nil:
		return nil, fault.New(fault.AlreadyActive, "session %s is open: nobody holds it", label(l.record)).
			Hinted("there is nothing to hand back").With("session", l.id)
	case l.control.Taken && hold.By != by.Actor:
		return nil, l.held("take it from them first: glovebox session take " + l.id)
	}
	return hold, nil
}

// handedBack is what an agent is told, in one line.
func handedBack(by, note, changed string) string {
	line := "handed back by " + said(by) + ": " + changed
	if note = said(note); note != "" {
		line += fmt.Sprintf("; they say: %q", note)
	}
	return line
}
