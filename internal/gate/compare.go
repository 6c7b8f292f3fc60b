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

// isUntrusted reports whether the texts of the call come from a caller who must not
// learn secrets. The addresses of a crawl's pages come from the site.
func (c *callInfo) isUntrusted() bool {
	return c.call.Caller.Role != action.Operator && c.call.Caller != (action.Caller{}) && (c.verb == nil || !c.verb.Inner)
}

// sessionMatcher finds the secrets of one session.
type sessionMatcher struct {
	session string
	*redact.Matcher
}

// matchers find the secrets that are taken out of the answer: those of its session,
// or, where it has none, of each session of the caller's scope. The answers of
// operators without a session lose the secrets of all sessions.
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

// compareWithSecrets compares the texts of the call, alone and appended to earlier
// ones, with the secrets that its answer is redacted by. If redaction would hide any
// of them the call is refused: its answer would tell a right guess from a wrong one.
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
	i.c.g.guesses.noteSent(session, texts, i.c.shownInputs())
}

// guessedBy returns the argument that holds part of a secret, and the kind of the
// finding; empty for none.
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

// sentTexts are all texts of the call, also those that only look something up: each
// alone, all of them joined, and a typed text appended to what was typed before.
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

// shownInputs are the texts of the call that a page may show as they are, in its
// fields or its own words.
func (c *callInfo) shownInputs() []string {
	switch a := c.call.Args.(type) {
	case *action.Type:
		return []string{a.Input}
	case *action.Press:
		if text, _, typed := c.typed(); typed {
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

// guessFault pauses the sessions whose secrets the call holds part of, and returns the
// fault of the call. It is nil for calls that hold none.
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

// guessFaultOr returns guessFault, or other where that is nil. The text of other may
// repeat the call, so that a call with part of a secret must not get it.
func (i *inspection) guessFaultOr(ctx context.Context, other error) error {
	if f := i.guessFault(ctx); f != nil {
		return f
	}
	return other
}

const heldHint = "the session is paused, and calls of yours with text in them are refused, until a person resumes it"

// heldFault is the fault of a call with texts, from a caller whose earlier call held
// part of a secret. Right and wrong guesses are then refused alike.
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

// compareAnswer looks in the answer for a secret that a page put together from texts
// of several calls. It compares the call again where its secrets became known after it
// began.
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

// releaseHolds lets callers send texts again after a person resumed the session.
func (i *inspection) releaseHolds() {
	if i.c.call.Caller.Role == action.Operator && releasingVerbs[i.c.call.Verb] {
		i.c.g.guesses.release(i.c.facts.Session.ID)
	}
}

var releasingVerbs = map[string]bool{"session.resume": true, "session.hand_back": true, "session.close": true}
