package session

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// pauseState says who paused a session and why, and what people decided about it.
// It is stored with the record, so it survives a restart of the gateway.
type pauseState struct {
	Hold   *action.Hold `json:"hold,omitempty"`
	Taken  bool         `json:"taken,omitempty"` // taken over by a person
	Before view         `json:"before,omitzero"` // what was open at the start of the pause
	Notes  []string     `json:"notes,omitempty"` // for the agent's next answer

	Actions int       `json:"actions,omitempty"` // its limit of actions, if people extended it
	Until   time.Time `json:"until,omitzero"`    // its limit of time, if people extended it

	Scripted bool `json:"scripted,omitempty"` // an agent ran its own code, which may still run
}

// state returns the state of a session that is neither starting nor ending.
func (c pauseState) state() string {
	switch {
	case c.Hold == nil:
		return open
	case c.Taken:
		return takenOver
	}
	return paused
}

// text encodes c for storing; empty for the zero state.
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

// read decodes the result of text.
func (c *pauseState) read(text string) error {
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), c); err != nil {
		return fmt.Errorf("cannot read who holds a session: %w", err)
	}
	return nil
}

// isOpen reports whether a session in this state has a browser, paused or not.
func isOpen(state string) bool { return state == open || state == paused || state == takenOver }

// checkPause refuses a call to a paused session. Agents must wait until the
// session is handed back. If a person has taken it over, other people can read it
// and take it over, but not act in it. Faults: session_paused.
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

// readableWhilePaused reports whether agents may read a paused session. They may
// not if a person has taken it over, or if it was paused for a credential,
// because an agent could continue to guess by reading.
func (s *sessionState) readableWhilePaused() bool {
	return !s.pause.Taken && s.pause.Hold.Code != string(fault.CredentialDetected)
}

// allowedWhilePaused reports whether an agent may make a call to a paused
// session: it may read, and the agent that started the session may close it.
func (s *sessionState) allowedWhilePaused(call action.Call, reads bool) bool {
	if !s.readableWhilePaused() || call.Caller.Role != action.Agent {
		return false
	}
	switch family(call.Verb) {
	case "page", "tab", "download", "artifact", "desktop":
		return reads
	}
	return call.Caller.Actor == s.record.Actor && endVerbs[call.Verb]
}

// endVerbs are the verbs that end a session.
var endVerbs = map[string]bool{action.VerbSessionClose.Name: true, action.VerbSessionArchive.Name: true, action.VerbBrowserStop.Name: true}

// alwaysAnswered are the verbs that a paused session answers too: they show it,
// wait for the end of the pause, or close a crawl.
var alwaysAnswered = map[string]bool{
	action.VerbSessionShow.Name: true, action.VerbBrowserStatus.Name: true, action.VerbSessionRequestHuman.Name: true, action.VerbCrawlEnd.Name: true,
}

// ofSession reports whether a verb is about the session named in the call.
func ofSession(verb string) bool {
	switch family(verb) {
	case "page", "tab", "cookie", "download", "crawl", "cdp", "browser", "desktop":
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

// setHold pauses the session. fresh is false if it was already paused. Faults:
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

// showPause copies the pause to the record, disconnects the DevTools clients and
// viewers that are not allowed any more, and signals the change.
func (s *sessionState) showPause() {
	s.record.State, s.record.Hold = s.pause.state(), s.pause.Hold
	s.touch()
	s.signalChange()
	if s.pause.Hold == nil {
		return
	}
	for _, all := range []map[*context.CancelCauseFunc]activity{s.clientCalls, s.viewers} {
		for out, wire := range all {
			if err := s.checkPause(wire.call); err != nil {
				(*out)(err)
			}
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

// mayRelease returns the pause if this person may end it.
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

// endPause ends a pause, with a note for the agent.
func (s *sessionState) endPause(note string) {
	s.pause.Hold, s.pause.Taken, s.pause.Before, s.failures = nil, false, view{}, failures{}
	s.showPause()
	s.addNote(note)
}

// askerGone reports whether the session is paused for an agent that asked for a person and
// has not waited for one for the time of the constant.
func (s *sessionState) askerGone(now time.Time) bool {
	if s.pause.Hold == nil || s.pause.Hold.Code != action.HelpWanted || s.pause.Taken || now.Before(s.asked.Add(askerGone)) {
		return false
	}
	for _, running := range s.calls {
		if running.call.Verb == action.VerbSessionRequestHuman.Name {
			return false
		}
	}
	return true
}

// pausedBy returns the pause; nil if the session is not paused.
func (o *openSession) pausedBy() *action.Hold {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.state.pause.Hold
}

// waitHandedBack waits until the session is not paused, at most for wait. It is
// not an error if it is still paused. Faults: not_active if the session ends
// meanwhile.
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

// staysOpen waits for some time, and reports whether the session has not begun to end.
func (o *openSession) staysOpen(long time.Duration) bool {
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-o.closing:
		return false
	}
}

// waitTurnFree waits until no action runs in a paused session. It returns false
// if one still runs.
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
