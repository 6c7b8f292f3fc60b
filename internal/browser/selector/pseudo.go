package selector

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// states are the accepted pseudo-classes without arguments, of state and structure.
var states = []string{"active", "any-link", "checked", "default", "disabled", "empty", "enabled", "first-child", "first-of-type", "focus",
	"focus-visible", "focus-within", "hover", "in-range", "indeterminate", "invalid", "last-child", "last-of-type", "link", "modal", "only-child",
	"only-of-type", "optional", "out-of-range", "placeholder-shown", "popover-open", "read-only", "read-write", "required", "root", "target", "valid"}

// pseudo reads a pseudo-class, after its colon.
func (r *reader) pseudo(at nesting) (string, error) {
	name, err := r.plain()
	if err != nil {
		return "", err
	}
	if !r.take("(") {
		if !slices.Contains(states, name) {
			return "", fmt.Errorf(":%s is not taken", name)
		}
		return ":" + name, nil
	}
	inner, err := r.argument(name, at)
	if err != nil {
		return "", err
	}
	if r.space(); !r.take(")") {
		return "", r.unexpected()
	}
	return ":" + name + "(" + inner + ")", nil
}

// argument reads the argument of a pseudo-class.
func (r *reader) argument(name string, at nesting) (string, error) {
	at.depth, at.relative = at.depth+1, false
	switch name {
	case "is", "not", "where":
		return r.list(at)
	case "has":
		if at.has {
			return "", fmt.Errorf(":has() is inside of :has()")
		}
		at.has, at.relative = true, true
		return r.list(at)
	case "nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type":
		return r.nth()
	}
	return "", fmt.Errorf(":%s() is not taken", name)
}

// formula is An+B (CSS Syntax Level 3, section 6), with the parenthesis after it.
var formula = regexp.MustCompile(`^[ \t\n]*(?:(even)|(odd)|([+-]?[0-9]{1,6})|([+-]?[0-9]{0,6})n(?:[ \t\n]*([+-])[ \t\n]*([0-9]{1,6}))?)[ \t\n]*\)`)

// nth reads An+B up to the closing parenthesis, and returns it as CSSOM writes it.
func (r *reader) nth() (string, error) {
	m := formula.FindStringSubmatch(strings.ToLower(r.in[r.at:]))
	if m == nil {
		return "", fmt.Errorf("of elements it is counted by an+b, even or odd alone")
	}
	r.at += len(m[0]) - 1
	switch {
	case m[1] != "":
		return "2n", nil
	case m[2] != "":
		return "2n+1", nil
	case m[3] != "":
		return strconv.Itoa(number(m[3])), nil
	}
	step, first := number(m[4]), number(m[5]+m[6])
	if m[4] == "" || m[4] == "+" || m[4] == "-" {
		step = number(m[4] + "1")
	}
	return serializedNth(step, first), nil
}

// number converts a sign and digits; it returns 0 for no digits.
func number(text string) int {
	n, _ := strconv.Atoi(text) // at most six digits
	return n
}

// serializedNth returns An+B as CSSOM writes it.
func serializedNth(a, b int) string {
	out := ""
	switch a {
	case 0:
		return strconv.Itoa(b)
	case 1:
		out = "n"
	case -1:
		out = "-n"
	default:
		out = strconv.Itoa(a) + "n"
	}
	if b != 0 {
		out += fmt.Sprintf("%+d", b)
	}
	return out
}
