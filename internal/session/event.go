package session

import (
	"context"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const (
	refusalBurst = 20                     // refusals recorded singly at once
	refusalEvery = 500 * time.Millisecond // and then one in so long: a page must not fill the audit
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
func (r *Registry) event(record action.Session, correlation, what string) {
	r.record(action.Record{
		EventType: "session", CorrelationID: correlation, Timestamp: time.Now().UTC(),
		Actor: record.Actor, Scope: record.Scope, SessionID: record.ID, ContainerID: record.Box,
		Result: record.State, Detail: what,
	})
}

// alert records that somebody should look at a session, and why.
func (r *Registry) alert(record action.Session, correlation, why string) {
	r.record(action.Record{
		EventType: "alert", CorrelationID: correlation, Timestamp: time.Now().UTC(),
		Actor: record.Actor, Scope: record.Scope, SessionID: record.ID, ContainerID: record.Box,
		Result: record.State, Detail: why,
	})
}

// boxEvent records a change of a box.
func (r *Registry) boxEvent(box, session, scope, what string) {
	r.record(action.Record{
		EventType: "box", Timestamp: time.Now().UTC(), Scope: scope,
		SessionID: session, ContainerID: box, Detail: what,
	})
}

// Refused records a request that the egress door or the page engine refused to
// a box; it does not wait. A page that asks without end is recorded in part,
// with how many were left out.
func (r *Registry) Refused(box string, refusal action.Refusal) {
	l := r.byBox(box)
	if l == nil {
		return // a warm box: only the browser's own requests
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	skipped, yes := l.refusals.admit(time.Now())
	if !yes {
		return
	}
	select {
	case r.refusals <- blocked(l.record, refusal, skipped):
	default:
		l.refusals.skipped += skipped + 1
	}
}

// tell records refusals until ctx ends, and then those that wait.
func (r *Registry) tell(ctx context.Context) {
	for {
		select {
		case record := <-r.refusals:
			r.record(record)
		case <-ctx.Done():
			for {
				select {
				case record := <-r.refusals:
					r.record(record)
				default:
					return
				}
			}
		}
	}
}

func blocked(record action.Session, refusal action.Refusal, skipped int) action.Record {
	detail := refusal.Reason
	if !refusal.Page {
		detail += " (the browser's own request)"
	}
	if skipped > 0 {
		detail += fmt.Sprintf("; %d refusals before it were not recorded", skipped)
	}
	return action.Record{
		EventType: "blocked", Timestamp: refusal.Time, Actor: record.Actor, Scope: record.Scope,
		SessionID: record.ID, ContainerID: record.Box, Domain: refusal.Host, TargetURL: bare(refusal.URL),
		Result: "fault", Detail: detail,
	}
}

// settle records how many refusals were never recorded, when a session ends.
func (r *Registry) settle(l *live) {
	l.mu.Lock()
	record, skipped := l.record, l.refusals.skipped
	l.mu.Unlock()
	if skipped > 0 {
		r.record(action.Record{
			EventType: "blocked", Timestamp: time.Now().UTC(), Actor: record.Actor, Scope: record.Scope,
			SessionID: record.ID, ContainerID: record.Box, Result: "fault",
			Detail: fmt.Sprintf("%d more refusals were not recorded", skipped),
		})
	}
}
