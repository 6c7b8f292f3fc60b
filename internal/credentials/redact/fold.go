package redact

import (
	"bytes"
	"encoding/binary"
	"sync"
	"unicode/utf8"
)

// folded is a text as it is searched: bytes are mapped by a table and left out,
// and each byte that is kept knows where it was.
type folded struct {
	table *[256]byte // what a byte becomes; 0: it is left out
	text  []byte
	at    []int32 // offset of each byte in the text that was folded

	of *unescaped // the text that was folded; nil: the source itself
}

// slack is the number of bytes behind a text, so that the last grams can be
// loaded as eight bytes, too.
const slack = 8

var foldedPool = sync.Pool{New: func() any { return new(folded) }}

// foldAlnum keeps letters, in lower case, and digits. Characters that are not
// ASCII are left to foldRune once their last byte is there.
var foldAlnum = func() (table [256]byte) {
	for c := range 256 {
		switch b := byte(c); {
		case b >= utf8.RuneSelf, '0' <= b && b <= '9', 'a' <= b && b <= 'z':
			table[c] = b
		case 'A' <= b && b <= 'Z':
			table[c] = b - 'A' + 'a'
		}
	}
	return table
}()

// foldASCIIAlnum is foldAlnum for bytes that are no text: in a picture a byte
// that is not ASCII is no letter.
var foldASCIIAlnum = func() (table [256]byte) {
	copy(table[:utf8.RuneSelf], foldAlnum[:])
	return table
}()

// foldNUL keeps all bytes but NUL, which is between letters in UTF-16.
var foldNUL = func() (table [256]byte) {
	for c := range 256 {
		table[c] = byte(c)
	}
	return table
}()

// newFolded returns an empty text with capacity for n bytes. Release it.
func newFolded(n int, table *[256]byte) *folded {
	s, _ := foldedPool.Get().(*folded)
	if cap(s.text) < n+slack {
		s.text, s.at = make([]byte, n+slack), make([]int32, n+slack)
	}
	s.table, s.text, s.at, s.of = table, s.text[:0], s.at[:0], nil
	return s
}

// fold folds a text. Release the result.
func fold(src []byte, table *[256]byte) *folded {
	s := newFolded(len(src), table)
	for i := 0; i < len(src); {
		n := asciiPrefix(src[i:])
		s.addASCII(src[i:i+n], i)
		for i += n; i < len(src) && src[i] >= utf8.RuneSelf; i++ {
			s.add(src[i], i)
		}
	}
	return s
}

func (s *folded) release() { foldedPool.Put(s) }

// asciiPrefix is the number of bytes of ASCII that a text begins with.
func asciiPrefix(src []byte) int {
	const high = 0x8080808080808080
	i := 0
	for ; i+8 <= len(src) && binary.LittleEndian.Uint64(src[i:i+8])&high == 0; i += 8 {
	}
	for i < len(src) && src[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// addASCII adds a part of the source that is ASCII, without branches.
func (s *folded) addASCII(src []byte, offset int) {
	old := len(s.text)
	table, text, at, n := s.table, s.text[old:old+len(src)], s.at[old:old+len(src)], 0
	for i, c := range src {
		b := table[c]
		text[n], at[n] = b, int32(offset+i) //nolint:gosec // sources are below 2 GiB
		n += nonZero(b)
	}
	s.text, s.at = s.text[:old+n], s.at[:old+n]
}

func nonZero(b byte) int {
	if b != 0 {
		return 1
	}
	return 0
}

func (s *folded) add(b byte, at int) {
	b = s.table[b]
	if b == 0 {
		return
	}
	s.text, s.at = append(s.text, b), append(s.at, int32(at)) //nolint:gosec // sources are below 2 GiB
	if b >= utf8.RuneSelf {
		s.foldRune()
	}
}

// addPart adds a part of a text.
func (s *folded) addPart(text []byte, from, to int) {
	for i := from; i < to; i++ {
		s.add(text[i], i)
	}
}

// foldRune looks at the character that the text ends with, once its last byte is
// there: a separator is left out, and a fullwidth letter becomes the ASCII letter
// that it looks like.
func (s *folded) foldRune() {
	n := len(s.text)
	char, size := utf8.DecodeLastRune(s.text)
	if char == utf8.RuneError || size < 2 {
		return
	}
	fullwidth := 0xff01 <= char && char <= 0xff5e // forms of ! to ~
	if !fullwidth && !isSeparator(char) {
		return
	}
	at := int(s.at[n-size])
	s.text, s.at = s.text[:n-size], s.at[:n-size]
	if fullwidth {
		s.add(byte(char-0xff01+'!'), at)
	}
}

// isSeparator reports whether a character is invisible, a blank or punctuation.
func isSeparator(char rune) bool {
	switch {
	case char == 0xa0, char == 0xad, char == 0xb7, char == 0x34f, char == 0x61c, char == 0x180e, char == 0xfeff,
		0x2000 <= char && char <= 0x206f, 0x3000 <= char && char <= 0x3002,
		0xfe00 <= char && char <= 0xfe0f, 0xe0000 <= char && char <= 0xe01ef:
		return true
	}
	return false
}

const maxTag = 1 << 10 // bytes; a longer tag is taken for text

// tagLength is the length of the tag, comment or declaration that a text begins
// with; 0 for none.
func tagLength(s []byte) int {
	if len(s) < 3 || !(letter(s[1]) || s[1] == '/' || s[1] == '!' || s[1] == '?') {
		return 0
	}
	return bytes.IndexByte(s[:min(len(s), maxTag)], '>') + 1
}

func letter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }
func digit(b byte) bool  { return '0' <= b && b <= '9' }
