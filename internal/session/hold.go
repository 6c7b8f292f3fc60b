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
	patience  = 4                // a held session may be idle for so many times as long: people are slower
	turnLimit = 10 * time.Second // for the action that runs when a hold begins to end
	saidMost  = 500              // characters of a reason
)

// control is what a session remembers of people's hands on it. It is stored
// with the record, so that it outlives the gateway.
type control struct {
	Hold   *action.Hold `json:"hold,omitempty"`
	Taken  bool         `json:"taken,omitempty"` // by a person, who acts in it
	Before view         `json:"before,omitzero"` // what was open when the hold began
	Notes  []string     `json:"notes,omitempty"` // for the agent's next answer

	Actions int       `json:"actions,omitempty"` // that it may do, where people let it go on past its limit
	Until   time.Time `json:"until,omitzero"`    // when its time is over, likewise

	Scripted bool `json:"scripted,omitempty"` // an agent had code of its own in it, which may still run
}

// state is the state of a session that is neither starting nor ending.
func (c control) state() string {
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
func (r *Registry) barred(call action.Call) (action.SessionFacts, error) {
	if !ofSession(call.Verb) {
		return action.SessionFacts{}, nil
	}
	l := r.find(call)
	if l == nil {
		return action.SessionFacts{}, nil
	}
	l.mu.Lock()
	err := l.bars(call)
	l.mu.Unlock()
	return l.facts(), err
}

// bars says who keeps the caller of a call from the session. Agents wait until
// it is handed back; of a person's session other people may see, and take it,
// but not act in it. mu must be held. Faults: session_paused.
func (l *live) bars(call action.Call) error {
	hold, caller := l.control.Hold, call.Caller
	if hold == nil || alwaysAnswered[call.Verb] {
		return nil
	}
	verb, known := action.Lookup(call.Verb)
	reads := known && verb.As(call.Args).Class == action.Read
	if caller.Role == action.Viewer && reads {
		return nil
	}
	if l.leaves(call, reads) {
		return nil
	}
	if caller.Role != action.Operator {
		meanwhile := "; meanwhile it can be read, and closed by who started it"
		if !l.readable() {
			meanwhile = ""
		}
		return l.held("it waits for a person: browser_request_human (session.request_human) tells when it is handed back; " +
			"or ask your user to run glovebox session resume " + l.id + meanwhile)
	}
	if !l.control.Taken || hold.By == caller.Actor || reads || family(call.Verb) == "session" {
		return nil
	}
	return l.held("take it from them: glovebox session take " + l.id)
}

// readable reports whether agents read a session that is held. One that a person
// has taken they do not, nor one that was paused for a credential: reads could go
// on guessing, and a person is to see it as it is. mu must be held.
func (l *live) readable() bool {
	return !l.control.Taken && l.control.Hold.Code != string(fault.CredentialDetected)
}

// leaves reports whether a hold leaves a call to the agents of a session: one
// that is paused is read, and closed by who started it. mu must be held.
func (l *live) leaves(call action.Call, reads bool) bool {
	if !l.readable() || call.Caller.Role != action.Agent {
		return false
	}
	switch family(call.Verb) {
	case "page", "tab", "download", "artifact":
		return reads
	}
	return call.Caller.Actor == l.record.Actor && ends[call.Verb]
}

// ends are the calls that end a session.
var ends = map[string]bool{"session.close": true, "session.archive": true, "browser.stop": true}

// held is the fault of a session that somebody holds. mu must be held.
func (l *live) held(hint string) *fault.Fault {
	hold, state := l.control.Hold, l.control.state()
	did := map[string]string{paused: "is paused by", takenOver: "was taken over by"}[state]
	return fault.New(fault.SessionPaused, "session %s %s %s: %s", label(l.record), did, hold.By, hold.Why).
		Hinted("%s", hint).With("state", state).With("by", hold.By).With("code", hold.Code).With("since", hold.Since)
}

// Pause pauses a session from the gate's side and alerts. A session that is
// held already stays as it is. Faults: session_not_found, not_active.
func (r *Registry) Pause(ctx context.Context, session, code, why string) error {
	r.mu.Lock()
	l := r.live[session]
	r.mu.Unlock()
	if l == nil {
		return fault.New(fault.SessionNotFound, "there is no open session %s", quoted(session)).
			Hinted("list the sessions there are with session.list")
	}
	return r.halt(ctx, l, action.Hold{By: action.House, Code: code, Why: why}, "")
}

// halt pauses a session without a person's doing, and has people told. What
// runs in it may end.
func (r *Registry) halt(ctx context.Context, l *live, hold action.Hold, correlation string) error {
	hold.Why = said(hold.Why)
	fresh, err := r.seize(ctx, l, hold, false)
	if fresh || err == nil {
		r.alert(l.now(), correlation, hold.Code+": "+hold.Why)
	}
	if fresh {
		r.event(l.now(), correlation, "paused by "+hold.By+": "+hold.Why)
	}
	return err
}

// seize puts a hold on a session, unless it has one: then fresh is false.
// Faults: not_active.
func (r *Registry) seize(ctx context.Context, l *live, hold action.Hold, taken bool) (fresh bool, err error) {
	l.mu.Lock()
	if !isOpen(l.record.State) {
		defer l.mu.Unlock()
		return false, l.gone()
	}
	if l.control.Hold != nil {
		l.mu.Unlock()
		return false, nil
	}
	hold.Since = time.Now().UTC()
	l.control.Hold, l.control.Taken = &hold, taken
	l.settleState()
	l.mu.Unlock()
	seen := r.look(ctx, l)
	l.mu.Lock()
	if l.control.Hold == &hold { // nobody has ended it meanwhile
		l.control.Before = seen.view
	}
	l.note(seen.notes...)
	l.mu.Unlock()
	return true, r.keepControl(ctx, l)
}

// settleState makes the record show the hold there is, has clients of agents
// put out and wakes who waits for a change. mu must be held.
func (l *live) settleState() {
	l.record.State, l.record.Hold = l.control.state(), l.control.Hold
	l.touch()
	close(l.changed)
	l.changed = make(chan struct{})
	if l.control.Hold == nil {
		return
	}
	for out, wire := range l.wires {
		if err := l.bars(wire.call); err != nil {
			(*out)(err)
		}
	}
}

// keepControl stores a change of hands before anybody is told of it.
func (r *Registry) keepControl(ctx context.Context, l *live) error {
	if err := r.store(ctx, l); err != nil {
		r.askToSave()
		return fault.New(fault.Internal, "the session's state could not be stored").
			Hinted("it holds as long as this gateway runs; make room on its disk").Because(err)
	}
	return nil
}

// said makes somebody's words fit for one line of a message: what does not
// print is escaped, and there is not much of it.
func said(words string) string {
	letters := []rune(strings.TrimSpace(words))
	var line strings.Builder
	for _, letter := range letters[:min(len(letters), saidMost)] {
		if strconv.IsPrint(letter) {
			line.WriteRune(letter)
			continue
		}
		line.WriteString(strings.Trim(strconv.QuoteRune(letter), "'"))
	}
	if len(letters) > saidMost {
		line.WriteRune('…')
	}
	return line.String()
}
