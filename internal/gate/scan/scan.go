// Package scan finds credentials in texts that are about to be sent, and returns their
// kinds. It neither keeps nor returns what it finds.
//
// Most rules are those of gitleaks, as data (gitleaks.json). Rules for what people and
// models type, rather than commit, are in own.go.
package scan

import (
	"slices"
	"strings"
)

// Of each text so many bytes are scanned from its beginning and from its end: maxEnd, and
// less, but at least minEnd, once maxTotal bytes of the call's texts are nearly reached.
const (
	maxEnd   = 1 << 20
	minEnd   = 1 << 15
	maxTotal = 8 << 20
)

// Text is one text of a call.
type Text struct {
	Field string // the argument that has it: "text", "files.0.bytes"
	Label string // of the page's field, or in the call; may be empty
	File  string // name of the file that has it as content; may be empty
	Value string

	every bool // while arguments are read: also texts that only look something up
}

// Finding is the kind of a credential that a text seems to have. It has nothing of the
// text.
type Finding struct {
	Kind  string `json:"kind"`  // "github-pat", "card-number"
	Field string `json:"field"` // as in Text
}

// Scanner finds credentials. The zero Scanner finds every kind, and lets only published
// examples pass. It is safe for concurrent use.
type Scanner struct {
	test []string // values that are no secrets here
}

// New makes a scanner that lets the values of test pass, and published examples.
func New(test []string) *Scanner {
	return &Scanner{test: slices.Clone(test)}
}

// Find returns the findings in texts, each kind once for each field.
func (s *Scanner) Find(texts ...Text) []Finding {
	var found []Finding
	left := maxTotal
	for _, text := range texts {
		size := min(maxEnd, max(minEnd, left/2))
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

// findKinds returns the kinds of credentials in one form of a text.
func (s *Scanner) findKinds(form string, text Text) []string {
	var kinds []string
	pass := func(secret string) bool { return isExample(secret, s.test) }
	loadRules().search(form, text.File, func(kind, secret string) {
		if !pass(secret) {
			kinds = append(kinds, kind)
		}
	})
	if hasCard(form, pass) {
		kinds = append(kinds, "card-number")
	}
	return kinds
}

// isExample reports whether a secret is a published example or a test value.
func isExample(secret string, test []string) bool {
	for _, list := range [][]string{examples, test} {
		for _, value := range list {
			if strings.Contains(value, secret) || strings.Contains(secret, value) && len(secret) <= len(value)+maxAround {
				return true
			}
		}
	}
	return false
}

const maxAround = 8 // bytes around a secret, such as quotes, that a rule may match too
