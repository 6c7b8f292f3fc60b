package redact

import (
	"bytes"
	"sync"
	"unicode/utf8"
)

// stream is a text as it is looked through: letters and digits without what
// stands between them, or escapes read.
type stream struct {
	text []byte
	at   []int32 // where in the source each byte comes from
}

// reading is how a source becomes a stream.
type reading struct {
	fold    *[256]byte // what a byte becomes; 0: it is left out
	escapes bool       // are read
	tags    bool       // are left out
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

// read makes a stream of src. It is valid until released.
func read(src []byte, r reading) *stream {
	s, _ := streams.Get().(*stream)
	if cap(s.text) < len(src)+slack {
		s.text, s.at = make([]byte, len(src)+slack), make([]int32, len(src)+slack)
	}
	if !r.escapes && !r.tags && ascii(src) {
		s.copied(src, r.fold)
	} else {
		s.text, s.at = s.text[:0], s.at[:0]
		s.taken(src, r)
	}
	clear(s.text[len(s.text) : len(s.text)+slack])
	return s
}

func (s *stream) release() { streams.Put(s) }

func ascii(src []byte) bool {
	for _, b := range src {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// copied is the quick way, for ASCII as it comes: without branches.
func (s *stream) copied(src []byte, fold *[256]byte) {
	text, at, n := s.text[:len(src)], s.at[:len(src)], 0
	for i, c := range src {
		b := fold[c]
		text[n], at[n] = b, int32(i) //nolint:gosec // sources are below 2 GiB
		n += kept(b)
	}
	s.text, s.at = text[:n], at[:n]
}

func kept(b byte) int {
	if b != 0 {
		return 1
	}
	return 0
}

// taken reads escapes and leaves out tags, as the reading says. What is neither,
// and ASCII, takes the short way through the loop.
func (s *stream) taken(src []byte, r reading) {
	special := &specials[index2(r.escapes, r.tags)]
	fold, text, at, n := r.fold, s.text[:cap(s.text)], s.at[:cap(s.at)], 0
	for i := 0; i < len(src); {
		c := src[i]
		if !special[c] {
			b := fold[c]
			text[n], at[n] = b, int32(i) //nolint:gosec // sources are below 2 GiB
			n += kept(b)
			i++
			continue
		}
		s.text, s.at = text[:n], at[:n]
		i += s.special(src, i, r)
		n = len(s.text)
	}
	s.text, s.at = text[:n], at[:n]
}

// special reads what is not simply a letter, and returns its size.
func (s *stream) special(src []byte, i int, r reading) int {
	switch c := src[i]; {
	case leads[c]:
		if char, size := escape(src[i:], 0); size > 0 {
			s.addRune(char, i, r.fold)
			return size
		}
	case c == '<':
		if size := tag(src[i:]); size > 0 {
			return size
		}
	}
	s.add(src[i], i, r.fold)
	return 1
}

// specials are the bytes that are looked at closely: by whether escapes are
// read, and whether tags are left out.
var specials = func() (all [4][256]bool) {
	for i := range all {
		for c := range 256 {
			all[i][c] = c >= utf8.RuneSelf || i&1 != 0 && leads[c] || i&2 != 0 && c == '<'
		}
	}
	return all
}()

func index2(escapes, tags bool) (i int) {
	if escapes {
		i |= 1
	}
	if tags {
		i |= 2
	}
	return i
}

func (s *stream) add(b byte, at int, fold *[256]byte) {
	b = fold[b]
	if b == 0 {
		return
	}
	s.text, s.at = append(s.text, b), append(s.at, int32(at)) //nolint:gosec // sources are below 2 GiB
	if b >= utf8.RuneSelf {
		s.settle(fold)
	}
}

func (s *stream) addRune(char rune, at int, fold *[256]byte) {
	switch {
	case char == none:
	case char < 0: // a byte of something longer
		s.add(byte(-char), at, fold)
	default:
		var b [utf8.UTFMax]byte
		for _, b := range b[:utf8.EncodeRune(b[:], char)] {
			s.add(b, at, fold)
		}
	}
}

// settle leaves out what nobody sees or what only separates, and reads letters
// that are drawn wide as what they look like, once their last byte is there.
func (s *stream) settle(fold *[256]byte) {
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
		s.add(byte(char-0xff01+'!'), at, fold)
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
