package session

import (
	"context"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// mostWait bounds the wait for a person where the caller does not.
const maxWait = 10 * time.Minute

// requestHuman pauses a session because its agent wants a person, has people
// told, and waits until one hands it back. On a session that is held already
// it only waits. Faults: those of session.show.
func (c *control) requestHuman(ctx context.Context, call action.Call) (action.Result, error) {
	args, err := argsOf[action.HumanRequest](call)
	if err != nil {
		return action.Result{}, err
	}
	sess, err := c.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	if sess.pausedBy() == nil {
		hold := action.Hold{By: call.Caller.Actor, Code: action.HelpWanted, Why: args.Reason}
		if err := c.pauseAndAlert(ctx, sess, hold, call.ID); err != nil {
			return action.Result{Session: sess.id}, err
		}
	}
	wait := call.Wait
	if wait <= 0 || wait > maxWait {
		wait = maxWait
	}
	if err := sess.waitHandedBack(ctx, wait); err != nil {
		return action.Result{Session: sess.id}, err
	}
	answer := &action.HumanRequested{State: action.HandedBack, Hold: sess.pausedBy()}
	if answer.Hold != nil {
		answer.State = action.StillHeld
	}
	return action.Result{Session: sess.id, Data: answer, Page: sess.now().Page}, nil
}

// pausedBy returns the hold on a session, nil when nobody has one.
func (o *openSession) pausedBy() *action.Hold {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.pause.Hold
}

// waitHandedBack waits until nobody holds a session, for so long at most; that somebody
// still does is no error. Faults: not_active when the session ends meanwhile.
func (o *openSession) waitHandedBack(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		o.mu.Lock()
		hold, changed := o.pause.Hold, o.changed
		o.mu.Unlock()
		if hold == nil {
			return nil
		}
		select {
		case <-changed:
		case <-timer.C:
			return nil
		case <-o.closing:
			return o.over()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
