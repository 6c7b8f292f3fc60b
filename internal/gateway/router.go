package gateway

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate"
	"github.com/gloveboxhq/glovebox/internal/workflow"
)

// router does the calls that the gate lets through: each goes to the sessions, the
// records of runs, or the vault.
type router struct {
	gate.Sessions
	runs  *workflow.Runs
	vault vaultCheck
}

// Look has the part that a verb belongs to look.
func (b router) Look(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	if b.runs.Owns(call.Verb) {
		return b.runs.Look(ctx, call)
	}
	if call.Verb == checkVerb {
		return action.Facts{}, action.Pin{}, nil
	}
	return b.Sessions.Look(ctx, call)
}

// Do has the part that a verb belongs to do the call.
func (b router) Do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error) {
	if b.runs.Owns(call.Verb) {
		return b.runs.Do(ctx, call)
	}
	if call.Verb == checkVerb {
		return b.vault.check(ctx, call)
	}
	return b.Sessions.Do(ctx, call, pin)
}
