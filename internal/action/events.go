package action

import (
	"net/http"
	"slices"
	"strings"
)

// The verbs of this file.
var (
	VerbEventsFollow = Define[FollowEvents, EventPage](Verb{Name: "events.follow", Class: Admin, Risk: Low, Method: http.MethodGet, Path: "/events", Command: "events", Summary: "Follow what happens: sessions, questions, answers, actions, alerts"})
)

// FollowEvents asks for the events of a scope: as they occur on a surface that
// can send them, otherwise those since a given one.
type FollowEvents struct {
	Kinds string `json:"kinds,omitempty" query:"kinds" maxLength:"64" pattern:"^[a-z]+(,[a-z]+)*$" doc:"Of session, question, answer, action, alert and config, with commas between them; all when empty" example:"question,answer"`
	After *int64 `json:"after,omitempty" query:"after" minimum:"0" doc:"Only what follows the event of this number; what is yet to come when absent"`
}

// Sound refuses unknown kinds of events.
func (f *FollowEvents) Sound() error {
	for kind := range strings.SplitSeq(f.Kinds, ",") {
		if kind != "" && !slices.Contains(EventKinds, kind) {
			return invalid("kinds", "names a kind of event that does not exist").Hinted("kinds are %s", strings.Join(EventKinds, ", "))
		}
	}
	return nil
}

// Public reports whether the call asks only for the start and end of sessions,
// which every role may list.
func (f *FollowEvents) Public() bool { return f != nil && f.Kinds == "session" }

// Wants reports whether the call asks for events of a kind.
func (f *FollowEvents) Wants(kind string) bool {
	if f.Kinds == "" {
		return kind != ""
	}
	for one := range strings.SplitSeq(f.Kinds, ",") {
		if one == kind {
			return true
		}
	}
	return false
}

// Event is something that happened: a record of the audit trail, and the
// details of a question or answer.
type Event struct {
	ID       int64     `json:"id"` // number of the record, with which a client asks for later ones
	Kind     string    `json:"kind" enum:"session,question,answer,action,alert,config"`
	Record   Record    `json:"record"`
	Question *Question `json:"question,omitempty"` // as it is now
}

// EventPage is a part of the events, in order.
type EventPage struct {
	Events []Event `json:"events"`
	Last   int64   `json:"last"` // the number with which a client asks for later events
}

// EventWatch receives events as they occur. Its functions are called one at a
// time.
type EventWatch struct {
	Begin func()            // called once, before the first event: the call was permitted
	Event func(Event) error // ends the call when it fails
}
