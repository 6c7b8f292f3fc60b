package gate

import (
	"context"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const screenshotLimit = 2 * time.Second // of the least time a person has, 30 s

// addScreenshot adds a picture of the element to a question. A picture that fails,
// or takes too long, is no reason not to ask.
func (p *invocation) addScreenshot(ctx context.Context, q *action.Question) {
	if p.facts.Element == nil {
		return
	}
	id, err := p.targetScreenshot(context.WithoutCancel(ctx)) // a caller that goes away leaves its question
	if err == nil {
		err = p.g.approvals.SetScreenshot(context.WithoutCancel(ctx), q.ID, id)
	}
	if err != nil {
		p.g.log.Warn("a question has no picture", "id", p.call.ID, "question", q.ID, "error", err)
		return
	}
	q.Screenshot = id
}

// targetScreenshot waits for a picture no longer than portraitLimit. One that comes
// later is kept and shown to nobody, until retention removes it.
func (p *invocation) targetScreenshot(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, screenshotLimit)
	defer cancel()
	answers := runDetached(ctx, p, func(ctx context.Context) (string, error) {
		return p.g.sessions.TargetScreenshot(ctx, p.call, p.pin)
	})
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// addActScreenshot adds a picture to a question about a request: of the element that was
// acted on, where it is still there. One that cannot be taken in time is left
// out.
func (g *Gate) addActScreenshot(ctx context.Context, b *causingAct, q *action.Question) {
	if b.facts.Element == nil {
		return
	}
	p := &invocation{g: g, call: b.call, pin: b.pin}
	id, err := p.targetScreenshot(context.WithoutCancel(ctx))
	if err == nil {
		err = g.approvals.SetScreenshot(context.WithoutCancel(ctx), q.ID, id)
	}
	if err != nil {
		g.log.Debug("a question about a request has no picture", "question", q.ID, "error", err)
		return
	}
	q.Screenshot = id
}

// surroundings is what stands around an element, for people to tell it from others
// like it.
func surroundings(e *action.Element) string {
	if e == nil {
		return ""
	}
	return e.Within
}
