package redact

import (
	"bytes"
)

const (
	aloneLetters = 2  // a piece of a secret in letters apart has no more
	longestNote  = 40 // bytes of what a snapshot says of an element in brackets
)

// apart looks for secrets whose letters stand apart: with tags between them, or
// each by itself among other words, in a list, in lines of a snapshot.
func (h *hunt) apart() {
	x := h.m.loose
	if x == nil {
		return
	}
	r := reading{fold: &loosely, escapes: true, tags: true}
	if tagged(h.src) {
		h.with(x, r)
	}
	s := read(nil, r)
	defer s.release()
	h.letters(s)
	clear(append(s.text, make([]byte, slack)...)[len(s.text):])
	s.text = append(s.text, make([]byte, slack)...)[:len(s.text)]
	h.search(x, s, r)
}

// tagged reports whether a text has tags.
func tagged(src []byte) bool {
	return bytes.Contains(src, []byte("</")) || bytes.Contains(src, []byte("<br")) || bytes.Contains(src, []byte("<!"))
}

// letters makes a stream of the words that are no longer than aloneLetters.
func (h *hunt) letters(s *stream) {
	src := h.src
	for i := 0; i < len(src); {
		c := src[i]
		if !words[c] {
			size := 1
			if besides[c] {
				size = max(1, aside(src, i))
			}
			i += size
			continue
		}
		end := i + 1
		for end < len(src) && words[src[end]] {
			end++
		}
		if end-i <= aloneLetters && !numbers(src, i, end) {
			for at := i; at < end; at++ {
				s.add(src[at], at, &loosely)
			}
		}
		i = end
	}
}

// words are the bytes of words, besides those that something else begins with.
var words, besides = func() (in, out [256]bool) {
	for c := range 256 {
		in[c] = inWord(byte(c))
		out[c] = leads[c] || c == '<' || c == '['
	}
	return in, out
}()

// aside is the length of what is no text at an offset: a tag, a note of a
// snapshot such as [ref=e12], an escape.
func aside(src []byte, at int) int {
	switch c := src[at]; {
	case c == '<':
		return tag(src[at:])
	case c == '[':
		end := bytes.IndexByte(src[at:min(len(src), at+longestNote)], ']')
		if end > 0 && bytes.IndexByte(src[at:at+end], '=') > 0 {
			return end + 1
		}
	case leads[c]:
		if char, size := escape(src[at:], 0); char < 0 || char > 0x7f || loosely[byte(char)] == 0 {
			return size
		}
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
