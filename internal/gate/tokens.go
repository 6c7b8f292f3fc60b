package gate

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
)

// Tokens is what callers are known by.
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

// recordTokenEvent records what was done to a token in the trail of the scope it is of.
func (j *journal) recordTokenEvent(scope, what string) {
	event := j.record()
	event.EventType, event.Scope, event.Detail = audit.Token, scope, sanitized(what)
	j.c.g.audit.Record(event)
}

// withTokens is withArgs for verbs that a gate without tokens does not have.
func withTokens[A any](f func(context.Context, *invocation, *A) (any, error)) func(context.Context, *invocation) (action.Result, error) {
	return withArgs(func(ctx context.Context, p *invocation, a *A) (any, error) {
		if p.g.tokens == nil {
			return nil, fault.New(fault.NotActive, "this gateway has no tokens to speak of").Hinted("see its configuration")
		}
		return f(ctx, p, a)
	})
}
