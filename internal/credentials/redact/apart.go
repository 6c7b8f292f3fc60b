package redact

import (
	"bytes"
	"iter"
)

const (
	aloneLetters = 2  // a piece of a secret in letters apart has no more
	besideTag    = 48 // bytes before a tag and behind it: more than a piece that does not count alone
	longestNote  = 40 // bytes of what a snapshot says of an element in brackets
)

// apart looks for secrets whose letters stand apart: with tags between them, each
// by itself among other words, in a list, or in groups: in lines of a snapshot, in
// cells of a table, in items of a listing.
func (h *hunt) apart() {
	x := h.m.loose
	if x == nil {
		return
	}
	text := h.src
	if h.read != nil {
		text = h.read.text
	}
	for _, gather := range []func(*stream, []byte){letters, betweenTags, inQuotes, codes, repeatedCodes} {
		s := room(len(h.src), &loosely)
		s.of = h.read
		gather(s, text)
		x.find(s, func(f *form, from, to int) { h.found(s, f, from, to) })
		s.release()
	}
}

// betweenTags makes a stream of what stands close to tags. A piece of a secret
// that is longer is found by itself.
func betweenTags(s *stream, text []byte) {
	for at := 0; at < len(text); {
		open := bytes.IndexByte(text[at:], '<')
		if open < 0 {
			return
		}
		size := max(1, tag(text[at+open:]))
		s.part(text, max(at, at+open-besideTag), at+open)
		at += open + size
		if bytes.IndexByte(text[at:min(len(text), at+besideTag)], '<') < 0 { // else it is read from there
			end := min(len(text), at+besideTag)
			s.part(text, at, end)
			at = end
		}
	}
}

// part reads a part of a text into s.
func (s *stream) part(text []byte, from, to int) {
	for i := from; i < to; i++ {
		s.add(text[i], i)
	}
}

// inQuotes makes a stream of what stands in quotes, as names do in lines of a
// snapshot. Of what is longer than a piece that counts alone, both ends.
func inQuotes(s *stream, text []byte) {
	for at := 0; at < len(text); {
		open := bytes.IndexByte(text[at:], '"')
		if open < 0 {
			return
		}
		at += open + 1
		size := bytes.IndexAny(text[at:], "\"\n")
		if size < 0 {
			return
		}
		if text[at+size] == '\n' {
			at += size
			continue
		}
		if size > 2*besideTag {
			s.part(text, at, at+besideTag)
		}
		s.part(text, max(at, at+size-2*besideTag), at+size)
		at += size + 1
	}
}

// codes makes a stream of the words that are no language's: with a digit in them,
// or a capital behind a small letter. Of lines that are alike, one behind the
// other, the first counts: listings say a name and a text. References of a
// snapshot are left out.
func codes(s *stream, text []byte) {
	var before []byte
	for line := range lines(text) {
		if !bytes.Equal(text[line.Start:line.End], before) {
			codesOf(s, text, line.Start, line.End)
		}
		before = text[line.Start:line.End]
	}
}

// repeatedCodes is the same with the last of lines that are alike, where there
// are any.
func repeatedCodes(s *stream, text []byte) {
	var before Span
	repeats := false
	for line := range lines(text) {
		if same := bytes.Equal(text[line.Start:line.End], text[before.Start:before.End]); !same {
			codesOf(s, text, before.Start, before.End)
		} else if line.End-line.Start > aloneLetters {
			repeats = true
		}
		before = line
	}
	codesOf(s, text, before.Start, before.End)
	if !repeats {
		s.text, s.at = s.text[:0], s.at[:0]
	}
}

// lines are those of a text that have something in them.
func lines(text []byte) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		for at := 0; at < len(text); {
			end := len(text)
			if size := bytes.IndexByte(text[at:], '\n'); size >= 0 {
				end = at + size
			}
			if end > at && !yield(Span{at, end}) {
				return
			}
			at = end + 1
		}
	}
}

func codesOf(s *stream, text []byte, at, end int) {
	for at < end {
		if !words[text[at]] {
			at++
			continue
		}
		from, coded := at, false
		for ; at < end && words[text[at]]; at++ {
			coded = coded || digit(text[at]) || at > from && 'A' <= text[at] && text[at] <= 'Z' && 'a' <= text[at-1] && text[at-1] <= 'z'
		}
		if coded && !reference(text[from:at]) {
			s.part(text, from, at)
		}
	}
}

// reference reports whether a word is a reference of a snapshot, such as e12.
func reference(word []byte) bool {
	for _, b := range word[1:] {
		if !digit(b) {
			return false
		}
	}
	return word[0] == 'e' && len(word) > 1
}

// letters makes a stream of the words that are no longer than aloneLetters.
func letters(s *stream, text []byte) {
	for i := 0; i < len(text); {
		c := text[i]
		if !words[c] {
			size := 1
			if c == '<' || c == '[' {
				size = max(1, aside(text, i))
			}
			i += size
			continue
		}
		end := i + 1
		for end < len(text) && words[text[end]] {
			end++
		}
		if end-i <= aloneLetters && !numbers(text, i, end) {
			s.part(text, i, end)
		}
		i = end
	}
}

// words are the bytes of words.
var words = func() (in [256]bool) {
	for c := range 256 {
		in[c] = inWord(byte(c))
	}
	return in
}()

// aside is the length of what is no text at an offset: a tag, or a note of a
// snapshot such as [ref=e12].
func aside(text []byte, at int) int {
	if text[at] == '<' {
		return tag(text[at:])
	}
	end := bytes.IndexByte(text[at:min(len(text), at+longestNote)], ']')
	if end > 0 && bytes.IndexByte(text[at:at+end], '=') > 0 {
		return end + 1
	}
	return 0
}

// numbers reports whether a word is the number of a list's item.
func numbers(src []byte, from, to int) bool {
	for _, b := range src[from:to] {
		if !digit(b) {
			return false
		}
	}
	return to+1 < len(src) && (src[to] == '.' || src[to] == ')') && (src[to+1] == ' ' || src[to+1] == '\t')
}
