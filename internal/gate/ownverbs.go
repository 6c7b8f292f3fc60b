package gate

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// ownVerbs are the verbs that the gate does itself. They take the same path
// and leave the same records.
var ownVerbs = map[string]func(context.Context, *invocation) (action.Result, error){
	"approval.status": withArgs(func(ctx context.Context, p *invocation, a *action.ByID) (any, error) {
		q, err := p.g.approvals.Status(ctx, p.call.Caller.Scope, a.ID)
		return &q, err
	}),
	"approval.list": withArgs(func(ctx context.Context, p *invocation, a *action.ApprovalList) (any, error) {
		if p.call.Caller.Role == action.Operator {
			p.g.attention.noteListed(p.call.Caller.Scope)
		}
		l, err := p.g.approvals.List(ctx, p.call.Caller.Scope, a.State)
		return &l, err
	}),
	"approval.show": withArgs(func(ctx context.Context, p *invocation, a *action.ByID) (any, error) {
		q, err := p.g.approvals.Show(ctx, p.call.Caller.Scope, a.ID)
		return &q, err
	}),
	"approval.answer": withArgs(answerQuestion),
	"page.batch":      openBatch,
	"policy.show":     withArgs(showPolicy),
	"policy.explain":  withArgs(explainPolicy),
	"grant.list":      withArgs(listGrants),
	"grant.revoke":    withArgs(revokeGrant),
	"events.follow":   withArgs(followEvents),
	"audit.query": withArgs(func(ctx context.Context, p *invocation, a *action.AuditQuery) (any, error) {
		page, err := p.g.audit.Query(ctx, *a, p.call.Caller.Scope)
		return &page, err
	}),
	"audit.export": withArgs(func(_ context.Context, p *invocation, a *action.AuditExport) (any, error) {
		return p.g.audit.Export(*a, p.call.Caller.Scope)
	}),
	"audit.verify": withArgs(func(ctx context.Context, p *invocation, _ *action.None) (any, error) {
		v, err := p.g.audit.Verify(ctx)
		return &v, err
	}),
	"token.create": withTokens(createToken),
	"token.revoke": withTokens(revokeToken),
	"token.list": withTokens(func(ctx context.Context, p *invocation, a *action.TokenList) (any, error) {
		l, err := p.g.tokens.List(ctx, p.call.Caller, *a)
		return &l, err
	}),
	"token.whoami": withTokens(func(ctx context.Context, p *invocation, _ *action.None) (any, error) {
		w, err := p.g.tokens.Whoami(ctx, p.call.Caller)
		return &w, err
	}),
}

// withArgs makes a verb of a function over its arguments, whose type the
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

// answerQuestion takes a person's answer and records what it was about.
func answerQuestion(ctx context.Context, p *invocation, a *action.Answer) (any, error) {
	said := *a
	said.Reason = p.g.secrets.All().Text(said.Reason)
	q, err := p.g.approvals.Answer(ctx, p.call.Caller, said)
	if err != nil {
		return nil, err
	}
	p.journal.approval = q.ID
	event := answerOf(q)
	event.CorrelationID, event.Surface = p.call.ID, p.call.Surface
	event.Actor, event.Role = p.call.Caller.Actor, p.call.Caller.Role
	if a.Approve && a.ForSession {
		event.Detail += " (for the session)"
	}
	p.g.audit.Record(event)
	return &q, nil
}

// openBatch lets a batch begin: it was checked whole, and looked through for
// credentials. Its steps are calls of their own, in the session that was found.
func openBatch(_ context.Context, p *invocation) (action.Result, error) {
	return action.Result{Session: p.facts.Session.ID}, nil
}
