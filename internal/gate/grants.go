package gate

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// ofSession are the verbs of ownVerbs that are about a session, which is looked
// up first.
var ofSession = map[string]bool{"grant.list": true, "grant.revoke": true, "page.batch": true}

// alive are the states of a session that goes on.
var alive = map[string]bool{"starting": true, "open": true, "paused": true, "taken_over": true}

// grants lists what was allowed for the rest of a session. What is over has
// none.
func grants(ctx context.Context, p *passage, _ *action.None) (any, error) {
	if s := p.facts.Session; !alive[s.State] {
		if err := p.g.desk.EndGrants(ctx, s.ID); err != nil {
			return nil, err
		}
	}
	l, err := p.g.desk.Grants(ctx, p.facts.Session.ID)
	return &l, err
}

// revoke takes a grant back.
func revoke(ctx context.Context, p *passage, a *action.ByID) (any, error) {
	if err := p.g.desk.Revoke(ctx, p.facts.Session.ID, a.ID); err != nil {
		return nil, err
	}
	p.approval = a.ID
	return &action.Revoked{OK: true}, nil
}
