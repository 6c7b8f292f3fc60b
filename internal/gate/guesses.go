package gate

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/gate/scan"
)

const (
	maxJoined    = 4096           // bytes of a text that is joined with the other arguments of its call
	maxTyped     = 1024           // bytes stored of the text typed in a session, in any element
	maxSent      = 16 << 10       // bytes stored of the texts sent in a session
	maxParts     = 128            // stored texts that a page could assemble
	maxLetters   = 64             // letters and digits of such a text
	maxSessions  = 256            // sessions with stored texts
	holdDuration = 24 * time.Hour // unless a person resumes the session earlier
)

// guesses stores, in bounded memory, what agents sent, and which callers sent
// part of a secret. The zero guesses is ready.
type guesses struct {
	mu    sync.Mutex
	clock uint64
	of    map[string]*sentTexts // by session
	held  map[action.Caller]heldCaller
	words map[action.Caller]map[string]bool // words that could be short secrets
}

// sentTexts is what was sent in one session.
type sentTexts struct {
	scope    string
	used     uint64
	typed    string   // the texts, joined
	recent   string   // all texts, one per line
	parts    []string // letters and digits of each short text
	compared *redact.Matcher
}

type heldCaller struct {
	sessions []string
	until    time.Time
}

// addSession records the scope of a session.
func (g *guesses) addSession(scope, session string) {
	if session == "" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.of == nil {
		g.of = map[string]*sentTexts{}
	}
	if g.of[session] == nil {
		if len(g.of) >= maxSessions {
			g.forgetOldest()
		}
		g.of[session] = &sentTexts{scope: scope}
	}
	g.clock++
	g.of[session].used = g.clock
}

func (g *guesses) forgetOldest() {
	oldest, least := "", g.clock+1
	for id, s := range g.of {
		if s.used < least {
			oldest, least = id, s.used
		}
	}
	delete(g.of, oldest)
}

// sessions returns the sessions of a scope that had calls.
func (g *guesses) sessions(scope string) (ids []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for id, s := range g.of {
		if s.scope == scope {
			ids = append(ids, id)
		}
	}
	return ids
}

// hasSession reports whether a session of a scope had calls.
func (g *guesses) hasSession(scope, session string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.of[session]
	return s != nil && s.scope == scope
}

// noteSent stores the texts of a call, and which of them a page may show.
func (g *guesses) noteSent(session string, texts []scan.Text, inputs []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.of[session]
	if s == nil {
		return
	}
	for _, text := range texts {
		s.recent = scan.LastBytes(s.recent+text.Value+"\n", maxSent)
	}
	for _, input := range inputs {
		if len(input) > maxJoined {
			continue
		}
		if letters := redact.Alnum(input); letters != "" && len(letters) <= maxLetters {
			s.parts = append(s.parts, letters)
		}
	}
	s.parts = s.parts[max(0, len(s.parts)-maxParts):]
}

// forgetSent removes the texts of a call, which no page and no record has: each once, as
// other calls may have sent the same ones.
func (g *guesses) forgetSent(session string, texts []scan.Text, inputs []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.of[session]
	if s == nil {
		return
	}
	for _, text := range texts {
		if at := strings.LastIndex("\n"+s.recent, "\n"+text.Value+"\n"); at >= 0 {
			s.recent = s.recent[:at] + s.recent[at+len(text.Value)+1:]
		}
	}
	for _, input := range inputs {
		letters := redact.Alnum(input)
		for at := len(s.parts) - 1; at >= 0; at-- {
			if s.parts[at] == letters {
				s.parts = slices.Delete(s.parts, at, at+1)
				break
			}
		}
	}
}

// afterTyped returns a text appended to what was typed in a session before.
func (g *guesses) afterTyped(session, text string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.of[session]; s != nil {
		return s.typed + text
	}
	return text
}

// noteTyped stores typed text.
func (g *guesses) noteTyped(session, text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.of[session]; s != nil {
		s.typed = scan.LastBytes(s.typed+text, maxTyped)
	}
}

// takeUncompared returns the texts that were sent in a session before its secrets
// changed; empty if they were already compared.
func (g *guesses) takeUncompared(session string, m *redact.Matcher) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.of[session]
	if s == nil || m == nil || s.compared == m {
		return ""
	}
	s.compared = m
	return s.recent
}

// tooMany stores words that could be short secrets, and reports whether a caller
// sent more of them than is plausible by chance.
func (g *guesses) tooMany(by action.Caller, words []redact.Candidate) bool {
	if len(words) == 0 {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.words == nil {
		g.words = map[action.Caller]map[string]bool{}
	}
	if g.words[by] == nil {
		g.words[by] = map[string]bool{}
	}
	for _, w := range words {
		g.words[by][w.Word] = true
		if len(g.words[by]) > w.Most {
			delete(g.words, by)
			return true
		}
	}
	return false
}

// hold makes heldFault refuse a caller's texts until a person resumes one of the
// sessions.
func (g *guesses) hold(by action.Caller, sessions []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held == nil {
		g.held = map[action.Caller]heldCaller{}
	}
	g.held[by] = heldCaller{sessions, time.Now().Add(holdDuration)}
}

func (g *guesses) isHeld(by action.Caller) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Now().Before(g.held[by].until)
}

// release ends the holds that a session caused.
func (g *guesses) release(session string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for by, h := range g.held {
		for _, id := range h.sessions {
			if id == session {
				delete(g.held, by)
			}
		}
	}
}

// forget removes the texts that were sent in a session. Holds stay.
func (g *guesses) forget(session string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.of, session)
}

func (g *guesses) hasParts(session string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.of[session] != nil && len(g.of[session].parts) > 0
}

// isAssembled reports whether a piece that redaction hides was assembled from
// sent texts: a whole secret from these alone, part of one also together with
// text of the page.
func (g *guesses) isAssembled(session string, piece redact.Piece) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.of[session]
	if s == nil {
		return false
	}
	if piece.Whole {
		return madeOf(piece.Letters, s.parts) || madeOf(reverse(piece.Letters), s.parts)
	}
	for _, part := range s.parts {
		if completes(piece, part) || completes(piece, reverse(part)) {
			return true
		}
	}
	return false
}

// completes reports whether a piece of a secret is hidden only because of a part.
func completes(piece redact.Piece, part string) bool {
	text := piece.Letters
	for at := 0; at+len(part) <= len(text); at++ {
		if strings.HasPrefix(text[at:], part) && at < piece.Least && len(text)-at-len(part) < piece.Least {
			return true
		}
	}
	return false
}

// madeOf reports whether a text is a concatenation of some of the parts.
func madeOf(text string, parts []string) bool {
	reached := make([]bool, len(text)+1)
	reached[0] = true
	for at := range text {
		if !reached[at] {
			continue
		}
		for _, part := range parts {
			if strings.HasPrefix(text[at:], part) {
				reached[at+len(part)] = true
			}
		}
	}
	return reached[len(text)]
}

func reverse(text string) string {
	b := []byte(text)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}
