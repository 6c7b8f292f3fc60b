package gate

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/scan"
)

// Kinds of findings that the secrets of sessions give.
const (
	kindKnownSecret = "known-secret"   // a text contains what redaction hides
	kindGuessing    = "secret-guesses" // too many different words that a short secret could be
)

// isUntrusted reports whether the texts of the call come from a caller who must
// not learn secrets. The addresses of a crawl's pages come from the site, not
// from the caller.
func (c *callInfo) isUntrusted() bool {
	return c.call.Caller.Role != action.Operator && c.call.Caller != (action.Caller{}) && (c.verb == nil || !c.verb.Inner)
}

// sessionMatcher finds the secrets of one session.
type sessionMatcher struct {
	session string
	*redact.Matcher
}

// matchers returns the matchers that redact the answer: that of its session or,
// if it has none, those of all sessions of the caller's scope. Answers to
// operators without a session are redacted by all sessions.
func (c *callInfo) matchers(session string) (all []sessionMatcher) {
	switch {
	case session != "":
		return []sessionMatcher{{session, c.g.secrets.Of(session)}}
	case !c.isUntrusted():
		return []sessionMatcher{{"", c.g.secrets.All()}}
	}
	for _, id := range c.g.guesses.sessions(c.call.Caller.Scope) {
		if m := c.g.secrets.Of(id); m != nil {
			all = append(all, sessionMatcher{id, m})
		}
	}
	return all
}

// compareWithSecrets compares the texts of the call, alone and appended to
// earlier ones, with the secrets that redact its answer. If redaction would hide
// part of a text, the call is refused, because its answer would show whether a
// guess is right.
func (i *inspection) compareWithSecrets() {
	if !i.c.isUntrusted() || i.guessedSessions != nil {
		return
	}
	session := i.c.facts.Session.ID
	i.c.g.guesses.addSession(i.c.call.Caller.Scope, session)
	texts := i.sentTexts()
	i.comparedWith = i.c.g.secrets.Of(session)
	for _, m := range i.c.matchers(session) {
		if field, kind := i.guessedBy(m, texts); field != "" {
			i.guessedSessions = append(i.guessedSessions, m.session)
			i.note(scan.Finding{Kind: kind, Field: field})
		}
	}
	if i.guessedSessions != nil {
		i.c.g.guesses.hold(i.c.call.Caller, i.guessedSessions)
		return
	}
	i.noted = slices.DeleteFunc(texts, func(t scan.Text) bool { return t.Field == "arguments" || !utf8.ValidString(t.Value) })
	i.c.g.guesses.noteSent(session, i.noted, i.c.shownInputs())
}

// guessedBy returns the argument that contains part of a secret, and the kind of
// the finding; empty if there is none.
func (i *inspection) guessedBy(m sessionMatcher, texts []scan.Text) (field, kind string) {
	for _, text := range texts {
		if m.Guesses([]byte(text.Value)) {
			return text.Field, kindKnownSecret
		}
	}
	if earlier := i.c.g.guesses.takeUncompared(m.session, m.Matcher); m.Guesses([]byte(earlier)) {
		return "an earlier call", kindKnownSecret
	}
	for _, text := range texts {
		if i.c.g.guesses.tooMany(i.c.call.Caller, m.Candidates(text.Value)) {
			return text.Field, kindGuessing
		}
	}
	return "", ""
}

// sentTexts returns all texts of the call, including those for look-ups: each
// alone, all of them joined, and a typed text appended to the text typed before.
func (i *inspection) sentTexts() []scan.Text {
	texts := scan.AllTexts(i.c.call.Args)
	if i.c.call.Session != "" {
		texts = append(texts, scan.Text{Field: "session", Value: i.c.call.Session})
	}
	var joined strings.Builder
	for _, text := range scan.SentTexts(i.c.call.Args) {
		if len(text.Value) <= maxJoined && utf8.ValidString(text.Value) {
			joined.WriteString(text.Value + "\n")
		}
	}
	texts = append(texts, scan.Text{Field: "arguments", Value: joined.String()})
	if text, anew, typed := i.c.typed(); typed {
		field := typedField[i.c.call.Verb]
		texts = append(texts, scan.Text{Field: field, Value: i.c.g.guesses.afterTyped(i.c.facts.Session.ID, text)})
		if !anew {
			texts = append(texts, scan.Text{Field: field, Value: i.c.g.typed.Join(i.c.typingTarget(), text)})
		}
	}
	return texts
}

// shownInputs returns the texts of the call that a page may show unchanged, in
// its fields or its own text.
func (c *callInfo) shownInputs() []string {
	switch a := c.call.Args.(type) {
	case *action.Type:
		return []string{a.Input}
	case *action.Press:
		if text, _, typed := c.typed(); typed {
			return []string{text}
		}
	case *action.WriteClipboard:
		return []string{a.Text}
	case *action.KeyHold:
		return []string{action.KeyName(a.Key)}
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

// guessFault pauses the sessions of whose secrets the call contains a part, and
// returns the fault of the call; nil if the call contains none.
func (i *inspection) guessFault(ctx context.Context) *fault.Fault {
	if i.guessedSessions == nil {
		return nil
	}
	paused := false
	for _, session := range i.guessedSessions {
		paused = i.pauseSession(ctx, session) || paused
	}
	if !paused {
		i.recordAlert()
	}
	last := i.findings[len(i.findings)-1]
	return fault.New(fault.CredentialDetected, "%s", i.findingsText()).With("kind", last.Kind).With("field", last.Field).Hinted(heldHint)
}

// guessFaultOr returns guessFault, or other if that is nil. The text of other may
// repeat the call, so a call with part of a secret must not get it.
func (i *inspection) guessFaultOr(ctx context.Context, other error) error {
	if f := i.guessFault(ctx); f != nil {
		return f
	}
	return other
}

const heldHint = "the session is paused, and calls of yours with text in them are refused, until a person resumes it"

// heldFault refuses all texts of a caller who sent part of a secret before, so
// that right and wrong guesses get the same answer.
func (i *inspection) heldFault() error {
	if !i.c.isUntrusted() || !i.c.g.guesses.isHeld(i.c.call.Caller) {
		return nil
	}
	named := i.c.call.Session != "" && !i.c.g.guesses.hasSession(i.c.call.Caller.Scope, i.c.call.Session)
	if len(scan.AllTexts(i.c.call.Args)) == 0 && !named {
		return nil
	}
	return fault.New(fault.CredentialDetected, "an earlier call of this caller held part of a stored secret").Hinted(heldHint)
}

// compareAnswer searches the answer for a secret that a page assembled from texts
// of several calls. If secrets became known after the call started, it compares
// the call again.
func (i *inspection) compareAnswer(result action.Result, f *fault.Fault) {
	if !i.c.isUntrusted() || i.guessedSessions != nil || i.c.verb == nil {
		return
	}
	if i.c.facts.Session.ID == "" {
		i.c.facts.Session.ID = result.Session
	}
	session := i.c.facts.Session.ID
	known := i.c.g.secrets.Of(session)
	if session != "" && known != i.comparedWith {
		i.compareWithSecrets()
	}
	if i.guessedSessions != nil || session == "" || !i.c.g.guesses.hasParts(session) {
		return
	}
	pieces := redact.Pieces(known, result)
	if f != nil {
		pieces = append(pieces, redact.Pieces(known, f)...)
	}
	for _, piece := range pieces {
		if i.c.g.guesses.isAssembled(session, piece) {
			i.guessedSessions = []string{session}
			i.note(scan.Finding{Kind: kindKnownSecret, Field: "the page, put together from earlier calls"})
			i.c.g.guesses.hold(i.c.call.Caller, i.guessedSessions)
			return
		}
	}
}

// forgetRefused forgets the texts of a call that was refused because it types a secret. If
// a person then stores that secret, the caller has guessed nothing.
func (i *inspection) forgetRefused() {
	if _, _, typed := i.c.typed(); typed && i.c.verdict.Private && i.c.isUntrusted() {
		i.c.g.guesses.forgetSent(i.c.facts.Session.ID, i.noted, i.c.shownInputs())
	}
}

// releaseHolds allows callers to send texts again after a person resumed the
// session.
func (i *inspection) releaseHolds() {
	if i.c.call.Caller.Role == action.Operator && releasingVerbs[i.c.call.Verb] {
		i.c.g.guesses.release(i.c.facts.Session.ID)
	}
}

var releasingVerbs = map[string]bool{action.VerbSessionResume.Name: true, action.VerbSessionHandBack.Name: true, action.VerbSessionClose.Name: true}
