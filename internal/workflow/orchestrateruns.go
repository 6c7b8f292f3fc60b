package workflow

import (
	"cmp"
	"context"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// startRun starts a run, and waits for its end as long as the call allows.
func (o *Orchestrator) startRun(ctx context.Context, call action.Call) (action.Result, error) {
	result, err := o.gate.Call(ctx, call)
	if err != nil || result.Pending != nil {
		return result, err
	}
	run, ok := result.Data.(*action.Run)
	if !ok {
		return result, nil
	}
	at := o.runs.active(call.Caller.Scope, run.ID)
	if at == nil {
		return action.Result{}, fault.New(fault.Internal, "a run was let begin and is not there").
			Hinted("look for the correlation id in the gateway's log").With("correlationId", call.ID)
	}
	at.steps.gate = o.gate
	go at.execute() // Runs.Close waits for it
	return runResult(at.await(ctx, call.Wait, call.Run), nil)
}

// showRun shows a run when it has ended or the call's wait is over.
func (o *Orchestrator) showRun(ctx context.Context, call action.Call) (action.Result, error) {
	result, err := o.gate.Call(ctx, call)
	if err != nil || result.Pending != nil {
		return result, err
	}
	args, named := call.Args.(*action.RunShow)
	if !named || args.Wait <= 0 {
		return result, nil
	}
	if at := o.runs.active(call.Caller.Scope, args.ID); at != nil {
		return runResult(at.await(ctx, time.Duration(args.Wait)*time.Second, call.Run), nil)
	}
	return runResult(o.runs.show(ctx, call.Caller.Scope, args.ID)) // it may have ended meanwhile
}

// EndOrphans starts to end the browsers of runs of an earlier gateway. Runs.Close
// waits for it.
func (o *Orchestrator) EndOrphans() { o.runs.work.Go(o.endOrphans) }

func (o *Orchestrator) endOrphans() {
	for _, left := range o.runs.left() {
		ctx, stop := context.WithTimeout(o.runs.life, endRunLimit)
		_, err := o.gate.Call(ctx, action.Call{
			ID: left.run.ID + ".tidy", Verb: action.VerbRunEnd.Name, Caller: left.caller, Session: cmp.Or(left.run.Session, left.run.ID), Surface: "gateway",
			Args: &action.RunEnd{Run: left.run.ID, Status: left.run.FinalStatus, Reason: "gateway_restarted"},
		})
		stop()
		if err != nil && fault.CodeOf(err) != fault.SessionNotFound {
			o.runs.log.Warn("the browser of a run of the last gateway was not ended", "run", left.run.ID, "error", err)
		}
	}
}

// left returns the runs of the last gateway, once. The browser of a run that had
// just started is known by its name, the run's id.
func (r *Runs) left() []orphan {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.orphans
	r.orphans = nil
	return all
}
