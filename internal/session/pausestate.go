package session

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// pauseState says who has paused a session and why, and what people decided about
// it. It is stored with the record, so that it outlives the gateway.
type pauseState struct {
	Hold   *action.Hold `json:"hold,omitempty"`
	Taken  bool         `json:"taken,omitempty"` // by a person, who acts in it
	Before view         `json:"before,omitzero"` // what was open when the pause began
	Notes  []string     `json:"notes,omitempty"` // for the agent's next answer

	Actions int       `json:"actions,omitempty"` // that it may do, where people let it go on past its limit
	Until   time.Time `json:"until,omitzero"`    // when its time is over, likewise

	Scripted bool `json:"scripted,omitempty"` // an agent ran code of its own in it, which may still run
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

// text is c as it is stored; empty for the zero state.
func (c pauseState) text() (string, error) {
	if c.Hold == nil && len(c.Notes) == 0 && !c.Scripted && c.Actions == 0 && c.Until.IsZero() {
		return "", nil
	}
	text, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("cannot encode who holds a session: %w", err)
	}
	return string(text), nil
}

// read reads what text wrote.
func (c *pauseState) read(text string) error {
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), c); err != nil {
		return fmt.Errorf("cannot read who holds a session: %w", err)
	}
	return nil
}

// isOpen reports whether a session in this state has a browser to act on, paused or
// not.
func isOpen(state string) bool { return state == open || state == paused || state == takenOver }

// checkPause refuses a call to a paused session. Agents wait until the session is
// handed back. A session that a person has taken other people may read and take, but
// not act in. Faults: session_paused.
func (s *sessionState) checkPause(call action.Call) error {
	hold, caller := s.pause.Hold, call.Caller
	if hold == nil || alwaysAnswered[call.Verb] {
		return nil
	}
	verb, known := action.Lookup(call.Verb)
	reads := known && verb.As(call.Args).Class == action.Read
	if caller.Role == action.Viewer && reads {
		return nil
	}
	if s.allowedWhilePaused(call, reads) {
		return nil
	}
	if caller.Role != action.Operator {
		meanwhile := "; meanwhile it can be read, and closed by who started it"
		if !s.readableWhilePaused() {
			meanwhile = ""
		}
		return s.pausedFault("it waits for a person: browser_request_human (session.request_human) tells when it is handed back; " +
			"or ask your user to run glovebox session resume " + s.record.ID + meanwhile)
	}
	if !s.pause.Taken || hold.By == caller.Actor || reads || family(call.Verb) == "session" {
		return nil
	}
	return s.pausedFault("take it from them: glovebox session take " + s.record.ID)
}

// readableWhilePaused reports whether agents may read a paused session. They may not
// where a person has taken it, nor where it was paused for a credential: an agent
// could go on guessing by reads.
func (s *sessionState) readableWhilePaused() bool {
	return !s.pause.Taken && s.pause.Hold.Code != string(fault.CredentialDetected)
}

// allowedWhilePaused reports whether an agent may make a call to a paused session:
// it may read, and who started the session may close it.
func (s *sessionState) allowedWhilePaused(call action.Call, reads bool) bool {
	if !s.readableWhilePaused() || call.Caller.Role != action.Agent {
		return false
	}
	switch family(call.Verb) {
	case "page", "tab", "download", "artifact":
		return reads
	}
	return call.Caller.Actor == s.record.Actor && endVerbs[call.Verb]
}

// endVerbs are the verbs that end a session.
var endVerbs = map[string]bool{action.VerbSessionClose.Name: true, action.VerbSessionArchive.Name: true, action.VerbBrowserStop.Name: true}

// alwaysAnswered are the verbs that a paused session answers too: they show it, wait
// for the end of the pause, or close what a crawl opened.
var alwaysAnswered = map[string]bool{
	action.VerbSessionShow.Name: true, action.VerbBrowserStatus.Name: true, action.VerbSessionRequestHuman.Name: true, action.VerbCrawlEnd.Name: true,
}

// ofSession reports whether a verb is about the session that its call names.
func ofSession(verb string) bool {
	switch family(verb) {
	case "page", "tab", "cookie", "download", "crawl", "cdp", "browser":
		return true
	case "session":
		return verb != action.VerbSessionStart.Name && verb != action.VerbSessionList.Name
	case "artifact":
		return verb != action.VerbArtifactGet.Name // named by its own id
	}
	return false
}

// pausedFault is the fault of a call to a session that is paused for its caller.
func (s *sessionState) pausedFault(hint string) *fault.Fault {
	hold, state := s.pause.Hold, s.pause.state()
	did := map[string]string{paused: "is paused by", takenOver: "was taken over by"}[state]
	return fault.New(fault.SessionPaused, "session %s %s %s: %s", label(s.record), did, hold.By, hold.Why).
		Hinted("%s", hint).With("state", state).With("by", hold.By).With("code", hold.Code).With("since", hold.Since)
}

// setHold pauses the session. fresh is false where it was paused already. Faults:
// not_active.
func (o *openSession) setHold(hold *action.Hold, taken bool) (fresh bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !isOpen(o.state.record.State) {
		return false, o.state.endedFault()
	}
	if o.state.pause.Hold != nil {
		return false, nil
	}
	hold.Since = time.Now().UTC()
	o.state.pause.Hold, o.state.pause.Taken = hold, taken
	o.state.showPause()
	return true, nil
}

// showPause copies the pause to the record, disconnects the DevTools clients that it
// keeps out, and wakes whoever waits for a change.
func (s *sessionState) showPause() {
	s.record.State, s.record.Hold = s.pause.state(), s.pause.Hold
	s.touch()
	s.signalChange()
	if s.pause.Hold == nil {
		return
	}
	for out, wire := range s.clientCalls {
		if err := s.checkPause(wire.call); err != nil {
			(*out)(err)
		}
	}
}

func (s *sessionState) changeHolder(hold action.Hold, taken bool) (did string, err error) {
	had := s.pause.Hold
	switch {
	case had == nil:
		return "", fault.New(fault.PageChanged, "the session was handed back meanwhile").Hinted("make the call again")
	case !isOpen(s.record.State):
		return "", s.endedFault()
	case s.pause.Taken && had.By == hold.By && taken, !s.pause.Taken && !taken:
		return "", nil
	case s.pause.Taken && had.By != hold.By && !taken:
		return "", s.pausedFault("take it from them: glovebox session take " + s.record.ID)
	case s.pause.Taken && taken:
		did = fmt.Sprintf("taken over by %s from %s", hold.By, had.By)
	case taken:
		did = "taken over by " + hold.By
	default:
		did = "paused by " + hold.By
	}
	hold.Since = had.Since
	s.pause.Hold, s.pause.Taken = &hold, taken
	s.showPause()
	return did, nil
}

// mayRelease returns the pause that a person may end.
func (s *sessionState) mayRelease(by action.Caller) (*action.Hold, error) {
	hold := s.pause.Hold
	switch {
	case !isOpen(s.record.State):
		return nil, s.endedFault()
	case hold == nil:
		return nil, fault.New(fault.AlreadyActive, "session %s is open: nobody holds it", label(s.record)).
			Hinted("there is nothing to hand back").With("session", s.record.ID)
	case s.pause.Taken && hold.By != by.Actor:
		return nil, s.pausedFault("take it from them first: glovebox session take " + s.record.ID)
	}
	return hold, nil
}

// pausedBy returns who has paused the session; nil when it is not paused.
func (o *openSession) pausedBy() *action.Hold {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.state.pause.Hold
}

// waitHandedBack waits until the session is not paused, for so long at most. It is no
// error that it still is. Faults: not_active when the session ends meanwhile.
func (o *openSession) waitHandedBack(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		o.mu.Lock()
		hold, changed := o.state.pause.Hold, o.state.changed
		o.mu.Unlock()
		if hold == nil {
			return nil
		}
		select {
		case <-changed:
		case <-timer.C:
			return nil
		case <-o.closing:
			return o.over()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// waitTurnFree waits until no action runs in a paused session. It returns false where
// one still does.
func (o *openSession) waitTurnFree(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, turnLimit)
	defer cancel()
	select {
	case o.turn <- struct{}{}:
		<-o.turn
		return true
	case <-ctx.Done():
		return false
	}
}
