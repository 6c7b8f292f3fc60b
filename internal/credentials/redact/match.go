package redact

import (
	"bytes"
	"encoding/json"

	"github.com/gloveboxhq/glovebox/internal/credentials"
)

// Mark stands where a secret was, and Dot for a letter or three of one that is
// apart.
const (
	Mark = "[redacted]"
	Dot  = "*"
)

const longText = 1 << 30 // bytes; what is longer is not looked through, and not handed out

// Matcher finds a set of secrets: as they are, escaped, encoded, turned, apart,
// and long ones in pieces (docs/credentials.md, "Redaction"). nil finds none. It
// is safe for concurrent use.
type Matcher struct {
	loose *index   // nil for none
	exact *index   // of secrets too short to be found loosely
	short [][]byte // those secrets, their letters and digits in lower case
}

// New makes a matcher.
func New(secrets ...credentials.Secret) *Matcher {
	var all forms
	for _, s := range secrets {
		for _, text := range parts(s.Reveal()) {
			all.of(text)
		}
	}
	m := &Matcher{short: all.short}
	if len(all.loose) > 0 {
		m.loose = newIndex(gram, stride, all.loose)
	}
	if len(all.exact) > 0 {
		m.exact = newIndex(shortest, 1, all.exact)
	}
	return m
}

// Has reports whether there is a secret in a text.
func (m *Matcher) Has(text []byte) bool { return len(m.Find(text)) > 0 }

// Text is a text without the secrets in it. One that cannot be looked through
// is Mark as a whole.
func (m *Matcher) Text(text string) string {
	if m.none() || len(text) < shortest {
		return text
	}
	b := []byte(text)
	if clean := m.Bytes(b); len(clean) != len(b) || !bytes.Equal(clean, b) {
		return string(clean)
	}
	return text
}

// Bytes is Text for bytes. A text that has no secret is returned itself.
func (m *Matcher) Bytes(text []byte) []byte {
	spans, err := m.find(text)
	if err != nil {
		return []byte(Mark)
	}
	return without(text, spans)
}

// JSON is Bytes for a JSON text, which stays one: a secret among numbers is
// replaced by ones. Where that cannot be it is the string Mark.
func (m *Matcher) JSON(text []byte) []byte {
	spans, err := m.find(text)
	if err != nil {
		return []byte(`"` + Mark + `"`)
	}
	if len(spans) == 0 {
		return text
	}
	if clean := withoutIn(text, spans); json.Valid(clean) {
		return clean
	}
	return []byte(`"` + Mark + `"`)
}

// without is a text without some of it.
func without(text []byte, spans []Span) []byte {
	if len(spans) == 0 {
		return text
	}
	out := make([]byte, 0, len(text)+len(spans)*len(Mark))
	last := 0
	for _, s := range spans {
		out = append(append(out, text[last:s.Start]...), stand(s)...)
		last = s.End
	}
	return append(out, text[last:]...)
}

// stand is what stands for a span.
func stand(s Span) string {
	if s.End-s.Start < shortest {
		return Dot
	}
	return Mark
}

// withoutIn is without for JSON. Outside of strings a number becomes 1, and the
// words of JSON stay: they are no part of a secret.
func withoutIn(text []byte, spans []Span) []byte {
	out := make([]byte, 0, len(text)+len(spans)*len(Mark))
	last, quoted := 0, false
	for _, s := range spans {
		s.Start, s.End = max(last, whole(text, s.Start, 0)), whole(text, s.End, 1)
		if s.Start >= s.End { // gone with the one before
			continue
		}
		quoted = inString(text[last:s.Start], quoted)
		by := stand(s)
		if !quoted {
			s = token(text, s, last)
			by = bare(text[s.Start:s.End])
		}
		out = append(append(out, text[last:s.Start]...), by...)
		last = s.End
	}
	return append(out, text[last:]...)
}

// token is the number or the word that a span outside of strings is part of, as
// far as it lies behind first.
func token(text []byte, s Span, first int) Span {
	for s.Start > first && inToken(text[s.Start-1]) {
		s.Start--
	}
	for s.End < len(text) && inToken(text[s.End]) {
		s.End++
	}
	return s
}

// bare is what stands for a part of JSON outside of strings.
func bare(token []byte) string {
	if bytes.ContainsAny(token, "0123456789") {
		return "1"
	}
	return string(token)
}

func inToken(b byte) bool { return letter(b) || digit(b) || b == '-' || b == '+' || b == '.' }

// whole is a place in a JSON text, or where the escape it lies in begins (0) or
// ends (1): half of one is no JSON.
func whole(text []byte, at, side int) int {
	for begin := at - 1; begin >= max(0, at-5); begin-- {
		if text[begin] != '\\' || backslashes(text[:begin])%2 == 1 {
			continue
		}
		end := begin + 2
		if begin+1 < len(text) && text[begin+1] == 'u' {
			end = begin + 6
		}
		if at < end {
			return min([]int{begin, end}[side], len(text))
		}
		break
	}
	return at
}

// backslashes is how many there are at the end of a text.
func backslashes(text []byte) int { return len(text) - len(bytes.TrimRight(text, `\`)) }

// inString reports whether the end of a piece of JSON is inside of a string,
// given whether its beginning is.
func inString(piece []byte, quoted bool) bool {
	for i := 0; i < len(piece); i++ {
		switch {
		case quoted && piece[i] == '\\':
			i++
		case piece[i] == '"':
			quoted = !quoted
		}
	}
	return quoted
}
