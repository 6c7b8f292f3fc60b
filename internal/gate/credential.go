package gate

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/gate/scan"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// OnCredential is what becomes of a call of an agent that holds a credential.
// The zero OnCredential is the strictest.
type OnCredential int

// What becomes of it; security.credentials.scan_input.
const (
	PauseSession OnCredential = iota // refused, people are alerted, and the session is paused
	DenyCall                         // refused, and people are alerted
	AskPerson                        // a person is asked, at the highest risk
)

// Credentials is how calls are looked through for credentials. The zero
// Credentials looks for all kinds and halts.
type Credentials struct {
	Scanner *scan.Scanner // nil knows no test values but the documented ones
	On      OnCredential
}

const pauseLimit = 10 * time.Second // for a session to be paused; storing it and a look at its page

// inspect looks for credentials in what an agent sends. People may send what
// they like; the steps of a crawl hold addresses of pages, not of the agent.
func (p *invocation) inspect() {
	if p.isScanned() && !p.verb.Inner {
		p.findings = p.g.credentials.Scanner.Find(p.scannedTexts()...)
	}
	p.compareWithSecrets()
}

// isScanned reports whether the call's texts are looked through for credentials:
// agents', and in runs everybody's, which are for test data only.
func (p *invocation) isScanned() bool {
	return p.call.Caller.Role != action.Operator || p.call.OfRun || p.call.Verb == "run.start" || p.call.Verb == "run.resume"
}

// scannedTexts are the texts of the call, by what the page calls the place they are
// for, and together with what was typed there before. Of a protected field it
// counts what is in it, not that it is one: those are the policy's to refuse.
func (p *invocation) scannedTexts() []scan.Text {
	texts := scan.SentTexts(p.call.Args)
	label := ""
	if e := p.facts.Element; e != nil && !e.Protected {
		label = strings.Join([]string{e.Name, e.Label, e.Placeholder, e.FieldName}, " ")
	}
	if d := p.facts.Dialog; d != nil {
		label = d.Message
	}
	for i := range texts {
		if texts[i].Label == "" && texts[i].File == "" {
			texts[i].Label = label
		}
	}
	if text, anew, typed := p.typed(); typed && !anew {
		joined := p.g.typed.Join(p.typingTarget(), text)
		texts = append(texts, scan.Text{Field: typedField[p.call.Verb], Label: label, Value: joined})
	}
	return texts
}

var typedField = map[string]string{"page.type": "text", "page.press": "key"}

// typed is the text that the call would type, and whether it takes the place of
// what is there.
func (p *invocation) typed() (text string, anew, typed bool) {
	switch a := p.call.Args.(type) {
	case *action.Type:
		return a.Input, a.Clear, true
	case *action.Press:
		key := strings.TrimPrefix(a.Key, "Shift+")
		return key, false, utf8.RuneCountInString(key) == 1
	}
	return "", false, false
}

// typingTarget is the element that was looked at.
func (p *invocation) typingTarget() scan.Target {
	return scan.Target{Session: p.facts.Session.ID, Document: p.pin.Document, Node: p.pin.Node}
}

// rememberTyped keeps what was typed, once it was, for what is typed there next.
func (p *invocation) rememberTyped() {
	switch p.call.Verb {
	case "session.close", "session.archive", "browser.stop":
		p.g.typed.Forget(p.facts.Session.ID)
		p.g.guesses.forget(p.facts.Session.ID)
		return
	}
	text, anew, typed := p.typed()
	if !typed || !p.isScanned() {
		return
	}
	p.g.guesses.noteTyped(p.facts.Session.ID, text)
	if !anew {
		text = p.g.typed.Join(p.typingTarget(), text)
	}
	p.g.typed.Keep(p.typingTarget(), text)
}

// credentialFault is the fault of a call that holds a credential, and has the
// session halted. It is nil where a person shall be asked.
func (p *invocation) credentialFault(ctx context.Context) error {
	if len(p.findings) == 0 || p.g.credentials.On == AskPerson {
		return nil
	}
	f := fault.New(fault.CredentialDetected, "%s", p.findingsText()).With("kind", p.findings[0].Kind).With("field", p.findings[0].Field)
	if p.g.credentials.On == PauseSession && p.pauseOwnSession(ctx) {
		return f.Hinted("the session is paused until a person resumes it; leave credentials to people")
	}
	p.recordAlert()
	return f.Hinted("leave credentials out of calls: people put them where they belong")
}

// pauseOwnSession pauses the session of the call, which alerts people. It reports whether
// there was one.
func (p *invocation) pauseOwnSession(ctx context.Context) bool {
	return p.pauseSession(ctx, p.facts.Session.ID)
}

func (p *invocation) pauseSession(ctx context.Context, session string) bool {
	if session == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pauseLimit)
	defer cancel()
	why := sanitizedFault(p.call.Caller.Actor) + " called " + p.call.Verb + ": " + p.findingsText()
	err := p.g.sessions.Pause(ctx, session, string(fault.CredentialDetected), why)
	if err != nil {
		p.g.log.Error("a session in which a credential was sent is not paused", "id", p.call.ID, "session", session, "error", err)
	}
	return err == nil
}

// recordAlert tells people of a credential where no session was halted.
func (p *invocation) recordAlert() {
	event := p.record()
	event.EventType, event.Detail = audit.Alert, string(fault.CredentialDetected)+": "+p.findingsText()
	p.g.audit.Record(event)
}

// findingsText says what was found: kinds and arguments, nothing of a value.
func (p *invocation) findingsText() string {
	var all []string
	for _, f := range p.findings {
		all = append(all, f.Kind+" in "+f.Field)
	}
	return "the call holds what looks like a credential (" + untrusted.Record(strings.Join(slices.Compact(all), ", "), maxText) + ")"
}

// askAboutCredentials turns the verdict on a call that holds a credential, and
// would otherwise run or be asked about, into a question.
func (p *invocation) askAboutCredentials() {
	if len(p.findings) == 0 || p.verdict.Decision == policy.Deny {
		return
	}
	p.verdict.Decision, p.verdict.Risk, p.verdict.Private = policy.Ask, action.Critical, true
	p.verdict.Rule, p.verdict.Why, p.verdict.Host = "credential", p.findingsText(), ""
	if !p.policy.Asks() {
		p.verdict.Decision, p.verdict.Code = policy.Deny, fault.CredentialDetected
		p.verdict.Hint = "nobody can be asked: security.hitl.enabled is false"
	}
}

// containsCredential reports whether a text of anybody's holds a credential, and is
// not to be kept.
func (g *Gate) containsCredential(text string) bool {
	return text != "" && len(g.credentials.Scanner.Find(scan.Text{Value: text})) > 0
}
