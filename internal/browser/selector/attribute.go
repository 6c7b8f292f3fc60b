package selector

import (
	"fmt"
	"slices"
	"strings"
)

// compared are the attributes that may be compared with a whole value: they say
// what an element is for. Each question asks for one value, so that nothing that
// is hard to guess is learned from the answers.
var compared = []string{"alt", "autocomplete", "class", "dir", "for", "href", "id", "inputmode", "lang", "method", "name", "placeholder",
	"rel", "role", "scope", "tabindex", "target", "title", "type"}

// present are those of which it may be asked, beside these, whether they are
// there.
var present = []string{"checked", "contenteditable", "controls", "disabled", "download", "draggable", "hidden", "multiple", "open", "readonly",
	"required", "selected", "src"}

// Harmless reports whether what an attribute holds may be handed to agents in a
// session with credentials: what it says of an element, never what was put into
// it or travels with it.
func Harmless(name string) bool {
	return comparable(name) || name == "src" || slices.Contains(present, name)
}

func comparable(name string) bool {
	return slices.Contains(compared, name) || strings.HasPrefix(name, "aria-")
}

// attribute reads what follows a bracket.
func (r *reader) attribute() (string, error) {
	r.space()
	name, err := r.plain()
	if err != nil {
		return "", err
	}
	r.space()
	switch {
	case r.take("]"):
		if !Harmless(name) {
			return "", refusedAttribute(name)
		}
		return "[" + name + "]", nil
	case !r.take("="):
		return "", fmt.Errorf("[%s] may be there or equal a whole value, and nothing else may be asked of it", name)
	case !comparable(name):
		return "", refusedAttribute(name)
	}
	r.space()
	value, err := r.value()
	if err != nil {
		return "", err
	}
	if r.space(); !r.take("]") {
		return "", r.unexpected()
	}
	return "[" + name + `="` + value + `"]`, nil
}

func (r *reader) value() (string, error) {
	if q := r.peek(); q == '"' || q == '\'' {
		return r.quoted()
	}
	text, err := r.ident()
	if strings.ContainsAny(text, `"\`) {
		return "", r.unexpected()
	}
	return text, err
}

func refusedAttribute(name string) error {
	return fmt.Errorf("nothing may be asked of the attribute %s", name)
}
