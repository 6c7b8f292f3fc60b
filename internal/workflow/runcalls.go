package workflow

import (
	"context"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/randid"
)

// Owns reports whether a verb is about records of runs. The gate passes these
// calls to Runs, so that showing, cancelling and resuming a run are judged and
// recorded like any other call. The steps of a run go to the sessions.
func (r *Runs) Owns(verb string) bool {
	v, known := action.Lookup(verb)
	return known && !v.Inner && (strings.HasPrefix(verb, "run.") || verb == action.VerbCapabilityShow.Name)
}

// Look checks a run completely before it starts. It handles the verbs that Owns
// reports, as Do does.
func (r *Runs) Look(_ context.Context, call action.Call) (action.Facts, action.Pin, error) {
	switch args := call.Args.(type) {
	case *action.RunStart:
		return action.Facts{}, action.Pin{}, validate(args)
	case *action.RunResume:
		return r.lookAtResume(call.Caller.Scope, args)
	}
	return action.Facts{}, action.Pin{}, nil
}

func (r *Runs) lookAtResume(scope string, args *action.RunResume) (action.Facts, action.Pin, error) {
	at := r.active(scope, args.ID)
	if at == nil {
		return action.Facts{}, action.Pin{}, nil // Do returns the fault
	}
	facts := action.Facts{Session: action.SessionFacts{ID: at.snapshot().Session}}
	return facts, action.Pin{}, checkActions(args.Actions, at.args.DomainAllowlist)
}

// Do carries out a call about runs.
func (r *Runs) Do(ctx context.Context, call action.Call) (action.Result, error) {
	scope := call.Caller.Scope
	switch args := call.Args.(type) {
	case *action.RunStart:
		return runResult(r.begin(ctx, call, args))
	case *action.RunShow:
		return runResult(r.show(ctx, scope, args.ID))
	case *action.RunList:
		runs, err := r.store.list(ctx, scope, *args)
		return action.Result{Data: &action.RunListing{Runs: runs}}, err
	case *action.RunResume:
		return runResult(r.resume(ctx, call, args))
	case *action.ByID:
		return runResult(r.cancel(ctx, call.Caller, args.ID))
	}
	capability := action.BrowserAutomation
	return action.Result{Data: &capability}, nil
}

// runResult is a run as a result.
func runResult(run action.Run, err error) (action.Result, error) {
	if err != nil {
		return action.Result{}, err
	}
	return action.Result{Session: run.Session, Data: &run}, nil
}

// begin stores a new run. The orchestrator executes it.
func (r *Runs) begin(ctx context.Context, call action.Call, args *action.RunStart) (action.Run, error) {
	at := newActiveRun(r, call, args)
	if err := r.add(at); err != nil {
		at.cancel(err)
		return action.Run{}, err
	}
	err := r.store.insert(ctx, at.run, call.Caller)
	if err == nil && ctx.Err() != nil { // the caller is gone, so the run would not be executed
		end(&at.run, ending{action.RunFailed, string(fault.ActionTimeout), "its record was not made in time"})
		r.save(ctx, at.run)
		err = ctx.Err()
	}
	if err != nil {
		at.cancel(err)
		r.remove(at)
		return action.Run{}, err
	}
	return at.snapshot(), nil
}

// cancel ends a run, and returns it. A run that has ended stays as it is.
func (r *Runs) cancel(ctx context.Context, by action.Caller, id string) (action.Run, error) {
	if at := r.active(by.Scope, id); at != nil {
		at.cancel(&cancelled{by.Actor})
		return at.await(ctx, 0, nil), nil
	}
	return r.store.find(ctx, by.Scope, id)
}

// resume passes a person's guidance to a paused run. Faults: not_found,
// not_active if it is not paused.
func (r *Runs) resume(ctx context.Context, call action.Call, args *action.RunResume) (action.Run, error) {
	by := call.Caller
	run, err := r.show(ctx, by.Scope, args.ID)
	if err != nil {
		return run, err
	}
	at := r.active(by.Scope, args.ID)
	if at != nil && run.State == action.RunPaused {
		at.resumeSession(ctx, call)
	}
	if at == nil || !at.offerGuidance(guidance{by: by.Actor, text: args.Guidance, actions: args.Actions}) {
		return run, fault.New(fault.NotActive, "the run is not paused: it is %s", run.State).
			Hinted("only a paused run can be resumed").With("state", run.State)
	}
	return at.snapshot(), nil
}

// resumeSession resumes the run's session, if it is paused, as a call of the
// person who gives the guidance.
func (r *activeRun) resumeSession(ctx context.Context, by action.Call) {
	_, _ = r.steps.gate.Call(ctx, action.Call{ // does nothing if the session is not paused
		ID: by.ID + ".s", Verb: action.VerbSessionResume.Name, Caller: by.Caller, Session: r.snapshot().Session, Surface: by.Surface, Source: by.Source,
	})
}

func newRunID() string { return randid.New("r", 8) }

func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
