package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const failuresKey, repeatedKey = "security.max_failures", "security.max_repeated_failures"

// strikes are the faults by which an agent's act on a page has failed. The
// others are a policy's, a person's or an argument's answer, trouble of the
// session itself, which guidance would not help, or a reference or name that
// the agent mistook: a look at the page corrects that.
var countedFaults = map[fault.Code]bool{
	fault.PageChanged: true, fault.PageCrashed: true, fault.NotActionable: true, fault.DialogOpen: true,
	fault.NavigationFailed: true, fault.CDPError: true, fault.ActionTimeout: true, fault.Internal: true,
}

// failures are an agent's acts on a page that failed.
type failures struct {
	row   int    // since anything of the agent's succeeded
	last  string // the act that failed last, as tally tells acts apart
	alike int    // how often it failed since another act was tried or it succeeded
}

// add counts an act that failed.
func (f *failures) add(act string) {
	f.row++
	if act != f.last {
		f.last, f.alike = act, 0
	}
	f.alike++
}

// succeed notes that a call of the agent's on a page succeeded, a read
// included.
func (f *failures) succeed(call action.Call) {
	f.row = 0
	if countsFailures(call) {
		f.last, f.alike = "", 0
	}
}

// callKey tells acts apart by what was asked for.
func callKey(call action.Call) string {
	args, err := json.Marshal(call.Args)
	if err != nil {
		return call.Verb
	}
	sum := sha256.Sum256(args) // not what was typed
	return call.Verb + " " + hex.EncodeToString(sum[:8])
}

// failureLimit says which limit the failures of an agent reached; "" for none.
func (c *control) failureLimit(f failures) (key, what string) {
	switch {
	case c.config.MaxFailures < 0:
		return "", ""
	case f.row >= c.config.MaxFailures:
		return failuresKey, fmt.Sprintf("%d calls in a row failed", f.row)
	case c.config.MaxRepeated > 0 && f.alike >= c.config.MaxRepeated:
		return repeatedKey, fmt.Sprintf("the same call failed %d times", f.alike)
	}
	return "", ""
}

// countsFailures reports whether a call's failures in a row have a person asked for
// guidance: it is an agent's, and acts on a page.
func countsFailures(call action.Call) bool {
	verb, known := action.Lookup(call.Verb)
	return known && call.Caller.Role == action.Agent && onPage(call.Verb) && verb.As(call.Args).Class == action.Write
}

// countFailure counts a call that failed. One too many pauses the session; the
// caller's fault says so.
func (c *control) countFailure(ctx context.Context, sess *openSession, call action.Call, err error) error {
	late := errors.Is(err, context.DeadlineExceeded)
	if !countsFailures(call) || !late && !countedFaults[fault.CodeOf(err)] {
		return err
	}
	sess.mu.Lock()
	sess.failures.add(callKey(call))
	key, what := c.failureLimit(sess.failures)
	sess.mu.Unlock()
	if key == "" {
		return err
	}
	f := fault.From(err)
	code, message := f.Code, f.Message
	if late {
		code, message = fault.ActionTimeout, "it took too long"
	}
	why := fmt.Sprintf("%s and the agent asks for guidance; the last was %s: %s: %s", what, call.Verb, code, message)
	if held := c.pauseAndAlert(ctx, sess, action.Hold{By: action.House, Code: action.Failures, Why: why}, call.ID); held != nil {
		c.log.ErrorContext(ctx, "a session that should be paused may not stay so", "session", sess.id, "error", held)
	}
	if late {
		return err
	}
	hint := f.Hint
	if hint != "" {
		hint += "; "
	}
	return f.Final().Hinted("%sthe session is paused now, because %s: read it meanwhile, and wait until a person hands it back", hint, what).
		With("state", paused).With("limit", key)
}
