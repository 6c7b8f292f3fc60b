// Package workflow makes many calls of one request: of a batch, a crawl, or a contract
// run. Each step is a call of its own through the gate, judged and recorded like any
// other. One engine (runSteps) makes the steps of all three.
package workflow

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Gate lets one call through, or refuses it with a fault. Refuse records a call
// that was refused before it.
type Gate interface {
	Call(ctx context.Context, c action.Call) (action.Result, error)
	Refuse(ctx context.Context, c action.Call, why error)
}

// Orchestrator lets calls through to the gate: those that are many calls step by
// step, and others as they are. It is safe for concurrent use.
type Orchestrator struct {
	gate    Gate
	runs    *Runs
	batches pendingBatches
}

// New makes an orchestrator in front of a gate. Without runs, calls about runs are
// calls like any other.
func New(gate Gate, runs *Runs) *Orchestrator { return &Orchestrator{gate: gate, runs: runs} }

// Call makes a call. The verbs of steps alone are refused from everybody:
// unknown_action.
func (o *Orchestrator) Call(ctx context.Context, c action.Call) (action.Result, error) {
	if v, known := action.Lookup(c.Verb); known && v.Inner {
		err := fault.New(fault.UnknownAction, "there is no such verb").
			Hinted("see the table of verbs: /openapi.json, or the tools of the MCP server")
		o.gate.Refuse(ctx, c, err)
		return action.Result{}, err
	}
	switch {
	case c.Verb == "page.crawl":
		return o.crawl(ctx, c)
	case c.Verb == "page.batch":
		return o.batch(ctx, c)
	case c.Verb == "run.start" && o.runs != nil:
		return o.startRun(ctx, c)
	case c.Verb == "run.show" && o.runs != nil:
		return o.showRun(ctx, c)
	}
	return o.gate.Call(ctx, c)
}

// Refuse records a call that a surface refused.
func (o *Orchestrator) Refuse(ctx context.Context, c action.Call, why error) {
	o.gate.Refuse(ctx, c, why)
}
