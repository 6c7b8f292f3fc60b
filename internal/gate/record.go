package gate

import (
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	maxText        = 200  // characters of typed text and names in a record
	maxRecordedURL = 2000 // characters of an address
	maxErrorText   = 400  // characters of a fault
)

// recordIntent stores the intent: before it is durable nothing runs.
func (p *invocation) recordIntent() error {
	if err := p.g.audit.Begin(p.record()); err != nil {
		return err
	}
	p.begun = true
	return nil
}

// finish stores the outcome, with the intent where that was not stored before,
// and answers.
func (p *invocation) finish(result action.Result, err error) (action.Result, error) {
	var f *fault.Fault
	if err != nil {
		result, f = action.Result{}, fault.From(err)
		if f.Code == fault.Internal {
			p.g.log.Error("a call failed inside", "id", p.call.ID, "verb", sanitizedFault(p.call.Verb), "error", err)
		}
	}
	result, f = p.redactAnswer(result, f)
	lost := p.recordOutcome(p.outcome(result, f))
	switch {
	case lost != nil && f == nil && !p.begun:
		return action.Result{}, lost // a read: what was seen is not handed out unrecorded
	case lost != nil:
		p.g.log.Error("the outcome of a call was not recorded", "id", p.call.ID, "verb", sanitizedFault(p.call.Verb), "error", lost)
		if f == nil {
			result.Notes = append(result.Notes, "this was done, but the audit trail could not store the outcome; nothing further will run until it can")
		}
	}
	if f != nil {
		return result, f
	}
	return result, nil
}

// recordOutcome stores the outcome. A write or raw call that got past begin has its
// intent already.
func (p *invocation) recordOutcome(outcome action.Record) *fault.Fault {
	if p.begun {
		return fault.From(p.g.audit.End(outcome))
	}
	intent := p.record()
	intent.Timestamp = p.started
	return fault.From(p.g.audit.BeginAndEnd(intent, outcome))
}

// outcome is the record of what became of the call.
func (p *invocation) outcome(result action.Result, f *fault.Fault) action.Record {
	r := p.record()
	r.Result, r.AnsweredBy = "ok", p.answeredBy
	r.DurationMS = time.Since(p.started).Milliseconds()
	if result.Session != "" {
		r.SessionID = result.Session
	}
	if result.Pending != nil {
		r.Result = pending
	}
	if f != nil {
		r.Result, r.Error = "fault", p.withoutCredential(untrusted.Record(fmt.Sprintf("%s: %s", f.Code, f.Message), maxErrorText))
	}
	if p.cancellation != "" {
		r.Result, r.Detail = cancelled, join(r.Detail, p.cancellation)
	}
	if len(result.Artifacts) > 0 && p.call.Verb == "page.screenshot" {
		r.Screenshot = result.Artifacts[0].ID
	}
	if words := effectsText(result.Effects); words != "" {
		r.Detail = join(r.Detail, words)
	}
	if files := filesText(result.Data); files != "" {
		r.Detail = join(r.Detail, files)
	}
	if result.Page != nil && result.Page.URL != p.facts.Page.URL {
		r.Detail = join(r.Detail, "now at "+p.recordedURL(result.Page.URL))
	}
	return r
}

// record is what is known of the call by now.
func (p *invocation) record() action.Record {
	c := p.call
	r := action.Record{
		CorrelationID: c.ID, Actor: sanitized(c.Caller.Actor), Role: action.Role(sanitized(string(c.Caller.Role))), Scope: c.Caller.Scope,
		SessionID: p.facts.Session.ID, ContainerID: p.facts.Session.Box, Action: sanitized(c.Verb), Surface: sanitized(c.Surface),
		URL: p.recordedURL(p.facts.Page.URL), TargetURL: p.targetText(), TargetElement: p.withoutCredential(p.elementText()), InputValue: p.inputText(),
		HITLDecision: p.hitl, UserAgent: p.withoutCredential(sanitized(c.Source.UserAgent)),
	}
	if r.SessionID == "" {
		r.SessionID = p.withoutCredential(sanitized(c.Session))
	}
	r.Domain = hostOf(r.TargetURL)
	if r.Domain == "" {
		r.Domain = hostOf(r.URL)
	}
	if p.judged {
		r.Risk, r.Rule = p.verdict.Risk.String(), p.verdict.Rule
	}
	if p.approval != "" {
		r.ApprovalID, r.Detail = p.approval, "question "+p.approval
	}
	return r
}

// withoutCredential is a text of the caller's or the page's that is not looked through
// before it is recorded, or nothing of it where it holds a credential.
func (p *invocation) withoutCredential(text string) string {
	if p.g.containsCredential(text) {
		return hidden
	}
	return text
}

func sanitized(text string) string { return untrusted.Record(text, maxText) }

// recordedURL is an address as records show it.
func (p *invocation) recordedURL(url string) string {
	return untrusted.Record(p.g.shownURL(url), maxRecordedURL)
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}
