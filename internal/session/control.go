package session

import (
	"context"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// pauseVerb keeps agents from a session until a person resumes it. One that is
// paused already stays as it is. Faults: session_paused when another person
// took it over, and those of session.show.
func (c *control) pauseVerb(ctx context.Context, call action.Call) (action.Result, error) {
	args, err := argsOf[action.Hands](call)
	if err != nil {
		return action.Result{}, err
	}
	return c.pauseFor(ctx, call, args.Reason, false)
}

// takeOver makes a session the caller's own: they act in it until they hand it
// back, and nobody else does. It may be taken from another person. Faults:
// those of session.show.
func (c *control) takeOver(ctx context.Context, call action.Call) (action.Result, error) {
	args, err := argsOf[action.Hands](call)
	if err != nil {
		return action.Result{}, err
	}
	return c.pauseFor(ctx, call, args.Reason, true)
}

// pauseFor puts a person's hold on a session, or changes the one it has, and
// waits for what runs in it to end.
func (c *control) pauseFor(ctx context.Context, call action.Call, reason string, taken bool) (action.Result, error) {
	sess, err := c.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	hold := action.Hold{By: call.Caller.Actor, Code: action.ByOperator, Why: oneLine(reason)}
	if hold.Why == "" {
		hold.Why = "a person is at it"
	}
	fresh, err := c.setPause(ctx, sess, hold, taken)
	did := "paused by " + hold.By
	if !fresh && err == nil {
		did, err = c.changeHolder(ctx, sess, hold, taken)
	}
	if did != "" && (fresh || err == nil) {
		if taken && fresh {
			did = "taken over by " + hold.By
		}
		c.audit.event(sess.now(), call.ID, did+": "+hold.Why)
	}
	if err != nil {
		return action.Result{Session: sess.id}, err
	}
	result := sessionResult(sess.now())
	if !sess.waitTurnFree(ctx) {
		result.Notes = append(result.Notes, "what the agent was doing has not ended yet; nothing new begins")
	}
	return result, nil
}

// changeHolder gives the hold there is to another person, or makes a pause of
// it. did is empty when it stays as it is.
func (c *control) changeHolder(ctx context.Context, sess *openSession, hold action.Hold, taken bool) (did string, err error) {
	sess.mu.Lock()
	had := sess.pause.Hold
	if had == nil {
		sess.mu.Unlock()
		return "", fault.New(fault.PageChanged, "the session was handed back meanwhile").Hinted("make the call again")
	}
	switch {
	case !isOpen(sess.record.State):
		defer sess.mu.Unlock()
		return "", sess.endedFault()
	case sess.pause.Taken && had.By == hold.By && taken, !sess.pause.Taken && !taken:
		sess.mu.Unlock()
		return "", nil
	case sess.pause.Taken && had.By != hold.By && !taken:
		err := sess.pausedFault("take it from them: glovebox session take " + sess.id)
		sess.mu.Unlock()
		return "", err
	case sess.pause.Taken && taken:
		did = fmt.Sprintf("taken over by %s from %s", hold.By, had.By)
	case taken:
		did = "taken over by " + hold.By
	default:
		did = "paused by " + hold.By
	}
	hold.Since = had.Since
	sess.pause.Hold, sess.pause.Taken = &hold, taken
	sess.showPause()
	sess.mu.Unlock()
	return did, c.saver.savePause(ctx, sess)
}

// waitTurnFree waits until no action runs in a session whose agents are kept out.
// False says that one still does.
func (o *openSession) waitTurnFree(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, turnLimit)
	defer cancel()
	select {
	case o.turn <- struct{}{}:
		<-o.turn
		return true
	case <-ctx.Done():
		return false
	}
}

// resume hands a session back to its agents, which are told what changed.
// Faults: already_active when nobody holds it, session_paused when another
// person took it over, and those of session.show.
func (c *control) resume(ctx context.Context, call action.Call) (action.Result, error) {
	args, err := argsOf[action.HandBack](call)
	if err != nil {
		return action.Result{}, err
	}
	sess, err := c.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	seen := c.view(ctx, sess)
	sess.mu.Lock()
	had, err := sess.mayRelease(call.Caller)
	if err != nil {
		sess.mu.Unlock()
		return action.Result{Session: sess.id}, err
	}
	what := handedBack(call.Caller.Actor, args.Note, seen.view.since(sess.pause.Before))
	c.extend(sess, time.Now())
	sess.pause.Hold, sess.pause.Taken, sess.pause.Before, sess.failures = nil, false, view{}, failures{}
	sess.showPause()
	sess.addNote(what)
	sess.mu.Unlock()
	err = c.saver.savePause(ctx, sess)
	c.audit.event(sess.now(), call.ID, fmt.Sprintf("handed back by %s; it was held by %s: %s", call.Caller.Actor, had.By, what))
	return sessionResult(sess.now()), err
}

// mayRelease returns the hold that a person may end. mu must be held.
func (o *openSession) mayRelease(by action.Caller) (*action.Hold, error) {
	hold := o.pause.Hold
	switch {
	case !isOpen(o.record.State):
		return nil, o.endedFault()
	case hold == nil:
		return nil, fault.New(fault.AlreadyActive, "session %s is open: nobody holds it", label(o.record)).
			Hinted("there is nothing to hand back").With("session", o.id)
	case o.pause.Taken && hold.By != by.Actor:
		return nil, o.pausedFault("take it from them first: glovebox session take " + o.id)
	}
	return hold, nil
}

// handedBack is what an agent is told, in one line.
func handedBack(by, note, changed string) string {
	line := "handed back by " + oneLine(by) + ": " + changed
	if note = oneLine(note); note != "" {
		line += fmt.Sprintf("; they say: %q", note)
	}
	return line
}
