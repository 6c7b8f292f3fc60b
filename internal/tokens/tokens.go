// Package tokens estimates, without a vocabulary, how many tokens of a language
// model a text has. The estimate is an upper bound.
package tokens

import (
	_ "embed"
	"math"
	"strings"
	"unicode"
)

// Statistics of the vocabulary o200k, counted by the test of this package. They
// contain no word of the vocabulary.
var (
	// starts has, for each pair of neighbouring characters (letters, signs and
	// the end of a line), the frequency of a token start between them: 255 means
	// always.
	//go:embed starts.bin
	starts string
	// runes has the number of tokens of each rune below 65,536 by itself, in two
	// bits.
	//go:embed runes.bin
	runes string
)

const (
	kinds  = 97   // 95 printable ASCII characters, the end of a line, and all others
	odd    = 1.4  // weight of rare pairs of letters in a word: they are not independent
	usual  = 5    // letters up to which a word is assumed to be in the vocabulary
	long   = 0.08 // tokens for each further letter
	margin = 1.04
	slack  = 8 // tokens; the average is not reliable for short texts
)

// Of returns an upper bound of the number of tokens of a text. For web pages it
// is 8 to 18 % too high, and more for other alphabets, such as Cyrillic. It can
// be a few percent too low only for a text that repeats the same thing many
// times.
func Of(text string) int {
	var s Sum
	s.Add(text)
	return s.Tokens()
}

// Sum estimates the tokens of a text that grows. The zero Sum is empty. A copy is
// independent.
type Sum struct {
	tokens  float64
	before  int     // kind of the last character
	apart   bool    // a token always starts after the last character
	digits  int     // consecutive ones; three are one token
	word    float64 // tokens of the current word without its first letter
	letters int
}

// Add appends text.
func (s *Sum) Add(text string) {
	for _, r := range text {
		s.add(r)
	}
}

// Spaces appends the indentation of a line.
func (s *Sum) Spaces(count int) {
	for range count {
		s.add(' ')
	}
}

// Tokens returns the upper bound for the text so far.
func (s Sum) Tokens() int {
	s.endWord()
	return int(math.Ceil(s.tokens*margin)) + slack
}

func (s *Sum) add(r rune) {
	at := kind(r)
	switch {
	case at == kinds-1:
		s.endWord()
		s.tokens += own(r)
		s.before, s.digits, s.apart = at, 0, own(r) > 1 || !unicode.IsLetter(r)
		return
	case r >= '0' && r <= '9':
		s.endWord()
		if s.digits++; s.digits%3 == 1 {
			s.tokens++
		}
		s.before, s.apart = at, false
		return
	case letter(r) && s.letters > 0:
		s.word += between(s.before, at)
		s.letters++
	default:
		s.endWord()
		if s.apart {
			s.tokens++
		} else {
			s.tokens += between(s.before, at)
		}
		if letter(r) {
			s.letters = 1
		}
	}
	s.before, s.digits, s.apart = at, 0, false
}

// endWord adds the tokens of a word. A word with rare pairs of letters, such as a
// key or a name, has more tokens than its pairs suggest.
func (s *Sum) endWord() {
	if s.letters > 0 {
		s.tokens += s.word*(1+odd*s.word/float64(s.letters)) + long*float64(max(0, s.letters-usual))
	}
	s.word, s.letters = 0, 0
}

func letter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

func kind(r rune) int {
	switch {
	case r == '\n':
		return 0
	case r >= ' ' && r <= '~':
		return int(r-' ') + 1
	}
	return kinds - 1
}

func between(before, after int) float64 { return float64(starts[before*kinds+after]) / 255 }

// own returns how many tokens a rune is by itself.
func own(r rune) float64 {
	if r > 0xffff {
		return 4 // bytes: no token is shorter
	}
	return float64(runes[r/4]>>(r%4*2)&3) + 1
}

// Head returns the longest beginning of a text with at most this many tokens, cut
// between words if possible.
func Head(text string, most int) string {
	var s Sum
	end := len(text)
	for i, r := range text {
		if s.add(r); s.Tokens() > most {
			end = i
			break
		}
	}
	if end == len(text) {
		return text
	}
	if at := strings.LastIndexByte(text[:end], ' '); at > end/2 {
		end = at
	}
	return text[:end]
}
