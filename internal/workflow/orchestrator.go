// Package workflow holds what is one request and many calls. It stands before the
// gate: every step is a call of its own, judged and recorded like any other.
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

// Orchestrator is a gate that knows macros besides. It is safe for concurrent use.
type Orchestrator struct {
	gate    Gate
	runs    *Runs
	batches pendingBatches
}

// New makes a door before a gate. Without runs, those are calls like any other.
func New(gate Gate, runs *Runs) *Orchestrator { return &Orchestrator{gate: gate, runs: runs} }

// Call makes a call: a macro's steps one by one, and anything else as it is.
// Steps themselves are taken from nobody: unknown_action.
func (d *Orchestrator) Call(ctx context.Context, c action.Call) (action.Result, error) {
	if v, known := action.Lookup(c.Verb); known && v.Inner {
		err := fault.New(fault.UnknownAction, "there is no such verb").
			Hinted("see the table of verbs: /openapi.json, or the tools of the MCP server")
		d.gate.Refuse(ctx, c, err)
		return action.Result{}, err
	}
	switch {
	case c.Verb == "page.crawl":
		return d.crawl(ctx, c)
	case c.Verb == "page.batch":
		return d.batch(ctx, c)
	case c.Verb == "run.start" && d.runs != nil:
		return d.startRun(ctx, c)
	case c.Verb == "run.show" && d.runs != nil:
		return d.showRun(ctx, c)
	}
	return d.gate.Call(ctx, c)
}

// Refuse records a call that was refused before the door.
func (d *Orchestrator) Refuse(ctx context.Context, c action.Call, why error) {
	d.gate.Refuse(ctx, c, why)
}
