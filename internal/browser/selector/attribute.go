package selector

import (
	"fmt"
	"slices"
	"strings"
)

// comparable are the attributes that may be compared with a whole value: they tell
// what an element is for. Each selector compares with one value, so that an agent
// cannot find out a value that is hard to guess.
var comparable = []string{"alt", "autocomplete", "class", "dir", "for", "href", "id", "inputmode", "lang", "method", "name", "placeholder",
	"rel", "role", "scope", "tabindex", "target", "title", "type"}

// testable are other attributes whose presence may be tested.
var testable = []string{"checked", "contenteditable", "controls", "disabled", "download", "draggable", "hidden", "multiple", "open", "readonly",
	"required", "selected", "src"}

// Harmless reports whether agents may read the value of an attribute in a session with
// credentials: one that describes the element, not one that holds its content or is
// sent to a server.
func Harmless(name string) bool {
	return isComparable(name) || name == "src" || slices.Contains(testable, name)
}

func isComparable(name string) bool {
	return slices.Contains(comparable, name) || strings.HasPrefix(name, "aria-")
}

// attribute reads an attribute selector, after its bracket.
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
	case !isComparable(name):
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

// value reads the value that an attribute is compared with.
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
