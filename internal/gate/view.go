package gate

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// View connects a viewer to the live picture of a session, or refuses it, on the
// same path as Call, with an intent and an outcome. The faults are those of Call.
func (g *Gate) View(ctx context.Context, call action.Call) (action.View, error) {
	call.Verb, call.Args = action.VerbDesktopWatch.Name, &action.None{}
	if !isID(call.ID) {
		call.ID = newID()
	}
	p := g.newInvocation(call)
	v := &view{g: g, call: call}
	err := p.admitConnection(ctx, func() (err error) {
		v.Picture, err = connect(ctx, p, v.g.sessions.Picture)
		return err
	})
	if _, err := p.finish(action.Result{Session: p.facts.Session.ID}, err); err != nil {
		if v.Picture != nil {
			v.Picture.Close()
		}
		return nil, err
	}
	v.call.Session = p.facts.Session.ID
	return v, nil
}

// view is a viewer's connection. Who controls the session is changed by calls like
// any other.
type view struct {
	action.Picture
	g    *Gate
	call action.Call // that connected the viewer
}

// Take takes the session over (action.View).
func (v *view) Take(ctx context.Context) error {
	return v.change(ctx, action.VerbSessionTake.Name, &action.Hands{Reason: "from the live view"})
}

// HandBack gives the session back to its agent (action.View).
func (v *view) HandBack(ctx context.Context, note string) error {
	return v.change(ctx, action.VerbSessionHandBack.Name, &action.HandBack{Note: note})
}

func (v *view) change(ctx context.Context, verb string, args any) error {
	if !v.g.work.Begin() {
		return errStopping
	}
	defer v.g.work.End()
	call := v.call
	call.ID, call.Verb, call.Args = newID(), verb, args
	result, err := v.g.Call(ctx, call)
	if err == nil && result.Pending != nil {
		return fault.New(fault.ApprovalTimeout, "a person has to answer first").Hinted("answer the question, then try again")
	}
	return err
}
