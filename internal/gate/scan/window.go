package scan

import (
	"regexp/syntax"
	"slices"
)

// matchRange is how far a match of a rule can reach from its keyword.
type matchRange struct {
	before, after int  // bytes
	word          bool // to the end of the word: a secret may have any length
	all           bool // to the end of the text
}

const (
	defaultBefore = 256     // bytes before a keyword, of rules that do not begin with it
	defaultAfter  = 1024    // bytes behind it, where the pattern has no limit
	maxWord       = 1 << 16 // bytes
)

// matchRangeOf derives the range from a rule's pattern.
func matchRangeOf(regex string) matchRange {
	parsed, err := syntax.Parse(regex, syntax.Perl)
	if err != nil {
		return matchRange{before: defaultBefore, all: true}
	}
	length, bounded, spaced := extent(parsed)
	switch {
	case bounded:
		return matchRange{before: min(length, defaultBefore), after: length}
	case spaced:
		return matchRange{before: defaultBefore, all: true}
	}
	return matchRange{before: defaultBefore, after: defaultAfter, word: true}
}

// extent returns the length of the longest match in bytes, whether that is bounded, and
// whether an unbounded part may match white space.
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

// span is a part of a text.
type span struct{ from, to int }

// around returns the part of a text that has the match with the keyword at from to to.
// It begins and ends at white space, so that a rule finds the same in it as in the whole
// text.
func (r matchRange) around(text string, from, to int) (span, bool) {
	s := span{from: wordStart(text, max(0, from-r.before)), to: min(len(text), to+r.after)}
	switch {
	case r.all:
		s.to = len(text)
	case r.word:
		s.to = wordEnd(text, s.to, maxWord)
	default:
		s.to = wordEnd(text, s.to, defaultBefore)
	}
	return s, true
}

// aroundAssignment is around for rules that match an assignment, such as token = "…":
// there can only be a match where an assignment sign and a long enough value follow.
func aroundAssignment(text string, from, to int) (span, bool) {
	at := skip(text, to, 48, isName)
	value := skip(text, at, 16, isAssignment)
	end := wordEnd(text, value, maxWord)
	if value == at || end-value < minSecret {
		return span{}, false
	}
	return span{from: wordStart(text, max(0, from-64)), to: end}, true
}

const minSecret = 8 // bytes of the shortest secret of any rule

// isName reports whether b may be between the keyword and the assignment sign.
func isName(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '.' || b == '-' || b == '\'' || b == '"' || isSpace(b)
}

// isAssignment reports whether b is part of an assignment sign, or between the sign and
// the value.
func isAssignment(b byte) bool {
	switch b {
	case '=', '>', ':', '|', '?', ',', '`', '\'', '"', '\\':
		return true
	}
	return isSpace(b)
}

// skip returns the offset behind the bytes for which is is true, of at most so many.
func skip(text string, at, most int, is func(byte) bool) int {
	for end := min(len(text), at+most); at < end && is(text[at]); {
		at++
	}
	return at
}

// wordEnd is where the word at an offset ends, or the offset most bytes away.
func wordEnd(text string, at, most int) int {
	return skip(text, at, most, func(b byte) bool { return !isSpace(b) })
}

// wordStart is where the word at an offset begins, or the offset defaultBefore away.
func wordStart(text string, at int) int {
	for least := max(0, at-defaultBefore); at > least && !isSpace(text[at-1]); {
		at--
	}
	return at
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }
