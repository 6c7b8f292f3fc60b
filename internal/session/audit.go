package session

import (
	"context"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// auditor writes what happens to sessions and boxes to the audit trail.
type auditor struct{ record func(action.Record) }

// refusals records requests of pages that were refused. It also reports hosts
// that a page was refused and that a person could allow.
type refusals struct {
	sessions  *directory
	audit     auditor
	networks  *networks
	queue     chan refused
	requests  chan hostRequest
	onRequest func(action.Session, string)
}

func newRefusals(sessions *directory, audit auditor, networks *networks, onRequest func(action.Session, string)) *refusals {
	return &refusals{
		sessions: sessions, audit: audit, networks: networks, onRequest: onRequest,
		queue: make(chan refused, maxRefusals), requests: make(chan hostRequest, maxHostRequests),
	}
}

const (
	refusalBurst   = 100                    // refusals that are recorded one by one in a burst
	refusalEvery   = 500 * time.Millisecond // and then one per interval, so that a page cannot fill the audit trail
	requesterLimit = time.Second            // for the browser to report the requesting page, on a busy machine
)

// bucket is a rate limit for refusals. It counts the others. The zero bucket is
// full.
type bucket struct {
	spent   int
	since   time.Time
	skipped int
}

// admit reports whether a refusal at this time is recorded, and how many were
// skipped since the last recorded one.
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

// add records a request of a box that the egress proxy or the page engine
// refused. It does not block. If a page is refused very often, only some refusals
// are recorded, with the number of the others.
func (r *refusals) add(box string, refusal action.Refusal) {
	sess := r.sessions.byBox(box)
	if sess == nil {
		return // a warm box has only the browser's own requests
	}
	sess.with(func(st *sessionState) { r.enqueue(st, refusal) })
}

// enqueue does not block.
func (r *refusals) enqueue(st *sessionState, refusal action.Refusal) {
	skipped, yes := st.refusals.admit(time.Now())
	if !yes {
		return
	}
	select {
	case r.queue <- refused{Refusal: refusal, record: st.record, browser: st.browser, skipped: skipped}:
	default:
		st.refusals.skipped += skipped + 1
	}
	if refusal.Top && st.pause.Hold == nil {
		select {
		case r.requests <- hostRequest{st.record, refusal.URL}:
		default: // too many refusals: the requesting page is not looked up
		}
	}
}

// refused is a refusal that waits to be recorded.
type refused struct {
	action.Refusal
	record  action.Session
	browser Browser
	skipped int
}

// findRequester finds out which page sent the request. It waits at most
// requesterLimit after the refusal, so that refusals without a page do not delay
// the others for longer.
func (f *refused) findRequester(ctx context.Context) {
	if !f.Page || f.Document != "" || f.browser == nil {
		return
	}
	ctx, cancel := context.WithDeadline(ctx, f.Time.Add(requesterLimit))
	defer cancel()
	f.Document = f.browser.Initiator(ctx, f.Host)
}

// run records refusals until ctx ends, and then the waiting ones.
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
		EventType: action.EventBlocked, Timestamp: refusal.Time, Actor: record.Actor, Scope: record.Scope,
		SessionID: record.ID, ContainerID: record.Box, URL: bare(refusal.Document), Domain: refusal.Host, TargetURL: bare(refusal.URL),
		Result: "fault", Detail: detail,
	}
}

// finish records how many refusals were not recorded, at the end of a session.
func (r *refusals) finish(sess *openSession) {
	at := sess.snapshot()
	record, skipped := at.record, at.refusals.skipped
	if skipped > 0 {
		r.audit.record(action.Record{
			EventType: action.EventBlocked, Timestamp: time.Now().UTC(), Actor: record.Actor, Scope: record.Scope,
			SessionID: record.ID, ContainerID: record.Box, Result: "fault",
			Detail: fmt.Sprintf("%d more refusals were not recorded", skipped),
		})
	}
}

const maxHostRequests = 16 // that wait; further ones are dropped

// hostRequest is a navigation of a page that was refused.
type hostRequest struct {
	session action.Session
	address string
}

// runRequests reports the addresses that a person could allow, until ctx ends.
func (r *refusals) runRequests(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case w := <-r.requests:
			host := r.networks.requestableHost(w.session.ID, w.address)
			if host != "" && r.onRequest != nil {
				r.onRequest(w.session, host)
			}
		}
	}
}

// event records a change of a session.
func (a auditor) event(record action.Session, correlation, what string) {
	a.record(action.Record{
		EventType: action.EventSession, CorrelationID: correlation, Timestamp: time.Now().UTC(),
		Actor: record.Actor, Scope: record.Scope, SessionID: record.ID, ContainerID: record.Box,
		Result: record.State, Detail: what,
	})
}

// alert records that a person should look at a session, and why.
func (a auditor) alert(record action.Session, correlation, why string) {
	a.record(action.Record{
		EventType: action.EventAlert, CorrelationID: correlation, Timestamp: time.Now().UTC(),
		Actor: record.Actor, Scope: record.Scope, SessionID: record.ID, ContainerID: record.Box,
		Result: record.State, Detail: why,
	})
}

// boxEvent records a change of a box.
func (a auditor) boxEvent(box, session, scope, what string) {
	a.record(action.Record{
		EventType: action.EventBox, Timestamp: time.Now().UTC(), Scope: scope,
		SessionID: session, ContainerID: box, Detail: what,
	})
}
