package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

const (
	freezeLimit  = 10 * time.Second       // wall time to freeze a box, or to thaw it
	freezeSettle = 200 * time.Millisecond // for what the browser said just before to be answered, which thaws it
	freezeAgain  = 5 * time.Second        // until it is tried again, after something went on in the browser
)

// freezeWhenIdle freezes the box of a session whenever nobody has used it for a while,
// until the session ends. Whatever is sent to the browser thaws it.
func (r *Registry) freezeWhenIdle(l *live, box sandbox.Box) {
	if r.config.FreezeAfter <= 0 {
		return
	}
	ctx, cancel := context.WithCancel(context.Background()) // of the session's life, which no call owns
	defer cancel()
	timer := time.NewTimer(r.config.FreezeAfter)
	defer timer.Stop()
	for {
		select {
		case <-l.closing:
			return
		case <-box.Done():
			return
		case <-timer.C:
		}
		if l.over() != nil {
			return
		}
		left := r.untilIdle(l, time.Now())
		if left <= 0 {
			left = r.freeze(ctx, l, box)
		}
		timer.Reset(left)
	}
}

// untilIdle is how long a session must stay unused to be idle; nothing when it
// is.
func (r *Registry) untilIdle(l *live, now time.Time) time.Duration {
	l.mu.Lock()
	left := r.config.FreezeAfter - now.Sub(l.record.LastUsed)
	record, browser, used := l.record, l.browser, l.inUse()
	l.mu.Unlock()
	switch {
	case left > 0:
		return left
	case used || browser.Busy() || r.asks != nil && r.asks(record):
		return freezeAgain
	}
	return 0
}

// inUse reports whether a call, a client of the protocol or a crawl
// is in a session, or a request of its pages waits for a verdict. mu must
// be held.
func (l *live) inUse() bool {
	return len(l.calls) > 0 || l.clients > 0 || l.crawl != nil || l.sending > 0
}

// freeze freezes a session's box and returns when it is thawed, or the session
// ends. next is after what time it may be tried again.
func (r *Registry) freeze(ctx context.Context, l *live, box sandbox.Box) (next time.Duration) {
	thawed, ok := r.tryFreeze(ctx, l, box)
	if !ok {
		return freezeAgain
	}
	if thawed == nil {
		return max(r.config.FreezeAfter, freezeAgain) // it cannot be: no need to hurry
	}
	record, since, still := l.markFrozen(thawed)
	if !still {
		return freezeAgain
	}
	r.event(record, "", fmt.Sprintf("frozen: nobody has used it for %s (%s)", since.Sub(record.LastUsed).Round(time.Second), freezeKey))
	select {
	case <-l.closing:
		return 0
	case <-box.Done():
		return 0
	case <-thawed:
	}
	l.mu.Lock()
	by := l.wokenBy
	l.wokenBy = ""
	l.markThawed()
	record = l.record
	l.mu.Unlock()
	r.event(record, by, "woken up; it stood still for "+time.Since(since).Round(time.Millisecond).String())
	return r.config.FreezeAfter
}

// markFrozen notes that a session's box stands still, unless it goes on already.
func (l *live) markFrozen(thawed <-chan struct{}) (record action.Session, since time.Time, still bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-thawed:
		return l.record, time.Time{}, false
	default: // who thaws it from now on finds the mark
	}
	l.record.Frozen, l.frozen = true, time.Now()
	return l.record, l.frozen, true
}

const stoodStill = "the session stood still"

const freezeKey = "browser.freeze_after_seconds"

// tryFreeze freezes a box. ok is false where something went on in its browser
// meanwhile: it runs then. thawed is nil where it cannot be frozen.
func (r *Registry) tryFreeze(ctx context.Context, l *live, box sandbox.Box) (thawed <-chan struct{}, ok bool) {
	asked, cancel := context.WithTimeout(ctx, freezeLimit)
	defer cancel()
	thawed, err := box.Freeze(asked)
	if err != nil {
		r.log.Debug("a box cannot be frozen", "session", l.id, "error", err)
		return nil, true
	}
	settled := time.NewTimer(freezeSettle)
	defer settled.Stop()
	select {
	case <-thawed:
		return nil, false
	case <-l.closing:
		return nil, false
	case <-settled.C:
	}
	l.mu.Lock()
	used, browser := l.inUse(), l.browser
	l.mu.Unlock()
	if !used && !browser.Busy() {
		return thawed, true
	}
	if err := box.Thaw(asked); err != nil { // what was sent before would get no answer
		r.log.Warn("a box cannot be thawed", "session", l.id, "error", err)
	}
	return nil, false
}

// wake has a session's box go on before a call does anything in it. The call
// must be registered. Faults: cdp_error.
func (l *live) wake(ctx context.Context, call action.Call) error {
	l.mu.Lock()
	box := l.box
	if l.record.Frozen {
		l.wokenBy = call.ID // before it is thawed, which is recorded at once
	}
	l.mu.Unlock()
	if box == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, freezeLimit)
	defer cancel()
	if err := box.Thaw(ctx); err != nil && box.Err() == nil { // of a box that is gone the call itself says what to do
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.markThawed()
	return nil
}

// markThawed notes that a session's box goes on, and has its agent told how long it
// stood still. mu must be held.
func (l *live) markThawed() {
	if !l.record.Frozen {
		return
	}
	l.record.Frozen = false
	l.control.Notes = slices.DeleteFunc(l.control.Notes, func(note string) bool { return strings.HasPrefix(note, stoodStill) }) // of another time
	l.note(fmt.Sprintf("%s for %s while nobody used it, and goes on now: its page may show what was, until it has caught up",
		stoodStill, time.Since(l.frozen).Round(time.Second)))
}
