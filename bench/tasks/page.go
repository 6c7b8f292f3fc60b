// Package tasks has small real tasks done by scripts that read only what MCP
// servers answer, as a model would: with Glovebox, and with other servers that
// drive a browser. What is done is judged by the sites (package sites).
package tasks

import (
	"regexp"
	"strings"
)

// Node is a line of a page as a server writes it: what it is, its words, and
// the reference by which it is acted on.
type Node struct {
	Depth int
	Role  string
	Name  string
	Value string // what is in a field, or the text below it
	Ref   string // its own; of the node it stands in where it has none
	Flags string // the rest of the line: states and attributes
	want  string // what was looked for, in a node that was not found
}

// Page is what a server shows of a page, in the order in which it is read.
type Page []Node

// Fields, by the roles that servers give them.
const (
	field  = "textbox|searchbox|combobox|spinbutton|slider|Date|date|DateTime|InputTime"
	choice = "combobox|listbox|textbox"
	press  = "button|link|menuitem|tab|option|switch|gridcell|cell|treeitem"
)

// Find returns the first node of one of the roles ("button|link"; any when
// empty) with that name: spelt so, or else one that contains it.
func (p Page) Find(roles, name string) Node {
	for _, exact := range []bool{true, false} {
		for _, n := range p {
			if n.Ref != "" && n.is(roles) && n.named(name, exact) {
				return n
			}
		}
	}
	return Node{want: strings.TrimSpace(roles + ` "` + name + `"`)}
}

// Field returns the field with that label, Press the control with that name,
// and Words whatever can be acted on and has these words.
func (p Page) Field(label string) Node { return p.Find(field, label) }

// Press returns the button, link, or other control with that name.
func (p Page) Press(name string) Node { return p.Find(press, name) }

// Words returns what has these words and a reference, whatever it is.
func (p Page) Words(words string) Node { return p.Find("", words) }

// After is the page from the first node with these words on, without it.
func (p Page) After(words string) Page {
	for _, exact := range []bool{true, false} {
		for i, n := range p {
			if n.named(words, exact) {
				return p[i+1:]
			}
		}
	}
	return nil
}

// Before is the page up to the first node with these words.
func (p Page) Before(words string) Page {
	return p[:len(p)-len(p.After(words))]
}

// Last is Find from the end.
func (p Page) Last(roles, name string) Node {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i].Ref != "" && p[i].is(roles) && p[i].named(name, true) {
			return p[i]
		}
	}
	return Node{want: strings.TrimSpace(roles + ` "` + name + `"`)}
}

// Text is all words of the page, a line for each piece.
func (p Page) Text() string {
	var lines []string
	for _, n := range p {
		for _, words := range []string{n.Name, n.Value} {
			if words = strings.TrimSpace(words); words != "" {
				lines = append(lines, words)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// Has reports whether the page shows these words.
func (p Page) Has(words string) bool { return strings.Contains(p.Text(), words) }

// Match returns what the first group of a pattern is in the page's text.
func (p Page) Match(pattern string) string {
	if found := regexp.MustCompile(pattern).FindStringSubmatch(p.Text()); found != nil {
		return found[1]
	}
	return ""
}

func (n Node) is(roles string) bool {
	if roles == "" {
		return true
	}
	for role := range strings.SplitSeq(roles, "|") {
		if n.Role == role {
			return true
		}
	}
	return false
}

func (n Node) named(words string, exact bool) bool {
	words = strings.TrimSpace(words)
	if exact {
		return strings.TrimSpace(n.Name) == words || strings.TrimSpace(n.Value) == words
	}
	return strings.Contains(n.Name, words) || strings.Contains(n.Value, words)
}
