package redact

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
)

const (
	leastRun   = 16      // characters of base64 or hexadecimal that are read
	longestRun = 1 << 23 // characters; what is longer is read in such parts
)

// inside looks into what is encoded as base64 or hexadecimal, for secrets that
// were escaped, turned or encoded before: what was only encoded is found
// without.
func (h *hunt) inside() {
	s := room(len(h.src), &exactly)
	defer s.release()
	for at := 0; at < len(h.src); {
		at = h.run(s, at)
		if len(s.text) < leastRun {
			continue
		}
		if upper, lower := cases(s.text); upper && lower {
			h.base64(s)
		}
		h.hex(s)
	}
}

// run reads the next characters of base64, line breaks left out, into s, and
// returns where to go on.
func (h *hunt) run(s *stream, at int) (next int) {
	s.text, s.at = s.text[:0], s.at[:0]
	src := h.src
	for at+leastRun <= len(src) { // far ahead first: most words are short
		last := at + leastRun - 1
		for last >= at && code[src[last]] != 0 {
			last--
		}
		if last < at {
			break
		}
		at = last + 1
	}
	if at+leastRun > len(src) {
		return len(src)
	}
	for ; at < len(src) && len(s.text) < longestRun; at++ {
		c := src[at]
		switch b := code[c]; {
		case b != 0:
			s.text, s.at = append(s.text, b), append(s.at, int32(at)) //nolint:gosec // sources are below 2 GiB
		case c != '\r' && c != '\n' || at+1 == len(src) || code[src[at+1]] == 0 && src[at+1] != '\n':
			return at + 1
		}
	}
	return at
}

// code is what the characters of both alphabets of base64 are in the standard
// one, 0 for others.
var code = func() (code [256]byte) {
	for c := range code {
		b := byte(c)
		if letter(b) || digit(b) || b == '+' || b == '/' {
			code[c] = b
		}
	}
	code['-'], code['_'] = '+', '/'
	return code
}()

func cases(text []byte) (upper, lower bool) {
	for _, b := range text {
		switch {
		case 'A' <= b && b <= 'Z':
			upper = true
		case 'a' <= b && b <= 'z':
			lower = true
		}
	}
	return upper, lower
}

// base64 decodes a run from each of the four characters that a group may begin
// with.
func (h *hunt) base64(s *stream) {
	buffer := make([]byte, base64.RawStdEncoding.DecodedLen(len(s.text)))
	for first := range 4 {
		text := s.text[first:]
		if len(text)%4 == 1 {
			text = text[:len(text)-1]
		}
		n, err := base64.RawStdEncoding.Decode(buffer, text)
		if err != nil {
			continue
		}
		for _, span := range h.m.within(buffer[:n]) {
			h.code(s, first+span.Start*4/3, first+(span.End*4+2)/3)
		}
	}
}

// hex decodes the hexadecimal digits of a run, from the first and from the
// second.
func (h *hunt) hex(s *stream) {
	for from := 0; from < len(s.text); {
		to := from
		for to < len(s.text) && nibble(s.text[to]) >= 0 {
			to++
		}
		for first := from; first < from+2 && to-first >= leastRun; first++ {
			buffer := make([]byte, (to-first)/2)
			if _, err := hex.Decode(buffer, s.text[first:first+len(buffer)*2]); err != nil {
				continue
			}
			for _, span := range h.m.within(buffer) {
				h.code(s, first+span.Start*2, first+span.End*2)
			}
		}
		from = to + 1
	}
}

// within finds secrets in what was decoded: where it is a text, for a few bytes
// at least. What was no text, or decoded from the wrong place, is passed over.
func (m *Matcher) within(decoded []byte) (spans []Span) {
	for from := 0; from < len(decoded); {
		to := from
		for to < len(decoded) && printed[decoded[to]] {
			to++
		}
		if to-from >= alone {
			for _, s := range m.plain(decoded[from:to]) {
				spans = append(spans, Span{from + s.Start, from + s.End})
			}
		}
		from = to + 1
	}
	return merged(spans)
}

// printed are the bytes of texts in ASCII, and NUL, which is between them in
// UTF-16.
var printed = func() (in [256]bool) {
	for c := range 256 {
		in[c] = ' ' <= c && c <= '~' || c == 0 || c == '\t' || c == '\n' || c == '\r'
	}
	return in
}()

// code notes a part of a run.
func (h *hunt) code(s *stream, from, to int) {
	to = min(to, len(s.at))
	for _, at := range slices.All(s.at[from:to]) {
		h.spans = append(h.spans, Span{int(at), int(at) + 1})
	}
}
