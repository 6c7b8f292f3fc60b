package redact

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Guesses reports whether a text that somebody sends has in it what the matcher
// hides, or would once a browser has shortened it or changed its letters: short
// secrets count inside of words and numbers, in any case, and with other
// characters between theirs.
func (m *Matcher) Guesses(text []byte) bool {
	if m.none() || len(text) == 0 {
		return false
	}
	if !utf8.Valid(text) {
		left := int64(unpacked)
		return m.inBinary(text) || m.packed(text, &left, 0)
	}
	if m.Has(text) {
		return true
	}
	folded := norm.NFKC.Bytes(text)
	if !bytes.Equal(folded, text) && m.Has(folded) {
		return true
	}
	if len(m.short) == 0 {
		return false
	}
	return m.guessesShort(folded) || m.guessesShort(turned(folded))
}

// guessesShort looks for short secrets in the letters and digits of a text, and
// for numbers in its digits.
func (m *Matcher) guessesShort(text []byte) bool {
	for _, form := range []*plain{{text: text}, unescape(text)} {
		if form == nil {
			continue
		}
		bare := bareOf(form.text)
		digits := digitsOf(bare)
		for _, secret := range m.short {
			if bytes.Contains(bare, secret) || len(digitsOf(secret)) == len(secret) && bytes.Contains(digits, secret) {
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
	fewGuesses  = 32  // different numbers of the length of a secret number of five digits or fewer
	someGuesses = 256 // different words like another short secret
)

// Candidate is a word that could be a guess at a short secret.
type Candidate struct {
	Word string
	Most int // so many different words of this length and kind may be sent
}

// Candidates are the words of a text that have the length of a short secret, and
// digits where it has, and letters where it has. Secrets of letters alone have
// none: ordinary words would be candidates.
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
			most := someGuesses
			if numbers == len(secret) && numbers < alone {
				most = fewGuesses
			}
			all = append(all, Candidate{string(word), most})
			break
		}
	}
	return all
}

// Piece is what a matcher hides of a text: its letters and digits, and whether
// they are all of a secret.
type Piece struct {
	Letters string
	Whole   bool
	Least   int // letters that must be there to be hidden; more where it is encoded
}

// Pieces returns what Value would hide of a value, read without what stands
// between the letters. What is encoded twice is left out.
func Pieces(m *Matcher, v any) (all []Piece) {
	if m.none() {
		return nil
	}
	defer func() {
		if recover() != nil {
			all = nil // Value hands nothing out then
		}
	}()
	w := walk{}
	w.gather(v)
	h := hunt{m: m, src: w.all, read: unescape(w.all)}
	h.tell = func(letters []byte, f *form) {
		all = append(all, Piece{string(bareOf(letters)), len(letters) == len(f.text), f.least})
	}
	h.plainly()
	h.apart()
	return all
}

// Letters are the letters and digits of a text, in lower case, as secrets are
// compared.
func Letters(text string) string { return string(bareOf([]byte(text))) }
