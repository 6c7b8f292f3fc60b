package workflow

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// activeRun is a run that has not ended. One goroutine executes it; others read,
// cancel and guide it.
type activeRun struct {
	runs    *Runs
	caller  action.Caller
	surface string
	args    action.RunStart
	ctx     context.Context //nolint:containedctx // of the run, which continues after its call, but ends with its token
	cancel  context.CancelCauseFunc
	steps   stepper
	left    time.Duration // time left for its actions; used by the executing goroutine
	opening bool          // its browser was requested, and may have started; used by the executing goroutine
	advice  chan guidance

	mu      sync.Mutex
	run     action.Run
	changed chan struct{} // closed at the next change
	paused  bool          // it waits for guidance
}

// guidance is a person's instruction to a paused run.
type guidance struct {
	by, text string
	actions  []action.RunAction // if not empty, they replace the remaining actions
}

// cancelled is the cause of the end of a cancelled run.
type cancelled struct{ by string }

// Error names the person.
func (c *cancelled) Error() string { return "cancelled by " + c.by }

// ending is how a run ended.
type ending struct{ status, code, message string }

func newActiveRun(r *Runs, call action.Call, args *action.RunStart) *activeRun {
	at := &activeRun{
		runs: r, caller: call.Caller, surface: call.Surface, args: *args, left: args.Budget(), advice: make(chan guidance, 1), changed: make(chan struct{}),
		run: action.Run{
			ID: newRunID(), State: action.RunPending, Created: now(), Log: []action.RunEntry{}, Screenshots: []action.RunScreenshot{},
			Content:   action.RunContent{Elements: []action.RunInteractive{}},
			Archetype: cmp.Or(args.Archetype, action.RunArchetype), Phase: cmp.Or(args.Phase, action.RunPhase), Actor: cmp.Or(args.Actor, call.Caller.Actor),
		},
	}
	at.steps.id = at.run.ID
	life, release := r.life, func() {}
	if call.Bind != nil {
		life, release = call.Bind(life)
	}
	ctx, cancel := context.WithCancelCause(life)
	at.ctx, at.cancel = ctx, func(why error) {
		cancel(why)
		release()
	}
	return at
}

// snapshot is a copy of the run as it is.
func (r *activeRun) snapshot() action.Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.copyLocked()
}

// copyLocked must be called with mu held.
func (r *activeRun) copyLocked() action.Run {
	run := r.run
	run.Log, run.Screenshots = slices.Clone(run.Log), slices.Clone(run.Screenshots)
	return run
}

// change changes the run, notifies waiting calls, and stores it.
func (r *activeRun) change(f func(*action.Run)) {
	r.mu.Lock()
	f(&r.run)
	run := r.copyLocked()
	close(r.changed)
	r.changed = make(chan struct{})
	r.mu.Unlock()
	r.runs.save(r.ctx, run)
}

// log adds a line to the log.
func (r *activeRun) log(name string, ok bool, format string, args ...any) {
	entry := action.RunEntry{Action: name, Timestamp: now(), Success: ok, Details: cut(fmt.Sprintf(format, args...), maxDetails)}
	r.change(func(run *action.Run) { run.Log = append(run.Log, entry) })
}

const maxDetails = 1000 // bytes of a line of the log

// state sets the run's state and the question that it waits for.
func (r *activeRun) state(state, question string, why *action.RunReason) {
	r.change(func(run *action.Run) { run.State, run.WaitsFor, run.Reason = state, question, why })
}

// end ends the record of a run.
func end(run *action.Run, e ending) {
	at := now()
	run.State, run.WaitsFor, run.Ended = action.RunEnded, "", &at
	run.FinalStatus, run.Reason = e.status, &action.RunReason{Code: e.code, Message: e.message}
}

// await waits until the run has ended, limit is over (0: none) or ctx ends, and
// returns the current run. watch receives its progress.
func (r *activeRun) await(ctx context.Context, limit time.Duration, watch *action.RunWatch) action.Run {
	var over <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		over = timer.C
	}
	told := runReporter{watch: watch}
	for {
		r.mu.Lock()
		run, changed := r.copyLocked(), r.changed
		r.mu.Unlock()
		told.report(run)
		if run.State == action.RunEnded {
			return run
		}
		select {
		case <-changed:
		case <-over:
			return run
		case <-ctx.Done():
			return run
		}
	}
}

// runReporter sends a watcher what is new since the last report.
type runReporter struct {
	watch    *action.RunWatch
	lines    int
	state    string
	question string
}

func (t *runReporter) report(run action.Run) {
	if t.watch == nil {
		return
	}
	for ; t.lines < len(run.Log); t.lines++ {
		if t.watch.Step != nil {
			t.watch.Step(run.Log[t.lines])
		}
	}
	if t.watch.State != nil && (t.state != run.State || t.question != run.WaitsFor) {
		t.state, t.question = run.State, run.WaitsFor
		t.watch.State(run)
	}
}

// offerGuidance passes guidance to a paused run. It returns false if the run is
// not paused.
func (r *activeRun) offerGuidance(g guidance) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.paused {
		return false
	}
	r.paused = false
	r.advice <- g // does not block: buffered, and only one is accepted
	return true
}
