package engine

import (
	"cmp"
	"context"
	"errors"
	"strings"
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
func (dg *documentGuard) preparing(session *cdp.Session, t *tab, p paused) func(goOn func()) {
	prepare := dg.options.Prepare
	if prepare == nil || session != dg.root || t == nil || p.Frame != t.root.id {
		return func(goOn func()) { goOn() }
	}
	t.dropPreparing()
	if t.preparedFor == p.Request.URL {
		t.preparedFor = ""
		prepare = func(context.Context, string) error { return nil }
	}
	ctx, stop := context.WithCancelCause(dg.life)
	t.cancelPreparing = func() { stop(errGivenUp) }
	return func(goOn func()) {
		dg.own.Go(func() {
			defer stop(nil)
			ctx, end := context.WithTimeout(ctx, prepareLimit)
			defer end()
			err := prepare(ctx, p.Request.URL)
			if err == nil {
				err = dg.credentials.fillStorage(ctx, t, p.Request.URL)
			}
			switch {
			case err == nil:
				goOn()
			case errors.Is(context.Cause(ctx), errGivenUp): // nobody waits for it any more
				session.Send("Fetch.failRequest", map[string]string{"requestId": p.ID, "errorReason": "Aborted"})
			default:
				dg.failRequest(session, t, p, unprepared(err))
			}
		})
	}
}

// prepareAhead prepares for an address that a call is about to go to, while the
// page before can still be told of it. Faults: what Options.Prepare says.
func (dg *documentGuard) prepareAhead(ctx context.Context, t *tab, address string) error {
	dg.mu.Lock()
	prepare, guard := dg.options.Prepare, dg.options.Guard
	t.preparedFor = ""
	dg.mu.Unlock()
	if prepare == nil || allowed(guard, address) != nil {
		return nil // the guard says so once more, to the request
	}
	bounded, stop := context.WithTimeout(ctx, prepareLimit)
	defer stop()
	if err := prepare(bounded, address); err != nil {
		return cmp.Or(ended(ctx, context.Cause(ctx)), unprepared(err))
	}
	if err := dg.credentials.arm(bounded, t, address); err != nil {
		dg.log().Debug("cannot wait for a document", "error", err) // the request is prepared for without
	}
	dg.mu.Lock()
	defer dg.mu.Unlock()
	t.preparedFor, _, _ = strings.Cut(address, "#")
	return nil
}

// endAhead is called when a navigation that was prepared for has ended.
func (dg *documentGuard) endAhead(t *tab) {
	dg.mu.Lock()
	t.preparedFor = ""
	dg.mu.Unlock()
	dg.credentials.disarm(t)
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
	if t.cancelPreparing != nil {
		t.cancelPreparing()
		t.cancelPreparing = nil
	}
}

func (dg *documentGuard) unprepare(t *tab) {
	dg.mu.Lock()
	defer dg.mu.Unlock()
	t.dropPreparing()
}
