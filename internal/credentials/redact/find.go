package redact

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Span is a part of a text, in bytes: from Start up to End.
type Span struct{ Start, End int }

// scan is the search through one text.
type scan struct {
	m         *Matcher
	src       []byte
	unescaped *unescaped // src with its escapes replaced; nil where it has none
	spans     []Span
	onFind    func(letters []byte, f *form) // called for each find; may be nil
}

// Find returns where a text has secrets, in order. A secret whose letters are
// apart is several spans, which leave out what is between the letters. A text
// that cannot be searched is one span as a whole.
func (m *Matcher) Find(text []byte) []Span {
	spans, err := m.find(text)
	if err != nil {
		return []Span{{0, len(text)}}
	}
	return spans
}

// find is Find with ErrFailed for a text that cannot be searched: it is too long,
// was made to take long, or the search panicked. What the panic says is dropped,
// because it may hold the text.
func (m *Matcher) find(text []byte) (spans []Span, err error) {
	if m.none() || len(text) < minSecret {
		return nil, nil
	}
	if len(text) > maxText {
		return nil, ErrFailed
	}
	defer func() {
		if recover() != nil {
			spans, err = nil, ErrFailed
		}
	}()
	s := scan{m: m, src: text, unescaped: unescape(text)}
	s.findDirect()
	s.findReversedEscapes()
	s.findSeparated()
	s.findEncoded()
	return merged(s.spans), nil
}

// findPlain finds what is in a text as it is, and with its escapes replaced.
func (m *Matcher) findPlain(text []byte) []Span {
	s := scan{m: m, src: text, unescaped: unescape(text)}
	s.findDirect()
	return merged(s.spans)
}

// none reports whether there is nothing to find.
func (m *Matcher) none() bool { return m == nil || m.loose == nil && m.exact == nil }

// findDirect searches the text as it is, and what is around its escapes with the
// escapes replaced.
func (s *scan) findDirect() {
	for _, by := range []struct {
		in    *index
		table *[256]byte
	}{{s.m.loose, &foldAlnum}, {s.m.exact, &foldNUL}} {
		if by.in == nil {
			continue
		}
		text := fold(s.src, by.table)
		by.in.find(text, func(f *form, from, to int) { s.addFind(text, f, from, to) })
		text.release()
		if s.unescaped == nil {
			continue
		}
		text = fold(s.unescaped.text, by.table)
		text.of = s.unescaped
		by.in.findNearEscapes(text, func(f *form, from, to int) { s.addFind(text, f, from, to) })
		text.release()
	}
}

// findReversedEscapes searches a text that was escaped and then reversed: its
// escapes can only be read backwards.
func (s *scan) findReversedEscapes() {
	for _, sign := range []string{"#&", `u\`, `x\`} {
		if bytes.Contains(s.src, []byte(sign)) {
			n := len(s.src)
			for _, span := range s.m.findPlain(reversed(s.src)) {
				s.spans = append(s.spans, Span{n - span.End, n - span.Start})
			}
			return
		}
	}
}

// addFind adds a form, or a piece of one, that is in a folded text.
func (s *scan) addFind(in *folded, f *form, from, to int) {
	if f.bounded && (from > 0 && inWord(in.text[from-1]) || to < len(in.text) && inWord(in.text[to])) {
		return
	}
	if s.onFind != nil {
		s.onFind(in.text[from:to], f)
	}
	s.addSource(in, from, to)
}

func inWord(b byte) bool { return letter(b) || digit(b) || b >= utf8.RuneSelf }

// addSource adds where in the source a part of a folded text was. What the
// folding left out is not part of the spans, so that the structure of a text
// stays, except for the few bytes that isRemovable allows.
func (s *scan) addSource(in *folded, from, to int) {
	span := s.sourceOf(in, from)
	for i := from + 1; i < to; i++ {
		next := s.sourceOf(in, i)
		if next.Start > span.End && !isRemovable(s.src[span.End:next.Start]) {
			s.spans = append(s.spans, span)
			span = next
		}
		span.End = max(span.End, next.End)
	}
	s.spans = append(s.spans, span)
}

// sourceOf is where in the source a character of a folded text was.
func (s *scan) sourceOf(in *folded, i int) Span {
	text, at := s.src, int(in.at[i])
	if in.of != nil {
		text = in.of.text
	}
	size := 1
	if text[at] >= utf8.RuneSelf {
		_, size = utf8.DecodeRune(text[at:])
	}
	if in.of != nil {
		return Span{in.of.sourceStart(at), in.of.sourceEnd(at + size - 1)}
	}
	return Span{at, at + size}
}

const maxRemovable = 8 // bytes

// isRemovable reports whether what is between two letters of a secret may be
// removed with them: it is short, and has no character that gives a text its
// structure.
func isRemovable(gap []byte) bool {
	return len(gap) <= maxRemovable && !bytes.ContainsAny(gap, "\"'`<>{}[](),;|\n\r\\")
}

// merged sorts spans, and joins those that touch.
func merged(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return a.End - b.End
	})
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, s.End)
			continue
		}
		out = append(out, s)
	}
	return out
}
