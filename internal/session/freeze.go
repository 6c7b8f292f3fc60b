package session

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// freezer freezes the boxes of unused sessions.
type freezer struct {
	config       Config
	audit        auditor
	log          *slog.Logger
	hasQuestions func(action.Session) bool
}

const (
	freezeLimit  = 10 * time.Second       // wall time to freeze a box, or to thaw it
	freezeSettle = 200 * time.Millisecond // time for answers to messages of the browser, which thaw it
	freezeAgain  = 5 * time.Second        // until the next attempt, after activity in the browser
)

// run freezes the box of a session whenever the session was unused for a while,
// until the session ends. Anything that is sent to the browser thaws it.
func (f *freezer) run(sess *openSession, box sandbox.Box) {
	if f.config.FreezeAfter <= 0 {
		return
	}
	ctx, cancel := context.WithCancel(context.Background()) // of the session's life, which no call owns
	defer cancel()
	timer := time.NewTimer(f.config.FreezeAfter)
	defer timer.Stop()
	for {
		select {
		case <-sess.closing:
			return
		case <-box.Done():
			return
		case <-timer.C:
		}
		if sess.over() != nil {
			return
		}
		left := f.untilIdle(sess, time.Now())
		if left <= 0 {
			left = f.freeze(ctx, sess, box)
		}
		timer.Reset(left)
	}
}

// untilIdle returns how long a session must stay unused until it is idle; 0 if it
// is idle.
func (f *freezer) untilIdle(sess *openSession, now time.Time) time.Duration {
	record, browser, used := sess.usage()
	left := f.config.FreezeAfter - now.Sub(record.LastUsed)
	switch {
	case left > 0:
		return left
	case used || sess.watched() || browser.Busy() || f.hasQuestions != nil && f.hasQuestions(record):
		return freezeAgain
	}
	return 0
}

// watched reports whether somebody watches the session: a frozen page would stand
// still.
func (o *openSession) watched() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.state.viewers) > 0
}

// inUse reports whether a call, a DevTools client or a crawl uses the session, or
// a request of its pages waits for a verdict.
func (s *sessionState) inUse() bool {
	return len(s.calls) > 0 || s.clients > 0 || s.crawl != nil || s.sending > 0
}

// freeze freezes a session's box and returns when it is thawed or the session
// ends. next is the time after which it may be tried again.
func (f *freezer) freeze(ctx context.Context, sess *openSession, box sandbox.Box) (next time.Duration) {
	thawed, ok := f.tryFreeze(ctx, sess, box)
	if !ok {
		return freezeAgain
	}
	if thawed == nil {
		return max(f.config.FreezeAfter, freezeAgain) // it cannot be frozen: try again later
	}
	record, since, still := sess.markFrozen(thawed)
	if !still {
		return freezeAgain
	}
	f.audit.event(record, "", fmt.Sprintf("frozen: nobody has used it for %s (%s)", since.Sub(record.LastUsed).Round(time.Second), freezeKey))
	select {
	case <-sess.closing:
		return 0
	case <-box.Done():
		return 0
	case <-thawed:
	}
	record, by := sess.thawed()
	f.audit.event(record, by, "woken up; it stood still for "+time.Since(since).Round(time.Millisecond).String())
	return f.config.FreezeAfter
}

// usage returns the record, the browser, and whether anything uses the session.
func (o *openSession) usage() (record action.Session, browser Browser, used bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.state.record, o.state.browser, o.state.inUse()
}

// thawed records that a session's box runs again. by is the call that thawed it.
func (o *openSession) thawed() (record action.Session, by string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	by, o.state.wokenBy = o.state.wokenBy, ""
	o.state.markThawed()
	return o.state.record, by
}

// markFrozen records that a session's box is frozen, unless it was thawed
// already.
func (o *openSession) markFrozen(thawed <-chan struct{}) (record action.Session, since time.Time, still bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case <-thawed:
		return o.state.record, time.Time{}, false
	default: // a thaw after this point sees that it was frozen
	}
	o.state.record.Frozen, o.state.frozen = true, time.Now()
	return o.state.record, o.state.frozen, true
}

const frozenNote = "the session stood still"

const freezeKey = "browser.freeze_after_seconds"

// tryFreeze freezes a box. If there was activity in its browser meanwhile, ok is
// false and the box runs. thawed is nil if it cannot be frozen.
func (f *freezer) tryFreeze(ctx context.Context, sess *openSession, box sandbox.Box) (thawed <-chan struct{}, ok bool) {
	asked, cancel := context.WithTimeout(ctx, freezeLimit)
	defer cancel()
	thawed, err := box.Freeze(asked)
	if err != nil {
		f.log.Debug("a box cannot be frozen", "session", sess.id, "error", err)
		return nil, true
	}
	settled := time.NewTimer(freezeSettle)
	defer settled.Stop()
	select {
	case <-thawed:
		return nil, false
	case <-sess.closing:
		return nil, false
	case <-settled.C:
	}
	_, browser, used := sess.usage()
	if !used && !browser.Busy() {
		return thawed, true
	}
	if err := box.Thaw(asked); err != nil { // otherwise messages to the browser would get no answer
		f.log.Warn("a box cannot be thawed", "session", sess.id, "error", err)
	}
	return nil, false
}

// wake thaws a session's box before a call does anything in it. The call must be
// registered. Faults: cdp_error.
func (o *openSession) wake(ctx context.Context, call action.Call) error {
	o.mu.Lock()
	box := o.state.box
	if o.state.record.Frozen {
		o.state.wokenBy = call.ID // set before the thaw, which is recorded at once
	}
	o.mu.Unlock()
	if box == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, freezeLimit)
	defer cancel()
	if err := box.Thaw(ctx); err != nil && box.Err() == nil { // if the box is gone, the call itself faults
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.state.markThawed()
	return nil
}

// markThawed records that a session's box runs again, and adds a note for its
// agent how long it was frozen.
func (s *sessionState) markThawed() {
	if !s.record.Frozen {
		return
	}
	s.record.Frozen = false
	s.pause.Notes = slices.DeleteFunc(slices.Clone(s.pause.Notes), func(note string) bool { return strings.HasPrefix(note, frozenNote) }) // from an earlier freeze
	s.addNote(fmt.Sprintf("%s for %s while nobody used it, and goes on now: its page may show what was, until it has caught up",
		frozenNote, time.Since(s.frozen).Round(time.Second)))
}
