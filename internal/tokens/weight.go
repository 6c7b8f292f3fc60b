// Package tokens says how many tokens of a language model a text takes, at
// most, without a vocabulary: text in, number out.
package tokens

import (
	_ "embed"
	"math"
	"strings"
	"unicode"
)

// What the vocabulary o200k does to texts, as counted by the test beside this:
// no word of it is here.
var (
	// starts says for each two neighbours, of letters, signs and the end of a
	// line, how often a token starts between them: 255 is always.
	//go:embed starts.bin
	starts string
	// runes says of how many tokens each rune below 65,536 is by itself, in two
	// bits.
	//go:embed runes.bin
	runes string
)

const (
	kinds  = 97   // 95 printable signs of ASCII, the end of a line, and all else
	odd    = 1.4  // what a token more in each letter adds to a word, whose letters do not meet by chance
	usual  = 5    // letters of a word that is in every vocabulary
	long   = 0.08 // tokens for each letter more
	margin = 1.04
	slack  = 8 // tokens: of a short text the average says little
)

// Of returns how many tokens a text takes, at most. On pages of the web that is
// 8 to 18 % too much, in scripts that join letters, as the Cyrillic, more. Only
// of a text that says one thing over and over it may be a few in a hundred too
// little, since that has no average.
func Of(text string) int {
	var s Sum
	s.Add(text)
	return s.Tokens()
}

// Sum is the weight of a text that grows. The zero Sum is empty; a copy goes
// its own way.
type Sum struct {
	tokens  float64
	before  int     // kind of the sign before
	apart   bool    // after the sign before a token starts for sure
	digits  int     // in a row; three make a token
	word    float64 // tokens of the letters of the word so far, its first aside
	letters int
}

// Add adds text at the end.
func (s *Sum) Add(text string) {
	for _, r := range text {
		s.add(r)
	}
}

// Spaces adds a line's indent.
func (s *Sum) Spaces(count int) {
	for range count {
		s.add(' ')
	}
}

// Tokens returns how many tokens the text so far takes, at most.
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

// endWord adds a word. One whose letters seldom follow each other is of more
// tokens than the pairs say: a key, a name.
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

// own is how many tokens a rune takes by itself.
func own(r rune) float64 {
	if r > 0xffff {
		return 4 // bytes: no token is shorter
	}
	return float64(runes[r/4]>>(r%4*2)&3) + 1
}

// Head returns as much of the beginning of a text as takes so many tokens at
// most, cut between words where it can be.
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
