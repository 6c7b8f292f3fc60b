package session

import (
	"context"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// mostWait bounds the wait for a person where the caller does not.
const mostWait = 10 * time.Minute

// requestHuman pauses a session because its agent wants a person, has people
// told, and waits until one hands it back. On a session that is held already
// it only waits. Faults: those of session.show.
func (r *Registry) requestHuman(ctx context.Context, call action.Call) (action.Result, error) {
	args, err := argsOf[action.HumanRequest](call)
	if err != nil {
		return action.Result{}, err
	}
	l, err := r.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	if l.holder() == nil {
		hold := action.Hold{By: call.Caller.Actor, Code: action.HelpWanted, Why: args.Reason}
		if err := r.halt(ctx, l, hold, call.ID); err != nil {
			return action.Result{Session: l.id}, err
		}
	}
	wait := call.Wait
	if wait <= 0 || wait > mostWait {
		wait = mostWait
	}
	if err := l.handed(ctx, wait); err != nil {
		return action.Result{Session: l.id}, err
	}
	answer := &action.HumanRequested{State: action.HandedBack, Hold: l.holder()}
	if answer.Hold != nil {
		answer.State = action.StillHeld
	}
	return action.Result{Session: l.id, Data: answer, Page: l.now().Page}, nil
}

// holder returns the hold on a session, nil when nobody has one.
func (l *live) holder() *action.Hold {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.control.Hold
}

// handed waits until nobody holds a session, for so long at most; that somebody
// still does is no error. Faults: not_active when the session ends meanwhile.
func (l *live) handed(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		l.mu.Lock()
		hold, changed := l.control.Hold, l.changed
		l.mu.Unlock()
		if hold == nil {
			return nil
		}
		select {
		case <-changed:
		case <-timer.C:
			return nil
		case <-l.closing:
			return l.over()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
