package gate

import (
	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// mayReadChanges reports whether the caller may be told what changed on a page: who
// may take a snapshot of it. Nobody else reads a page by acting on it.
func (c *callInfo) mayReadChanges(page action.Page) bool {
	snapshot, _ := action.Lookup("page.snapshot")
	call := action.Call{Verb: snapshot.Name, Args: snapshot.NewArgs(), Caller: c.call.Caller, Session: c.call.Session, Surface: c.call.Surface}
	facts := action.Facts{Session: c.facts.Session, Page: page}
	return c.policy.Decide(call, snapshot, facts).Decision == policy.Allow
}

// dropUnavailableReport asks for no report of changes where the verb has none.
func (c *callInfo) dropUnavailableReport() {
	c.call.Changes = c.call.Changes && c.verb.Tells()
}

// filterChanges is a result without the report that its caller may not read: judged
// by the page that the call led to.
func (c *callInfo) filterChanges(result action.Result) action.Result {
	if result.Changes != nil && (result.Page == nil || !c.mayReadChanges(*result.Page)) {
		result.Changes = nil
		result.Notes = append(result.Notes, "what changed on the page is not told: the policy does not let you read it")
	}
	return result
}
