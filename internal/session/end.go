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
func (l *live) setBox(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.record.Box = id
}

// opened makes a session open, if nobody has ended it meanwhile, and has it
// watched. It is stored before anybody is told: a gateway that dies right after
// its answer must find the session again.
func (r *Registry) opened(l *live, s stage) bool {
	l.mu.Lock()
	l.box, l.browser = s.box, s.browser
	ok := l.ending == nil
	if ok {
		l.record.State, l.record.Hold, l.record.Egress = l.control.state(), l.control.Hold, s.box.Info().Egress
		page := s.browser.Page()
		l.record.Page = &page
		l.touch()
	}
	l.mu.Unlock()
	if ok {
		r.work.Go(func() { r.watch(l, s) })
		r.work.Go(func() { r.tend(l, s.box) })
		r.work.Go(func() { r.freezeWhenIdle(l, s.box) })
		if err := r.store(context.Background(), l); err != nil { // store is bounded; nothing but the record is at stake
			r.log.Error("cannot record an open session", "session", l.id, "error", err)
			r.askToSave()
		}
	}
	return ok
}

// watch waits for whatever ends a session, and ends it.
func (r *Registry) watch(l *live, s stage) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for alive := true; alive; {
		l.mu.Lock()
		changed := l.changed
		l.mu.Unlock()
		select {
		case <-changed: // a hold has limits of its own
			timer.Reset(0)
		case <-l.closing:
			alive = false
		case <-s.box.Done():
			r.lose(l, s)
		case <-s.browser.Done():
			next, again := r.revive(l, s)
			if !again {
				r.lose(l, s)
				continue
			}
			s = next
			timer.Reset(0)
		case <-timer.C:
			next, over := r.deadline(l, time.Now())
			if over != nil && over.pauses {
				r.reach(context.Background(), l, over.reason) // it belongs to no call, and its steps are bounded
				next, _ = r.deadline(l, time.Now())           // of a held session: this loop does not hear of a hold of its own
			} else if over != nil {
				l.end(*over)
			}
			if next > 0 {
				timer.Reset(next)
			}
		}
	}
	r.conclude(l)
}

// lose begins the end of a session whose box or browser is gone.
func (r *Registry) lose(l *live, s stage) {
	r.log.Warn("a session lost its browser", "session", l.id, "box_error", s.box.Err(), "browser_error", s.browser.Err())
	l.end(lost(s))
}

// lost says why a session failed whose box or browser is gone. The box is
// asked first: when it goes, the browser goes with it.
func lost(s stage) ending {
	select {
	case <-s.box.Done():
		return ending{state: failed, reason: "its box is gone" + because(s.box.Err())}
	default:
		return ending{state: failed, reason: "its browser is gone" + because(s.browser.Err())}
	}
}

// because shows only what was written for callers.
func because(err error) string {
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		return ": " + f.Message
	}
	return ""
}

// deadline returns how the session ends when a limit is reached at that time,
// or else how long until one may be; 0 when there is none.
func (r *Registry) deadline(l *live, now time.Time) (next time.Duration, over *ending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if end := r.endOfTime(l); !end.IsZero() && l.control.Hold == nil { // who holds it decides whether it goes on
		if next = end.Sub(now); next <= 0 {
			return 0, &ending{reason: minutesKey + ": it was open for " + now.Sub(l.record.Created).Round(time.Second).String(), limit: minutesKey, pauses: true}
		}
	}
	if key, most := r.idleLimit(l); most > 0 {
		if l.control.Hold != nil {
			most *= patience
		}
		idle := most - now.Sub(l.record.LastUsed)
		if len(l.calls) > 0 {
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
func (r *Registry) idleLimit(l *live) (key string, most time.Duration) {
	if l.terms.Timeout > 0 {
		return "timeout of session.start", time.Duration(l.terms.Timeout) * time.Millisecond
	}
	return "security.session_timeout", r.config.IdleTimeout
}

func limitEnding(key, what string) *ending {
	return &ending{state: closed, reason: fmt.Sprintf("%s, the limit of %s", what, key), limit: key}
}

// conclude ends what a session has and stores how it ended. end must have been
// called; conclude must be called once.
func (r *Registry) conclude(l *live) {
	ctx := context.Background() // the session's last steps belong to no call; unmake and store are bounded
	l.mu.Lock()
	box, browser, how := l.record.Box, l.browser, *l.ending
	l.mu.Unlock()
	if how.keep {
		r.leave(ctx, l, browser)
		return
	}
	r.keepProfile(ctx, l, how, r.purge(ctx, l, how))
	if box != "" && r.owns(box) {
		r.unmake(ctx, box, browser)
	}
	r.settle(l)
	l.mu.Lock()
	at := time.Now().UTC()
	l.record.State, l.record.Reason, l.record.Closed = how.state, how.reason, &at
	l.record.Hold, l.control = nil, control{}
	record := l.record
	l.mu.Unlock()
	if err := r.store(ctx, l); err != nil {
		r.log.Error("cannot record the end of a session", "session", l.id, "error", err)
	}
	if how.state == failed && how.call == "" { // nobody is being told by an answer
		r.alert(record, "", "the session failed: "+how.reason)
	}
	r.event(record, how.call, how.reason)
	if r.outgoing != nil {
		r.outgoing.Over(l.id)
	}
	r.outlive(l)
	if told := how.by == record.Actor || how.state == failed && how.call != ""; !told && l.run == "" {
		r.parted(record, l.terms)
	}
	r.log.Info("session ended", "session", l.id, "state", how.state, "reason", how.reason)
	r.delist(l)
}

// leave lets an open session go as it is. Its box waits for the next process
// as long as its lease lets it.
func (r *Registry) leave(ctx context.Context, l *live, browser Browser) {
	r.try(ctx, r.rememberOrigins(ctx, l))
	if err := browser.Close(); err != nil {
		r.log.Debug("cannot close a page", "session", l.id, "error", err)
	}
	l.mu.Lock()
	l.record.State, l.record.Reason = l.control.state(), ""
	l.mu.Unlock()
	if err := r.store(ctx, l); err != nil {
		r.log.Error("cannot record an open session", "session", l.id, "error", err)
	}
	r.log.Info("session left open for the next gateway", "session", l.id, "box", l.now().Box)
	r.delist(l)
}

func (r *Registry) owns(box string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, yes := r.owned[box]
	return yes
}

// finish ends a session and waits until nothing is left of it.
func (r *Registry) finish(ctx context.Context, l *live, e ending) error {
	l.end(e)
	select {
	case <-l.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the session is still ending: %w", context.Cause(ctx))
	}
}

// close closes a session. One that is closed already is shown as it is.
func (r *Registry) close(ctx context.Context, call action.Call) (action.Result, error) {
	if l := r.find(call); l != nil {
		if err := r.finish(ctx, l, ending{state: closed, reason: "closed by " + call.Caller.Actor, call: call.ID, by: call.Caller.Actor}); err != nil {
			return action.Result{}, err
		}
		record := l.now()
		return shown(record), nil
	}
	record, err := r.ended(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	return shown(record), nil
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

func shown(record action.Session) action.Result {
	return action.Result{Session: record.ID, Data: &record}
}
