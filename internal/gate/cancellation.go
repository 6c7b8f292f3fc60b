package gate

import (
	"context"
	"errors"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// cancelled is the result, in the trail, of a call that its caller cancelled.
const cancelled = "cancelled"

// The possible results of a cancelled call.
const (
	carriedOut      = "it was carried out"
	notCarriedOut   = "it was not carried out"
	maybeCarriedOut = "it may have been carried out"
)

// resolveCancellation finds out whether a cancelled call was carried out. The
// outcome and the session's next answer to the agent say so. A call that was
// refused before it was cancelled keeps its refusal.
func (p *invocation) resolveCancellation(ctx context.Context, result action.Result, err error) error {
	if p.verb == nil || !errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	switch {
	case err == nil && result.Pending == nil:
		p.journal.cancellation = carriedOut
	case p.maybeDone && p.verb.Class != action.Read:
		p.journal.cancellation = maybeCarriedOut
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx)):
		p.journal.cancellation = notCarriedOut
	default:
		return err
	}
	p.queueCancellationNotice(result)
	if err == nil {
		return nil
	}
	return fault.New(fault.ActionTimeout, "%s was cancelled: %s", p.call.Verb, p.journal.cancellation).
		Hinted("look at the page before you make the call again").Because(err)
}

// queueCancellationNotice queues a notice for the agent about a cancelled call
// that may have changed something.
func (p *invocation) queueCancellationNotice(result action.Result) {
	session := p.facts.Session.ID
	if result.Session != "" {
		session = result.Session
	}
	if session == "" || p.verb.Inner || p.verb.Class == action.Read || p.call.Caller.Role != action.Agent {
		return
	}
	p.g.sessions.QueueNotice(session, "the call before, "+p.name()+", was cancelled: "+p.journal.cancellation)
}

// name is the name of the call on its surface.
func (c *callInfo) name() string {
	name := c.verb.Name
	if c.call.Surface == "mcp" && c.verb.Tool != "" {
		name = c.verb.Tool
	}
	if c.call.Part != "" {
		name += " (" + c.call.Part + ")"
	}
	return name
}
