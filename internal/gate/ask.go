package gate

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
)

const maxAskRounds = 3 // questions for one call, if other calls use up the approvals

// ask asks a person. waits reports that there is no answer yet and the caller
// does not wait longer; result then names the question.
func (p *invocation) ask(ctx context.Context) (result action.Result, waits bool, err error) {
	var q action.Question
	for range maxAskRounds {
		if q, err = p.askOnce(ctx); fault.CodeOf(err) != fault.NotActive {
			break // not_active: an identical call used the approval, so a person is asked again
		}
	}
	p.journal.approval, p.journal.answeredBy = q.ID, q.AnsweredBy
	switch {
	case fault.CodeOf(err) == fault.ApprovalDenied:
		p.journal.hitl = denied
	case q.State == approval.Expired:
		p.journal.hitl = expired
	case err == nil && q.State == approval.Pending:
		return action.Result{
			Session: p.facts.Session.ID,
			Page:    pageOf(p.facts),
			Pending: pendingOf(q),
			Notes:   p.g.unattendedNotes(p.call, q),
		}, true, nil
	case err == nil:
		p.journal.hitl = approved
		p.rememberApproval()
	}
	return action.Result{}, false, err
}

func (p *invocation) askOnce(ctx context.Context) (action.Question, error) {
	q, fresh, err := p.g.askQuestion(ctx, approval.Request{
		Subject: approval.Subject{
			Scope: p.call.Caller.Scope, Session: p.facts.Session.ID, Verb: p.call.Verb, Args: action.Bound(p.call.Args),
			Fingerprint: p.pin.Print, Document: p.pin.Document, Node: p.pin.Node, Drop: p.pin.Drop,
		},
		Actor: p.call.Caller.Actor, Risk: p.verdict.Risk, Rule: p.verdict.Rule, Why: p.verdict.Why, Host: p.verdict.Host,
		Element: maskElement(p.facts.Element),
		Page:    action.Page{URL: p.g.shownURL(p.facts.Page.URL), Title: p.facts.Page.Title},
		Input:   p.questionInput(),
		Within:  surroundings(p.facts.Element),
	})
	if err != nil {
		return q, err
	}
	if fresh {
		p.addScreenshot(ctx, &q, slog.LevelWarn)
		event := p.journal.record()
		event.Screenshot = q.Screenshot
		event.EventType, event.HITLDecision, event.ApprovalID, event.Detail = action.EventQuestion, pending, q.ID, "question "+q.ID
		p.g.audit.Record(event)
	}
	if p.call.Asked != nil && q.State == approval.Pending {
		p.call.Asked(*pendingOf(q))
	}
	return p.g.awaitAnswer(ctx, p.call, q)
}

// pendingOf describes a waiting question to its caller.
func pendingOf(q action.Question) *action.Pending {
	return &action.Pending{Approval: q.ID, Expires: q.Expires, Risk: q.Risk}
}

// questionInput is the input of a call as a question shows it: the typed text,
// the drop target, or the address.
func (c *callInfo) questionInput() string {
	if text := c.dropTargetText(); text != "" {
		return strings.TrimSpace(text)
	}
	if script, runs := c.call.Args.(*action.Execute); runs {
		return script.Expression // complete, since a person must read it; the record has only its hash
	}
	if text := c.inputText(); text != "" {
		return text
	}
	return c.targetText()
}

func pageOf(f action.Facts) *action.Page {
	if f.Page.URL == "" {
		return nil
	}
	page := f.Page
	return &page
}

const screenshotLimit = 2 * time.Second // a small part of a question's minimum of 30 s

// addScreenshot adds a screenshot of the element to a question. If the screenshot
// fails or takes too long, the question has none.
func (c *callInfo) addScreenshot(ctx context.Context, q *action.Question, level slog.Level) {
	if c.facts.Element == nil {
		return
	}
	ctx = context.WithoutCancel(ctx) // the question remains when its caller disconnects
	var err error
	id := c.picture
	if id == "" {
		id, err = c.targetScreenshot(ctx)
	}
	if err == nil {
		err = c.g.approvals.SetScreenshot(ctx, q.ID, id)
	}
	if err != nil {
		c.g.log.Log(ctx, level, "a question has no screenshot", "id", c.call.ID, "question", q.ID, "error", err)
		return
	}
	q.Screenshot = id
}

// pictureBefore takes the screenshot for a question about what the act sends, if that is the
// tab's next document: while such a request is held, the element cannot be outlined.
func (c *callInfo) pictureBefore(ctx context.Context) {
	e := c.facts.Element
	if !c.verdict.Deferred || c.verdict.Risk < action.High || e == nil || !e.Submits && e.LinkURL == "" {
		return
	}
	id, err := c.targetScreenshot(ctx)
	if err != nil {
		c.g.log.Debug("no screenshot before an act", "id", c.call.ID, "error", err)
		return
	}
	c.picture = id
}

// targetScreenshot waits at most screenshotLimit for a screenshot. A later one is
// not shown, and retention removes it.
func (c *callInfo) targetScreenshot(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, screenshotLimit)
	defer cancel()
	answers := runDetached(ctx, c, func(ctx context.Context) (string, error) {
		return c.g.sessions.TargetScreenshot(ctx, c.call, c.pin)
	})
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// surroundings returns the text around an element, which helps people to
// distinguish it from similar ones.
func surroundings(e *action.Element) string {
	if e == nil {
		return ""
	}
	return e.Within
}

// RecordEnded returns a function for approval.Options. It records that a question
// ended without an answer.
func RecordEnded(trail *audit.Log) func(action.Question) {
	return func(q action.Question) {
		event := answerOf(q)
		if q.State == approval.Expired {
			event.Detail += ": nobody answered"
		}
		trail.Record(event)
	}
}

// answerOf is the record of how a question ended.
func answerOf(q action.Question) action.Record {
	event := action.Record{
		EventType: action.EventAnswer, Scope: q.Scope, SessionID: q.Session, Action: q.Verb, URL: q.Page.URL,
		Risk: q.Risk.String(), Rule: q.Rule, HITLDecision: q.State, AnsweredBy: q.AnsweredBy,
		ApprovalID: q.ID, Detail: "question " + q.ID,
	}
	if q.Reason != "" {
		event.Detail += ": " + q.Reason
	}
	return event
}
