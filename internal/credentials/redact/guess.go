package redact

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Guesses reports whether a text that somebody sends has something that the
// matcher hides, or would hide after a browser has cut the text or changed its
// letters: short secrets count inside of words and numbers, in any case, and with
// other characters between theirs.
func (m *Matcher) Guesses(text []byte) bool {
	if m.none() || len(text) == 0 {
		return false
	}
	if !utf8.Valid(text) {
		return m.hasBinary(text)
	}
	if m.Has(text) {
		return true
	}
	normal := norm.NFKC.Bytes(text)
	if !bytes.Equal(normal, text) && m.Has(normal) {
		return true
	}
	if len(m.short) == 0 {
		return false
	}
	return m.guessesShort(normal) || m.guessesShort(reversed(normal))
}

// guessesShort looks for short secrets in the letters and digits of a text, and
// for numbers in its digits.
func (m *Matcher) guessesShort(text []byte) bool {
	for _, one := range []*unescaped{{text: text}, unescape(text)} {
		if one == nil {
			continue
		}
		letters := alnum(one.text)
		digits := digitsOf(letters)
		for _, secret := range m.short {
			if bytes.Contains(letters, secret) || len(digitsOf(secret)) == len(secret) && bytes.Contains(digits, secret) {
				return true
			}
		}
	}
	return false
}

func digitsOf(text []byte) []byte {
	var digits []byte
	for _, b := range text {
		if digit(b) {
			digits = append(digits, b)
		}
	}
	return digits
}

const (
	maxNumberGuesses = 32  // different numbers of the length of a secret number of five digits or fewer
	maxWordGuesses   = 256 // different words of the length of another short secret
)

// Candidate is a word that could be a guess at a short secret.
type Candidate struct {
	Word string
	Most int // different candidates that a caller may send
}

// Candidates returns the words of a text that have the length of a short secret,
// and are of digits, or of digits and letters, as it is. Secrets of letters alone
// have no candidates: ordinary words would be some.
func (m *Matcher) Candidates(text string) (all []Candidate) {
	if m == nil || len(m.short) == 0 {
		return nil
	}
	for word := range bytes.FieldsFuncSeq([]byte(text), func(r rune) bool { return r >= utf8.RuneSelf || !letter(byte(r)) && !digit(byte(r)) }) {
		for _, secret := range m.short {
			numbers, digits := len(digitsOf(secret)), len(digitsOf(word))
			if len(word) != len(secret) || numbers == 0 || digits == 0 || (numbers == len(secret)) != (digits == len(word)) {
				continue
			}
			most := maxWordGuesses
			if numbers == len(secret) && numbers < minUnbounded {
				most = maxNumberGuesses
			}
			all = append(all, Candidate{string(word), most})
			break
		}
	}
	return all
}

// Piece is a secret, or a piece of one, that a matcher hides.
type Piece struct {
	Letters string // its letters and digits
	Whole   bool   // it is the whole secret
	Least   int    // letters of the shortest piece that is hidden; more where it is encoded
}

// Pieces returns what Value would hide of a value. What is encoded twice is left
// out.
func Pieces(m *Matcher, v any) (all []Piece) {
	if m.none() {
		return nil
	}
	defer func() {
		if recover() != nil {
			all = nil // Value returns ErrFailed
		}
	}()
	w := walk{}
	w.collect(v)
	s := scan{m: m, src: w.all, unescaped: unescape(w.all)}
	s.onFind = func(letters []byte, f *form) {
		all = append(all, Piece{string(alnum(letters)), len(letters) == len(f.text), f.least})
	}
	s.findDirect()
	s.findSeparated()
	return all
}

// Alnum returns the letters and digits of a text, in lower case: secrets are
// compared by them.
func Alnum(text string) string { return string(alnum([]byte(text))) }
