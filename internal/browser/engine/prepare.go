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

// prepareLimit bounds the preparation for a document before it is requested: asking
// a vault over a slow network, and injecting the credentials. A verb that waits for
// the document has twice as long.
const prepareLimit = 15 * time.Second

var errGivenUp = errors.New("the navigation was given up")

// preparing returns a function that prepares for a paused document and then calls
// goOn. It prepares only for main documents of tabs, and only when the browser as a
// whole asks: nothing changes the address after that.
func (dg *documentGuard) preparing(s *state, session *cdp.Session, t *tab, p paused) func(goOn func()) {
	prepare := s.options.Prepare
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

// prepareAhead prepares for the address of a navigation before it begins, while the
// page that is shown can still be given its storage. Faults: those of
// Options.Prepare.
func (dg *documentGuard) prepareAhead(ctx context.Context, t *tab, address string) error {
	var prepare func(context.Context, string) error
	var guard func(string) error
	dg.state.Do(func(s *state) {
		prepare, guard = s.options.Prepare, s.options.Guard
		t.preparedFor = ""
	})
	if prepare == nil || allowed(guard, address) != nil {
		return nil // the guard refuses the request, too
	}
	bounded, stop := context.WithTimeout(ctx, prepareLimit)
	defer stop()
	if err := prepare(bounded, address); err != nil {
		return cmp.Or(ended(ctx, context.Cause(ctx)), unprepared(err))
	}
	if err := dg.credentials.arm(bounded, t, address); err != nil {
		dg.log().Debug("cannot wait for a document", "error", err) // preparing does the same for the request
	}
	dg.state.Do(func(*state) { t.preparedFor, _, _ = strings.Cut(address, "#") })
	return nil
}

// endAhead ends what prepareAhead began, after the navigation.
func (dg *documentGuard) endAhead(t *tab) {
	dg.state.Do(func(*state) { t.preparedFor = "" })
	dg.credentials.disarm(t)
}

// unprepared returns the fault of a preparation that failed.
func unprepared(err error) error {
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		return f
	}
	return fault.New(fault.CredentialsUnavailable, "what the page needs could not be put in place in time").
		Hinted("try again; an operator can look at what the credentials come from").Because(err)
}

// dropPreparing cancels the preparation that is under way.
func (t *tab) dropPreparing() {
	if t.cancelPreparing != nil {
		t.cancelPreparing()
		t.cancelPreparing = nil
	}
}

func (dg *documentGuard) unprepare(t *tab) {
	dg.state.Do(func(*state) { t.dropPreparing() })
}
