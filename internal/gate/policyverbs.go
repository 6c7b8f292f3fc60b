package gate

import (
	"context"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// showPolicy shows the policy in force, and how long questions wait.
func showPolicy(_ context.Context, p *invocation, _ *action.None) (any, error) {
	view := p.policy.Show(p.call.Caller.Role)
	waits := p.g.approvals.Timeouts()
	view.Timeouts = action.PolicyTimeouts{Medium: waits.Medium.Seconds(), High: waits.High.Seconds(), Critical: waits.Critical.Seconds()}
	return &view, nil
}

// explainPolicy says what would become of a call. With a session it looks at
// its page, as the call would, and does nothing.
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

// peekPage takes the facts of a session's page for a call that nobody makes.
func (p *invocation) peekPage(ctx context.Context, q *action.PolicyQuery) (action.Facts, error) {
	call, _, err := policy.QueriedCall(*q)
	if err != nil {
		return action.Facts{}, err //nolint:wrapcheck // a fault
	}
	if !strings.HasPrefix(q.Verb, "page.") || q.Verb == "page.crawl" {
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
	p.facts.Session = asked.facts.Session // whose page it was, for the record
	return asked.facts, err
}
