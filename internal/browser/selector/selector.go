// Package selector parses the CSS selectors that agents may use in sessions with
// credentials. They may name structure and state, and cannot be used to guess the
// value of an attribute piece by piece. The package accepts less than Selectors
// Level 4: it refuses what it does not know.
package selector

import (
	"fmt"
	"strings"
)

const (
	maxBytes   = 4096 // of a selector
	maxDepth   = 8    // of selectors inside of selectors
	maxSimples = 200  // simple selectors
)

// Read parses a selector list and returns it as CSSOM writes it, so that a browser
// reads the same as this package. The error tells people what is refused.
func Read(text string) (string, error) {
	if len(text) > maxBytes {
		return "", fmt.Errorf("it is longer than %d bytes", maxBytes)
	}
	r := &reader{in: newline.Replace(text)}
	list, err := r.list(nesting{})
	if err == nil && !r.done() {
		err = r.unexpected()
	}
	return list, err
}

// newline replaces line ends as CSS Syntax Level 3 does (section 3.3).
var newline = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\f", "\n")

// nesting describes the selectors around the one that is being read.
type nesting struct {
	depth    int
	has      bool // it is inside of :has(), which may not nest
	relative bool // it may begin with a combinator
}

// list reads complex selectors up to the end or a closing parenthesis.
func (r *reader) list(at nesting) (string, error) {
	if at.depth > maxDepth {
		return "", fmt.Errorf("it nests more than %d deep", maxDepth)
	}
	var all []string
	for {
		one, err := r.complex(at)
		if err != nil {
			return "", err
		}
		all = append(all, one)
		if !r.take(",") {
			return strings.Join(all, ", "), nil
		}
	}
}

// complex reads compound selectors with the combinators between them.
func (r *reader) complex(at nesting) (string, error) {
	var out strings.Builder
	r.space()
	if c := r.combinator(); c != "" {
		if !at.relative {
			return "", fmt.Errorf("it begins with %q", c)
		}
		out.WriteString(c + " ")
		r.space()
	}
	for {
		one, err := r.compound(at)
		if err != nil {
			return "", err
		}
		out.WriteString(one)
		spaced := r.space()
		c := r.combinator()
		switch {
		case c != "":
			out.WriteString(" " + c + " ")
			r.space()
		case r.done() || r.peek() == ',' || r.peek() == ')':
			return out.String(), nil
		case spaced:
			out.WriteString(" ")
		default:
			return "", r.unexpected()
		}
	}
}

// combinator reads >, + or ~. It returns "" if none comes next.
func (r *reader) combinator() string {
	for _, c := range []string{">", "+", "~"} {
		if r.take(c) {
			return c
		}
	}
	return ""
}

// compound reads the simple selectors of one element.
func (r *reader) compound(at nesting) (string, error) {
	tag, err := r.tag()
	if err != nil {
		return "", err
	}
	var rest strings.Builder
	for {
		one, err := r.simple(at)
		if err != nil {
			return "", err
		}
		if one == "" {
			break
		}
		rest.WriteString(one)
	}
	if tag == "" && rest.Len() == 0 {
		return "", r.unexpected()
	}
	if tag == "*" && rest.Len() > 0 {
		tag = "" // as CSSOM writes it
	}
	return tag + rest.String(), nil
}

// tag reads a type selector or *. It returns "" if none comes next.
func (r *reader) tag() (string, error) {
	if r.take("*") {
		return "*", r.count()
	}
	if !r.identNext() {
		return "", nil
	}
	name, err := r.ident()
	if err != nil {
		return "", err
	}
	return serialized(name), r.count()
}

// simple reads one id, class, attribute or pseudo-class. It returns "" if none comes
// next.
func (r *reader) simple(at nesting) (string, error) {
	var one string
	var err error
	switch {
	case r.take("#"):
		one, err = r.named("#")
	case r.take("."):
		one, err = r.named(".")
	case r.take("["):
		one, err = r.attribute()
	case r.take("::"):
		return "", fmt.Errorf("it names a pseudo-element")
	case r.take(":"):
		one, err = r.pseudo(at)
	default:
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return one, r.count()
}

// named reads the name after the sign of an id or a class.
func (r *reader) named(sign string) (string, error) {
	name, err := r.ident()
	return sign + serialized(name), err
}

// count counts a simple selector.
func (r *reader) count() error {
	if r.simples++; r.simples > maxSimples {
		return fmt.Errorf("it has more than %d parts", maxSimples)
	}
	return nil
}
