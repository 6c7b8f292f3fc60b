package session

import (
	"context"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const (
	refusalBurst   = 100                    // refusals recorded singly at once: a page may name as many hosts
	refusalEvery   = 500 * time.Millisecond // and then one in so long: a page must not fill the audit
	requesterLimit = time.Second            // for the browser to tell which page asked, on a busy machine
)

// bucket lets so many refusals through; the rest are counted. The zero bucket
// is full.
type bucket struct {
	spent   int
	since   time.Time
	skipped int
}

// admit reports whether a refusal at that time is recorded, and how many were
// not since the last one that was.
func (b *bucket) admit(now time.Time) (skipped int, yes bool) {
	if back := int(now.Sub(b.since) / refusalEvery); back > 0 {
		b.spent = max(0, b.spent-back)
		b.since = now
	}
	if b.spent >= refusalBurst {
		b.skipped++
		return 0, false
	}
	b.spent++
	skipped, b.skipped = b.skipped, 0
	return skipped, true
}

// event records a change of a session.
func (a auditor) event(record action.Session, correlation, what string) {
	a.record(action.Record{
		EventType: "session", CorrelationID: correlation, Timestamp: time.Now().UTC(),
		Actor: record.Actor, Scope: record.Scope, SessionID: record.ID, ContainerID: record.Box,
		Result: record.State, Detail: what,
	})
}

// alert records that somebody should look at a session, and why.
func (a auditor) alert(record action.Session, correlation, why string) {
	a.record(action.Record{
		EventType: "alert", CorrelationID: correlation, Timestamp: time.Now().UTC(),
		Actor: record.Actor, Scope: record.Scope, SessionID: record.ID, ContainerID: record.Box,
		Result: record.State, Detail: why,
	})
}

// boxEvent records a change of a box.
func (a auditor) boxEvent(box, session, scope, what string) {
	a.record(action.Record{
		EventType: "box", Timestamp: time.Now().UTC(), Scope: scope,
		SessionID: session, ContainerID: box, Detail: what,
	})
}

// add records a request that the egress door or the page engine refused to
// a box; it does not wait. A page that asks without end is recorded in part,
// with how many were left out.
func (r *refusals) add(box string, refusal action.Refusal) {
	sess := r.sessions.byBox(box)
	if sess == nil {
		return // a warm box: only the browser's own requests
	}
	sess.mu.Lock()
	defer sess.mu.Unlock()
	skipped, yes := sess.refusals.admit(time.Now())
	if !yes {
		return
	}
	select {
	case r.queue <- refused{Refusal: refusal, record: sess.record, browser: sess.browser, skipped: skipped}:
	default:
		sess.refusals.skipped += skipped + 1
	}
	if refusal.Top && sess.pause.Hold == nil {
		select {
		case r.requests <- hostRequest{sess.record, refusal.URL}:
		default: // a page that wants so much is not asked for
		}
	}
}

func newRefusals(sessions *directory, audit auditor, networks *networks, onRequest func(action.Session, string)) *refusals {
	return &refusals{
		sessions: sessions, audit: audit, networks: networks, onRequest: onRequest,
		queue: make(chan refused, maxRefusals), requests: make(chan hostRequest, maxHostRequests),
	}
}

// refused is a refusal that waits to be recorded.
type refused struct {
	action.Refusal
	record  action.Session
	browser Browser
	skipped int
}

// findRequester finds out which page asked. It waits no longer than askerTime after
// the refusal, so that many that nobody asked for delay each other no further.
func (f *refused) findRequester(ctx context.Context) {
	if !f.Page || f.Document != "" || f.browser == nil {
		return
	}
	ctx, cancel := context.WithDeadline(ctx, f.Time.Add(requesterLimit))
	defer cancel()
	f.Document = f.browser.Asker(ctx, f.Host)
}

// run records refusals until ctx ends, and then those that wait.
func (r *refusals) run(ctx context.Context) {
	for {
		select {
		case f := <-r.queue:
			f.findRequester(ctx)
			r.audit.record(f.toRecord())
		case <-ctx.Done():
			for {
				select {
				case f := <-r.queue:
					f.findRequester(ctx)
					r.audit.record(f.toRecord())
				default:
					return
				}
			}
		}
	}
}

func (f *refused) toRecord() action.Record {
	record, refusal, detail := f.record, f.Refusal, f.Reason
	switch {
	case !f.Page:
		detail += " (the browser's own request)"
	case f.Document == "":
		detail += " (no page is known to have asked)"
	}
	if f.skipped > 0 {
		detail += fmt.Sprintf("; %d refusals before it were not recorded", f.skipped)
	}
	return action.Record{
		EventType: "blocked", Timestamp: refusal.Time, Actor: record.Actor, Scope: record.Scope,
		SessionID: record.ID, ContainerID: record.Box, URL: bare(refusal.Document), Domain: refusal.Host, TargetURL: bare(refusal.URL),
		Result: "fault", Detail: detail,
	}
}

// finish records how many refusals were never recorded, when a session ends.
func (r *refusals) finish(sess *openSession) {
	sess.mu.Lock()
	record, skipped := sess.record, sess.refusals.skipped
	sess.mu.Unlock()
	if skipped > 0 {
		r.audit.record(action.Record{
			EventType: "blocked", Timestamp: time.Now().UTC(), Actor: record.Actor, Scope: record.Scope,
			SessionID: record.ID, ContainerID: record.Box, Result: "fault",
			Detail: fmt.Sprintf("%d more refusals were not recorded", skipped),
		})
	}
}
