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

// freezer freezes the boxes of sessions that nobody uses.
type freezer struct {
	config       Config
	audit        auditor
	log          *slog.Logger
	hasQuestions func(action.Session) bool
}

const (
	freezeLimit  = 10 * time.Second       // wall time to freeze a box, or to thaw it
	freezeSettle = 200 * time.Millisecond // to answer what the browser sent just before, which thaws it
	freezeAgain  = 5 * time.Second        // until it is tried again, after something went on in the browser
)

// run freezes the box of a session whenever nobody has used it for a while,
// until the session ends. Whatever is sent to the browser thaws it.
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

// untilIdle is how long a session must stay unused until it is idle; 0 when it is
// idle.
func (f *freezer) untilIdle(sess *openSession, now time.Time) time.Duration {
	record, browser, used := sess.usage()
	left := f.config.FreezeAfter - now.Sub(record.LastUsed)
	switch {
	case left > 0:
		return left
	case used || browser.Busy() || f.hasQuestions != nil && f.hasQuestions(record):
		return freezeAgain
	}
	return 0
}

// inUse reports whether a call, a DevTools client or a crawl uses the session, or
// a request of its pages waits for a verdict.
func (s *sessionState) inUse() bool {
	return len(s.calls) > 0 || s.clients > 0 || s.crawl != nil || s.sending > 0
}

// freeze freezes a session's box and returns when it is thawed, or the session
// ends. next is after what time it may be tried again.
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

// thawed notes that the session's box runs again. by is the call that woke it.
func (o *openSession) thawed() (record action.Session, by string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	by, o.state.wokenBy = o.state.wokenBy, ""
	o.state.markThawed()
	return o.state.record, by
}

// markFrozen notes that a session's box is frozen, unless it was thawed already.
func (o *openSession) markFrozen(thawed <-chan struct{}) (record action.Session, since time.Time, still bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case <-thawed:
		return o.state.record, time.Time{}, false
	default: // whoever thaws it from now on sees that it was frozen
	}
	o.state.record.Frozen, o.state.frozen = true, time.Now()
	return o.state.record, o.state.frozen, true
}

const frozenNote = "the session stood still"

const freezeKey = "browser.freeze_after_seconds"

// tryFreeze freezes a box. ok is false where something happened in its browser
// meanwhile: then it runs. thawed is nil where it cannot be frozen.
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
	if err := box.Thaw(asked); err != nil { // what was sent to the browser gets no answer else
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
		o.state.wokenBy = call.ID // set before it is thawed, which is recorded at once
	}
	o.mu.Unlock()
	if box == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, freezeLimit)
	defer cancel()
	if err := box.Thaw(ctx); err != nil && box.Err() == nil { // for a box that is gone the call itself has a fault
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.state.markThawed()
	return nil
}

// markThawed notes that a session's box runs again, and tells its agent how long it
// was frozen.
func (s *sessionState) markThawed() {
	if !s.record.Frozen {
		return
	}
	s.record.Frozen = false
	s.pause.Notes = slices.DeleteFunc(slices.Clone(s.pause.Notes), func(note string) bool { return strings.HasPrefix(note, frozenNote) }) // of an earlier time
	s.addNote(fmt.Sprintf("%s for %s while nobody used it, and goes on now: its page may show what was, until it has caught up",
		frozenNote, time.Since(s.frozen).Round(time.Second)))
}
