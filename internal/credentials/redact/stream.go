package redact

import (
	"bytes"
	"encoding/binary"
	"sync"
	"unicode/utf8"
)

// stream is a text as it is looked through: letters and digits without what
// stands between them, or escapes read.
type stream struct {
	fold *[256]byte // what a byte becomes; 0: it is left out
	text []byte
	at   []int32 // where in what was read each byte comes from

	of *plain // what it was read from; nil: the source itself
}

// slack lets grams be loaded as eight bytes at the end of a text, too.
const slack = 8

var streams = sync.Pool{New: func() any { return new(stream) }}

// loosely keeps letters, in lower case, and digits. What is not ASCII is
// settled when it is whole.
var loosely = func() (fold [256]byte) {
	for c := range 256 {
		switch b := byte(c); {
		case b >= utf8.RuneSelf, '0' <= b && b <= '9', 'a' <= b && b <= 'z':
			fold[c] = b
		case 'A' <= b && b <= 'Z':
			fold[c] = b - 'A' + 'a'
		}
	}
	return fold
}()

// exactly keeps all but NUL, which stands between letters in UTF-16.
var exactly = func() (fold [256]byte) {
	for c := range 256 {
		fold[c] = byte(c)
	}
	return fold
}()

// room returns an empty stream that a source of n bytes has room in. Release
// it.
func room(n int, fold *[256]byte) *stream {
	s, _ := streams.Get().(*stream)
	if cap(s.text) < n+slack {
		s.text, s.at = make([]byte, n+slack), make([]int32, n+slack)
	}
	s.fold, s.text, s.at, s.of = fold, s.text[:0], s.at[:0], nil
	return s
}

// read makes a stream of src as it is.
func read(src []byte, fold *[256]byte) *stream {
	s := room(len(src), fold)
	for i := 0; i < len(src); {
		n := ascii(src[i:])
		s.copied(src[i:i+n], i)
		for i += n; i < len(src) && src[i] >= utf8.RuneSelf; i++ {
			s.add(src[i], i)
		}
	}
	return s
}

func (s *stream) release() { streams.Put(s) }

// ascii is how many bytes of ASCII a text begins with.
func ascii(src []byte) int {
	const high = 0x8080808080808080
	i := 0
	for ; i+8 <= len(src) && binary.LittleEndian.Uint64(src[i:i+8])&high == 0; i += 8 {
	}
	for i < len(src) && src[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// copied is the quick way, for ASCII at an offset of the source: without
// branches.
func (s *stream) copied(src []byte, offset int) {
	old := len(s.text)
	fold, text, at, n := s.fold, s.text[old:old+len(src)], s.at[old:old+len(src)], 0
	for i, c := range src {
		b := fold[c]
		text[n], at[n] = b, int32(offset+i) //nolint:gosec // sources are below 2 GiB
		n += kept(b)
	}
	s.text, s.at = s.text[:old+n], s.at[:old+n]
}

func kept(b byte) int {
	if b != 0 {
		return 1
	}
	return 0
}

func (s *stream) add(b byte, at int) {
	b = s.fold[b]
	if b == 0 {
		return
	}
	s.text, s.at = append(s.text, b), append(s.at, int32(at)) //nolint:gosec // sources are below 2 GiB
	if b >= utf8.RuneSelf {
		s.settle()
	}
}

// settle leaves out what nobody sees or what only separates, and reads letters
// that are drawn wide as what they look like, once their last byte is there.
func (s *stream) settle() {
	n := len(s.text)
	char, size := utf8.DecodeLastRune(s.text)
	if char == utf8.RuneError || size < 2 {
		return
	}
	wide := 0xff01 <= char && char <= 0xff5e // fullwidth forms of ! to ~
	if !wide && !separates(char) {
		return
	}
	at := int(s.at[n-size])
	s.text, s.at = s.text[:n-size], s.at[:n-size]
	if wide {
		s.add(byte(char-0xff01+'!'), at)
	}
}

// separates reports whether a rune is drawn as nothing, or as a sign of
// punctuation or a blank.
func separates(char rune) bool {
	switch {
	case char == 0xa0, char == 0xad, char == 0xb7, char == 0x34f, char == 0x61c, char == 0x180e, char == 0xfeff,
		0x2000 <= char && char <= 0x206f, 0x3000 <= char && char <= 0x3002,
		0xfe00 <= char && char <= 0xfe0f, 0xe0000 <= char && char <= 0xe01ef:
		return true
	}
	return false
}

const longestTag = 1 << 10 // bytes; what is longer is text

// tag is the length of the tag, comment or declaration that a text begins
// with; 0 for none.
func tag(s []byte) int {
	if len(s) < 3 || !(letter(s[1]) || s[1] == '/' || s[1] == '!' || s[1] == '?') {
		return 0
	}
	return bytes.IndexByte(s[:min(len(s), longestTag)], '>') + 1
}

func letter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }
func digit(b byte) bool  { return '0' <= b && b <= '9' }
