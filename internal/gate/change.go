package gate

import (
	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// mayReadChanges reports whether the caller may be told what changed on a page: who
// may take a snapshot of it. Nobody else reads a page by acting on it.
func (p *invocation) mayReadChanges(page action.Page) bool {
	snapshot, _ := action.Lookup("page.snapshot")
	call := action.Call{Verb: snapshot.Name, Args: snapshot.NewArgs(), Caller: p.call.Caller, Session: p.call.Session, Surface: p.call.Surface}
	if _, refused := p.policy.Admit(call.Caller, snapshot); refused {
		return false
	}
	facts := action.Facts{Session: p.facts.Session, Page: page}
	return p.policy.Decide(call, snapshot, facts).Decision == policy.Allow
}

// dropUnavailableReport drops the wish for a report from calls that have none.
func (p *invocation) dropUnavailableReport() {
	p.call.Changes = p.call.Changes && p.verb.Tells()
}

// filterChanges is a result without the report that its caller may not read: judged
// by the page that the call led to.
func (p *invocation) filterChanges(result action.Result) action.Result {
	if result.Changes != nil && (result.Page == nil || !p.mayReadChanges(*result.Page)) {
		result.Changes = nil
		result.Notes = append(result.Notes, "what changed on the page is not told: the policy does not let you read it")
	}
	return result
}
