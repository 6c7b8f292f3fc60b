package redact

import (
	"bytes"
	"html"
	"unicode/utf16"
	"unicode/utf8"
)

const none rune = -256 // an escape that stands for no character

const longName = 10 // letters of an entity's name

// escape reads the escape of a URL, of a string of JSON or JavaScript, or of HTML
// that a text begins with: the character that it stands for, and its length, 0
// where there is none. A negative character is a single byte of one.
func escape(s []byte) (char rune, size int) {
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
	if s[1] == 'u' { // of the old escape()
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
	return none, 1 // the next stands for itself
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
		return number(s)
	}
	end := bytes.IndexByte(s[:min(len(s), longName)], ';')
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

// number reads &#115; and &#x73;, which need no semicolon.
func number(s []byte) (rune, int) {
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

// hexRune reads n hexadecimal digits at an offset: the size is to their end.
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

// nibble is the value of a hexadecimal digit, -1 for what is none.
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
