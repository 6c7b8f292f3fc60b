package gate

import (
	"context"
	"errors"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	engineMargin = 3 * time.Second // for the engine to end by its own limit, with the better fault
	gracePeriod  = 2 * time.Second // for it to come back after its context ended
)

// maxHumanWait is the wait for a person who has a session, where the caller
// sets none; the sessions have a bound of their own.
const maxHumanWait = 15 * time.Minute

const defaultWait = 5 * time.Second // of page.wait_for

// limit is how long Sessions may take for the call.
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
	case "session.request_human":
		return max(c.call.Wait, 0) + maxHumanWait
	case "session.start", "session.close", "session.archive", "browser.start", "browser.stop", "run.open", "run.end":
		return c.g.timeouts.Start
	case "profile.export", "profile.import": // a session of their own starts and ends
		return 2 * c.g.timeouts.Start
	}
	return c.g.timeouts.Action
}

// withDeadline runs f, which calls Sessions, no longer than the call may take. The
// call ends even if f ignores its context; Gate.Close then waits for the goroutine of
// f. A panic of f becomes a fault.
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

// errStopping refuses what begins once the gate is being closed.
var errStopping = fault.New(fault.NotActive, "the gateway is stopping").Hinted("try again when it runs")

// answer is what a function returned.
type answer[T any] struct {
	value T
	err   error
}

// runDetached runs f in a goroutine that Gate.Close waits for, and returns where its
// answer will be. A panic becomes a fault.
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

// deadlineFault turns the end of a context into a fault; other errors pass.
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
