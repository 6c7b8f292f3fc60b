package gate

import (
	"context"
	"errors"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	engineMargin = 3 * time.Second // for the engine's own time-out, which has the better fault
	gracePeriod  = 2 * time.Second // for it to return after its context ended
)

// maxHumanWait is the wait for a person who has a session, if the caller sets
// none. The sessions have their own limit.
const maxHumanWait = 15 * time.Minute

const defaultWait = 5 * time.Second // of page.wait_for

// limit returns how long Sessions may take for the call.
func (c *callInfo) limit() time.Duration {
	switch args := c.call.Args.(type) {
	case *action.WaitFor:
		if args != nil && args.Timeout != nil {
			return time.Duration(*args.Timeout) * time.Millisecond
		}
		return defaultWait
	case interface {
		Limit(fallback time.Duration) time.Duration
	}:
		return args.Limit(c.g.timeouts.Action)
	}
	switch c.call.Verb {
	case action.VerbSessionRequestHuman.Name:
		return max(c.call.Wait, 0) + maxHumanWait
	case action.VerbSessionStart.Name, action.VerbSessionClose.Name, action.VerbSessionArchive.Name, action.VerbBrowserStart.Name, action.VerbBrowserStop.Name, action.VerbRunOpen.Name, action.VerbRunEnd.Name:
		return c.g.timeouts.Start
	case action.VerbProfileExport.Name, action.VerbProfileImport.Name: // these start and end a session
		return 2 * c.g.timeouts.Start
	}
	return c.g.timeouts.Action
}

// withDeadline runs f, which calls Sessions, with the time limit of the call. The
// call ends even if f ignores its context; Gate.Close then waits for the
// goroutine of f. A panic in f becomes a fault.
func withDeadline[T any](ctx context.Context, c *callInfo, f func(context.Context) (T, error)) (T, error) {
	limit := c.limit() + c.humanWait
	ctx, cancel := context.WithTimeout(ctx, limit+engineMargin)
	defer cancel()
	answers := runDetached(ctx, c, f)
	var a answer[T]
	select {
	case a = <-answers:
	case <-ctx.Done():
		timer := time.NewTimer(gracePeriod)
		defer timer.Stop()
		select {
		case a = <-answers:
		case <-timer.C:
			a.err = ctx.Err()
		}
	}
	return a.value, c.deadlineFault(a.err, limit)
}

// errStopping refuses calls that start while the gate is being closed.
var errStopping = fault.New(fault.NotActive, "the gateway is stopping").Hinted("try again when it runs")

// answer is the result of a function.
type answer[T any] struct {
	value T
	err   error
}

// runDetached runs f in a goroutine that Gate.Close waits for, and returns the
// channel for its result. A panic becomes a fault.
func runDetached[T any](ctx context.Context, c *callInfo, f func(context.Context) (T, error)) <-chan answer[T] {
	answers := make(chan answer[T], 1)
	begun := c.g.work.Go(func() {
		var a answer[T]
		defer func() {
			if r := recover(); r != nil {
				a = answer[T]{err: c.g.panicked(c.call, r)}
			}
			answers <- a
		}()
		a.value, a.err = f(ctx)
	})
	if !begun {
		answers <- answer[T]{err: errStopping}
	}
	return answers
}

// deadlineFault converts the end of a context to a fault; other errors are
// returned unchanged.
func (c *callInfo) deadlineFault(err error, limit time.Duration) error {
	var known *fault.Fault
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.ActionTimeout, "%s:%s:%gs", fault.ActionTimeout, verbLabel(c.call.Verb), limit.Seconds()).
			Hinted("try again, or give a longer timeout (up to 120000 ms)")
	case errors.Is(err, context.Canceled):
		return fault.New(fault.ActionTimeout, "the caller went away before %s was done", c.call.Verb).
			Hinted("look at the page before you repeat it: it may have been done").Because(err)
	}
	return err
}
