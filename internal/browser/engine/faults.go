package engine

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// errLimit is the cause of a context that ended at a verb's limit.
var errLimit = errors.New("the verb's time is over")

// toFault returns the fault for the error that ended a verb, without internals.
func (b *base) toFault(ctx context.Context, verb string, limit time.Duration, err error) error {
	if cause := context.Cause(ctx); cause != nil && isContext(err) {
		err = cause
	}
	var f *fault.Fault
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, cdp.ErrClosed):
		return fault.New(fault.NotActive, "the browser is gone").
			Hinted("start a new session").Because(err)
	case errors.Is(err, errLimit), errors.Is(err, context.DeadlineExceeded):
		return timedOut(verb, limit).Because(err)
	case errors.Is(err, context.Canceled):
		return fault.New(fault.ActionTimeout, "%s was given up before it was done", short(verb)).
			Hinted("look at the page before doing it again: it may have happened").Because(err)
	case moved(err):
		return errMoved.Because(err)
	}
	return fault.New(fault.CDPError, "the browser could not carry out %s", short(verb)).
		Hinted("take a new snapshot and try again").Because(err)
}

func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func timedOut(verb string, limit time.Duration) *fault.Fault {
	return fault.New(fault.ActionTimeout, "browser_action_timeout:%s:%ds", short(verb), int((limit+time.Second-1)/time.Second)).
		Hinted("%s", hintOf(verb))
}

func hintOf(verb string) string {
	if verb == action.VerbPageGoto.Name {
		return "the server does not answer, or the page does not finish loading: try again later, or give a longer timeout"
	}
	return "the page may hang: navigate again with page.goto, or give a longer timeout"
}

// short returns a verb's name for messages: click, not page.click.
func short(verb string) string { return strings.TrimPrefix(verb, "page.") }

var errMoved = fault.New(fault.PageChanged, "the page changed while it was being used").
	Hinted("take a new snapshot and look again")

// moved reports whether a call failed because its document was replaced meanwhile.
func moved(err error) bool {
	var e *cdp.Error
	if !errors.As(err, &e) {
		return errors.Is(err, cdp.ErrDetached)
	}
	for _, sign := range []string{
		"Cannot find context", "context was destroyed", "uniqueContextId not found",
		"navigated or closed", "No frame", "Frame with the given", "frame was detached",
		"Session with given id not found", "Could not find node", "No node with given id",
	} {
		if strings.Contains(e.Message, sign) {
			return true
		}
	}
	return false
}
