// Package scan looks for credentials in what is about to be sent: texts in,
// kinds of credentials out. It keeps and shows nothing of what it finds.
//
// Most of what it knows is the rule set of gitleaks, as data (gitleaks.json);
// what people and models type, rather than commit, is in own.go.
package scan

import (
	"slices"
	"strings"
)

// How much is looked through: of one text so much from its beginning and again
// at its end, and of what follows when that was much in all, less.
const (
	most   = 1 << 20 // bytes
	inFull = 8 << 20 // bytes, of all texts of a call
	least  = 1 << 15 // bytes
)

// Text is one text of a call.
type Text struct {
	Field string // the argument it stands in, "text" or "files.0.bytes"
	Label string // what the page or the call says the text is, such as a field's name; may be empty
	File  string // name of the file it is the content of; may be empty
	Value string

	every bool // while arguments are read: nothing is left out
}

// Finding says that a text holds what looks like a credential, and of which
// kind. It holds nothing of the text.
type Finding struct {
	Kind  string `json:"kind"`  // "github-pat", "card-number"
	Field string `json:"field"` // as Text has it
}

// Scanner looks for credentials. The zero Scanner knows every kind, and no test
// values but the documented ones. It is safe for concurrent use.
type Scanner struct {
	test []string // values that are no secrets here
}

// New makes a scanner that lets the values of test pass, besides the examples
// that are published as such.
func New(test []string) *Scanner {
	return &Scanner{test: slices.Clone(test)}
}

// Find returns what looks like credentials in texts, each kind once for each
// field.
func (s *Scanner) Find(texts ...Text) []Finding {
	var found []Finding
	left := inFull
	for _, text := range texts {
		size := min(most, max(least, left/2))
		left -= min(len(text.Value), 2*size)
		for _, form := range forms(text, size) {
			for _, kind := range s.findKinds(form, text) {
				f := Finding{Kind: kind, Field: text.Field}
				if !slices.Contains(found, f) {
					found = append(found, f)
				}
			}
		}
	}
	return found
}

// findKinds lists what is in one form of a text.
func (s *Scanner) findKinds(form string, text Text) []string {
	var kinds []string
	pass := func(secret string) bool { return isExample(secret, s.test) }
	theRules().search(form, text.File, func(kind, secret string) {
		if !pass(secret) {
			kinds = append(kinds, kind)
		}
	})
	if hasCard(form, pass) {
		kinds = append(kinds, "card-number")
	}
	return kinds
}

// isExample reports whether a secret is one that everybody may know.
func isExample(secret string, test []string) bool {
	for _, list := range [][]string{examples, test} {
		for _, value := range list {
			if strings.Contains(value, secret) || strings.Contains(secret, value) && len(secret) <= len(value)+slack {
				return true
			}
		}
	}
	return false
}

const slack = 8 // bytes of quotes and the like that a rule takes for part of a secret
