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

// journal writes the records of one call.
type journal struct {
	c       *callInfo
	started time.Time

	begun        bool   // the intent is stored
	cancellation string // the result of a cancelled call
	hitl         string // what people did about it
	answeredBy   string
	approval     string // the question's id
}

// recordIntent stores the intent. Nothing is done before it is stored.
func (j *journal) recordIntent() error {
	if err := j.c.g.audit.Begin(j.record()); err != nil {
		return err
	}
	j.begun = true
	return nil
}

// recordOutcome stores the outcome. For calls that change something, the intent
// is already stored.
func (j *journal) recordOutcome(outcome action.Record) *fault.Fault {
	if j.begun {
		return fault.From(j.c.g.audit.End(outcome))
	}
	intent := j.record()
	intent.Timestamp = j.started
	return fault.From(j.c.g.audit.BeginAndEnd(intent, outcome))
}

// outcome returns the record of the call's result.
func (j *journal) outcome(result action.Result, f *fault.Fault) action.Record {
	r := j.record()
	r.Result, r.AnsweredBy = "ok", j.answeredBy
	r.DurationMS = time.Since(j.started).Milliseconds()
	if result.Session != "" {
		r.SessionID = result.Session
	}
	if result.Pending != nil {
		r.Result = pending
	}
	if f != nil {
		r.Result, r.Error = "fault", j.c.withoutCredential(untrusted.Record(fmt.Sprintf("%s: %s", f.Code, f.Message), maxErrorText))
	}
	if j.cancellation != "" {
		r.Result, r.Detail = cancelled, join(r.Detail, j.cancellation)
	}
	if len(result.Artifacts) > 0 && j.c.call.Verb == action.VerbPageScreenshot.Name {
		r.Screenshot = result.Artifacts[0].ID
	}
	if words := effectsText(result.Effects); words != "" {
		r.Detail = join(r.Detail, words)
	}
	if files := filesText(result.Data); files != "" {
		r.Detail = join(r.Detail, files)
	}
	if result.Page != nil && result.Page.URL != j.c.facts.Page.URL {
		r.Detail = join(r.Detail, "now at "+j.c.recordedURL(result.Page.URL))
	}
	return r
}

// record returns a record of what is known of the call so far.
func (j *journal) record() action.Record {
	c := j.c.call
	r := action.Record{
		CorrelationID: c.ID, Actor: sanitized(c.Caller.Actor), Role: action.Role(sanitized(string(c.Caller.Role))), Scope: c.Caller.Scope,
		SessionID: j.c.facts.Session.ID, ContainerID: j.c.facts.Session.Box, Action: sanitized(c.Verb), Surface: sanitized(c.Surface),
		URL: j.c.recordedURL(j.c.facts.Page.URL), TargetURL: j.c.targetText(), TargetElement: j.c.withoutCredential(j.c.elementText()), InputValue: j.c.inputText(),
		HITLDecision: j.hitl, UserAgent: j.c.withoutCredential(sanitized(c.Source.UserAgent)),
	}
	if r.SessionID == "" {
		r.SessionID = j.c.withoutCredential(sanitized(c.Session))
	}
	r.Domain = hostOf(r.TargetURL)
	if r.Domain == "" {
		r.Domain = hostOf(r.URL)
	}
	if j.c.judged {
		r.Risk, r.Rule = j.c.verdict.Risk.String(), j.c.verdict.Rule
	}
	r.Detail = j.c.givenText()
	if j.approval != "" {
		r.ApprovalID, r.Detail = j.approval, join(r.Detail, "question "+j.approval)
	}
	return r
}

// withoutCredential returns a text of the caller or the page for a record, or a
// placeholder if the text contains a credential.
func (c *callInfo) withoutCredential(text string) string {
	if c.g.containsCredential(text) {
		return hidden
	}
	return text
}

func sanitized(text string) string { return untrusted.Record(text, maxText) }

// recordedURL returns an address as records show it.
func (c *callInfo) recordedURL(url string) string {
	return untrusted.Record(c.g.shownURL(url), maxRecordedURL)
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}
