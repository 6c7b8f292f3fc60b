package redact

import (
	"bytes"
	"encoding/json"

	"github.com/gloveboxhq/glovebox/internal/credentials"
)

// Mark replaces a secret, and Dot up to three bytes of one whose letters are
// apart.
const (
	Mark = "[redacted]"
	Dot  = "*"
)

const maxText = 1 << 30 // bytes; a longer text is not searched, and does not leave

// Matcher finds the secrets that it was made of. A nil Matcher finds none. It is
// safe for concurrent use.
type Matcher struct {
	loose *index   // compares letters and digits only; nil where no secret is long enough
	exact *index   // compares all bytes: of secrets that are too short for loose; nil for none
	short [][]byte // those secrets, their letters and digits in lower case
}

// New makes a matcher.
func New(secrets ...credentials.Secret) *Matcher {
	var all formSet
	for _, s := range secrets {
		for _, text := range parts(s.Reveal()) {
			all.addSecret(text)
		}
	}
	m := &Matcher{short: all.short}
	if len(all.loose) > 0 {
		m.loose = newIndex(gramSize, gramStride, all.loose)
	}
	if len(all.exact) > 0 {
		m.exact = newIndex(minSecret, 1, all.exact)
	}
	return m
}

// Has reports whether a text has a secret.
func (m *Matcher) Has(text []byte) bool { return len(m.Find(text)) > 0 }

// Text returns a text without its secrets. A text that cannot be searched
// becomes Mark.
func (m *Matcher) Text(text string) string {
	if m.none() || len(text) < minSecret {
		return text
	}
	b := []byte(text)
	if clean := m.Bytes(b); len(clean) != len(b) || !bytes.Equal(clean, b) {
		return string(clean)
	}
	return text
}

// Bytes is Text for bytes. It returns the argument itself where that has no
// secret.
func (m *Matcher) Bytes(text []byte) []byte {
	spans, err := m.find(text)
	if err != nil {
		return []byte(Mark)
	}
	return replaceSpans(text, spans)
}

// JSON is Bytes for JSON. The result is valid JSON: numbers with a secret become
// 1, and where that is not enough the result is the string Mark.
func (m *Matcher) JSON(text []byte) []byte {
	spans, err := m.find(text)
	if err != nil {
		return []byte(`"` + Mark + `"`)
	}
	return jsonOrMark(text, spans)
}

// jsonOrMark replaces parts of JSON. Where the result is not valid JSON it is the
// string Mark.
func jsonOrMark(text []byte, spans []Span) []byte {
	if len(spans) == 0 {
		return text
	}
	if clean := replaceInJSON(text, spans); json.Valid(clean) {
		return clean
	}
	return []byte(`"` + Mark + `"`)
}

// replaceSpans replaces parts of a text.
func replaceSpans(text []byte, spans []Span) []byte {
	if len(spans) == 0 {
		return text
	}
	out := make([]byte, 0, len(text)+len(spans)*len(Mark))
	last := 0
	for _, s := range spans {
		out = append(append(out, text[last:s.Start]...), markFor(s)...)
		last = s.End
	}
	return append(out, text[last:]...)
}

// markFor is what replaces a span.
func markFor(s Span) string {
	if s.End-s.Start < minSecret {
		return Dot
	}
	return Mark
}

// replaceInJSON is replaceSpans for JSON. Outside of strings a number becomes 1,
// and true, false and null stay: they are no part of a secret.
func replaceInJSON(text []byte, spans []Span) []byte {
	out := make([]byte, 0, len(text)+len(spans)*len(Mark))
	last, quoted := 0, false
	for _, s := range spans {
		s.Start, s.End = max(last, outsideEscape(text, s.Start, 0)), outsideEscape(text, s.End, 1)
		if s.Start >= s.End { // replaced with the span before
			continue
		}
		quoted = endsInString(text[last:s.Start], quoted)
		by := markFor(s)
		if !quoted {
			s = widenToToken(text, s, last)
			by = markForToken(text[s.Start:s.End])
		}
		out = append(append(out, text[last:s.Start]...), by...)
		last = s.End
	}
	return append(out, text[last:]...)
}

// widenToToken widens a span outside of strings to the whole number or word, but
// not to before first.
func widenToToken(text []byte, s Span, first int) Span {
	for s.Start > first && inToken(text[s.Start-1]) {
		s.Start--
	}
	for s.End < len(text) && inToken(text[s.End]) {
		s.End++
	}
	return s
}

// markForToken is what replaces a number or a word outside of strings.
func markForToken(token []byte) string {
	if bytes.ContainsAny(token, "0123456789") {
		return "1"
	}
	return string(token)
}

func inToken(b byte) bool { return letter(b) || digit(b) || b == '-' || b == '+' || b == '.' }

// outsideEscape returns an offset of a JSON text or, where it is inside of an
// escape, the offset at which the escape begins (side 0) or ends (side 1): half of
// an escape is not valid.
func outsideEscape(text []byte, at, side int) int {
	for begin := at - 1; begin >= max(0, at-5); begin-- {
		if text[begin] != '\\' || trailingBackslashes(text[:begin])%2 == 1 {
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

func trailingBackslashes(text []byte) int { return len(text) - len(bytes.TrimRight(text, `\`)) }

// endsInString reports whether a piece of JSON ends inside of a string; quoted
// says whether it begins inside of one.
func endsInString(piece []byte, quoted bool) bool {
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
