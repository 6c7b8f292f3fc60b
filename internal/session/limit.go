package session

import (
	"context"
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

// Warnings begin when four fifths of a limit are used.
const warnAt, warnOf = 4, 5

// actionLimit is how many actions a session may do, with what people added.
// Negative is no limit; a run bounds itself. mu must be held.
func (c *control) actionLimit(sess *openSession) int {
	if c.config.MaxActions < 0 || sess.run != "" {
		return -1
	}
	return max(c.config.MaxActions, sess.pause.Actions)
}

// endOfTime is until when a session may go on, with what people added. The zero
// time is no limit; a run bounds itself, and waits for people. mu must be held.
func (c *control) endOfTime(sess *openSession) time.Time {
	if c.config.MaxAge <= 0 || sess.run != "" {
		return time.Time{}
	}
	end := sess.record.Created.Add(c.config.MaxAge)
	if sess.pause.Until.After(end) {
		return sess.pause.Until
	}
	return end
}

// exhausted pauses a session that has done as much as it may, when a call wants
// to do more. Faults: limit_reached.
func (c *control) exhausted(ctx context.Context, sess *openSession, call action.Call) error {
	verb, known := action.Lookup(call.Verb)
	if !known || !verb.As(call.Args).Counts {
		return nil
	}
	sess.mu.Lock()
	most, done := c.actionLimit(sess), sess.record.Actions
	sess.mu.Unlock()
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

// pauseAtLimit pauses a session at one of its limits and has people asked whether it
// may go on. One that is held already stays as it is.
func (c *control) pauseAtLimit(ctx context.Context, sess *openSession, why string) {
	if sess.pausedBy() != nil {
		return
	}
	if err := c.pauseAndAlert(ctx, sess, action.Hold{By: action.House, Code: string(fault.LimitReached), Why: why}, ""); err != nil {
		c.log.WarnContext(ctx, "a session at its limit may not stay paused", "session", sess.id, "error", err)
	}
	if c.limited != nil {
		c.work.Go(func() { c.limited(sess.now(), why) })
	}
}

// extend gives a session that a person lets go on as much again of what it has
// used up. mu must be held.
func (c *control) extend(sess *openSession, now time.Time) {
	if most := c.actionLimit(sess); most >= 0 && sess.record.Actions >= most {
		sess.pause.Actions = sess.record.Actions + c.config.MaxActions
	}
	if end := c.endOfTime(sess); !end.IsZero() && !now.Before(end) {
		sess.pause.Until = now.Add(c.config.MaxAge)
	}
}

// warning says how much of a session's limits is used, once that is much; "" as
// long as it is not. mu must be held.
func (c *control) warning(sess *openSession, now time.Time) string {
	var used []string
	if most := c.actionLimit(sess); most > 0 && sess.record.Actions*warnOf >= most*warnAt {
		used = append(used, fmt.Sprintf("%d of %d actions", sess.record.Actions, most))
	}
	if end := c.endOfTime(sess); !end.IsZero() {
		if left := end.Sub(now); left*warnOf <= c.config.MaxAge*(warnOf-warnAt) {
			used = append(used, fmt.Sprintf("all but %s of its time", max(left, 0).Round(time.Second)))
		}
	}
	if len(used) == 0 {
		return ""
	}
	return "the session has used " + strings.Join(used, ", and ") + "; at the limit it is paused, and a person decides whether it goes on"
}

// crowded says how many sessions of a scope are open, once they are many.
func (d *directory) crowded(scope string) string {
	most, mine := d.config.MaxConcurrent, 0
	for _, sess := range d.all() {
		if sess.scope == scope && sess.over() == nil {
			mine++
		}
	}
	if most < 0 || mine*warnOf < most*warnAt {
		return ""
	}
	return fmt.Sprintf("%d of %d sessions of this scope are open (security.max_concurrent_sessions): close those that are not needed", mine, most)
}
