package mcp

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// refShape matches a reference: as snapshots write it (e12, @e12, ref=e12), or
// as other servers write it (aria-ref=e12, [e12], [ref=e12], ref: e12).
var refShape = regexp.MustCompile(`^(?:((?:@|ref=)?e\d+)|\[?(?:(?:aria-)?ref[=:]\s*)?(e\d+)\]?)$`)

// refOf returns the reference in a word, as snapshots write it; "" if there is
// none.
func refOf(word string) string {
	if found := refShape.FindStringSubmatch(strings.TrimSpace(word)); found != nil {
		return found[1] + found[2]
	}
	return ""
}

// one returns a locator for an act: role, name and text must match exactly one
// element. A name without a role, a text or a selector names a control of any role.
func one(l action.Locator) action.Locator {
	if l.Zero() && l.Name != "" {
		l.Role = anyControl
	}
	l.Strict = (l.Role != "" || l.Text != "") && l.Ref == "" && l.Selector == "" && l.Index == nil
	return l
}

func (e element) locator() action.Locator {
	l := action.Locator{Role: e.Role, Name: e.Name, Index: e.Index}
	for _, word := range []string{e.Ref, e.Target, e.Selector} {
		name(&l, word)
	}
	return l
}

var (
	byText = regexp.MustCompile(`^(?:text=|(?:page\.)?getByText\()\s*["']?(.*?)["']?\s*\)?$`)
	byRole = regexp.MustCompile(`^(?:page\.)?getByRole\(\s*["'](\w+)["']\s*(?:,\s*\{\s*name:\s*["'](.*)["'][^"']*\}\s*)?\)$`)
	roleIs = regexp.MustCompile(`^role=(\w+)(?:\[name=["'](.*)["']i?\])?$`)
)

// name adds to l what a word means, unless l has such a field already: a
// reference in any spelling of other servers, a locator of Playwright, or else
// a CSS selector.
func name(l *action.Locator, word string) {
	word = strings.TrimSpace(word)
	byRole := byRole.FindStringSubmatch(word)
	if byRole == nil {
		byRole = roleIs.FindStringSubmatch(word)
	}
	switch ref := refOf(word); {
	case word == "":
	case ref != "":
		l.Ref = cmp.Or(l.Ref, ref)
	case byRole != nil && l.Role == "":
		l.Role, l.Name = byRole[1], byRole[2]
	case byText.MatchString(word) && l.Text == "":
		l.Text = byText.FindStringSubmatch(word)[1]
	case isDescription(word) && *l == (action.Locator{}):
		describe(l, word)
	default:
		l.Selector = cmp.Or(l.Selector, word)
	}
}

// roleNouns are the words with which a description of an element ends, and the roles that
// they mean.
var roleNouns = map[string]string{
	"button": "button", "btn": "button", "link": "link", "tab": "tab", "checkbox": "checkbox", "switch": "switch", "toggle": "switch",
	"field": anyField, "input": anyField, "box": anyField, "textbox": anyField, "textarea": anyField, "dropdown": anyField, "combobox": anyField,
}

// Roles of a locator that stand for all roles of fields, and of what can be acted on.
const (
	anyField   = "field"
	anyControl = "control"
)

// plainWords are words as people write them, and as selectors are not written.
var plainWords = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N} '’,!?&/-]*$`)

// isDescription reports whether a word is a text of the page or a description, as "Email" and
// "Sign in button". It begins with a capital letter, or one of its words is unknown to HTML.
func isDescription(word string) bool {
	if !plainWords.MatchString(word) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first) || first > unicode.MaxASCII || slices.ContainsFunc(strings.Fields(word), func(w string) bool {
		return atom.Lookup([]byte(strings.ToLower(w))) == 0 && !strings.Contains(w, "-")
	})
}

// describe adds to l what a description says: a role with a name, or a text.
func describe(l *action.Locator, word string) {
	words := strings.Fields(word)
	role := ""
	for len(words) > 1 && roleNouns[strings.ToLower(words[len(words)-1])] != "" {
		role = roleNouns[strings.ToLower(words[len(words)-1])]
		words = words[:len(words)-1]
	}
	if role == "" {
		l.Text = word
		return
	}
	l.Role, l.Name = role, strings.Join(words, " ")
}

// described returns the locator for an act: what the arguments name, or else what they only
// describe.
func (e element) described(l action.Locator) action.Locator {
	if l == (action.Locator{}) && e.Element != "" {
		describe(&l, strings.TrimSpace(e.Element))
	}
	return one(l)
}

// field returns the locator for an act on a field. A text, or a name without a role, is the
// name of the field.
func (e element) field(l action.Locator) action.Locator {
	if l.Zero() && l.Name != "" {
		l.Role = anyField
	}
	if l = e.described(l); l.Text != "" {
		l.Role, l.Name, l.Text = anyField, l.Text, ""
	}
	return one(l)
}
