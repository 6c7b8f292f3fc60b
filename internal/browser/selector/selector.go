// Package selector reads the CSS selectors that agents may use in sessions with
// credentials: such as ask for structure and state, and cannot be used to guess
// what is in an attribute piece by piece. It is stricter than Selectors Level 4:
// what it does not know it refuses.
package selector

import (
	"fmt"
	"strings"
)

const (
	longest = 4096 // bytes of a selector
	deepest = 8    // of selectors inside of selectors
	most    = 200  // simple selectors
)

// Read returns a selector list as CSSOM writes it, so that what a browser gets
// is what was read here. The error says in words for people what is not taken.
func Read(text string) (string, error) {
	if len(text) > longest {
		return "", fmt.Errorf("it is longer than %d bytes", longest)
	}
	r := &reader{in: newline.Replace(text)}
	list, err := r.list(inside{})
	if err == nil && !r.done() {
		err = r.unexpected()
	}
	return list, err
}

// newline folds line ends as CSS Syntax Level 3 does, section 3.3.
var newline = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\f", "\n")

// inside is what a selector is read inside of.
type inside struct {
	depth    int
	has      bool // :has(), which does not nest
	relative bool // a combinator may come first
}

// list reads complex selectors up to the end or a closing parenthesis.
func (r *reader) list(at inside) (string, error) {
	if at.depth > deepest {
		return "", fmt.Errorf("it nests more than %d deep", deepest)
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

// complex reads compounds and what stands between them.
func (r *reader) complex(at inside) (string, error) {
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

// combinator reads > + or ~; descendants have none.
func (r *reader) combinator() string {
	for _, c := range []string{">", "+", "~"} {
		if r.take(c) {
			return c
		}
	}
	return ""
}

// compound reads the simple selectors of one element.
func (r *reader) compound(at inside) (string, error) {
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

// tag reads a type selector or *, where there is one.
func (r *reader) tag() (string, error) {
	if r.take("*") {
		return "*", r.count()
	}
	if !r.begins() {
		return "", nil
	}
	name, err := r.ident()
	if err != nil {
		return "", err
	}
	return written(name), r.count()
}

// simple reads one id, class, attribute or pseudo-class; empty where there is
// none.
func (r *reader) simple(at inside) (string, error) {
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

func (r *reader) named(sign string) (string, error) {
	name, err := r.ident()
	return sign + written(name), err
}

func (r *reader) count() error {
	if r.simples++; r.simples > most {
		return fmt.Errorf("it has more than %d parts", most)
	}
	return nil
}
