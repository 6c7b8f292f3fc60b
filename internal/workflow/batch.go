package workflow

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	batchLimit = 5 * time.Minute // of one call of a batch: below what a request may take
	minWait    = time.Second     // for a question, if the call's own wait is used up
)

// batchRun is one call of a batch, and the front end of its steps.
type batchRun struct {
	stepper  stepper
	call     action.Call // what each step's call is made from
	steps    []action.Step
	until    time.Time // limit of waiting for questions; zero means as long as they are open
	changes  bool
	progress pendingBatch // the finished steps
	last     action.Result
	waits    *action.Pending // the question that the next step waits for
	err      error           // the fault of a failed step
}

// stepResult is the result of one step.
type stepResult struct {
	result action.Result
	err    error
}

// batch opens a batch at the gate, which checks all of it, and makes its steps
// one by one. If no step is done, the answer is that of the first step, otherwise
// a report. When a batch waits for a person and the same call is made again, it
// continues where it stopped.
func (o *Orchestrator) batch(ctx context.Context, call action.Call) (action.Result, error) {
	call.ID = requestID(call)
	key, err := fingerprint(call)
	if err != nil {
		return action.Result{}, err
	}
	opening := call
	opening.Changes, opening.Session = false, cmp.Or(o.batches.session(key), call.Session)
	opened, err := o.gate.Call(ctx, opening)
	if err != nil || opened.Pending != nil {
		return opened, err
	}
	args, ok := call.Args.(*action.Batch)
	if !ok || args == nil {
		return action.Result{}, fault.New(fault.Internal, "a batch was let through and is none").Hinted("look for the correlation id in the gateway's log").With("correlationId", call.ID)
	}
	call.Session = opened.Session
	before, err := o.batches.take(key)
	if err != nil {
		return action.Result{}, err
	}
	ctx, stop := context.WithTimeout(ctx, batchLimit)
	defer stop()
	b := newBatchRun(o.gate, call, args, before)
	defer func() { o.batches.release(key, b.progress, b.waits) }()
	runSteps(ctx, 1, b)
	if b.err != nil && (ctx.Err() != nil || len(b.progress.done) == 0) {
		return action.Result{Session: b.last.Session, Page: b.last.Page, Modal: b.last.Modal}, b.err
	}
	if b.waits != nil && len(b.progress.done) == 0 {
		return b.last, nil // nothing was done: like any waiting call
	}
	return b.result(ctx, len(before.done)), nil
}

func newBatchRun(gate Gate, call action.Call, args *action.Batch, before pendingBatch) *batchRun {
	b := &batchRun{stepper: stepper{gate: gate, id: call.ID}, call: call, steps: args.Steps, changes: call.Changes, progress: before}
	b.progress.done = slices.Clone(before.done)
	b.call.Changes = false
	if call.Wait > 0 {
		b.until = time.Now().Add(call.Wait)
	}
	return b
}

// fingerprint identifies a batch by its caller, session and steps.
func fingerprint(call action.Call) (string, error) {
	text, err := json.Marshal([]any{call.Caller, call.Connection, call.Session, call.Args})
	if err != nil {
		return "", fault.New(fault.InvalidRequest, "the batch cannot be written as JSON").Hinted("correct its steps").Because(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// next returns the first step that is not done; none after a failed or waiting
// one.
func (b *batchRun) next(context.Context) (func(context.Context) stepResult, time.Duration) {
	i := len(b.progress.done)
	if i == len(b.steps) || b.err != nil || b.waits != nil {
		return nil, 0
	}
	step := b.steps[i]
	b.call.Part = fmt.Sprintf("step %d of %d", i+1, len(b.steps))
	if b.call.Progress != nil {
		b.call.Progress(b.call.Part + ": " + step.Verb)
	}
	return func(ctx context.Context) stepResult {
		result, err := b.step(ctx, step.Verb, step.Args, i == len(b.steps)-1)
		return stepResult{result, err}
	}, 0
}

// take records the result of a step.
func (b *batchRun) take(_ context.Context, r stepResult) {
	i := len(b.progress.done)
	if r.err == nil {
		r.err = waitFault(r.result)
	}
	b.merge(r.result)
	switch {
	case r.err != nil:
		b.err = stepFault(r.err, i, len(b.steps))
	case r.result.Pending != nil:
		b.waits = r.result.Pending
	default:
		b.progress.done = append(b.progress.done, action.BatchStep{Verb: b.steps[i].Verb, State: action.StepDone, Said: describe(r.result), Data: r.result.Data})
	}
}

// step makes one call. The last step reports what the batch changed.
func (b *batchRun) step(ctx context.Context, verb string, args any, last bool) (action.Result, error) {
	call := b.call
	call.Verb, call.Args = verb, args
	if row, known := action.Lookup(verb); last && known && row.Tells() {
		call.Changes = b.changes
	}
	if !b.until.IsZero() {
		call.Wait = max(time.Until(b.until), minWait)
	}
	return b.stepper.call(ctx, call)
}

// merge merges the common parts of the results. The session of the first step is
// that of all.
func (b *batchRun) merge(result action.Result) {
	notes := append(b.last.Notes, result.Notes...)
	files := append(b.last.Artifacts, result.Artifacts...)
	if result.Page == nil {
		result.Page = b.last.Page
	}
	if result.Session != "" {
		b.call.Session, b.progress.session = result.Session, result.Session
	}
	b.last = result
	b.last.Notes, b.last.Artifacts = notes, files
}

// waitFault is the fault of a step whose question was not answered.
func waitFault(result action.Result) error {
	if waited, ok := result.Data.(*action.Waited); ok && !waited.Found {
		return fault.New(fault.NotFound, "what was waited for did not come in time").Hinted("look at the page, and go on with what is left")
	}
	return nil
}

// stepFault adds the number of the step to a fault.
func stepFault(err error, i, of int) error {
	f := *fault.From(err)
	f.Message = fmt.Sprintf("step %d of %d: %s", i+1, of, f.Message)
	return f.With("step", i)
}

// result returns the report of a batch with finished steps.
func (b *batchRun) result(ctx context.Context, resumed int) action.Result {
	out := action.Batched{State: action.StepDone, Done: len(b.progress.done), Steps: slices.Clone(b.progress.done), Resumed: resumed}
	for _, step := range b.steps[out.Done:] {
		out.Steps = append(out.Steps, action.BatchStep{Verb: step.Verb, State: action.StepLeft})
	}
	switch f := fault.From(b.err); {
	case f != nil:
		out.State, out.Steps[out.Done].State = action.StepFailed, action.StepFailed
		out.Steps[out.Done].Error = &action.StepFault{Code: f.Code, Message: f.Message, Hint: f.Hint, Retryable: f.Retryable()}
	case b.waits != nil:
		out.State, out.Steps[out.Done].State, out.Pending = action.StepPending, action.StepPending, b.waits
	}
	out.OK = out.State == action.StepDone
	b.reportChanges(ctx)
	b.last.Pending, b.last.Data = nil, &out // something was done
	return b.last
}

// reportChanges asks the page what the batch changed, if its last call did not
// report it.
func (b *batchRun) reportChanges(ctx context.Context) {
	if !b.changes || b.last.Changes != nil || b.last.Modal != nil || len(b.progress.done) == 0 {
		return
	}
	if result, err := b.step(ctx, action.VerbPageWaitFor.Name, &action.WaitFor{}, true); err == nil {
		b.merge(result)
	}
}
