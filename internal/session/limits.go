package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	actionsKey = "security.max_actions_per_session"
	minutesKey = "browser.max_session_minutes"
)

// Warnings start when four fifths of a limit are used.
const warnAt, warnOf = 4, 5

// actionLimit returns how many actions a session may do, including extensions by
// people. It is negative for no limit. A run has its own limits.
func (c *control) actionLimit(st *sessionState) int {
	if c.config.MaxActions < 0 || st.terms.Run != "" {
		return -1
	}
	return max(c.config.MaxActions, st.pause.Actions)
}

// endOfTime returns when a session's time is over, including extensions by
// people. The zero time means no limit. A run has its own limits, and waits for
// people.
func (c *control) endOfTime(st *sessionState) time.Time {
	if c.config.MaxAge <= 0 || st.terms.Run != "" {
		return time.Time{}
	}
	end := st.record.Created.Add(c.config.MaxAge)
	if st.pause.Until.After(end) {
		return st.pause.Until
	}
	return end
}

// exhausted pauses a session if a call would exceed its limit of actions. Faults:
// limit_reached.
func (c *control) exhausted(ctx context.Context, sess *openSession, call action.Call) error {
	verb, known := action.Lookup(call.Verb)
	if !known || !verb.As(call.Args).Counts {
		return nil
	}
	at := sess.snapshot()
	most, done := c.actionLimit(&at), at.record.Actions
	if most < 0 || done < most {
		return nil
	}
	why := fmt.Sprintf("%s: it has done %d actions", actionsKey, done)
	c.pauseAtLimit(ctx, sess, why)
	return fault.New(fault.LimitReached, "%s: a session may do %d actions, and %s has done them", actionsKey, most, label(sess.now())).
		Hinted("the session is paused, not ended, and a person decides whether it goes on: read it meanwhile, and wait with session.request_human; "+
			"a person lets it go on by an approval, or by glovebox session resume %s", sess.id).
		With("limit", actionsKey).With("max", most).With("state", paused)
}

// pauseAtLimit pauses a session at one of its limits, and asks people whether it
// may continue. A paused session stays as it is.
func (c *control) pauseAtLimit(ctx context.Context, sess *openSession, why string) {
	if sess.pausedBy() != nil {
		return
	}
	if err := c.pauseAndAlert(ctx, sess, action.Hold{By: action.GatewayActor, Code: string(fault.LimitReached), Why: why}, ""); err != nil {
		c.log.WarnContext(ctx, "a session at its limit may not stay paused", "session", sess.id, "error", err)
	}
	if c.onLimit != nil {
		c.work.Go(func() { c.onLimit(sess.now(), why) })
	}
}

// extend renews the used-up limits of a session when a person resumes it.
func (c *control) extend(st *sessionState, now time.Time) {
	if most := c.actionLimit(st); most >= 0 && st.record.Actions >= most {
		st.pause.Actions = st.record.Actions + c.config.MaxActions
	}
	if end := c.endOfTime(st); !end.IsZero() && !now.Before(end) {
		st.pause.Until = now.Add(c.config.MaxAge)
	}
}

// warning returns how much of a session's limits is used, if it is much;
// otherwise it is empty.
func (c *control) warning(st *sessionState, now time.Time) string {
	var used []string
	if most := c.actionLimit(st); most > 0 && st.record.Actions*warnOf >= most*warnAt {
		used = append(used, fmt.Sprintf("%d of %d actions", st.record.Actions, most))
	}
	if end := c.endOfTime(st); !end.IsZero() {
		if left := end.Sub(now); left*warnOf <= c.config.MaxAge*(warnOf-warnAt) {
			used = append(used, fmt.Sprintf("all but %s of its time", max(left, 0).Round(time.Second)))
		}
	}
	if len(used) == 0 {
		return ""
	}
	return "the session has used " + strings.Join(used, ", and ") + "; at the limit it is paused, and a person decides whether it goes on"
}

const failuresKey, repeatedKey = "security.max_failures", "security.max_repeated_failures"

// countedFaults are the faults that count as a failed action of an agent on a
// page. The others are a decision of the policy or of a person, wrong arguments,
// a problem of the session itself, or a wrong reference, which a new snapshot
// corrects.
var countedFaults = map[fault.Code]bool{
	fault.PageChanged: true, fault.PageCrashed: true, fault.NotActionable: true, fault.DialogOpen: true,
	fault.NavigationFailed: true, fault.CDPError: true, fault.ActionTimeout: true, fault.Internal: true,
}

// failures counts an agent's failed actions on a page.
type failures struct {
	row   int    // since the agent's last success
	last  string // callKey of the last failed action
	alike int    // how often it failed in a row
}

// add counts a failed action.
func (f *failures) add(act string) {
	f.row++
	if act != f.last {
		f.last, f.alike = act, 0
	}
	f.alike++
}

// succeed records a successful call of the agent on a page, including reads.
func (f *failures) succeed(call action.Call) {
	f.row = 0
	if countsFailures(call) {
		f.last, f.alike = "", 0
	}
}

// callKey is equal for calls of the same verb with the same arguments.
func callKey(call action.Call) string {
	args, err := json.Marshal(call.Args)
	if err != nil {
		return call.Verb
	}
	sum := sha256.Sum256(args) // a hash, so that it does not contain typed text
	return call.Verb + " " + hex.EncodeToString(sum[:8])
}

// failureLimit returns the limit that the failures of an agent have reached; ""
// if none.
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

// countsFailures reports whether a failure of a call counts: the call is an
// agent's and acts on a page.
func countsFailures(call action.Call) bool {
	verb, known := action.Lookup(call.Verb)
	return known && call.Caller.Role == action.Agent && onPage(call.Verb) && verb.As(call.Args).Class == action.Write
}

// countFailure counts a failed call. At the limit it pauses the session, and the
// caller's fault says so.
func (c *control) countFailure(ctx context.Context, sess *openSession, call action.Call, err error) error {
	late := errors.Is(err, context.DeadlineExceeded)
	if !countsFailures(call) || !late && !countedFaults[fault.CodeOf(err)] {
		return err
	}
	var key, what string
	sess.with(func(st *sessionState) {
		st.failures.add(callKey(call))
		key, what = c.failureLimit(st.failures)
	})
	if key == "" {
		return err
	}
	f := fault.From(err)
	code, message := f.Code, f.Message
	if late {
		code, message = fault.ActionTimeout, "it took too long"
	}
	why := fmt.Sprintf("%s and the agent asks for guidance; the last was %s: %s: %s", what, call.Verb, code, message)
	if held := c.pauseAndAlert(ctx, sess, action.Hold{By: action.GatewayActor, Code: action.Failures, Why: why}, call.ID); held != nil {
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
