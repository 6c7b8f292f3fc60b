package gate

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	maxSubscribers    = 16              // of a scope; each reads the trail
	subscriptionLimit = 5 * time.Minute // then the follower must connect and authenticate again
	maxPageEvents     = 100             // of one page
	eventPageLimit    = 5 * time.Second // to read a page
)

// eventKinds maps the types of records to kinds of events. An intent has none,
// since its outcome follows.
var eventKinds = map[string]string{
	action.EventSession: "session", action.EventBox: "session",
	action.EventQuestion: "question", action.EventAnswer: "answer", action.EventAlert: "alert", action.EventConfig: "config",
	action.EventOutcome: "action", action.EventBlocked: "action", action.EventProtocol: "action",
}

// followEvents sends the events of the caller's scope to a watcher until it
// disconnects or its time is over. Without a watcher it returns a page of events.
// Events about the configuration belong to no scope, and every operator gets
// them.
func followEvents(ctx context.Context, p *invocation, a *action.FollowEvents) (any, error) {
	if p.call.Caller.Role == action.Agent { // must not see what people are asked about it, and what they answer
		return nil, fault.New(fault.DeniedByPolicy, "agents do not follow events").
			Hinted("use session.list, and approval.status for a question of yours").With("rule", "class.admin")
	}
	after, err := p.startAfter(ctx, a)
	if err != nil {
		return nil, err
	}
	if p.call.Events == nil {
		return p.eventPage(ctx, a, after)
	}
	leave, err := p.g.subscribers.acquire(p.call.Caller.Scope)
	if err != nil {
		return nil, err
	}
	defer leave()
	if p.call.Caller.Role == action.Operator && a.Wants("question") {
		defer p.g.attention.addFollower(p.call.Caller.Scope)()
	}
	p.call.Events.Begin()
	last := after
	ctx, cancel := context.WithTimeout(ctx, subscriptionLimit)
	defer cancel()
	err = p.g.audit.Follow(ctx, p.queryScope(a), after, func(r action.Record) error {
		last = r.Seq
		if e, wanted := p.eventOf(ctx, a, r); wanted {
			var err error
			if e, err = redact.Value(p.g.secrets.All(), e); err != nil {
				return redactionFault("an event could not be looked through for secrets").Because(err)
			}
			return p.call.Events.Event(e)
		}
		return nil
	})
	if ctx.Err() != nil {
		err = nil // its time is over, or the follower disconnected
	}
	return &action.EventPage{Events: []action.Event{}, Last: last}, err
}

// startAfter is the number of the record after which the wanted events begin.
func (p *invocation) startAfter(ctx context.Context, a *action.FollowEvents) (int64, error) {
	if a.After != nil {
		return *a.After, nil
	}
	page, err := p.g.audit.Query(ctx, action.AuditQuery{Limit: 1}, p.call.Caller.Scope)
	return page.Last, err
}

// queryScope returns the scope whose records are read; empty for all scopes, if
// records without a scope are requested too.
func (p *invocation) queryScope(a *action.FollowEvents) string {
	if a.Wants("config") {
		return ""
	}
	return p.call.Caller.Scope
}

// eventOf converts a record to an event, if the call requests its kind and the
// caller may see it.
func (p *invocation) eventOf(ctx context.Context, a *action.FollowEvents, r action.Record) (e action.Event, wanted bool) {
	own, kind := p.call.Caller.Scope, eventKinds[r.EventType]
	if !a.Wants(kind) || r.Scope != own && (r.Scope != "" || kind != "config") {
		return e, false
	}
	e = action.Event{ID: r.Seq, Kind: kind, Record: r}
	if r.ApprovalID != "" && (kind == "question" || kind == "answer") {
		if q, err := p.g.approvals.Show(ctx, own, r.ApprovalID); err == nil {
			e.Question = &q
		}
	}
	return e, true
}

var errPageFull = errors.New("the page is full")

// eventPage returns the next events up to the end of the trail, limited in number
// and time.
func (p *invocation) eventPage(ctx context.Context, a *action.FollowEvents, after int64) (*action.EventPage, error) {
	end, err := p.startAfter(ctx, &action.FollowEvents{})
	page := &action.EventPage{Events: []action.Event{}, Last: max(after, end)}
	if err != nil || after >= end {
		return page, err
	}
	ctx, cancel := context.WithTimeout(ctx, eventPageLimit)
	defer cancel()
	page.Last = after
	err = p.g.audit.Follow(ctx, "", after, func(r action.Record) error { // of every scope, so that the last record is seen
		page.Last = r.Seq
		if e, wanted := p.eventOf(ctx, a, r); wanted {
			page.Events = append(page.Events, e)
		}
		if r.Seq >= end || len(page.Events) == maxPageEvents {
			return errPageFull
		}
		return nil
	})
	if errors.Is(err, errPageFull) || ctx.Err() != nil {
		err = nil
	}
	return page, err
}

// subscriberLimit counts the followers of each scope. The zero subscriberLimit is ready.
type subscriberLimit struct {
	mu     sync.Mutex
	counts map[string]int
}

// acquire reserves a place for a follower. Fault: limit_reached.
func (s *subscriberLimit) acquire(scope string) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts == nil {
		s.counts = map[string]int{}
	}
	if s.counts[scope] >= maxSubscribers {
		return nil, fault.New(fault.LimitReached, "%d followers of this scope are there already", maxSubscribers).
			Hinted("end one of them").With("limit", "followers").With("max", maxSubscribers)
	}
	s.counts[scope]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.counts[scope]--; s.counts[scope] == 0 {
			delete(s.counts, scope)
		}
	}, nil
}
