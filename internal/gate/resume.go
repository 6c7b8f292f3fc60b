package gate

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
)

const resumeVerb = "session.resume"

// AskToResume has people asked whether a session that is paused at one of its
// limits may go on: why says which. It may wait for the store.
func (g *Gate) AskToResume(session action.Session, why string) {
	if !g.hostRequests {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), hostRequestLimit) // it belongs to no call
	defer cancel()
	var page action.Page
	if session.Page != nil {
		page = action.Page{URL: maskURL(session.Page.URL), Title: session.Page.Title}
	}
	q, fresh, err := g.askQuestion(ctx, approval.Request{
		Subject: approval.Subject{Scope: session.Scope, Session: session.ID, Verb: resumeVerb, Args: resumeArgs()},
		Actor:   session.Actor, Risk: action.Medium, Rule: "session.limit", Page: page,
		Why: "the session of " + session.Actor + " is paused at a limit (" + why + "): approving lets it go on for as much again",
	})
	if err != nil {
		g.log.Warn("people could not be asked whether a session may go on", "session", session.ID, "error", err)
		return
	}
	if fresh {
		g.audit.Record(action.Record{
			EventType: audit.Question, Actor: session.Actor, Scope: session.Scope, SessionID: session.ID, ContainerID: session.Box,
			Action: resumeVerb, Rule: q.Rule, Risk: q.Risk.String(), HITLDecision: pending, Detail: "question " + q.ID + ": " + why,
		})
	}
}

func resumeArgs() *action.HandBack { return &action.HandBack{Note: "it may go on"} }
