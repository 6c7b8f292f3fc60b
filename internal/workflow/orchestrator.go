// Package workflow carries out requests that consist of many calls: batches,
// crawls and contract runs. Each step is a separate call through the gate, which
// is judged and recorded like any other. One engine (runSteps) makes the steps of
// all three.
package workflow

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Gate carries out one call, or refuses it with a fault. Refuse records a call
// that was refused before it reached the gate.
type Gate interface {
	Call(ctx context.Context, c action.Call) (action.Result, error)
	Refuse(ctx context.Context, c action.Call, why error)
}

// Orchestrator passes calls to the gate. It makes the steps of batches, crawls
// and runs; other calls are passed unchanged. It is safe for concurrent use.
type Orchestrator struct {
	gate    Gate
	runs    *Runs
	batches pendingBatches
}

// New makes an orchestrator in front of a gate. Without runs, calls about runs
// are passed to the gate.
func New(gate Gate, runs *Runs) *Orchestrator { return &Orchestrator{gate: gate, runs: runs} }

// Call makes a call. The verbs of steps are refused for all callers:
// unknown_action.
func (o *Orchestrator) Call(ctx context.Context, c action.Call) (action.Result, error) {
	if v, known := action.Lookup(c.Verb); known && v.Inner {
		err := fault.New(fault.UnknownAction, "there is no such verb").
			Hinted("see the table of verbs: /openapi.json, or the tools of the MCP server")
		o.gate.Refuse(ctx, c, err)
		return action.Result{}, err
	}
	switch {
	case c.Verb == action.VerbPageCrawl.Name:
		return o.crawl(ctx, c)
	case c.Verb == action.VerbPageBatch.Name:
		return o.batch(ctx, c)
	case c.Verb == action.VerbRunStart.Name && o.runs != nil:
		return o.startRun(ctx, c)
	case c.Verb == action.VerbRunShow.Name && o.runs != nil:
		return o.showRun(ctx, c)
	}
	return o.gate.Call(ctx, c)
}

// Refuse records a call that a surface refused.
func (o *Orchestrator) Refuse(ctx context.Context, c action.Call, why error) {
	o.gate.Refuse(ctx, c, why)
}
