package session

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	pausedIdleFactor = 4                // a held session may be idle for so many times as long: people are slower
	turnLimit        = 10 * time.Second // for the action that runs when a hold begins to end
	maxReason        = 500              // characters of a reason
)

// pauseState is what a session remembers of people's hands on it. It is stored
// with the record, so that it outlives the gateway.
type pauseState struct {
	Hold   *action.Hold `json:"hold,omitempty"`
	Taken  bool         `json:"taken,omitempty"` // by a person, who acts in it
	Before view         `json:"before,omitzero"` // what was open when the hold began
	Notes  []string     `json:"notes,omitempty"` // for the agent's next answer

	Actions int       `json:"actions,omitempty"` // that it may do, where people let it go on past its limit
	Until   time.Time `json:"until,omitzero"`    // when its time is over, likewise

	Scripted bool `json:"scripted,omitempty"` // an agent had code of its own in it, which may still run
}

// state is the state of a session that is neither starting nor ending.
func (c pauseState) state() string {
	switch {
	case c.Hold == nil:
		return open
	case c.Taken:
		return takenOver
	}
	return paused
}

// isOpen reports whether a session in this state has a browser to act on,
// whoever may.
func isOpen(state string) bool { return state == open || state == paused || state == takenOver }

// alwaysAnswered are the calls that a session answers whoever holds it: they
// say how it is, wait for the hold to end, or close what a crawl opened.
var alwaysAnswered = map[string]bool{
	"session.show": true, "browser.status": true, "session.request_human": true, "crawl.end": true,
}

// ofSession reports whether a call concerns the session it is addressed to.
func ofSession(verb string) bool {
	switch family(verb) {
	case "page", "tab", "cookie", "download", "crawl", "cdp", "browser":
		return true
	case "session":
		return verb != "session.start" && verb != "session.list"
	case "artifact":
		return verb != "artifact.get" // named by its own id
	}
	return false
}

// barred refuses a call to a session that somebody keeps from its caller.
// Faults: session_paused.
func (c *control) barred(call action.Call) (action.SessionFacts, error) {
	if !ofSession(call.Verb) {
		return action.SessionFacts{}, nil
	}
	sess := c.sessions.find(call)
	if sess == nil {
		return action.SessionFacts{}, nil
	}
	sess.mu.Lock()
	err := sess.checkPause(call)
	sess.mu.Unlock()
	return sess.facts(), err
}

// checkPause says who keeps the caller of a call from the session. Agents wait until
// it is handed back; of a person's session other people may see, and take it,
// but not act in it. mu must be held. Faults: session_paused.
func (o *openSession) checkPause(call action.Call) error {
	hold, caller := o.pause.Hold, call.Caller
	if hold == nil || alwaysAnswered[call.Verb] {
		return nil
	}
	verb, known := action.Lookup(call.Verb)
	reads := known && verb.As(call.Args).Class == action.Read
	if caller.Role == action.Viewer && reads {
		return nil
	}
	if o.allowedWhilePaused(call, reads) {
		return nil
	}
	if caller.Role != action.Operator {
		meanwhile := "; meanwhile it can be read, and closed by who started it"
		if !o.readableWhilePaused() {
			meanwhile = ""
		}
		return o.pausedFault("it waits for a person: browser_request_human (session.request_human) tells when it is handed back; " +
			"or ask your user to run glovebox session resume " + o.id + meanwhile)
	}
	if !o.pause.Taken || hold.By == caller.Actor || reads || family(call.Verb) == "session" {
		return nil
	}
	return o.pausedFault("take it from them: glovebox session take " + o.id)
}

// readableWhilePaused reports whether agents read a session that is held. One that a person
// has taken they do not, nor one that was paused for a credential: reads could go
// on guessing, and a person is to see it as it is. mu must be held.
func (o *openSession) readableWhilePaused() bool {
	return !o.pause.Taken && o.pause.Hold.Code != string(fault.CredentialDetected)
}

// allowedWhilePaused reports whether a hold leaves a call to the agents of a session: one
// that is paused is read, and closed by who started it. mu must be held.
func (o *openSession) allowedWhilePaused(call action.Call, reads bool) bool {
	if !o.readableWhilePaused() || call.Caller.Role != action.Agent {
		return false
	}
	switch family(call.Verb) {
	case "page", "tab", "download", "artifact":
		return reads
	}
	return call.Caller.Actor == o.record.Actor && endingVerbs[call.Verb]
}

// ends are the calls that end a session.
var endingVerbs = map[string]bool{"session.close": true, "session.archive": true, "browser.stop": true}

// pausedFault is the fault of a session that somebody holds. mu must be held.
func (o *openSession) pausedFault(hint string) *fault.Fault {
	hold, state := o.pause.Hold, o.pause.state()
	did := map[string]string{paused: "is paused by", takenOver: "was taken over by"}[state]
	return fault.New(fault.SessionPaused, "session %s %s %s: %s", label(o.record), did, hold.By, hold.Why).
		Hinted("%s", hint).With("state", state).With("by", hold.By).With("code", hold.Code).With("since", hold.Since)
}

// pauseByID pauses a session from the gate's side and alerts. A session that is
// held already stays as it is. Faults: session_not_found, not_active.
func (c *control) pauseByID(ctx context.Context, session, code, why string) error {
	sess := c.sessions.withID(session)
	if sess == nil {
		return fault.New(fault.SessionNotFound, "there is no open session %s", quoted(session)).
			Hinted("list the sessions there are with session.list")
	}
	return c.pauseAndAlert(ctx, sess, action.Hold{By: action.House, Code: code, Why: why}, "")
}

// pauseAndAlert pauses a session without a person's doing, and has people told. What
// runs in it may end.
func (c *control) pauseAndAlert(ctx context.Context, sess *openSession, hold action.Hold, correlation string) error {
	hold.Why = oneLine(hold.Why)
	fresh, err := c.setPause(ctx, sess, hold, false)
	if fresh || err == nil {
		c.audit.alert(sess.now(), correlation, hold.Code+": "+hold.Why)
	}
	if fresh {
		c.audit.event(sess.now(), correlation, "paused by "+hold.By+": "+hold.Why)
	}
	return err
}

// setPause puts a hold on a session, unless it has one: then fresh is false.
// Faults: not_active.
func (c *control) setPause(ctx context.Context, sess *openSession, hold action.Hold, taken bool) (fresh bool, err error) {
	sess.mu.Lock()
	if !isOpen(sess.record.State) {
		defer sess.mu.Unlock()
		return false, sess.endedFault()
	}
	if sess.pause.Hold != nil {
		sess.mu.Unlock()
		return false, nil
	}
	hold.Since = time.Now().UTC()
	sess.pause.Hold, sess.pause.Taken = &hold, taken
	sess.showPause()
	sess.mu.Unlock()
	seen := c.view(ctx, sess)
	sess.mu.Lock()
	if sess.pause.Hold == &hold { // nobody has ended it meanwhile
		sess.pause.Before = seen.view
	}
	sess.addNote(seen.notes...)
	sess.mu.Unlock()
	return true, c.saver.savePause(ctx, sess)
}

// showPause makes the record show the hold there is, has clients of agents
// put out and wakes who waits for a change. mu must be held.
func (o *openSession) showPause() {
	o.record.State, o.record.Hold = o.pause.state(), o.pause.Hold
	o.touch()
	close(o.changed)
	o.changed = make(chan struct{})
	if o.pause.Hold == nil {
		return
	}
	for out, wire := range o.clientCalls {
		if err := o.checkPause(wire.call); err != nil {
			(*out)(err)
		}
	}
}

// savePause stores a change of hands before anybody is told of it.
func (w *saver) savePause(ctx context.Context, sess *openSession) error {
	if err := w.save(ctx, sess); err != nil {
		w.ask()
		return fault.New(fault.Internal, "the session's state could not be stored").
			Hinted("it holds as long as this gateway runs; make room on its disk").Because(err)
	}
	return nil
}

// oneLine makes somebody's words fit for one line of a message: what does not
// print is escaped, and there is not much of it.
func oneLine(words string) string {
	letters := []rune(strings.TrimSpace(words))
	var line strings.Builder
	for _, letter := range letters[:min(len(letters), maxReason)] {
		if strconv.IsPrint(letter) {
			line.WriteRune(letter)
			continue
		}
		line.WriteString(strings.Trim(strconv.QuoteRune(letter), "'"))
	}
	if len(letters) > maxReason {
		line.WriteRune('…')
	}
	return line.String()
}
