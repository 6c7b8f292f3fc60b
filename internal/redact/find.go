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
	spans []Span
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
	h := hunt{m: m, src: text}
	h.plainly()
	h.backwards()
	h.apart()
	h.inside()
	return merged(h.spans), nil
}

// none reports whether there is nothing to find.
func (m *Matcher) none() bool { return m == nil || m.loose == nil && m.exact == nil }

// plainly looks through the text as it is, and with escapes read.
func (h *hunt) plainly() {
	readings := []reading{{}}
	if bytes.IndexByte(h.src, '%') >= 0 || bytes.IndexByte(h.src, '\\') >= 0 || bytes.IndexByte(h.src, '&') >= 0 {
		readings = append(readings, reading{escapes: true})
	}
	for _, r := range readings {
		if x := h.m.loose; x != nil {
			r.fold = &loosely
			h.with(x, r)
		}
		if x := h.m.exact; x != nil {
			r.fold = &exactly
			h.with(x, r)
		}
	}
}

// backwards reads escapes that were turned with the text: what they stand for
// cannot be read otherwise.
func (h *hunt) backwards() {
	for _, sign := range []string{"#&", `u\`, `x\`} {
		if bytes.Contains(h.src, []byte(sign)) {
			n := len(h.src)
			for _, s := range h.m.within(turned(h.src)) {
				h.spans = append(h.spans, Span{n - s.End, n - s.Start})
			}
			return
		}
	}
}

func (h *hunt) with(x *index, r reading) {
	s := read(h.src, r)
	defer s.release()
	h.search(x, s, r)
}

func (h *hunt) search(x *index, s *stream, r reading) {
	x.find(s, func(f *form, from, to int) {
		if f.bounded && (from > 0 && inWord(s.text[from-1]) || to < len(s.text) && inWord(s.text[to])) {
			return
		}
		h.mark(s, from, to, r.escapes)
	})
}

func inWord(b byte) bool { return letter(b) || digit(b) || b >= utf8.RuneSelf }

// mark notes what in the source a part of a stream comes from. What is left
// out of the stream stays, so that what a text is made of holds together, but
// for the little that may stand inside of a secret.
func (h *hunt) mark(s *stream, from, to int, escapes bool) {
	span := Span{Start: int(s.at[from]), End: int(s.at[from])}
	for _, at := range s.at[from:to] {
		start := int(at)
		if start > span.End && !soft(h.src[span.End:start]) {
			h.spans = append(h.spans, span)
			span.Start = start
		}
		span.End = max(span.End, start+h.size(start, escapes))
	}
	h.spans = append(h.spans, span)
}

// size is how many bytes the character at an offset of the source takes.
func (h *hunt) size(at int, escapes bool) int {
	c := h.src[at]
	if escapes && leads[c] {
		if _, size := escape(h.src[at:], 0); size > 0 {
			return size
		}
	}
	if c >= utf8.RuneSelf {
		_, size := utf8.DecodeRune(h.src[at:])
		return size
	}
	return 1
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
