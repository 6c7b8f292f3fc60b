package gate

import (
	"context"
	"errors"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// cancelled is the result, in the trail, of a call that its caller gave up.
const cancelled = "cancelled"

// What became of a call that its caller gave up.
const (
	wasDone = "it was carried out"
	notDone = "it was not carried out"
	maybe   = "it may have been carried out"
)

// settle finds out what became of a call whose caller gave it up. It has the
// outcome say so, and the session its agent with the next answer: the caller
// itself hears nothing more. A call that was refused by then is that.
func (p *passage) settle(ctx context.Context, result action.Result, err error) error {
	if p.verb == nil || !errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	switch {
	case err == nil && result.Pending == nil:
		p.became = wasDone
	case p.acts && p.verb.Class != action.Read:
		p.became = maybe
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx)):
		p.became = notDone
	default:
		return err
	}
	p.remark(result)
	if err == nil {
		return nil
	}
	return fault.New(fault.ActionTimeout, "%s was cancelled: %s", p.call.Verb, p.became).
		Hinted("look at the page before you make the call again").Because(err)
}

// remark has the session tell its agent of a call that changes something and
// was given up.
func (p *passage) remark(result action.Result) {
	session := p.facts.Session.ID
	if result.Session != "" {
		session = result.Session
	}
	if session == "" || p.verb.Inner || p.verb.Class == action.Read || p.call.Caller.Role != action.Agent {
		return
	}
	p.g.sessions.QueueNotice(session, "the call before, "+p.named()+", was cancelled: "+p.became)
}

// named is the call in the words of its surface.
func (p *passage) named() string {
	name := p.verb.Name
	if p.call.Surface == "mcp" && p.verb.Tool != "" {
		name = p.verb.Tool
	}
	if p.call.Part != "" {
		name += " (" + p.call.Part + ")"
	}
	return name
}
