package gateway

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate"
	"github.com/gloveboxhq/glovebox/internal/workflow"
)

// router is what lies behind the gate: the sessions, and beside them the
// records of runs and the vault.
type router struct {
	gate.Sessions
	runs    *workflow.Runs
	gateway *Gateway
}

// Look looks where the verb belongs.
func (b router) Look(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	if b.runs.Owns(call.Verb) {
		return b.runs.Look(ctx, call)
	}
	if call.Verb == checkVerb {
		return action.Facts{}, action.Pin{}, nil
	}
	return b.Sessions.Look(ctx, call)
}

// Do does a call where its verb belongs.
func (b router) Do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error) {
	if b.runs.Owns(call.Verb) {
		return b.runs.Do(ctx, call)
	}
	if call.Verb == checkVerb {
		return b.gateway.checkCredentials(ctx, call)
	}
	return b.Sessions.Do(ctx, call, pin)
}
