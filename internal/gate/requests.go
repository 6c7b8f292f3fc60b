package gate

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/time/rate"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/gate/scan"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	maxAddresses         = 2000 // remembered addresses of a session
	maxUncausedQuestions = 3    // waiting questions of a session about requests without an act
	recordRate           = 10   // records of requests per second and session, on average
	recordBurst          = 300  // records in a burst
)

// RequestsOptions configure Requests. Policy, Approvals, Audit and Log must be
// given.
type RequestsOptions struct {
	Policy      *policy.Policy
	Approvals   *approval.Queue
	Audit       *audit.Log
	Log         *slog.Logger
	Credentials Credentials
	Secrets     *redact.SecretStore
}

// Requests judges the requests that browsers want to send, by the policy in
// force. It stores which acts may have caused them. It is safe for concurrent
// use.
type Requests struct {
	policy       atomic.Pointer[policy.Policy]
	approvals    *approval.Queue
	audit        *audit.Log
	log          *slog.Logger
	secrets      *redact.SecretStore // never nil
	secretsGiven bool                // secrets was given by the caller
	credentials  Credentials
	acts         acts
}

// NewRequests makes a Requests. Fault: internal if a part is missing.
func NewRequests(o RequestsOptions) (*Requests, error) {
	if o.Policy == nil || o.Approvals == nil || o.Audit == nil || o.Log == nil {
		return nil, fault.New(fault.Internal, "the gate lacks one of its parts")
	}
	g := &Requests{approvals: o.Approvals, audit: o.Audit, log: o.Log, secrets: o.Secrets, secretsGiven: o.Secrets != nil, credentials: o.Credentials}
	g.policy.Store(o.Policy)
	if g.secrets == nil {
		g.secrets = new(redact.SecretStore)
	}
	if g.credentials.Scanner == nil {
		g.credentials.Scanner = new(scan.Scanner)
	}
	return g, nil
}

// SetPolicy replaces the policy for calls and requests that start from now on.
// Running calls, including those that wait for a person, keep theirs. Without a
// policy nothing changes: fault internal.
func (g *Requests) SetPolicy(p *policy.Policy) error {
	if p == nil {
		return fault.New(fault.Internal, "a gate has a policy")
	}
	g.policy.Store(p)
	return nil
}

// Outgoing judges a request of a session's browser before it is sent, and waits
// for a person if one is asked. An error refuses the request. Faults:
// denied_by_policy, approval_denied, approval_timeout, limit_reached.
func (g *Requests) Outgoing(ctx context.Context, s action.Session, from action.Sender, r action.Request) (action.Ruling, error) {
	o := &outgoingRequest{ctx: ctx, g: g, policy: g.policy.Load(), session: s, from: from, request: r, acts: g.acts.find(s.ID, r.Acts)}
	return o.decide(ctx)
}

// Receipt records the result of a request that was sent.
func (g *Requests) Receipt(s action.Session, e action.Effect) {
	event := action.Record{
		EventType: action.EventEffect, Actor: s.Actor, Scope: s.Scope, SessionID: s.ID, ContainerID: s.Box, Action: action.EffectVerb,
		TargetURL: untrusted.Record(g.shownURL(e.URL), maxRecordedURL), Domain: e.Host, Result: "ok", Detail: fmt.Sprintf("%s: %d", e.Method, e.Status),
	}
	if e.State == action.EffectUnknown {
		event.Result, event.Detail = "unknown", e.Method+": "+untrusted.Record(e.Why, maxErrorText)
	}
	for _, b := range g.acts.find(s.ID, []string{e.Act}) {
		b.noteEffect(e)
		if e.State == action.EffectUnknown && onNetwork(e.Why) {
			b.noteFailure(e.Key)
		}
		event.CorrelationID, event.Actor, event.Role, event.Surface = b.call.ID, b.call.Caller.Actor, b.call.Caller.Role, b.call.Surface
	}
	g.recordRequest(s.ID, event)
}

// onNetwork reports whether a request failed because of the network, and not because its
// page gave it up.
func onNetwork(why string) bool {
	for _, cause := range []string{"CONNECTION", "TIMED_OUT", "EMPTY_RESPONSE", "NETWORK_CHANGED", "DISCONNECTED", "NAME_NOT_RESOLVED", "ADDRESS_UNREACHABLE", "TUNNEL", "HTTP2"} {
		if strings.Contains(why, cause) {
			return true
		}
	}
	return false
}

// recordRequest stores a record about a request, unless its session has too many.
func (g *Requests) recordRequest(session string, event action.Record) {
	if event, kept := g.acts.allowRecord(session, event); kept {
		g.audit.Record(event)
	}
}

// Over removes what is stored about the requests of a session that has ended, and ends
// its open questions: no answer to them can have an effect.
func (g *Requests) Over(session string) {
	g.acts.endSession(session)
	ctx, cancel := context.WithTimeout(context.Background(), hostRequestLimit)
	defer cancel()
	if err := g.approvals.WithdrawAll(ctx, session); err != nil {
		g.log.Warn("questions of an ended session stay open", "session", session, "error", err)
	}
}

// HasOpenQuestions reports whether a question about a session waits for a person.
// If that is unknown, it reports true.
func (g *Requests) HasOpenQuestions(s action.Session) bool {
	ctx, cancel := context.WithTimeout(context.Background(), hostRequestLimit) // belongs to no call
	defer cancel()
	waiting, err := g.approvals.List(ctx, s.Scope, approval.Pending)
	return err != nil || slices.ContainsFunc(waiting.Questions, func(q action.Question) bool { return q.Session == s.ID })
}

// sessionRequests is the state of a session's requests. acts.mu guards it.
type sessionRequests struct {
	known           map[string]bool // addresses, and what people decided about them
	records         *rate.Limiter
	skipped         int // skipped records
	link            allowedLink
	waitingUncaused int // waiting questions about requests without an act
	denied          map[string]*denial
}

// session returns the state of a session's requests. mu must be held.
func (d *acts) session(session string) *sessionRequests {
	if d.sessions == nil {
		d.sessions = map[string]*sessionRequests{}
	}
	s := d.sessions[session]
	if s == nil {
		s = &sessionRequests{known: map[string]bool{}, records: rate.NewLimiter(recordRate, recordBurst)}
		d.sessions[session] = s
	}
	return s
}

// remembers reports whether a key is stored for a session. With learn it is
// stored now.
func (d *acts) remembers(session, word string, learn bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.session(session)
	if s.known[word] {
		return true
	}
	if learn && len(s.known) < maxAddresses {
		s.known[word] = true
	}
	return false
}

// reserveUncaused counts a question about a request without an act, until done is
// called. Their number is limited, so that a page cannot hide other questions.
// Fault: limit_reached.
func (d *acts) reserveUncaused(session string) (done func(), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.session(session)
	if s.waitingUncaused >= maxUncausedQuestions {
		return nil, fault.New(fault.LimitReached, "%d requests that this page makes by itself already wait for a person", s.waitingUncaused).
			Hinted("wait until they are answered").With("limit", "questions").With("max", maxUncausedQuestions)
	}
	s.waitingUncaused++
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		s.waitingUncaused--
	}, nil
}

// allowRecord reports whether a record about a request is stored, and adds the
// number of skipped ones to it. The rate is limited, so that a page cannot fill
// the disk.
func (d *acts) allowRecord(session string, r action.Record) (action.Record, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.session(session)
	if !s.records.Allow() {
		s.skipped++
		return r, false
	}
	if s.skipped > 0 {
		r.Detail = join(r.Detail, fmt.Sprintf("%d records of requests before it were left out", s.skipped))
		s.skipped = 0
	}
	return r, true
}
