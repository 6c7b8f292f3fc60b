package page

import (
	"context"
	"errors"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// prepareLimit bounds what is done before a document is requested: asking a
// vault over a slow network, and putting in what it had. A verb that waits for
// the document has twice as long.
const prepareLimit = 15 * time.Second

var errGivenUp = errors.New("the navigation was given up")

// preparing returns what lets a document's request go on when all is in place
// for it. Only what a tab shows is prepared for, and only when the browser as a
// whole asks, which is last: nothing changes the address after that. b.mu is
// held.
func (b *Browser) preparing(session *cdp.Session, t *tab, p paused) func(goOn func()) {
	prepare := b.options.Prepare
	if prepare == nil || session != b.root || t == nil || p.Frame != t.root.id {
		return func(goOn func()) { goOn() }
	}
	t.dropPreparing()
	ctx, stop := context.WithCancelCause(b.life)
	t.unready = func() { stop(errGivenUp) }
	return func(goOn func()) {
		b.own.Go(func() {
			defer stop(nil)
			ctx, end := context.WithTimeout(ctx, prepareLimit)
			defer end()
			switch err := prepare(ctx, p.Request.URL); {
			case err == nil:
				goOn()
			case errors.Is(context.Cause(ctx), errGivenUp): // nobody waits for it any more
				session.Send("Fetch.failRequest", map[string]string{"requestId": p.ID, "errorReason": "Aborted"})
			default:
				b.turnAway(session, t, p, unprepared(err))
			}
		})
	}
}

// unprepared makes what went wrong fit for a caller.
func unprepared(err error) error {
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		return f
	}
	return fault.New(fault.CredentialsUnavailable, "what the page needs could not be put in place in time").
		Hinted("try again; an operator can look at what the credentials come from").Because(err)
}

// dropPreparing gives up what is being prepared for. b.mu is held.
func (t *tab) dropPreparing() {
	if t.unready != nil {
		t.unready()
		t.unready = nil
	}
}

func (b *Browser) unprepare(t *tab) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t.dropPreparing()
}
