package gate

import (
	"context"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// ownVerbs are the verbs that the gate does itself. They have the same path and
// records.
var ownVerbs = map[string]func(context.Context, *invocation) (action.Result, error){
	action.VerbApprovalStatus.Name: withArgs(func(ctx context.Context, p *invocation, a *action.ByID) (any, error) {
		q, err := p.g.approvals.Status(ctx, p.call.Caller.Scope, a.ID)
		return &q, err
	}),
	action.VerbApprovalList.Name: withArgs(func(ctx context.Context, p *invocation, a *action.ApprovalList) (any, error) {
		if p.call.Caller.Role == action.Operator {
			p.g.attention.noteListed(p.call.Caller.Scope)
		}
		l, err := p.g.approvals.List(ctx, p.call.Caller.Scope, a.State)
		return &l, err
	}),
	action.VerbApprovalShow.Name: withArgs(func(ctx context.Context, p *invocation, a *action.ByID) (any, error) {
		q, err := p.g.approvals.Show(ctx, p.call.Caller.Scope, a.ID)
		return &q, err
	}),
	action.VerbApprovalAnswer.Name: withArgs(answerQuestion),
	action.VerbPageBatch.Name:      openBatch,
	action.VerbPolicyShow.Name:     withArgs(showPolicy),
	action.VerbPolicyExplain.Name:  withArgs(explainPolicy),
	action.VerbGrantList.Name:      withArgs(listGrants),
	action.VerbGrantRevoke.Name:    withArgs(revokeGrant),
	action.VerbEventsFollow.Name:   withArgs(followEvents),
	action.VerbSessionReplay.Name:  withArgs(replaySession),
	action.VerbAuditQuery.Name: withArgs(func(ctx context.Context, p *invocation, a *action.AuditQuery) (any, error) {
		page, err := p.g.audit.Query(ctx, *a, p.call.Caller.Scope)
		return &page, err
	}),
	action.VerbAuditExport.Name: withArgs(func(_ context.Context, p *invocation, a *action.AuditExport) (any, error) {
		return p.g.audit.Export(*a, p.call.Caller.Scope)
	}),
	action.VerbAuditVerify.Name: withArgs(func(ctx context.Context, p *invocation, _ *action.None) (any, error) {
		v, err := p.g.audit.Verify(ctx)
		return &v, err
	}),
	action.VerbTokenCreate.Name: withTokens(createToken),
	action.VerbTokenRevoke.Name: withTokens(revokeToken),
	action.VerbTokenList.Name: withTokens(func(ctx context.Context, p *invocation, a *action.TokenList) (any, error) {
		l, err := p.g.tokens.List(ctx, p.call.Caller, *a)
		return &l, err
	}),
	action.VerbTokenWhoami.Name: withTokens(func(ctx context.Context, p *invocation, _ *action.None) (any, error) {
		w, err := p.g.tokens.Whoami(ctx, p.call.Caller)
		return &w, err
	}),
}

// withArgs makes a verb's function from one over its arguments, whose type the
// gate has checked.
func withArgs[A any](f func(context.Context, *invocation, *A) (any, error)) func(context.Context, *invocation) (action.Result, error) {
	return func(ctx context.Context, p *invocation) (action.Result, error) {
		data, err := f(ctx, p, p.call.Args.(*A))
		if err != nil {
			return action.Result{}, err
		}
		return action.Result{Data: data}, nil
	}
}

// answerQuestion stores a person's answer and records it.
func answerQuestion(ctx context.Context, p *invocation, a *action.Answer) (any, error) {
	said := *a
	said.Reason = p.g.secrets.All().Text(said.Reason)
	q, err := p.g.approvals.Answer(ctx, p.call.Caller, said)
	if err != nil {
		return nil, err
	}
	p.journal.approval = q.ID
	covers := ""
	if a.Approve && a.ForSession {
		covers = " (for the session)"
	}
	p.recordAnswer(q, covers)
	return &q, nil
}

// recordAnswer records the answer of the call's caller, with what it covers.
func (p *invocation) recordAnswer(q action.Question, covers string) {
	event := answerOf(q)
	event.CorrelationID, event.Surface = p.call.ID, p.call.Surface
	event.Actor, event.Role = p.call.Caller.Actor, p.call.Caller.Role
	event.Detail += covers
	p.g.audit.Record(event)
}

// openBatch opens a batch, after it was checked and scanned as a whole. Its steps
// are separate calls, in the session that was found.
func openBatch(_ context.Context, p *invocation) (action.Result, error) {
	return action.Result{Session: p.facts.Session.ID}, nil
}

// sessionVerbs are those of ownVerbs that are about a session, which is looked up
// first.
var sessionVerbs = map[string]bool{
	action.VerbGrantList.Name: true, action.VerbGrantRevoke.Name: true, action.VerbPageBatch.Name: true, action.VerbSessionReplay.Name: true,
}

// liveStates are the states of a session that has not ended.
var liveStates = map[string]bool{"starting": true, "open": true, "paused": true, "taken_over": true}

// listGrants lists what was allowed for the rest of a session. An ended session
// has no grants.
func listGrants(ctx context.Context, p *invocation, _ *action.None) (any, error) {
	if s := p.facts.Session; !liveStates[s.State] {
		if err := p.g.approvals.EndGrants(ctx, s.ID); err != nil {
			return nil, err
		}
	}
	l, err := p.g.approvals.Grants(ctx, p.facts.Session.ID)
	return &l, err
}

// revokeGrant revokes a grant.
func revokeGrant(ctx context.Context, p *invocation, a *action.ByID) (any, error) {
	if err := p.g.approvals.Revoke(ctx, p.facts.Session.ID, a.ID); err != nil {
		return nil, err
	}
	p.journal.approval = a.ID
	return &action.Revoked{OK: true}, nil
}

// Tokens manages the tokens that identify callers.
type Tokens interface {
	Create(ctx context.Context, by action.Caller, a action.TokenCreate) (action.TokenMade, error)
	List(ctx context.Context, by action.Caller, a action.TokenList) (action.TokenListing, error)
	Revoke(ctx context.Context, by action.Caller, a action.TokenRevoke) (action.TokenRevoked, error)
	Whoami(ctx context.Context, by action.Caller) (action.Whoami, error)
}

func createToken(ctx context.Context, p *invocation, a *action.TokenCreate) (any, error) {
	made, err := p.g.tokens.Create(ctx, p.call.Caller, *a)
	if err != nil {
		return nil, err
	}
	p.journal.recordTokenEvent(made.Scope, "made token "+made.ID+" for "+string(made.Role)+" "+made.Name)
	return &made, nil
}

func revokeToken(ctx context.Context, p *invocation, a *action.TokenRevoke) (any, error) {
	revoked, err := p.g.tokens.Revoke(ctx, p.call.Caller, *a)
	if err != nil {
		return nil, err
	}
	p.journal.recordTokenEvent(revoked.Scope, "revoked token "+revoked.ID+" of "+revoked.Name)
	return &revoked, nil
}

// recordTokenEvent records a change of a token in the trail of its scope.
func (j *journal) recordTokenEvent(scope, what string) {
	event := j.record()
	event.EventType, event.Scope, event.Detail = action.EventToken, scope, sanitized(what)
	j.c.g.audit.Record(event)
}

// withTokens is withArgs for verbs that need Tokens.
func withTokens[A any](f func(context.Context, *invocation, *A) (any, error)) func(context.Context, *invocation) (action.Result, error) {
	return withArgs(func(ctx context.Context, p *invocation, a *A) (any, error) {
		if p.g.tokens == nil {
			return nil, fault.New(fault.NotActive, "this gateway has no tokens to speak of").Hinted("see its configuration")
		}
		return f(ctx, p, a)
	})
}

// showPolicy shows the policy in force, and how long questions wait.
func showPolicy(_ context.Context, p *invocation, _ *action.None) (any, error) {
	view := p.policy.Show(p.call.Caller.Role)
	waits := p.g.approvals.Timeouts()
	view.Timeouts = action.PolicyTimeouts{Medium: waits.Medium.Seconds(), High: waits.High.Seconds(), Critical: waits.Critical.Seconds()}
	return &view, nil
}

// explainPolicy returns how the policy would decide about a call. With a session
// it looks at its page, as the call would, and does nothing else.
func explainPolicy(ctx context.Context, p *invocation, q *action.PolicyQuery) (any, error) {
	var seen *action.Facts
	if q.Session != "" {
		facts, err := p.peekPage(ctx, q)
		if err != nil {
			return nil, err
		}
		seen = &facts
	}
	out, err := p.policy.Explain(*q, seen)
	return &out, err
}

// peekPage returns the facts of a session's page for a call that is not made.
func (p *invocation) peekPage(ctx context.Context, q *action.PolicyQuery) (action.Facts, error) {
	call, _, err := policy.QueriedCall(*q)
	if err != nil {
		return action.Facts{}, err //nolint:wrapcheck // a fault
	}
	if !strings.HasPrefix(q.Verb, "page.") || q.Verb == action.VerbPageCrawl.Name {
		return action.Facts{}, fault.New(fault.InvalidRequest, "%s does not act on a session's page", q.Verb).
			Hinted("leave session out").With("field", "session")
	}
	call.ID, call.Session, call.Caller, call.Peek = p.call.ID, q.Session, p.call.Caller, true
	asked := p.g.invocationOf(callInfo{g: p.g, policy: p.policy, call: call})
	asked.verb, _ = action.Lookup(q.Verb)
	if err := asked.checkArguments(); err != nil {
		return action.Facts{}, err
	}
	err = asked.look(ctx)
	p.facts.Session = asked.facts.Session // for the record
	return asked.facts, err
}
