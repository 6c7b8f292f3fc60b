package gate

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// becomePageAct replaces a call of mouse or keyboard by the call of a page verb that
// equals it, if one does: rules, grants, questions and records are then those of that
// verb, whichever way the input is given.
func (p *invocation) becomePageAct(ctx context.Context) error {
	if familyOf(p.call.Verb) != "desktop" || !p.verb.Counts {
		return nil
	}
	type found struct {
		call   action.Call
		equals bool
	}
	page, err := withDeadline(ctx, &p.callInfo, func(ctx context.Context) (found, error) {
		call, equals, err := p.g.sessions.PageAct(ctx, p.call)
		return found{call, equals}, err
	})
	if err != nil {
		if page.call.Session != "" {
			p.call.Session = page.call.Session // its record belongs there
		}
		p.inspection.inspect() // calls that find nothing are scanned too
		return p.inspection.guessFaultOr(ctx, err)
	}
	if !page.equals {
		return nil
	}
	given := p.call
	p.given = &given
	p.call.Session, p.call.Verb, p.call.Args = page.call.Session, page.call.Verb, page.call.Args
	return p.authorise(ctx)
}

// asGiven returns the result of a page verb as that of the call which was made: where
// the pointer was asked to be.
func (p *invocation) asGiven(result action.Result) action.Result {
	if p.given == nil || result.Data == nil {
		return result
	}
	switch a := p.given.Args.(type) {
	case *action.MouseMove:
		result.Data = &action.DesktopPointer{X: a.X, Y: a.Y}
	case *action.MouseClick:
		result.Data = &action.DesktopPointer{X: a.X, Y: a.Y}
	case *action.MouseScroll:
		result.Data = &action.DesktopPointer{X: a.X, Y: a.Y}
	case *action.MouseDrag:
		result.Data = &action.DesktopPointer{X: a.EndX, Y: a.EndY}
	}
	return result
}

// givenText says in records which call was made, if another one is done in its place.
func (c *callInfo) givenText() string {
	if c.given == nil {
		return ""
	}
	text := "by " + c.given.Verb
	if a, names := c.given.Args.(action.Naming); names {
		text += ", " + sanitized(a.Subject())
	}
	return text
}
