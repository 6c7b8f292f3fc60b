package gate

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/scan"
)

// Kinds of findings that the secrets of sessions give.
const (
	kindKnownSecret = "known-secret"   // a text holds what redaction hides
	kindGuessing    = "secret-guesses" // too many different words that a short secret could be
)

// isUntrusted reports whether the call's texts are somebody's who must not learn
// secrets. The addresses of a crawl's pages are the site's.
func (p *invocation) isUntrusted() bool {
	return p.call.Caller.Role != action.Operator && p.call.Caller != (action.Caller{}) && (p.verb == nil || !p.verb.Inner)
}

// sessionMatcher finds the secrets of one session.
type sessionMatcher struct {
	session string
	*redact.Matcher
}

// matchers are those that the answer of the call is redacted by: of its session,
// or, where it has none, of each session of its caller's scope. Operators get
// what is known of all.
func (p *invocation) matchers(session string) (all []sessionMatcher) {
	switch {
	case session != "":
		return []sessionMatcher{{session, p.g.secrets.Of(session)}}
	case !p.isUntrusted():
		return []sessionMatcher{{"", p.g.secrets.All()}}
	}
	for _, id := range p.g.guesses.sessions(p.call.Caller.Scope) {
		if m := p.g.secrets.Of(id); m != nil {
			all = append(all, sessionMatcher{id, m})
		}
	}
	return all
}

// compareWithSecrets compares what the call sends, alone and behind what was sent before, with
// the secrets that its answer would be redacted by. If redaction would hide any
// of it, the call is refused: an answer would tell a right guess from a wrong one.
func (p *invocation) compareWithSecrets() {
	if !p.isUntrusted() || p.guessedSessions != nil {
		return
	}
	session := p.facts.Session.ID
	p.g.guesses.addSession(p.call.Caller.Scope, session)
	texts := p.sentTexts()
	p.comparedWith = p.g.secrets.Of(session)
	for _, m := range p.matchers(session) {
		if field, kind := p.guessedBy(m, texts); field != "" {
			p.guessedSessions = append(p.guessedSessions, m.session)
			p.findings = append(p.findings, scan.Finding{Kind: kind, Field: field})
		}
	}
	if p.guessedSessions != nil {
		p.g.guesses.hold(p.call.Caller, p.guessedSessions)
		return
	}
	p.g.guesses.noteSent(session, texts, p.shownInputs())
}

// guessedBy returns the argument that holds a secret's text, and of what kind
// that is; empty for none.
func (p *invocation) guessedBy(m sessionMatcher, texts []scan.Text) (field, kind string) {
	for _, text := range texts {
		if m.Guesses([]byte(text.Value)) {
			return text.Field, kindKnownSecret
		}
	}
	if earlier := p.g.guesses.takeUncompared(m.session, m.Matcher); m.Guesses([]byte(earlier)) {
		return "an earlier call", kindKnownSecret
	}
	for _, text := range texts {
		if p.g.guesses.tooMany(p.call.Caller, m.Candidates(text.Value)) {
			return text.Field, kindGuessing
		}
	}
	return "", ""
}

// sentTexts are all texts that the call sends, those that only look something up
// included: each, all of them one behind the other, and each typed text behind
// what was typed before it.
func (p *invocation) sentTexts() []scan.Text {
	texts := scan.AllTexts(p.call.Args)
	if p.call.Session != "" {
		texts = append(texts, scan.Text{Field: "session", Value: p.call.Session})
	}
	var joined strings.Builder
	for _, text := range scan.SentTexts(p.call.Args) {
		if len(text.Value) <= maxJoined && utf8.ValidString(text.Value) {
			joined.WriteString(text.Value + "\n")
		}
	}
	texts = append(texts, scan.Text{Field: "arguments", Value: joined.String()})
	if text, anew, typed := p.typed(); typed {
		field := typedField[p.call.Verb]
		texts = append(texts, scan.Text{Field: field, Value: p.g.guesses.afterTyped(p.facts.Session.ID, text)})
		if !anew {
			texts = append(texts, scan.Text{Field: field, Value: p.g.typed.Join(p.typingTarget(), text)})
		}
	}
	return texts
}

// shownInputs are the texts of the call that a page may show as they are, in its
// fields or its own words.
func (p *invocation) shownInputs() []string {
	switch a := p.call.Args.(type) {
	case *action.Type:
		return []string{a.Input}
	case *action.Press:
		if text, _, typed := p.typed(); typed {
			return []string{text}
		}
	case *action.Select:
		return a.Values
	case *action.AnswerDialog:
		return []string{a.Prompt}
	case *action.Upload:
		var names []string
		for _, f := range a.Files {
			names = append(names, f.Name, string(f.Bytes))
		}
		return names
	}
	return nil
}

// guessFault is the fault of a call that holds part of a secret, and has the
// sessions of that secret paused. It is nil for others.
func (p *invocation) guessFault(ctx context.Context) *fault.Fault {
	if p.guessedSessions == nil {
		return nil
	}
	paused := false
	for _, session := range p.guessedSessions {
		paused = p.pauseSession(ctx, session) || paused
	}
	if !paused {
		p.recordAlert()
	}
	last := p.findings[len(p.findings)-1]
	return fault.New(fault.CredentialDetected, "%s", p.findingsText()).With("kind", last.Kind).With("field", last.Field).Hinted(heldHint)
}

// guessFaultOr is the fault of a call that is refused for another reason, unless it
// holds part of a secret: the reason may repeat what the call said.
func (p *invocation) guessFaultOr(ctx context.Context, other error) error {
	if f := p.guessFault(ctx); f != nil {
		return f
	}
	return other
}

const heldHint = "the session is paused, and calls of yours with text in them are refused, until a person resumes it"

// heldFault is the fault of a call with text in it of a caller whose earlier
// call held part of a secret: right and wrong guesses are refused alike.
func (p *invocation) heldFault() error {
	if !p.isUntrusted() || !p.g.guesses.isHeld(p.call.Caller) {
		return nil
	}
	named := p.call.Session != "" && !p.g.guesses.hasSession(p.call.Caller.Scope, p.call.Session)
	if len(scan.AllTexts(p.call.Args)) == 0 && !named {
		return nil
	}
	return fault.New(fault.CredentialDetected, "an earlier call of this caller held part of a stored secret").Hinted(heldHint)
}

// compareAnswer compares the answer with what was sent: a page may have put together
// what was typed in parts, and the secrets may be known since the call began.
func (p *invocation) compareAnswer(result action.Result, f *fault.Fault) {
	if !p.isUntrusted() || p.guessedSessions != nil || p.verb == nil {
		return
	}
	if p.facts.Session.ID == "" {
		p.facts.Session.ID = result.Session
	}
	session := p.facts.Session.ID
	known := p.g.secrets.Of(session)
	if session != "" && known != p.comparedWith {
		p.compareWithSecrets()
	}
	if p.guessedSessions != nil || session == "" || !p.g.guesses.hasParts(session) {
		return
	}
	pieces := redact.Pieces(known, result)
	if f != nil {
		pieces = append(pieces, redact.Pieces(known, f)...)
	}
	for _, piece := range pieces {
		if p.g.guesses.isAssembled(session, piece) {
			p.guessedSessions = []string{session}
			p.findings = append(p.findings, scan.Finding{Kind: kindKnownSecret, Field: "the page, put together from earlier calls"})
			p.g.guesses.hold(p.call.Caller, p.guessedSessions)
			return
		}
	}
}

// releaseHolds ends what callers were held for, once a person has seen to it.
func (p *invocation) releaseHolds() {
	if p.call.Caller.Role == action.Operator && releasingVerbs[p.call.Verb] {
		p.g.guesses.release(p.facts.Session.ID)
	}
}

var releasingVerbs = map[string]bool{"session.resume": true, "session.hand_back": true, "session.close": true}
