package redact

import (
	"bytes"
	"html"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

const maxNestedEscapes = 3 // levels, such as an escape of an escape

// unescaped is a text whose escapes were replaced by what they stand for, and
// where they were.
type unescaped struct {
	text    []byte
	escapes []escapeSpan // in order
}

// escapeSpan is where an escape was: its character is at from to to in the
// text (no byte, one, or more), and the escape at start to end in the source.
type escapeSpan struct{ from, to, start, end int }

// unescape replaces the escapes in a text; nil where there are none.
func unescape(src []byte) *unescaped {
	p := &unescaped{text: src}
	for range maxNestedEscapes {
		next := p.next()
		if next == nil {
			break
		}
		p = next
	}
	if len(p.escapes) == 0 {
		return nil
	}
	return p
}

// next replaces the escapes that p's text has; nil where there are none.
func (p *unescaped) next() *unescaped {
	var out *unescaped
	last, old := 0, 0 // what is before last in p's text, and before old in its escapes, is in out
	for start := newEscapeStarts(p.text); start.at < len(p.text); start.next() {
		if start.at < last {
			continue
		}
		char, size := readEscape(p.text[start.at:])
		if size == 0 {
			continue
		}
		if out == nil {
			out = &unescaped{text: make([]byte, 0, len(p.text)), escapes: make([]escapeSpan, 0, len(p.escapes)+16)}
		}
		old = out.addPart(p, last, start.at, old)
		from := len(out.text)
		out.text = appendChar(out.text, char)
		last = start.at + size
		out.escapes = append(out.escapes, escapeSpan{from, len(out.text), p.sourceStart(start.at), p.sourceEnd(last - 1)})
		for old < len(p.escapes) && p.escapes[old].from < last {
			old++
		}
	}
	if out != nil {
		out.addPart(p, last, len(p.text), old)
	}
	return out
}

// addPart adds a part of another text and the escapes in it, of which next is
// the first, and returns the index of the first escape behind the part.
func (p *unescaped) addPart(of *unescaped, from, to, next int) int {
	shift := len(p.text) - from
	p.text = append(p.text, of.text[from:to]...)
	for ; next < len(of.escapes) && of.escapes[next].from < to; next++ {
		one := of.escapes[next]
		one.from, one.to = one.from+shift, one.to+shift
		p.escapes = append(p.escapes, one)
	}
	return next
}

// appendChar adds what readEscape returns.
func appendChar(text []byte, char rune) []byte {
	switch {
	case char == noChar:
		return text
	case char < 0:
		return append(text, byte(-char))
	}
	return utf8.AppendRune(text, char)
}

// lastEscape is the last escape that is at or before an offset of the text.
func (p *unescaped) lastEscape(offset int) (span escapeSpan, found bool) {
	i, _ := slices.BinarySearchFunc(p.escapes, offset+1, func(a escapeSpan, at int) int { return a.from - at })
	if i == 0 {
		return escapeSpan{}, false
	}
	return p.escapes[i-1], true
}

// sourceStart is where in the source the character at an offset begins.
func (p *unescaped) sourceStart(offset int) int {
	one, found := p.lastEscape(offset)
	switch {
	case !found:
		return offset
	case offset < one.to:
		return one.start
	}
	return one.end + offset - one.to
}

// sourceEnd is where in the source the byte at an offset ends.
func (p *unescaped) sourceEnd(offset int) int {
	one, found := p.lastEscape(offset)
	switch {
	case !found:
		return offset + 1
	case offset < one.to:
		return one.end
	}
	return one.end + offset - one.to + 1
}

// escapeStarts finds the bytes that escapes begin with, in order.
type escapeStarts struct {
	src  []byte
	at   int
	each [3]int // the next of each kind
}

const escapeBytes = `%\&`

func newEscapeStarts(src []byte) escapeStarts {
	l := escapeStarts{src: src}
	for i := range l.each {
		l.each[i] = l.find(i, 0)
	}
	l.at = min(l.each[0], l.each[1], l.each[2])
	return l
}

func (l *escapeStarts) find(kind, from int) int {
	if i := bytes.IndexByte(l.src[from:], escapeBytes[kind]); i >= 0 {
		return from + i
	}
	return len(l.src)
}

func (l *escapeStarts) next() {
	for i, at := range l.each {
		if at == l.at {
			l.each[i] = l.find(i, at+1)
		}
	}
	l.at = min(l.each[0], l.each[1], l.each[2])
}

const noChar rune = -256 // an escape that stands for no character

const maxEntityName = 10 // letters

// readEscape reads the escape that a text begins with: of a URL, of a string of
// JSON or JavaScript, or of HTML. It returns the character that the escape stands
// for and the escape's length, 0 where there is none. A negative character is one
// byte of a character.
func readEscape(s []byte) (char rune, size int) {
	if len(s) < 2 {
		return 0, 0
	}
	switch s[0] {
	case '%':
		return percent(s)
	case '\\':
		return backslash(s)
	case '&':
		return entity(s)
	}
	return 0, 0
}

func percent(s []byte) (rune, int) {
	if s[1] == 'u' { // as escape() of JavaScript writes it
		return hexRune(s, 2, 4)
	}
	char, size := hexRune(s, 1, 2)
	if char >= utf8.RuneSelf {
		char = -char
	}
	return char, size
}

func backslash(s []byte) (rune, int) {
	switch c := s[1]; {
	case c == 'u' && len(s) > 2 && s[2] == '{':
		end := bytes.IndexByte(s[:min(len(s), 11)], '}')
		if end < 4 {
			return 0, 0
		}
		char, _ := hexRune(s, 3, end-3)
		return char, end + 1
	case c == 'u':
		return surrogates(s)
	case c == 'x':
		return hexRune(s, 2, 2)
	case '0' <= c && c <= '3' && len(s) > 3 && octal(s[2]) && octal(s[3]):
		return rune(c-'0')<<6 | rune(s[2]-'0')<<3 | rune(s[3]-'0'), 4
	case c == 'n', c == 'r', c == 't', c == 'f', c == 'b', c == 'v', c == '\n':
		return '\n', 2
	case c == '\\':
		return '\\', 2
	case c < utf8.RuneSelf && !letter(c) && !digit(c):
		return rune(c), 2
	}
	return noChar, 1 // the next byte stands for itself
}

// surrogates reads \uXXXX, or two of them that are one character.
func surrogates(s []byte) (rune, int) {
	char, size := hexRune(s, 2, 4)
	if size == 0 || !utf16.IsSurrogate(char) || len(s) < 12 || s[6] != '\\' || s[7] != 'u' {
		return char, size
	}
	if low, n := hexRune(s[6:], 2, 4); n > 0 {
		return utf16.DecodeRune(char, low), 12
	}
	return char, size
}

func entity(s []byte) (rune, int) {
	if s[1] == '#' {
		return numericEntity(s)
	}
	end := bytes.IndexByte(s[:min(len(s), maxEntityName)], ';')
	if end < 3 || !letter(s[1]) {
		return 0, 0
	}
	switch string(s[1:end]) {
	case "amp", "AMP":
		return '&', end + 1
	case "lt", "gt", "quot", "apos", "nbsp":
		return ' ', end + 1
	}
	text := html.UnescapeString(string(s[:end+1]))
	char, size := utf8.DecodeRuneInString(text)
	if char == '&' || size != len(text) {
		return 0, 0
	}
	return char, end + 1
}

// numericEntity reads &#115; and &#x73;, which need no semicolon.
func numericEntity(s []byte) (rune, int) {
	i, base := 2, rune(10)
	if i < len(s) && s[i]|0x20 == 'x' {
		i, base = 3, 16
	}
	first, char := i, rune(0)
	for ; i < len(s) && i < first+10; i++ {
		d := nibble(s[i])
		if d < 0 || d >= base {
			break
		}
		if char = char*base + d; char > utf8.MaxRune {
			return 0, 0
		}
	}
	if i == first {
		return 0, 0
	}
	if i < len(s) && s[i] == ';' {
		i++
	}
	return char, i
}

// hexRune reads n hexadecimal digits at an offset; size is the offset of their end.
func hexRune(s []byte, at, n int) (char rune, size int) {
	if len(s) < at+n {
		return 0, 0
	}
	for _, c := range s[at : at+n] {
		d := nibble(c)
		if d < 0 {
			return 0, 0
		}
		char = char<<4 | d
	}
	return char, at + n
}

// nibble is the value of a hexadecimal digit, -1 for any other byte.
func nibble(c byte) rune {
	switch {
	case digit(c):
		return rune(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10
	}
	return -1
}

func octal(c byte) bool { return '0' <= c && c <= '7' }
