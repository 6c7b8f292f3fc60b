package gate

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/gate/scan"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// OnCredential says what happens to an agent's call that contains a credential.
// The zero OnCredential is the strictest.
type OnCredential int

// The values of security.credentials.scan_input.
const (
	PauseSession OnCredential = iota // refused, people are alerted, and the session is paused
	DenyCall                         // refused, and people are alerted
	AskPerson                        // a person is asked, at the highest risk
)

// Credentials configures the scan of calls for credentials. The zero Credentials
// searches for all kinds and pauses the session.
type Credentials struct {
	Scanner *scan.Scanner // nil allows only the documented test values
	On      OnCredential
}

const pauseLimit = 10 * time.Second // to pause a session: to store it and look at its page

// inspection is the result of scanning the texts of a call.
type inspection struct {
	c       *callInfo
	journal *journal

	findings        []scan.Finding  // credentials, and parts of the session's secrets
	guessedSessions []string        // sessions of whose secrets the call contains a part
	comparedWith    *redact.Matcher // the session's secrets when the call was compared with them
	noted           []scan.Text     // what is remembered of the call, to be compared with secrets that are learned later
}

// inspect scans what an agent sends for credentials. Texts of people are not
// scanned, and steps of a crawl have addresses of pages, not of the agent.
func (i *inspection) inspect() {
	if i.c.isScanned() && !i.c.verb.Inner {
		i.findings = nil
		i.note(i.c.g.credentials.Scanner.Find(i.scannedTexts()...)...)
	}
	i.compareWithSecrets()
}

// note adds findings. From then on no record repeats a text of the call.
func (i *inspection) note(found ...scan.Finding) {
	i.findings = append(i.findings, found...)
	i.c.sensitive = len(i.findings) > 0
}

// isScanned reports whether the call's texts are scanned for credentials: those
// of agents, and in runs, which are for test data only, those of all callers.
func (c *callInfo) isScanned() bool {
	return c.call.Caller.Role != action.Operator || c.call.OfRun || c.call.Verb == action.VerbRunStart.Name || c.call.Verb == action.VerbRunResume.Name
}

// scannedTexts returns the texts of the call with the labels of their target on
// the page, and a typed text also appended to the text typed there before. The
// label of a protected field is omitted, because the policy decides about such
// fields.
func (i *inspection) scannedTexts() []scan.Text {
	texts := scan.SentTexts(i.c.call.Args)
	label := ""
	if e := i.c.facts.Element; e != nil && !e.Protected {
		label = strings.Join([]string{e.Name, e.Label, e.Placeholder, e.FieldName}, " ")
	}
	if d := i.c.facts.Dialog; d != nil {
		label = d.Message
	}
	for i := range texts {
		if texts[i].Label == "" && texts[i].File == "" {
			texts[i].Label = label
		}
	}
	if text, anew, typed := i.c.typed(); typed && !anew {
		joined := i.c.g.typed.Join(i.c.typingTarget(), text)
		texts = append(texts, scan.Text{Field: typedField[i.c.call.Verb], Label: label, Value: joined})
	}
	return texts
}

var typedField = map[string]string{
	action.VerbPageType.Name: "text", action.VerbPagePress.Name: "key",
	action.VerbDesktopCopy.Name: "text", action.VerbKeyType.Name: "text", action.VerbKeyDown.Name: "key",
}

// typed returns the text that the call types. anew reports that the text replaces
// the content of the field.
func (c *callInfo) typed() (text string, anew, typed bool) {
	switch a := c.call.Args.(type) {
	case *action.Type:
		return a.Input, a.Clear, true
	case *action.Press:
		held, key := action.SplitKeys(a.Key)
		return key, false, utf8.RuneCountInString(key) == 1 && !slices.ContainsFunc(held, func(name string) bool { return name != "Shift" })
	case *action.WriteClipboard:
		return a.Text, false, true // several may be pasted one after the other
	case *action.KeyType:
		return a.Text, false, true
	case *action.KeyHold:
		key := action.KeyName(a.Key)
		return key, false, c.call.Verb == action.VerbKeyDown.Name && utf8.RuneCountInString(key) == 1
	}
	return "", false, false
}

// typingTarget returns the element of the look.
func (c *callInfo) typingTarget() scan.Target {
	return scan.Target{Session: c.facts.Session.ID, Document: c.pin.Document, Node: c.pin.Node}
}

// rememberTyped stores typed text, to be scanned together with the next text.
func (i *inspection) rememberTyped() {
	switch i.c.call.Verb {
	case action.VerbSessionClose.Name, action.VerbSessionArchive.Name, action.VerbBrowserStop.Name:
		i.c.g.typed.Forget(i.c.facts.Session.ID)
		i.c.g.guesses.forget(i.c.facts.Session.ID)
		return
	}
	text, anew, typed := i.c.typed()
	if !typed || !i.c.isScanned() {
		return
	}
	i.c.g.guesses.noteTyped(i.c.facts.Session.ID, text)
	if !anew {
		text = i.c.g.typed.Join(i.c.typingTarget(), text)
	}
	i.c.g.typed.Keep(i.c.typingTarget(), text)
}

// credentialFault pauses the session of a call with a credential, if so
// configured, and returns the fault. It is nil if a person is asked instead.
func (i *inspection) credentialFault(ctx context.Context) error {
	if len(i.findings) == 0 || i.c.g.credentials.On == AskPerson {
		return nil
	}
	f := fault.New(fault.CredentialDetected, "%s", i.findingsText()).With("kind", i.findings[0].Kind).With("field", i.findings[0].Field)
	if i.c.g.credentials.On == PauseSession && i.pauseOwnSession(ctx) {
		return f.Hinted("the session is paused until a person resumes it; leave credentials to people")
	}
	i.recordAlert()
	return f.Hinted("leave credentials out of calls: people put them where they belong")
}

// pauseOwnSession pauses the session of the call, which alerts people. It reports
// whether the call has one.
func (i *inspection) pauseOwnSession(ctx context.Context) bool {
	return i.pauseSession(ctx, i.c.facts.Session.ID)
}

func (i *inspection) pauseSession(ctx context.Context, session string) bool {
	if session == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pauseLimit)
	defer cancel()
	why := sanitizedFault(i.c.call.Caller.Actor) + " called " + i.c.call.Verb + ": " + i.findingsText()
	err := i.c.g.sessions.Pause(ctx, session, string(fault.CredentialDetected), why)
	if err != nil {
		i.c.g.log.Error("a session in which a credential was sent is not paused", "id", i.c.call.ID, "session", session, "error", err)
	}
	return err == nil
}

// recordAlert alerts people about a credential if no session was paused.
func (i *inspection) recordAlert() {
	event := i.journal.record()
	event.EventType, event.Detail = action.EventAlert, string(fault.CredentialDetected)+": "+i.findingsText()
	i.c.g.audit.Record(event)
}

// findingsText describes the findings by kind and argument, without any value.
func (i *inspection) findingsText() string {
	var all []string
	for _, f := range i.findings {
		all = append(all, f.Kind+" in "+f.Field)
	}
	return "the call holds what looks like a credential (" + untrusted.Record(strings.Join(slices.Compact(all), ", "), maxText) + ")"
}

// askAboutCredentials changes the verdict on a call with a credential to a
// question, unless it is denied.
func (p *invocation) askAboutCredentials() {
	if len(p.inspection.findings) == 0 || p.verdict.Decision == policy.Deny {
		return
	}
	p.verdict.Decision, p.verdict.Risk, p.verdict.Private = policy.Ask, action.Critical, true
	p.verdict.Rule, p.verdict.Why, p.verdict.Host = "credential", p.inspection.findingsText(), ""
	if !p.policy.Asks() {
		p.verdict.Decision, p.verdict.Code = policy.Deny, fault.CredentialDetected
		p.verdict.Hint = "nobody can be asked: security.hitl.enabled is false"
	}
}

// containsCredential reports whether a text contains a credential, from any
// caller. Such a text is not recorded.
func (g *Requests) containsCredential(text string) bool {
	return text != "" && len(g.credentials.Scanner.Find(scan.Text{Value: text})) > 0
}
