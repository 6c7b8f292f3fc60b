package gate

import (
	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
)

// RecordEnded returns what records, for approval.Options, that a question ended
// without an answer.
func RecordEnded(trail *audit.Log) func(action.Question) {
	return func(q action.Question) {
		event := answerOf(q)
		if q.State == approval.Expired {
			event.Detail += ": nobody answered"
		}
		trail.Record(event)
	}
}

// answerOf is the record of what became of a question.
func answerOf(q action.Question) action.Record {
	event := action.Record{
		EventType: audit.Answer, Scope: q.Scope, SessionID: q.Session, Action: q.Verb, URL: q.Page.URL,
		Risk: q.Risk.String(), Rule: q.Rule, HITLDecision: q.State, AnsweredBy: q.AnsweredBy,
		ApprovalID: q.ID, Detail: "question " + q.ID,
	}
	if q.Reason != "" {
		event.Detail += ": " + q.Reason
	}
	return event
}
