package workflow

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// stepper makes the steps of one request through the gate. Each step is a call,
// whose id is that of the request and a number.
type stepper struct {
	gate Gate
	id   string
	made atomic.Int64
}

// call makes one step.
func (s *stepper) call(ctx context.Context, call action.Call) (action.Result, error) {
	call.ID = fmt.Sprintf("%s.%d", s.id, s.made.Add(1))
	return s.gate.Call(ctx, call)
}

// requestID returns the id of a request with many calls: its own, if the numbers
// of steps fit behind it.
func requestID(call action.Call) string {
	if len(call.ID) == 0 || len(call.ID) > 50 {
		return newID()
	}
	return call.ID
}

// frontEnd is one kind of request with many calls: it provides the steps and
// handles their results. Its methods are called from one goroutine.
type frontEnd[R any] interface {
	// next returns the next step that may start; nil if none may start now. wait
	// says when to ask again; 0 means after the result of another step.
	next(ctx context.Context) (step func(context.Context) R, wait time.Duration)
	// take handles a result. Results arrive in the order in which steps end.
	take(ctx context.Context, result R)
}

// runSteps makes the steps of a front end, at most parallel at the same time,
// until none is running and none may start. When ctx ends, waiting ends; next
// decides what that means for further steps.
func runSteps[R any](ctx context.Context, parallel int, f frontEnd[R]) {
	results := make(chan R, parallel)
	for active := 0; ; {
		var step func(context.Context) R
		var wait time.Duration
		if active < parallel {
			step, wait = f.next(ctx)
		}
		switch {
		case step != nil && parallel == 1:
			f.take(ctx, step(ctx))
			continue
		case step != nil:
			active++
			go func() { results <- step(ctx) }() // the loop ends after the last of them
			continue
		case active == 0 && wait <= 0:
			return
		}
		if result, ended := awaitResult(ctx, results, active, wait); ended {
			active--
			f.take(ctx, result)
		}
	}
}

// awaitResult waits until a step has ended or another may start.
func awaitResult[R any](ctx context.Context, results <-chan R, active int, wait time.Duration) (result R, ended bool) {
	var timer <-chan time.Time
	if wait > 0 && ctx.Err() == nil {
		t := time.NewTimer(wait)
		defer t.Stop()
		timer = t.C
	}
	over := ctx.Done()
	if active > 0 && ctx.Err() != nil {
		over = nil // running steps end by the same context
	}
	select {
	case <-timer:
	case <-over:
	case result = <-results:
		return result, true
	}
	return result, false
}
