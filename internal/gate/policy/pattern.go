package policy

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// pattern is a regular expression that is searched without regard to case. For most texts it is enough
// to look for the words that it requires: 50 ns in place of 2 µs.
type pattern struct {
	*regexp.Regexp
	required []string // lower case: one of these is in every ASCII text that matches; nil where that is not known
}

func newPattern(text string) (*pattern, error) {
	if _, err := regexp.Compile(text); err != nil { // alone: the brackets around it could make it valid
		return nil, err
	}
	whole := "(?i)(?:" + text + ")"
	compiled, err := regexp.Compile(whole)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(whole, syntax.Perl)
	if err != nil {
		return nil, err
	}
	return &pattern{Regexp: compiled, required: requiredWords(tree.Simplify())}, nil
}

// in reports whether the pattern is found in a text. lower is the text in lower
// case where it is ASCII, or else empty.
func (p *pattern) in(text, lower string) bool {
	if p.required != nil && lower != "" && !containsAny(lower, p.required) {
		return false
	}
	return p.MatchString(text)
}

func containsAny(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// requiredWords returns words of which every match has one; nil where there are none.
func requiredWords(tree *syntax.Regexp) []string {
	switch tree.Op {
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(tree.Rune))}
	case syntax.OpCapture, syntax.OpPlus:
		return requiredWords(tree.Sub[0])
	case syntax.OpConcat:
		var best []string
		for _, part := range tree.Sub {
			if words := requiredWords(part); words != nil && (best == nil || shortest(words) > shortest(best)) {
				best = words
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, part := range tree.Sub {
			words := requiredWords(part)
			if words == nil {
				return nil
			}
			all = append(all, words...)
		}
		return all
	}
	return nil
}

func shortest(words []string) int {
	least := len(words[0])
	for _, w := range words {
		least = min(least, len(w))
	}
	return least
}
