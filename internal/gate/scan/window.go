package scan

import (
	"regexp/syntax"
	"slices"
)

// matchRange is how far from its keyword a match of a rule can lie.
type matchRange struct {
	before, after int  // bytes
	word          bool // and on to the end of the word, for a secret of any length
	all           bool // and on to the end of the text
}

const (
	near    = 256     // bytes before a keyword, of rules that do not begin with it
	far     = 1024    // bytes behind it, where no rule says how far
	longest = 1 << 16 // bytes of one word
)

// matchRangeOf reads it out of a rule's pattern.
func matchRangeOf(regex string) matchRange {
	parsed, err := syntax.Parse(regex, syntax.Perl)
	if err != nil {
		return matchRange{before: near, all: true}
	}
	length, bounded, spaced := extent(parsed)
	switch {
	case bounded:
		return matchRange{before: min(length, near), after: length}
	case spaced:
		return matchRange{before: near, all: true}
	}
	return matchRange{before: near, after: far, word: true}
}

// extent returns how long a match can be, in bytes; whether that is bounded,
// and if not whether what has no bound may hold white space.
func extent(re *syntax.Regexp) (length int, bounded, spaced bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune) * 4, true, false
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 4, true, false
	case syntax.OpStar, syntax.OpPlus:
		return 0, false, mayBeSpace(re.Sub[0])
	case syntax.OpRepeat:
		length, bounded, spaced = extent(re.Sub[0])
		if re.Max < 0 {
			return 0, false, spaced || mayBeSpace(re.Sub[0])
		}
		return length * re.Max, bounded, spaced
	case syntax.OpAlternate:
		return together(re.Sub, func(a, b int) int { return max(a, b) })
	}
	return together(re.Sub, func(a, b int) int { return a + b })
}

func together(parts []*syntax.Regexp, join func(a, b int) int) (length int, bounded, spaced bool) {
	bounded = true
	for _, part := range parts {
		l, b, s := extent(part)
		length, bounded, spaced = join(length, l), bounded && b, spaced || s
	}
	return length, bounded, spaced
}

// mayBeSpace reports whether re can match white space.
func mayBeSpace(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i] <= ' ' && re.Rune[i+1] >= ' ' || re.Rune[i] <= '\n' && re.Rune[i+1] >= '\n' {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(re.Sub, mayBeSpace)
}

// span is a piece of a text.
type span struct{ from, to int }

// around is the piece that a match with the keyword at from to to lies in. It
// begins and ends beside white space, where a rule finds the same as in the
// whole text.
func (r matchRange) around(text string, from, to int) (span, bool) {
	s := span{from: wordStart(text, max(0, from-r.before)), to: min(len(text), to+r.after)}
	switch {
	case r.all:
		s.to = len(text)
	case r.word:
		s.to = wordEnd(text, s.to, longest)
	default:
		s.to = wordEnd(text, s.to, near)
	}
	return s, true
}

// assigned is around for rules of words that something is given to, such as
// token = "…": only where the word is followed by a sign for that, and by
// something long enough.
func assigned(text string, from, to int) (span, bool) {
	at := skip(text, to, 48, isName)
	value := skip(text, at, 16, isGiving)
	end := wordEnd(text, value, longest)
	if value == at || end-value < leastSecret {
		return span{}, false
	}
	return span{from: wordStart(text, max(0, from-64)), to: end}, true
}

const leastSecret = 8 // bytes of what any rule takes for one

// isName reports whether b can stand between the word and the sign.
func isName(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '.' || b == '-' || b == '\'' || b == '"' || isSpace(b)
}

// isGiving reports whether b is of a sign for giving, or between it and what
// is given.
func isGiving(b byte) bool {
	switch b {
	case '=', '>', ':', '|', '?', ',', '`', '\'', '"', '\\':
		return true
	}
	return isSpace(b)
}

// skip is where the bytes end, most at most, for which is holds.
func skip(text string, at, most int, is func(byte) bool) int {
	for end := min(len(text), at+most); at < end && is(text[at]); {
		at++
	}
	return at
}

// wordEnd is where the word around at ends, most bytes away at most.
func wordEnd(text string, at, most int) int {
	return skip(text, at, most, func(b byte) bool { return !isSpace(b) })
}

// wordStart is where the word around at begins, or a place near enough.
func wordStart(text string, at int) int {
	for least := max(0, at-near); at > least && !isSpace(text[at-1]); {
		at--
	}
	return at
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }
