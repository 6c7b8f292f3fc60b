package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// setBox stores which box a starting session gets.
func (o *openSession) setBox(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.record.Box = id
}

// opened makes a session open, if nobody has ended it meanwhile, and has it
// watched. It is stored before anybody is told: a gateway that dies right after
// its answer must find the session again.
func (r *Registry) opened(sess *openSession, s stage) bool {
	sess.mu.Lock()
	sess.box, sess.browser = s.box, s.browser
	ok := sess.ending == nil
	if ok {
		sess.record.State, sess.record.Hold, sess.record.Egress = sess.pause.state(), sess.pause.Hold, s.box.Info().Egress
		page := s.browser.Page()
		sess.record.Page = &page
		sess.touch()
	}
	sess.mu.Unlock()
	if ok {
		r.work.Go(func() { r.watch(sess, s) })
		r.work.Go(func() { r.tend(sess, s.box) })
		r.work.Go(func() { r.freezeWhenIdle(sess, s.box) })
		if err := r.store(context.Background(), sess); err != nil { // store is bounded; nothing but the record is at stake
			r.log.Error("cannot record an open session", "session", sess.id, "error", err)
			r.askToSave()
		}
	}
	return ok
}

// watch waits for whatever ends a session, and ends it.
func (r *Registry) watch(sess *openSession, s stage) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for alive := true; alive; {
		sess.mu.Lock()
		changed := sess.changed
		sess.mu.Unlock()
		select {
		case <-changed: // a hold has limits of its own
			timer.Reset(0)
		case <-sess.closing:
			alive = false
		case <-s.box.Done():
			r.lose(sess, s)
		case <-s.browser.Done():
			next, again := r.revive(sess, s)
			if !again {
				r.lose(sess, s)
				continue
			}
			s = next
			timer.Reset(0)
		case <-timer.C:
			next, over := r.deadline(sess, time.Now())
			if over != nil && over.pauses {
				r.reach(context.Background(), sess, over.reason) // it belongs to no call, and its steps are bounded
				next, _ = r.deadline(sess, time.Now())           // of a held session: this loop does not hear of a hold of its own
			} else if over != nil {
				sess.end(*over)
			}
			if next > 0 {
				timer.Reset(next)
			}
		}
	}
	r.conclude(sess)
}

// lose begins the end of a session whose box or browser is gone.
func (r *Registry) lose(sess *openSession, s stage) {
	r.log.Warn("a session lost its browser", "session", sess.id, "box_error", s.box.Err(), "browser_error", s.browser.Err())
	sess.end(lossOf(s))
}

// lossOf says why a session failed whose box or browser is gone. The box is
// asked first: when it goes, the browser goes with it.
func lossOf(s stage) ending {
	select {
	case <-s.box.Done():
		return ending{state: failed, reason: "its box is gone" + causeText(s.box.Err())}
	default:
		return ending{state: failed, reason: "its browser is gone" + causeText(s.browser.Err())}
	}
}

// causeText shows only what was written for callers.
func causeText(err error) string {
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		return ": " + f.Message
	}
	return ""
}

// deadline returns how the session ends when a limit is reached at that time,
// or else how long until one may be; 0 when there is none.
func (r *Registry) deadline(sess *openSession, now time.Time) (next time.Duration, over *ending) {
	sess.mu.Lock()
	defer sess.mu.Unlock()
	if end := r.endOfTime(sess); !end.IsZero() && sess.pause.Hold == nil { // who holds it decides whether it goes on
		if next = end.Sub(now); next <= 0 {
			return 0, &ending{reason: minutesKey + ": it was open for " + now.Sub(sess.record.Created).Round(time.Second).String(), limit: minutesKey, pauses: true}
		}
	}
	if key, most := r.idleLimit(sess); most > 0 {
		if sess.pause.Hold != nil {
			most *= pausedIdleFactor
		}
		idle := most - now.Sub(sess.record.LastUsed)
		if len(sess.calls) > 0 {
			idle = most // a call that takes long is no idleness
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

// idleLimit is how long a session may be without a call, and what says so; 0 is
// no limit. mu must be held.
func (r *Registry) idleLimit(sess *openSession) (key string, most time.Duration) {
	if sess.terms.Timeout > 0 {
		return "timeout of session.start", time.Duration(sess.terms.Timeout) * time.Millisecond
	}
	return "security.session_timeout", r.config.IdleTimeout
}

func limitEnding(key, what string) *ending {
	return &ending{state: closed, reason: fmt.Sprintf("%s, the limit of %s", what, key), limit: key}
}

// conclude ends what a session has and stores how it ended. end must have been
// called; conclude must be called once.
func (r *Registry) conclude(sess *openSession) {
	ctx := context.Background() // the session's last steps belong to no call; unmake and store are bounded
	sess.mu.Lock()
	box, browser, how := sess.record.Box, sess.browser, *sess.ending
	sess.mu.Unlock()
	if how.keep {
		r.leave(ctx, sess, browser)
		return
	}
	r.keepProfile(ctx, sess, how, r.purge(ctx, sess, how))
	if box != "" && r.owns(box) {
		r.unmake(ctx, box, browser)
	}
	r.settle(sess)
	sess.mu.Lock()
	at := time.Now().UTC()
	sess.record.State, sess.record.Reason, sess.record.Closed = how.state, how.reason, &at
	sess.record.Hold, sess.pause = nil, pauseState{}
	record := sess.record
	sess.mu.Unlock()
	if err := r.store(ctx, sess); err != nil {
		r.log.Error("cannot record the end of a session", "session", sess.id, "error", err)
	}
	if how.state == failed && how.call == "" { // nobody is being told by an answer
		r.alert(record, "", "the session failed: "+how.reason)
	}
	r.event(record, how.call, how.reason)
	if r.outgoing != nil {
		r.outgoing.Over(sess.id)
	}
	r.outlive(sess)
	if told := how.by == record.Actor || how.state == failed && how.call != ""; !told && sess.run == "" {
		r.parted(record, sess.terms)
	}
	r.log.Info("session ended", "session", sess.id, "state", how.state, "reason", how.reason)
	r.delist(sess)
}

// leave lets an open session go as it is. Its box waits for the next process
// as long as its lease lets it.
func (r *Registry) leave(ctx context.Context, sess *openSession, browser Browser) {
	r.try(ctx, r.rememberOrigins(ctx, sess))
	if err := browser.Close(); err != nil {
		r.log.Debug("cannot close a page", "session", sess.id, "error", err)
	}
	sess.mu.Lock()
	sess.record.State, sess.record.Reason = sess.pause.state(), ""
	sess.mu.Unlock()
	if err := r.store(ctx, sess); err != nil {
		r.log.Error("cannot record an open session", "session", sess.id, "error", err)
	}
	r.log.Info("session left open for the next gateway", "session", sess.id, "box", sess.now().Box)
	r.delist(sess)
}

func (r *Registry) owns(box string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, yes := r.owned[box]
	return yes
}

// finish ends a session and waits until nothing is left of it.
func (r *Registry) finish(ctx context.Context, sess *openSession, e ending) error {
	sess.end(e)
	select {
	case <-sess.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the session is still ending: %w", context.Cause(ctx))
	}
}

// close closes a session. One that is closed already is shown as it is.
func (r *Registry) close(ctx context.Context, call action.Call) (action.Result, error) {
	if sess := r.find(call); sess != nil {
		if err := r.finish(ctx, sess, ending{state: closed, reason: "closed by " + call.Caller.Actor, call: call.ID, by: call.Caller.Actor}); err != nil {
			return action.Result{}, err
		}
		record := sess.now()
		return sessionResult(record), nil
	}
	record, err := r.ended(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	return sessionResult(record), nil
}

// archive closes a session first if it is open, and hides it.
func (r *Registry) archive(ctx context.Context, call action.Call) (action.Result, error) {
	result, err := r.close(ctx, call)
	if err != nil {
		return result, err
	}
	record := result.Data.(*action.Session) //nolint:errcheck // shown made it
	if record.State == archived {
		return result, nil
	}
	if err := r.ledger.archive(ctx, record.ID); err != nil {
		return action.Result{}, err
	}
	record.State = archived
	r.event(*record, call.ID, "archived")
	return result, nil
}

func sessionResult(record action.Session) action.Result {
	return action.Result{Session: record.ID, Data: &record}
}
