package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const failuresKey = "security.max_failures"

// strikes are the faults by which an agent's act on a page has failed. The
// others are a policy's, a person's or an argument's answer, or trouble of the
// session itself, which guidance would not help.
var strikes = map[fault.Code]bool{
	fault.NotFound: true, fault.StaleRef: true, fault.PageChanged: true, fault.PageCrashed: true, fault.NotActionable: true, fault.DialogOpen: true,
	fault.NavigationFailed: true, fault.CDPError: true, fault.ActionTimeout: true, fault.Internal: true,
}

// guided reports whether a call's failures in a row have a person asked for
// guidance: it is an agent's, and acts on a page.
func guided(call action.Call) bool {
	verb, known := action.Lookup(call.Verb)
	return known && call.Caller.Role == action.Agent && onPage(call.Verb) && verb.As(call.Args).Class == action.Write
}

// strike counts a call that failed. One too many in a row pauses the session;
// the caller's fault says so.
func (r *Registry) strike(ctx context.Context, l *live, call action.Call, err error) error {
	late := errors.Is(err, context.DeadlineExceeded)
	if !guided(call) || !late && !strikes[fault.CodeOf(err)] {
		return err
	}
	l.mu.Lock()
	l.failures++
	n := l.failures
	l.mu.Unlock()
	if r.config.MaxFailures < 0 || n < r.config.MaxFailures {
		return err
	}
	f := fault.From(err)
	code, message := f.Code, f.Message
	if late {
		code, message = fault.ActionTimeout, "it took too long"
	}
	why := fmt.Sprintf("%d calls in a row failed and the agent asks for guidance; the last was %s: %s: %s", n, call.Verb, code, message)
	if held := r.halt(ctx, l, action.Hold{By: action.House, Code: action.Failures, Why: why}, call.ID); held != nil {
		r.log.ErrorContext(ctx, "a session that should be paused may not stay so", "session", l.id, "error", held)
	}
	if late {
		return err
	}
	hint := f.Hint
	if hint != "" {
		hint += "; "
	}
	return f.Hinted("%sthe session is paused now, because %d calls in a row failed: wait until a person hands it back", hint, n).
		With("state", paused).With("limit", failuresKey)
}
