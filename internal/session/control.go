package session

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// control pauses sessions, lets people take them over, and resumes them. It also
// pauses a session at a limit, and after too many failures.
type control struct {
	config   Config
	sessions *directory
	saver    *saver
	audit    auditor
	log      *slog.Logger
	work     *sync.WaitGroup
	onLimit  func(action.Session, string)
}

// pauseVerb pauses a session for agents until a person resumes it. A paused
// session stays as it is. Faults: session_paused if another person took it over,
// and those of session.show.
func (c *control) pauseVerb(ctx context.Context, call action.Call, args *action.Hands) (action.Result, error) {
	return c.pauseFor(ctx, call, args.Reason, false)
}

// takeOver gives a session to the caller: until it is handed back, only this
// person acts in it. It can also be taken from another person. Faults: those of
// session.show.
func (c *control) takeOver(ctx context.Context, call action.Call, args *action.Hands) (action.Result, error) {
	return c.pauseFor(ctx, call, args.Reason, true)
}

// pauseFor pauses a session for a person, or changes its holder, and waits until
// running calls have ended.
func (c *control) pauseFor(ctx context.Context, call action.Call, reason string, taken bool) (action.Result, error) {
	sess, err := c.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	hold := action.Hold{By: call.Caller.Actor, Code: action.ByOperator, Why: untrusted.Reason(reason, maxReason)}
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

// changeHolder makes another person the holder of a paused session, or converts a
// pause to a take-over. did is empty if nothing changes.
func (c *control) changeHolder(ctx context.Context, sess *openSession, hold action.Hold, taken bool) (did string, err error) {
	sess.with(func(st *sessionState) { did, err = st.changeHolder(hold, taken) })
	if did == "" || err != nil {
		return "", err
	}
	sess.releaseInput(ctx)
	return did, c.saver.savePause(ctx, sess)
}

// resume hands a session back to its agents, which get a note about what changed.
// Faults: already_active if the session is not paused, session_paused if another
// person took it over, and those of session.show.
func (c *control) resume(ctx context.Context, call action.Call, args *action.HandBack) (action.Result, error) {
	sess, err := c.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	if at := sess.snapshot(); at.pause.Taken {
		if _, err := at.mayRelease(call.Caller); err != nil {
			return action.Result{Session: sess.id}, err
		}
		if err := sess.forgetPasted(ctx); err != nil {
			return action.Result{Session: sess.id}, err
		}
	}
	seen := c.view(ctx, sess)
	var had *action.Hold
	var what string
	sess.with(func(st *sessionState) {
		if had, err = st.mayRelease(call.Caller); err != nil {
			return
		}
		what = handedBack(call.Caller.Actor, args.Note, seen.view.since(st.pause.Before))
		c.extend(st, time.Now())
		st.endPause(what)
	})
	if err != nil {
		return action.Result{Session: sess.id}, err
	}
	sess.releaseInput(ctx)
	err = c.saver.savePause(ctx, sess)
	c.audit.event(sess.now(), call.ID, fmt.Sprintf("handed back by %s; it was held by %s: %s", call.Caller.Actor, had.By, what))
	return sessionResult(sess.shown()), err
}

// handedBack is the note for the agent, on one line.
func handedBack(by, note, changed string) string {
	line := "handed back by " + untrusted.Reason(by, maxReason) + ": " + changed
	if note = untrusted.Reason(note, maxReason); note != "" {
		line += fmt.Sprintf("; they say: %q", note)
	}
	return line
}

const (
	pausedIdleFactor = 4                // factor of the idle limit of a paused session: people are slower
	turnLimit        = 10 * time.Second // for the action that runs when a pause starts
	maxReason        = 500              // characters of a reason
)

// checkPause refuses a call to a session that is paused for its caller.
// Faults: session_paused.
func (c *control) checkPause(call action.Call) (action.SessionFacts, error) {
	if !ofSession(call.Verb) {
		return action.SessionFacts{}, nil
	}
	sess := c.sessions.find(call)
	if sess == nil {
		return action.SessionFacts{}, nil
	}
	at := sess.snapshot()
	err := at.checkPause(call)
	return sess.facts(), err
}

// pauseByID pauses a session for the gate and raises an alert. A paused session
// stays as it is. Faults: session_not_found, not_active.
func (c *control) pauseByID(ctx context.Context, session, code, why string) error {
	sess := c.sessions.withID(session)
	if sess == nil {
		return fault.New(fault.SessionNotFound, "there is no open session %s", untrusted.Quoted(session)).
			Hinted("list the sessions there are with session.list")
	}
	return c.pauseAndAlert(ctx, sess, action.Hold{By: action.GatewayActor, Code: code, Why: why}, "")
}

// pauseAndAlert pauses a session without a person's call, and alerts people.
// Running calls continue to their end.
func (c *control) pauseAndAlert(ctx context.Context, sess *openSession, hold action.Hold, correlation string) error {
	hold.Why = untrusted.Reason(hold.Why, maxReason)
	fresh, err := c.setPause(ctx, sess, hold, false)
	if fresh || err == nil {
		c.audit.alert(sess.now(), correlation, hold.Code+": "+hold.Why)
	}
	if fresh {
		c.audit.event(sess.now(), correlation, "paused by "+hold.By+": "+hold.Why)
	}
	return err
}

// setPause pauses a session. fresh is false if it was already paused. Faults:
// not_active.
func (c *control) setPause(ctx context.Context, sess *openSession, hold action.Hold, taken bool) (fresh bool, err error) {
	if fresh, err = sess.setHold(&hold, taken); !fresh {
		return false, err
	}
	sess.releaseInput(ctx)
	seen := c.view(ctx, sess)
	sess.with(func(st *sessionState) {
		if st.pause.Hold == &hold { // the pause was not ended meanwhile
			st.pause.Before = seen.view
		}
		st.addNote(seen.notes...)
	})
	return true, c.saver.savePause(ctx, sess)
}

// maxWait is the longest time that a call waits for a person.
const maxWait = 10 * time.Minute

// askerGone is the time after which a session that is paused for an agent's request for a
// person goes on, if the agent does not wait for one any more. The question that it asked
// has expired by then.
const askerGone = 10 * time.Minute

// requestHuman pauses a session because its agent needs a person, alerts people,
// and waits until a person hands it back. If the session is already paused, it
// only waits. A session that nobody hands back goes on when the agent has not asked again
// for askerGone. Faults: those of session.show.
func (c *control) requestHuman(ctx context.Context, call action.Call, args *action.HumanRequest) (action.Result, error) {
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
	err = sess.waitHandedBack(ctx, wait)
	if hold := sess.pausedBy(); hold != nil && hold.Code == action.HelpWanted {
		sess.with(func(st *sessionState) { st.asked = time.Now() })
		c.work.Go(func() { c.awaitAsker(sess) })
	}
	if err != nil {
		return action.Result{Session: sess.id}, err
	}
	answer := &action.HumanRequested{State: action.HandedBack, Hold: sess.pausedBy()}
	if answer.Hold != nil {
		answer.State = action.StillHeld
	}
	return action.Result{Session: sess.id, Data: answer, Page: sess.now().Page}, nil
}

// awaitAsker ends the pause of a session whose agent asked for a person and gave up: nobody
// came, and the agent does not wait any more.
func (c *control) awaitAsker(sess *openSession) {
	if !sess.staysOpen(askerGone) {
		return
	}
	gone := false
	const what = "nobody came, and its agent did not wait any more: the session goes on"
	if err := sess.changeOpen(func(st *sessionState) {
		if gone = st.askerGone(time.Now()); gone {
			st.endPause(what)
		}
	}); err != nil || !gone {
		return
	}
	sess.releaseInput(context.Background())
	c.audit.event(sess.now(), "", what)
	c.savePauseAlone(sess)
}

// savePauseAlone stores a pause that no call changed. What cannot be stored now is stored later.
func (c *control) savePauseAlone(sess *openSession) {
	ctx, cancel := context.WithTimeout(context.Background(), turnLimit)
	defer cancel()
	if err := c.saver.savePause(ctx, sess); err != nil {
		c.log.Error("cannot store whether a session is paused, and by whom", "session", sess.id, "error", err)
		c.saver.ask()
	}
}
