package gate

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/gate/scan"
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

const haltLimit = 10 * time.Second // for a session to be paused; storing it and a look at its page

// inspect looks for credentials in what an agent sends. People may send what
// they like; the steps of a crawl hold addresses of pages, not of the agent.
func (p *passage) inspect() {
	if p.scans() && !p.verb.Inner {
		p.credentials = p.g.credentials.Scanner.Find(p.texts()...)
	}
	p.guess()
}

// scans reports whether the call's texts are looked through for credentials:
// agents', and in runs everybody's, which are for test data only.
func (p *passage) scans() bool {
	return p.call.Caller.Role != action.Operator || p.call.OfRun || p.call.Verb == "run.start" || p.call.Verb == "run.resume"
}

// texts are the texts of the call, by what the page calls the place they are
// for, and together with what was typed there before. Of a protected field it
// counts what is in it, not that it is one: those are the policy's to refuse.
func (p *passage) texts() []scan.Text {
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
		joined := p.g.typed.Join(p.place(), text)
		texts = append(texts, scan.Text{Field: typedField[p.call.Verb], Label: label, Value: joined})
	}
	return texts
}

var typedField = map[string]string{"page.type": "text", "page.press": "key"}

// typed is the text that the call would type, and whether it takes the place of
// what is there.
func (p *passage) typed() (text string, anew, typed bool) {
	switch a := p.call.Args.(type) {
	case *action.Type:
		return a.Input, a.Clear, true
	case *action.Press:
		key := strings.TrimPrefix(a.Key, "Shift+")
		return key, false, utf8.RuneCountInString(key) == 1
	}
	return "", false, false
}

// place is the element that was looked at.
func (p *passage) place() scan.Target {
	return scan.Target{Session: p.facts.Session.ID, Document: p.pin.Document, Node: p.pin.Node}
}

// remember keeps what was typed, once it was, for what is typed there next.
func (p *passage) remember() {
	switch p.call.Verb {
	case "session.close", "session.archive", "browser.stop":
		p.g.typed.Forget(p.facts.Session.ID)
		p.g.guesses.forget(p.facts.Session.ID)
		return
	}
	text, anew, typed := p.typed()
	if !typed || !p.scans() {
		return
	}
	p.g.guesses.typedText(p.facts.Session.ID, text)
	if !anew {
		text = p.g.typed.Join(p.place(), text)
	}
	p.g.typed.Keep(p.place(), text)
}

// credentialRefusal is the fault of a call that holds a credential, and has the
// session halted. It is nil where a person shall be asked.
func (p *passage) credentialRefusal(ctx context.Context) error {
	if len(p.credentials) == 0 || p.g.credentials.On == AskPerson {
		return nil
	}
	f := fault.New(fault.CredentialDetected, "%s", p.detected()).With("kind", p.credentials[0].Kind).With("field", p.credentials[0].Field)
	if p.g.credentials.On == PauseSession && p.halt(ctx) {
		return f.Hinted("the session is paused until a person resumes it; leave credentials to people")
	}
	p.alert()
	return f.Hinted("leave credentials out of calls: people put them where they belong")
}

// halt pauses the session of the call, which alerts people. It reports whether
// there was one.
func (p *passage) halt(ctx context.Context) bool { return p.haltSession(ctx, p.facts.Session.ID) }

func (p *passage) haltSession(ctx context.Context, session string) bool {
	if session == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), haltLimit)
	defer cancel()
	why := plain(p.call.Caller.Actor) + " called " + p.call.Verb + ": " + p.detected()
	err := p.g.sessions.Pause(ctx, session, string(fault.CredentialDetected), why)
	if err != nil {
		p.g.log.Error("a session in which a credential was sent is not paused", "id", p.call.ID, "session", session, "error", err)
	}
	return err == nil
}

// alert tells people of a credential where no session was halted.
func (p *passage) alert() {
	event := p.record()
	event.EventType, event.Detail = audit.Alert, string(fault.CredentialDetected)+": "+p.detected()
	p.g.audit.Record(event)
}

// detected says what was found: kinds and arguments, nothing of a value.
func (p *passage) detected() string {
	var all []string
	for _, f := range p.credentials {
		all = append(all, f.Kind+" in "+f.Field)
	}
	return "the call holds what looks like a credential (" + approval.Sanitize(strings.Join(slices.Compact(all), ", "), keptText) + ")"
}

// askAboutCredentials turns the verdict on a call that holds a credential, and
// would otherwise run or be asked about, into a question.
func (p *passage) askAboutCredentials() {
	if len(p.credentials) == 0 || p.verdict.Decision == policy.Deny {
		return
	}
	p.verdict.Decision, p.verdict.Risk, p.verdict.Private = policy.Ask, action.Critical, true
	p.verdict.Rule, p.verdict.Why, p.verdict.Host = "credential", p.detected(), ""
	if !p.policy.Asks() {
		p.verdict.Decision, p.verdict.Code = policy.Deny, fault.CredentialDetected
		p.verdict.Hint = "nobody can be asked: security.hitl.enabled is false"
	}
}

// holdsCredential reports whether a text of anybody's holds a credential, and is
// not to be kept.
func (g *Gate) holdsCredential(text string) bool {
	return text != "" && len(g.credentials.Scanner.Find(scan.Text{Value: text})) > 0
}
