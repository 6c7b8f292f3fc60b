package scan

import (
	"regexp"
	"strings"
)

// candidate is a match of a rule.
type candidate struct {
	secret, match, line, file string
}

// isExcepted reports whether one of the exceptions applies to c.
func (c candidate) isExcepted(except []exception) bool {
	for i := range except {
		if c.matches(&except[i]) {
			return true
		}
	}
	return false
}

func (c candidate) matches(e *exception) bool {
	e.once.Do(func() { e.regexes, e.files = compiled(e.Regexes), compiled(e.Files) })
	text := c.secret
	switch e.Target {
	case "match":
		text = c.match
	case "line":
		text = c.line
	}
	byRegex, byWord := anyMatches(e.regexes, text), hasWord(c.secret, e.Words)
	if !e.All {
		return byRegex || byWord
	}
	return (len(e.regexes) == 0 || byRegex) && (len(e.Words) == 0 || byWord) &&
		(len(e.files) == 0 || c.file != "" && anyMatches(e.files, c.file))
}

// careless is an exception of gitleaks that lacks brackets: it excepts every text with
// "false" in it. careful is what it means.
const careless, careful = `(?i)^true|false|null$`, `(?i)^(?:true|false|null)$`

func compiled(patterns []string) []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, p := range patterns {
		if p == careless {
			p = careful
		}
		all = append(all, regexp.MustCompile(p))
	}
	return all
}

func anyMatches(patterns []*regexp.Regexp, text string) bool {
	for _, p := range patterns {
		if p.MatchString(text) {
			return true
		}
	}
	return false
}

func hasWord(secret string, words []string) bool {
	secret = strings.ToLower(secret)
	for _, w := range words {
		if strings.Contains(secret, w) {
			return true
		}
	}
	return false
}

// lineOf returns the whole lines of a part of a text.
func lineOf(text string, from, to int) string {
	from = strings.LastIndexByte(text[:from], '\n') + 1
	if end := strings.IndexByte(text[to:], '\n'); end >= 0 {
		return text[from : to+end]
	}
	return text[from:]
}
