package gate

import (
	"context"
	"log/slog"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const screenshotLimit = 2 * time.Second // of the least time a person has, 30 s

// addScreenshot adds a screenshot of the element to a question. A question whose
// screenshot fails, or takes too long, is asked without one.
func (c *callInfo) addScreenshot(ctx context.Context, q *action.Question, level slog.Level) {
	if c.facts.Element == nil {
		return
	}
	ctx = context.WithoutCancel(ctx) // the question stays when its caller goes away
	id, err := c.targetScreenshot(ctx)
	if err == nil {
		err = c.g.approvals.SetScreenshot(ctx, q.ID, id)
	}
	if err != nil {
		c.g.log.Log(ctx, level, "a question has no screenshot", "id", c.call.ID, "question", q.ID, "error", err)
		return
	}
	q.Screenshot = id
}

// targetScreenshot waits for a screenshot no longer than screenshotLimit. One that
// comes later is kept until retention removes it, and shown to nobody.
func (c *callInfo) targetScreenshot(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, screenshotLimit)
	defer cancel()
	answers := runDetached(ctx, c, func(ctx context.Context) (string, error) {
		return c.g.sessions.TargetScreenshot(ctx, c.call, c.pin)
	})
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// surroundings is what stands around an element, for people to tell it from others
// like it.
func surroundings(e *action.Element) string {
	if e == nil {
		return ""
	}
	return e.Within
}
