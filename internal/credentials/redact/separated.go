package redact

import (
	"bytes"
	"iter"
)

const (
	maxGroup  = 2  // letters of a word that counts as a group of a secret's letters, whatever they are
	nearTag   = 48 // bytes on each side of a tag that are searched: more than minPiece of any encoding
	maxNote   = 40 // bytes of what a snapshot writes about an element in brackets
	nearQuote = 2 * nearTag
)

// findSeparated finds secrets whose letters are apart: with tags between them, in
// words of one or two letters, in lists, cells of tables and lines of snapshots. Each
// collector keeps the parts of the text where such letters may be; the search then
// sees them one behind the other.
func (s *scan) findSeparated() {
	x := s.m.loose
	if x == nil {
		return
	}
	text := s.src
	if s.unescaped != nil {
		text = s.unescaped.text
	}
	for _, collect := range []func(*folded, []byte){collectShortWords, collectNearTags, collectQuoted, collectCodes, collectCodesOfLastLines} {
		in := newFolded(len(s.src), &foldAlnum)
		in.of = s.unescaped
		collect(in, text)
		x.find(in, func(f *form, from, to int) { s.addFind(in, f, from, to) })
		in.release()
	}
}

// collectNearTags keeps what is close to tags. A longer piece of a secret is found
// without it.
func collectNearTags(s *folded, text []byte) {
	for at := 0; at < len(text); {
		open := bytes.IndexByte(text[at:], '<')
		if open < 0 {
			return
		}
		size := max(1, tagLength(text[at+open:]))
		s.addPart(text, max(at, at+open-nearTag), at+open)
		at += open + size
		if bytes.IndexByte(text[at:min(len(text), at+nearTag)], '<') < 0 { // else the next round adds it
			end := min(len(text), at+nearTag)
			s.addPart(text, at, end)
			at = end
		}
	}
}

// collectQuoted keeps what is in quotes, such as names in lines of a snapshot; of
// long texts both ends.
func collectQuoted(s *folded, text []byte) {
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
		if size > nearQuote {
			s.addPart(text, at, at+nearTag)
		}
		s.addPart(text, max(at, at+size-nearQuote), at+size)
		at += size + 1
	}
}

// collectCodes keeps words that belong to no language: with a digit, or with a
// capital after a small letter. Of equal lines that follow one another it reads the
// first, because listings repeat a name as a text. References of a snapshot are left
// out.
func collectCodes(s *folded, text []byte) {
	var before []byte
	for line := range lines(text) {
		if !bytes.Equal(text[line.Start:line.End], before) {
			addCodes(s, text, line)
		}
		before = text[line.Start:line.End]
	}
}

// collectCodesOfLastLines is collectCodes with the last of equal lines. It keeps
// nothing where no lines are equal.
func collectCodesOfLastLines(s *folded, text []byte) {
	var before Span
	repeated := false
	for line := range lines(text) {
		if same := bytes.Equal(text[line.Start:line.End], text[before.Start:before.End]); !same {
			addCodes(s, text, before)
		} else if line.End-line.Start > maxGroup {
			repeated = true
		}
		before = line
	}
	addCodes(s, text, before)
	if !repeated {
		s.text, s.at = s.text[:0], s.at[:0]
	}
}

// lines are the lines of a text that are not empty.
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

// addCodes adds the words of a line that belong to no language.
func addCodes(s *folded, text []byte, line Span) {
	for at := line.Start; at < line.End; {
		if !wordBytes[text[at]] {
			at++
			continue
		}
		from, isCode := at, false
		for ; at < line.End && wordBytes[text[at]]; at++ {
			isCode = isCode || digit(text[at]) || at > from && 'A' <= text[at] && text[at] <= 'Z' && 'a' <= text[at-1] && text[at-1] <= 'z'
		}
		if isCode && !isReference(text[from:at]) {
			s.addPart(text, from, at)
		}
	}
}

// isReference reports whether a word is a reference of a snapshot, such as e12.
func isReference(word []byte) bool {
	for _, b := range word[1:] {
		if !digit(b) {
			return false
		}
	}
	return word[0] == 'e' && len(word) > 1
}

// collectShortWords keeps the words of at most maxGroup letters.
func collectShortWords(s *folded, text []byte) {
	for i := 0; i < len(text); {
		c := text[i]
		if !wordBytes[c] {
			size := 1
			if c == '<' || c == '[' {
				size = max(1, markupLength(text, i))
			}
			i += size
			continue
		}
		end := i + 1
		for end < len(text) && wordBytes[text[end]] {
			end++
		}
		if end-i <= maxGroup && !isItemNumber(text, i, end) {
			s.addPart(text, i, end)
		}
		i = end
	}
}

// wordBytes are the bytes of words.
var wordBytes = func() (in [256]bool) {
	for c := range 256 {
		in[c] = inWord(byte(c))
	}
	return in
}()

// markupLength is the length of the tag at an offset, or of the note of a snapshot
// such as [ref=e12]; 0 for none.
func markupLength(text []byte, at int) int {
	if text[at] == '<' {
		return tagLength(text[at:])
	}
	end := bytes.IndexByte(text[at:min(len(text), at+maxNote)], ']')
	if end > 0 && bytes.IndexByte(text[at:at+end], '=') > 0 {
		return end + 1
	}
	return 0
}

// isItemNumber reports whether a word is the number of an item of a list.
func isItemNumber(src []byte, from, to int) bool {
	for _, b := range src[from:to] {
		if !digit(b) {
			return false
		}
	}
	return to+1 < len(src) && (src[to] == '.' || src[to] == ')') && (src[to+1] == ' ' || src[to+1] == '\t')
}
