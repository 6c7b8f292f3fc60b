package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// setBox stores the box of a starting session.
func (o *openSession) setBox(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.state.record.Box = id
}

// openWith makes a session open, unless it was ended meanwhile, and watches it.
// The session is stored before the caller gets an answer, so that a gateway that
// is killed just after can find it again.
func (l *lifecycle) openWith(sess *openSession, s stage) bool {
	var ok bool
	sess.with(func(st *sessionState) { ok = st.open(s) })
	if ok {
		l.work.Go(func() { l.watch(sess, s) })
		l.work.Go(func() { l.monitorHealth(sess, s.box) })
		l.work.Go(func() { l.freezer.run(sess, s.box) })
		if err := l.saver.save(context.Background(), sess); err != nil { // save is bounded
			l.log.Error("cannot record an open session", "session", sess.id, "error", err)
			l.saver.ask()
		}
	}
	return ok
}

// watch waits for the end of a session, and ends it.
func (l *lifecycle) watch(sess *openSession, s stage) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for alive := true; alive; {
		changed := sess.snapshot().changed
		select {
		case <-changed: // a paused session has other limits
			timer.Reset(0)
		case <-sess.closing:
			alive = false
		case <-s.box.Done():
			sess.lose(l.log, s)
		case <-s.browser.Done():
			next, again := l.restartBrowser(sess, s)
			if !again {
				sess.lose(l.log, s)
				continue
			}
			s = next
			timer.Reset(0)
		case <-timer.C:
			next, over := l.deadline(sess, time.Now())
			if over != nil && over.pauses {
				l.control.pauseAtLimit(context.Background(), sess, over.reason) // belongs to no call; its steps have time limits
				next, _ = l.deadline(sess, time.Now())                          // of a paused session
			} else if over != nil {
				sess.end(*over)
			}
			if next > 0 {
				timer.Reset(next)
			}
		}
	}
	l.finishEnd(sess)
}

// lose starts the end of a session whose box or browser is gone.
func (o *openSession) lose(log *slog.Logger, s stage) {
	log.Warn("a session lost its browser", "session", o.id, "box_error", s.box.Err(), "browser_error", s.browser.Err())
	o.end(lossOf(s))
}

// lossOf says why a session failed whose box or browser is gone. It asks the box
// first, because the browser ends with the box.
func lossOf(s stage) ending {
	select {
	case <-s.box.Done():
		return ending{state: failed, reason: "its box is gone" + causeText(s.box.Err())}
	default:
		return ending{state: failed, reason: "its browser is gone" + causeText(s.browser.Err())}
	}
}

// causeText returns the text of a fault only, since other errors are not written
// for callers.
func causeText(err error) string {
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		return ": " + f.Message
	}
	return ""
}

// deadline returns how the session ends if a limit is reached at now, or else how
// long until one can be reached; 0 if there is no limit.
func (l *lifecycle) deadline(sess *openSession, now time.Time) (next time.Duration, over *ending) {
	sess.with(func(st *sessionState) { next, over = l.deadlineOf(st, now) })
	return next, over
}

func (l *lifecycle) deadlineOf(st *sessionState, now time.Time) (next time.Duration, over *ending) {
	if end := l.control.endOfTime(st); !end.IsZero() && st.pause.Hold == nil { // the person who paused it decides
		if next = end.Sub(now); next <= 0 {
			return 0, &ending{reason: minutesKey + ": it was open for " + now.Sub(st.record.Created).Round(time.Second).String(), limit: minutesKey, pauses: true}
		}
	}
	if key, most := l.idleLimit(st); most > 0 {
		if st.pause.Hold != nil || len(st.pause.Notes) > 0 { // or the agent has not come back since
			most *= pausedIdleFactor
		}
		idle := most - now.Sub(st.record.LastUsed)
		if len(st.calls) > 0 || st.pause.Hold != nil && len(st.viewers) > 0 {
			idle = most // it is in use
		}
		if idle <= 0 {
			return 0, limitEnding(key, "idle for "+most.String())
		}
		if next == 0 || idle < next {
			next = idle
		}
	}
	return next, nil
}

// idleLimit returns how long a session may be without a call, and the
// configuration key of this limit; 0 means no limit.
func (l *lifecycle) idleLimit(st *sessionState) (key string, most time.Duration) {
	if st.terms.Timeout > 0 {
		return "timeout of session.start", time.Duration(st.terms.Timeout) * time.Millisecond
	}
	return "security.session_timeout", l.config.IdleTimeout
}

func limitEnding(key, what string) *ending {
	return &ending{state: closed, reason: fmt.Sprintf("%s, the limit of %s", what, key), limit: key}
}

// finishEnd ends the box of a session and stores the result. It is called once,
// after end.
func (l *lifecycle) finishEnd(sess *openSession) {
	ctx := context.Background() // these steps belong to no call and have time limits
	at := sess.snapshot()
	box, browser, how := at.record.Box, at.browser, *at.ending
	if how.keep {
		l.leaveOpen(ctx, sess, browser)
		return
	}
	l.keeper.keep(ctx, sess, how, l.creds.purge(ctx, sess, how))
	if box != "" && l.boxes.isClaimed(box) {
		l.boxes.destroy(ctx, box, browser)
	}
	l.refusals.finish(sess)
	record := sess.close(how)
	if err := l.saver.save(ctx, sess); err != nil {
		l.log.Error("cannot record the end of a session", "session", sess.id, "error", err)
	}
	if how.state == failed && how.call == "" { // no caller gets an answer about it
		l.audit.alert(record, "", "the session failed: "+how.reason)
	}
	l.audit.event(record, how.call, how.reason)
	if l.pages.outgoing != nil {
		l.pages.outgoing.Over(sess.id)
	}
	l.creds.keepKnown(sess)
	if told := how.by == record.Actor || how.state == failed && how.call != ""; !told && sess.run == "" {
		l.notices.add(record, sess.snapshot().terms)
	}
	l.log.Info("session ended", "session", sess.id, "state", how.state, "reason", how.reason)
	l.sessions.remove(sess)
}

// leaveOpen leaves an open session to the next process. Its box waits until its
// lease ends.
func (l *lifecycle) leaveOpen(ctx context.Context, sess *openSession, browser Browser) {
	tryLater(ctx, l.log, l.keeper.rememberOrigins(ctx, sess))
	if err := browser.Close(); err != nil {
		l.log.Debug("cannot close a page", "session", sess.id, "error", err)
	}
	sess.with(func(st *sessionState) { st.record.State, st.record.Reason = st.pause.state(), "" })
	if err := l.saver.save(ctx, sess); err != nil {
		l.log.Error("cannot record an open session", "session", sess.id, "error", err)
	}
	l.log.Info("session left open for the next gateway", "session", sess.id, "box", sess.now().Box)
	l.sessions.remove(sess)
}

// finish ends a session and waits until it has ended.
func (l *lifecycle) finish(ctx context.Context, sess *openSession, e ending) error {
	sess.end(e)
	select {
	case <-sess.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the session is still ending: %w", context.Cause(ctx))
	}
}

// close closes a session. A closed session is shown as it is.
func (l *lifecycle) close(ctx context.Context, call action.Call) (action.Result, error) {
	if sess := l.sessions.find(call); sess != nil {
		if err := l.finish(ctx, sess, ending{state: closed, reason: "closed by " + call.Caller.Actor, call: call.ID, by: call.Caller.Actor}); err != nil {
			return action.Result{}, err
		}
		record := sess.now()
		return sessionResult(record), nil
	}
	record, err := l.sessions.ended(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	return sessionResult(record), nil
}

// archive closes a session if it is open, and hides it.
func (l *lifecycle) archive(ctx context.Context, call action.Call) (action.Result, error) {
	result, err := l.close(ctx, call)
	if err != nil {
		return result, err
	}
	record := result.Data.(*action.Session) //nolint:errcheck // shown made it
	if record.State == archived {
		return result, nil
	}
	if err := l.store.archive(ctx, record.ID); err != nil {
		return action.Result{}, err
	}
	record.State = archived
	l.audit.event(*record, call.ID, "archived")
	return result, nil
}

func sessionResult(record action.Session) action.Result {
	return action.Result{Session: record.ID, Data: &record}
}
