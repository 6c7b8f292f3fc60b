package workflow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	maxFailures   = 3                // actions in a row, before a person is asked
	guidanceLimit = 4 * time.Minute  // for a person to say how to go on; an idle session lives for 5 by default
	endRunLimit   = 45 * time.Second // to end its browser
)

// execute takes a run from its first check to its end.
func (r *activeRun) execute() {
	defer r.runs.remove(r)
	defer r.cancel(nil)
	e := r.executeRecovering()
	e = r.closeBrowser(e)
	r.change(func(run *action.Run) { end(run, e) })
	r.runs.log.Info("run ended", "run", r.run.ID, "status", e.status, "reason", e.code)
}

// executeRecovering does the run. A panic ends this run and nothing else.
func (r *activeRun) executeRecovering() (e ending) {
	defer func() {
		if reason := recover(); reason != nil {
			r.runs.log.Error("a run panicked", "run", r.run.ID, "reason", reason)
			e = ending{action.RunFailed, string(fault.Internal), "something went wrong inside glovebox"}
		}
	}()
	for _, stage := range []func() *ending{r.open, r.preflight, r.openPage} {
		if e := stage(); e != nil {
			return *e
		}
	}
	return r.actions()
}

// open starts the run's browser, when the hosts are approved.
func (r *activeRun) open() *ending {
	result, err := r.step(action.VerbRunOpen.Name, &action.RunOpen{Run: r.run.ID, URL: r.args.URL, Hosts: r.args.DomainAllowlist, Effects: r.args.Effects})
	opened, ok := result.Data.(*action.Session)
	if err == nil && !ok {
		err = fault.New(fault.Internal, "a browser was asked for and not opened")
	}
	if err == nil {
		r.log(action.AllowlistApproved, true, "approved: %s", listed(r.args.DomainAllowlist))
		r.change(func(run *action.Run) { run.Session, run.State = opened.ID, action.RunRunning })
		return nil
	}
	f := fault.From(err)
	switch f.Code {
	case fault.BlockedDomain, fault.ApprovalDenied, fault.ApprovalTimeout, fault.DeniedByPolicy:
		r.log(action.AllowlistApproved, false, "%s: %s", f.Code, f.Message)
		return r.endingOf(f, action.RunBlocked)
	}
	r.opening = f.Code == fault.ActionTimeout || r.ctx.Err() != nil // it may have come to be all the same
	r.log(action.ContainerRunning, false, "%s: %s", f.Code, f.Message)
	return r.endingOf(f, action.RunFailed)
}

// preflight finds out whether what the run needs is there.
func (r *activeRun) preflight() *ending {
	result, err := r.call(r.ctx, action.VerbRunProbe.Name, &action.RunProbe{Run: r.run.ID, URL: r.args.URL}, 0)
	checks, ok := result.Data.(*action.RunChecks)
	if err != nil || !ok {
		f := fault.From(errors.Join(err)) // nil where the answer alone is odd
		if f == nil {
			f = fault.New(fault.Internal, "nothing could be found out")
		}
		r.log(action.ContainerRunning, false, "%s: %s", f.Code, f.Message)
		return r.endingOf(f, action.RunFailed)
	}
	failed := ""
	for _, c := range checks.Checks {
		r.log(c.Name, c.OK, "%s", c.Detail)
		if !c.OK && failed == "" {
			failed = c.Name + ": " + c.Detail
		}
	}
	if failed != "" {
		return &ending{action.RunFailed, "preflight_failed", failed}
	}
	return nil
}

// openPage opens the run's page. A page that does not load ends the run.
func (r *activeRun) openPage() *ending {
	err := r.runAction(action.RunAction{Type: "navigate", URL: r.args.URL})
	for fault.CodeOf(err) == fault.SessionPaused {
		if _, e := r.pause(reasonOf(err)); e != nil {
			return e
		}
		err = r.runAction(action.RunAction{Type: "navigate", URL: r.args.URL})
	}
	if err == nil {
		return nil
	}
	if e := r.fatalEnding(err); e != nil {
		return e
	}
	return r.endingOf(fault.From(err), action.RunFailed)
}

// actions does what the run asks for. An action that fails is noted and the next one
// is done, until three in a row have failed.
func (r *activeRun) actions() ending {
	a := &runActions{run: r, left: r.args.Actions}
	runSteps(r.ctx, 1, a)
	switch {
	case a.over != nil:
		return *a.over
	case a.failed > 0:
		return ending{action.RunCompleted, "actions_failed", fmt.Sprintf("every action was tried, and %d failed", a.failed)}
	}
	return ending{action.RunCompleted, "completed", "every action was done"}
}

// runActions is the front end of a run's actions.
type runActions struct {
	run    *activeRun
	left   []action.RunAction
	tried  int
	failed int
	inRow  int     // of those, one after the other
	over   *ending // why the run ends
}

// next returns the next action, none when the run is over.
func (a *runActions) next(context.Context) (func(context.Context) error, time.Duration) {
	if a.over != nil || len(a.left) == 0 {
		return nil, 0
	}
	if a.tried++; a.tried > action.MostRunSteps {
		a.over = &ending{action.RunFailed, string(fault.LimitReached), fmt.Sprintf("a run has at most %d actions", action.MostRunSteps)}
		return nil, 0
	}
	do := a.left[0]
	return func(context.Context) error { return a.run.runAction(do) }, 0
}

// take notes what became of an action, and asks a person how to go on where the
// session is paused or too many actions in a row have failed.
func (a *runActions) take(_ context.Context, err error) {
	if err == nil {
		a.inRow, a.left = 0, a.left[1:]
		return
	}
	f := fault.From(err)
	why := reasonOf(err)
	if f.Code != fault.SessionPaused { // where it is paused, the action was not done: it is tried again
		if a.over = a.run.fatalEnding(err); a.over != nil {
			return
		}
		a.failed++
		if a.inRow, a.left = a.inRow+1, a.left[1:]; a.inRow < maxFailures {
			return
		}
		why = action.RunReason{Code: "actions_failed", Message: fmt.Sprintf("%d actions in a row have failed; the last: %s", a.inRow, f.Message)}
	}
	var g guidance
	if g, a.over = a.run.pause(why); a.over != nil {
		return
	}
	if a.inRow = 0; len(g.actions) > 0 {
		a.left = g.actions
	}
}

// fatalEnding returns how a fault of an action ends the run; nil if the run
// continues.
func (r *activeRun) fatalEnding(err error) *ending {
	f := fault.From(err)
	switch f.Code {
	case fault.BlockedDomain:
		return r.endingOf(f, action.RunBlocked)
	case fault.CredentialDetected, fault.ApprovalDenied, fault.ApprovalTimeout, fault.NotActive, fault.SessionNotFound, fault.Unauthenticated,
		fault.LimitReached, fault.AuditUnavailable, fault.Internal:
		return r.endingOf(f, action.RunFailed)
	}
	if r.ctx.Err() != nil || r.left <= 0 {
		return r.endingOf(f, action.RunFailed)
	}
	return nil
}

// endingOf is the ending because of a fault, unless the run was ended by others
// meanwhile.
func (r *activeRun) endingOf(f *fault.Fault, status string) *ending {
	var by *cancelled
	var lost *fault.Fault
	switch cause := context.Cause(r.ctx); {
	case errors.As(cause, &by):
		return &ending{action.RunFailed, "cancelled", by.Error()}
	case errors.As(cause, &lost):
		return &ending{action.RunFailed, string(lost.Code), lost.Message}
	case cause != nil:
		return &ending{action.RunFailed, "gateway_stopped", "the gateway ended while the run was under way"}
	case r.left <= 0 && status == action.RunFailed && f.Code != fault.CredentialDetected:
		return &ending{action.RunTimedOut, "timeout", fmt.Sprintf("the time for all actions, %s, was over", r.args.Budget())}
	}
	return &ending{status, string(f.Code), f.Message}
}

// pause asks a person for guidance and waits for it. This time does not count for the
// run.
func (r *activeRun) pause(why action.RunReason) (guidance, *ending) {
	r.mu.Lock()
	r.paused = true
	r.mu.Unlock()
	r.log(action.RunPauseEntry, false, "%s: %s", why.Code, why.Message)
	r.state(action.RunPaused, "", &why)
	answer, stop := r.askGuidance(why)
	defer stop()
	timer := time.NewTimer(guidanceLimit)
	defer timer.Stop()
	for waits := true; waits; {
		select {
		case g := <-r.advice:
			return r.noteGuidance(g), nil
		case err := <-answer:
			if err == nil && r.endPause() {
				return r.noteGuidance(guidance{by: "a person", text: "go on"}), nil
			}
			if fault.CodeOf(err) == fault.ApprovalDenied && r.endPause() {
				return guidance{}, r.endingOf(fault.From(err), action.RunFailed)
			}
			answer = nil // nobody answered, or nobody can: guidance may still come
		case <-r.ctx.Done():
			waits = false
		case <-timer.C:
			waits = false
		}
	}
	r.endPause()
	if r.ctx.Err() != nil {
		return guidance{}, r.endingOf(nil, action.RunFailed)
	}
	return guidance{}, &ending{action.RunFailed, "no_guidance", fmt.Sprintf("nobody said within %s how to go on", guidanceLimit)}
}

// noteGuidance records guidance, and lets the run go on.
func (r *activeRun) noteGuidance(g guidance) guidance {
	r.log(action.RunResumeEntry, true, "%s: %s", g.by, g.text)
	r.state(action.RunRunning, "", nil)
	return g
}

// endPause ends the pause, and reports whether nobody else had ended it.
func (r *activeRun) endPause() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.paused
	r.paused = false
	return was
}

// askGuidance asks people how a paused run shall go on. The answer arrives on a channel.
// stop ends the question and waits until it has ended.
func (r *activeRun) askGuidance(why action.RunReason) (answer <-chan error, stop func()) {
	ctx, cancel := context.WithCancel(r.ctx)
	args := &action.RunGuide{Run: r.run.ID, Why: cut(why.Code+": "+why.Message, maxDetails)}
	answers, done := make(chan error, 1), make(chan struct{})
	go func() { // ends when it is answered or stop is called
		defer close(done)
		result, err := r.call(ctx, action.VerbRunGuide.Name, args, time.Millisecond)
		if err == nil && result.Pending != nil {
			r.change(func(run *action.Run) {
				if run.State == action.RunPaused { // nobody has said anything yet
					run.WaitsFor = result.Pending.Approval
				}
			})
			_, err = r.call(ctx, action.VerbRunGuide.Name, args, 0)
		}
		answers <- err
	}()
	return answers, func() {
		cancel()
		<-done
	}
}

func reasonOf(err error) action.RunReason {
	f := fault.From(err)
	return action.RunReason{Code: string(f.Code), Message: f.Message}
}

// closeBrowser ends the run's browser, however the run ended. It reads the page before,
// where no action has.
func (r *activeRun) closeBrowser(e ending) ending {
	session := r.snapshot().Session
	if session == "" && !r.opening {
		return e
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(r.ctx), endRunLimit)
	defer stop()
	if e.status == action.RunCompleted && r.snapshot().Content.URL == "" {
		_, _ = r.readPage(ctx) // what an action would have read; the run is over either way
	}
	if _, err := r.call(ctx, action.VerbRunEnd.Name, &action.RunEnd{Run: r.run.ID, Status: e.status, Reason: cut(e.code, 64)}, 0); err != nil && session != "" {
		r.runs.log.Warn("the browser of a run was not ended in order", "run", r.run.ID, "session", session, "error", err)
	}
	return e
}
