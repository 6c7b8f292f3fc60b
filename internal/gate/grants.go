package gate

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// sessionVerbs are the verbs of ownVerbs that are about a session, which is looked
// up first.
var sessionVerbs = map[string]bool{"grant.list": true, "grant.revoke": true, "page.batch": true}

// liveStates are the states of a session that goes on.
var liveStates = map[string]bool{"starting": true, "open": true, "paused": true, "taken_over": true}

// listGrants lists what was allowed for the rest of a session. What is over has
// none.
func listGrants(ctx context.Context, p *invocation, _ *action.None) (any, error) {
	if s := p.facts.Session; !liveStates[s.State] {
		if err := p.g.approvals.EndGrants(ctx, s.ID); err != nil {
			return nil, err
		}
	}
	l, err := p.g.approvals.Grants(ctx, p.facts.Session.ID)
	return &l, err
}

// revokeGrant takes a grant back.
func revokeGrant(ctx context.Context, p *invocation, a *action.ByID) (any, error) {
	if err := p.g.approvals.Revoke(ctx, p.facts.Session.ID, a.ID); err != nil {
		return nil, err
	}
	p.journal.approval = a.ID
	return &action.Revoked{OK: true}, nil
}
