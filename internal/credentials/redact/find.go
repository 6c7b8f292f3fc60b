package redact

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Span is a part of a text, in bytes: from Start up to End.
type Span struct{ Start, End int }

// hunt is one text that is looked through.
type hunt struct {
	m     *Matcher
	src   []byte
	read  *plain // src with its escapes read; nil where it has none
	spans []Span
	tell  func(letters []byte, f *form) // is told of each find; may be nil
}

// Find returns where in a text there are secrets, in order. A secret that is
// apart is several spans: what stands between its pieces is in none. Of a text
// that cannot be looked through it is all.
func (m *Matcher) Find(text []byte) []Span {
	spans, err := m.find(text)
	if err != nil {
		return []Span{{0, len(text)}}
	}
	return spans
}

// find is Find with an error in place of a panic: a text that is made to take
// too long, or a mistake of ours. Neither is told: it may hold the text.
func (m *Matcher) find(text []byte) (spans []Span, err error) {
	if m.none() || len(text) < shortest {
		return nil, nil
	}
	if len(text) > longText {
		return nil, ErrFailed
	}
	defer func() {
		if recover() != nil {
			spans, err = nil, ErrFailed
		}
	}()
	h := hunt{m: m, src: text, read: unescape(text)}
	h.plainly()
	h.backwards()
	h.apart()
	h.inside()
	return merged(h.spans), nil
}

// none reports whether there is nothing to find.
func (m *Matcher) none() bool { return m == nil || m.loose == nil && m.exact == nil }

// plainly looks through the text as it is, and around the escapes in it with
// them read.
func (h *hunt) plainly() {
	for _, by := range []struct {
		in   *index
		fold *[256]byte
	}{{h.m.loose, &loosely}, {h.m.exact, &exactly}} {
		if by.in == nil {
			continue
		}
		s := read(h.src, by.fold)
		by.in.find(s, func(f *form, from, to int) { h.found(s, f, from, to) })
		s.release()
		if h.read == nil {
			continue
		}
		u := read(h.read.text, by.fold)
		u.of = h.read
		by.in.findNear(u, func(f *form, from, to int) { h.found(u, f, from, to) })
		u.release()
	}
}

// backwards reads escapes that were turned with the text: what they stand for
// cannot be read otherwise.
func (h *hunt) backwards() {
	for _, sign := range []string{"#&", `u\`, `x\`} {
		if bytes.Contains(h.src, []byte(sign)) {
			n := len(h.src)
			for _, s := range h.m.plain(turned(h.src)) {
				h.spans = append(h.spans, Span{n - s.End, n - s.Start})
			}
			return
		}
	}
}

// found notes a form that is in a stream.
func (h *hunt) found(s *stream, f *form, from, to int) {
	if f.bounded && (from > 0 && inWord(s.text[from-1]) || to < len(s.text) && inWord(s.text[to])) {
		return
	}
	if h.tell != nil {
		h.tell(s.text[from:to], f)
	}
	h.mark(s, from, to)
}

// plain finds what is in a text as it is, and with its escapes read.
func (m *Matcher) plain(text []byte) []Span {
	h := hunt{m: m, src: text, read: unescape(text)}
	h.plainly()
	return merged(h.spans)
}

func inWord(b byte) bool { return letter(b) || digit(b) || b >= utf8.RuneSelf }

// mark notes what in the source a part of a stream comes from. What is left
// out of the stream stays, so that what a text is made of holds together, but
// for the little that may stand inside of a secret.
func (h *hunt) mark(s *stream, from, to int) {
	span := h.character(s, from)
	for i := from + 1; i < to; i++ {
		next := h.character(s, i)
		if next.Start > span.End && !soft(h.src[span.End:next.Start]) {
			h.spans = append(h.spans, span)
			span = next
		}
		span.End = max(span.End, next.End)
	}
	h.spans = append(h.spans, span)
}

// character is where in the source a character of a stream comes from.
func (h *hunt) character(s *stream, i int) Span {
	text, at := h.src, int(s.at[i])
	if s.of != nil {
		text = s.of.text
	}
	size := 1
	if text[at] >= utf8.RuneSelf {
		_, size = utf8.DecodeRune(text[at:])
	}
	if s.of != nil {
		return Span{s.of.start(at), s.of.end(at + size - 1)}
	}
	return Span{at, at + size}
}

const softGap = 8 // bytes

// soft reports whether what stands between two letters of a secret may go with
// them: nothing that a text is held together by.
func soft(gap []byte) bool {
	return len(gap) <= softGap && !bytes.ContainsAny(gap, "\"'`<>{}[](),;|\n\r\\")
}

// merged puts spans into order, and those that touch together.
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
