package gate

import (
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
)

const (
	keptText  = 200  // characters of typed text and names in a record
	keptURL   = 2000 // characters of an address
	keptError = 400  // characters of a fault
)

// begin stores the intent: before it is durable nothing runs.
func (p *passage) begin() error {
	if err := p.g.audit.Begin(p.record()); err != nil {
		return err
	}
	p.begun = true
	return nil
}

// leave stores the outcome, with the intent where that was not stored before,
// and answers.
func (p *passage) leave(result action.Result, err error) (action.Result, error) {
	var f *fault.Fault
	if err != nil {
		result, f = action.Result{}, fault.From(err)
		if f.Code == fault.Internal {
			p.g.log.Error("a call failed inside", "id", p.call.ID, "verb", plain(p.call.Verb), "error", err)
		}
	}
	result, f = p.redacted(result, f)
	lost := p.conclude(p.outcome(result, f))
	switch {
	case lost != nil && f == nil && !p.begun:
		return action.Result{}, lost // a read: what was seen is not handed out unrecorded
	case lost != nil:
		p.g.log.Error("the outcome of a call was not recorded", "id", p.call.ID, "verb", plain(p.call.Verb), "error", lost)
		if f == nil {
			result.Notes = append(result.Notes, "this was done, but the audit trail could not store the outcome; nothing further will run until it can")
		}
	}
	if f != nil {
		return result, f
	}
	return result, nil
}

// conclude stores the outcome. A write or raw call that got past begin has its
// intent already.
func (p *passage) conclude(outcome action.Record) *fault.Fault {
	if p.begun {
		return fault.From(p.g.audit.End(outcome))
	}
	intent := p.record()
	intent.Timestamp = p.started
	return fault.From(p.g.audit.BeginAndEnd(intent, outcome))
}

// outcome is the record of what became of the call.
func (p *passage) outcome(result action.Result, f *fault.Fault) action.Record {
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
		r.Result, r.Error = "fault", p.harmless(approval.Sanitize(fmt.Sprintf("%s: %s", f.Code, f.Message), keptError))
	}
	if p.became != "" {
		r.Result, r.Detail = cancelled, join(r.Detail, p.became)
	}
	if len(result.Artifacts) > 0 && p.call.Verb == "page.screenshot" {
		r.Screenshot = result.Artifacts[0].ID
	}
	if words := receipts(result.Effects); words != "" {
		r.Detail = join(r.Detail, words)
	}
	if files := carried(result.Data); files != "" {
		r.Detail = join(r.Detail, files)
	}
	if result.Page != nil && result.Page.URL != p.facts.Page.URL {
		r.Detail = join(r.Detail, "now at "+p.address(result.Page.URL))
	}
	return r
}

// record is what is known of the call by now.
func (p *passage) record() action.Record {
	c := p.call
	r := action.Record{
		CorrelationID: c.ID, Actor: inert(c.Caller.Actor), Role: action.Role(inert(string(c.Caller.Role))), Scope: c.Caller.Scope,
		SessionID: p.facts.Session.ID, ContainerID: p.facts.Session.Box, Action: inert(c.Verb), Surface: inert(c.Surface),
		URL: p.address(p.facts.Page.URL), TargetURL: p.target(), TargetElement: p.harmless(p.element()), InputValue: p.input(),
		HITLDecision: p.hitl, UserAgent: p.harmless(inert(c.Source.UserAgent)),
	}
	if r.SessionID == "" {
		r.SessionID = p.harmless(inert(c.Session))
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

// harmless is a text of the caller's or the page's that is not looked through
// before it is recorded, or nothing of it where it holds a credential.
func (p *passage) harmless(text string) string {
	if p.g.holdsCredential(text) {
		return hidden
	}
	return text
}

func inert(text string) string { return approval.Sanitize(text, keptText) }

// address is an address as records show it.
func (p *passage) address(url string) string {
	return approval.Sanitize(p.g.shownURL(url), keptURL)
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}
