package redact

import (
	"bytes"
)

const (
	aloneLetters = 2  // a piece of a secret in letters apart has no more
	besideTag    = 48 // bytes before a tag and behind it: more than a piece that does not count alone
	longestNote  = 40 // bytes of what a snapshot says of an element in brackets
)

// apart looks for secrets whose letters stand apart: with tags between them, or
// each by itself among other words, in a list, in lines of a snapshot.
func (h *hunt) apart() {
	x := h.m.loose
	if x == nil {
		return
	}
	text := h.src
	if h.read != nil {
		text = h.read.text
	}
	for _, gather := range []func(*stream, []byte){letters, betweenTags} {
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
