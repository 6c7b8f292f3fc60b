package redact

import (
	"encoding/base64"
	"encoding/hex"
)

const (
	minRun = 16      // characters of base64 or hexadecimal that are decoded
	maxRun = 1 << 23 // characters; a longer run is decoded in parts
)

// findEncoded decodes what is base64 or hexadecimal, to find secrets that were
// escaped, reversed or encoded before. What was encoded only once is found by its
// forms.
func (s *scan) findEncoded() {
	run := newFolded(len(s.src), &foldNUL)
	defer run.release()
	for at := 0; at < len(s.src); {
		at = s.nextRun(run, at)
		if len(run.text) < minRun {
			continue
		}
		if hasBothCases(run.text) {
			s.decodeBase64(run)
		}
		s.decodeHex(run)
	}
}

// nextRun reads the next characters of base64, without line breaks, and returns
// where to go on.
func (s *scan) nextRun(run *folded, at int) (next int) {
	run.text, run.at = run.text[:0], run.at[:0]
	src := s.src
	for at+minRun <= len(src) { // skips words that are too short, from their end
		last := at + minRun - 1
		for last >= at && base64Bytes[src[last]] != 0 {
			last--
		}
		if last < at {
			break
		}
		at = last + 1
	}
	if at+minRun > len(src) {
		return len(src)
	}
	for ; at < len(src) && len(run.text) < maxRun; at++ {
		c := src[at]
		switch b := base64Bytes[c]; {
		case b != 0:
			run.text, run.at = append(run.text, b), append(run.at, int32(at)) //nolint:gosec // sources are below 2 GiB
		case c != '\r' && c != '\n' || at+1 == len(src) || base64Bytes[src[at+1]] == 0 && src[at+1] != '\n':
			return at + 1
		}
	}
	return at
}

// base64Bytes maps the characters of both alphabets of base64 to the standard
// one, and other bytes to 0.
var base64Bytes = func() (in [256]byte) {
	for c := range in {
		b := byte(c)
		if letter(b) || digit(b) || b == '+' || b == '/' {
			in[c] = b
		}
	}
	in['-'], in['_'] = '+', '/'
	return in
}()

func hasBothCases(text []byte) bool {
	upper, lower := false, false
	for _, b := range text {
		upper = upper || 'A' <= b && b <= 'Z'
		lower = lower || 'a' <= b && b <= 'z'
	}
	return upper && lower
}

// decodeBase64 decodes a run from each of its first four characters, because a
// group may begin at any of them.
func (s *scan) decodeBase64(run *folded) {
	buffer := make([]byte, base64.RawStdEncoding.DecodedLen(len(run.text)))
	for first := range 4 {
		text := run.text[first:]
		if len(text)%4 == 1 {
			text = text[:len(text)-1]
		}
		n, err := base64.RawStdEncoding.Decode(buffer, text)
		if err != nil {
			continue
		}
		for _, span := range s.m.findDecoded(buffer[:n]) {
			s.addEncoded(run, first+span.Start*4/3, first+(span.End*4+2)/3)
		}
	}
}

// decodeHex decodes the hexadecimal digits of a run, from the first digit and from
// the second.
func (s *scan) decodeHex(run *folded) {
	for from := 0; from < len(run.text); {
		to := from
		for to < len(run.text) && nibble(run.text[to]) >= 0 {
			to++
		}
		for first := from; first < from+2 && to-first >= minRun; first++ {
			buffer := make([]byte, (to-first)/2)
			if _, err := hex.Decode(buffer, run.text[first:first+len(buffer)*2]); err != nil {
				continue
			}
			for _, span := range s.m.findDecoded(buffer) {
				s.addEncoded(run, first+span.Start*2, first+span.End*2)
			}
		}
		from = to + 1
	}
}

// findDecoded finds secrets in the texts among decoded bytes. Other bytes, such as
// those that were decoded from the wrong place, are skipped.
func (m *Matcher) findDecoded(decoded []byte) (spans []Span) {
	for from := 0; from < len(decoded); {
		to := from
		for to < len(decoded) && textBytes[decoded[to]] {
			to++
		}
		if to-from >= minUnbounded {
			for _, s := range m.findPlain(decoded[from:to]) {
				spans = append(spans, Span{from + s.Start, from + s.End})
			}
		}
		from = to + 1
	}
	return merged(spans)
}

// textBytes are the bytes of ASCII texts, and NUL, which is between them in UTF-16.
var textBytes = func() (in [256]bool) {
	for c := range 256 {
		in[c] = ' ' <= c && c <= '~' || c == 0 || c == '\t' || c == '\n' || c == '\r'
	}
	return in
}()

// addEncoded adds a part of a run, without the line breaks in it.
func (s *scan) addEncoded(run *folded, from, to int) {
	for _, at := range run.at[from:min(to, len(run.at))] {
		s.spans = append(s.spans, Span{int(at), int(at) + 1})
	}
}
