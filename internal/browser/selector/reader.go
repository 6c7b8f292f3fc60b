package selector

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reader reads a selector. Its tokens are those of CSS Syntax Level 3, except comments
// and escapes in strings.
type reader struct {
	in      string
	at      int
	simples int
}

const eof = rune(-1) // in place of a character, after the last one

func (r *reader) done() bool { return r.at >= len(r.in) }

// peek returns the next character.
func (r *reader) peek() rune { return r.ahead(0) }

// ahead returns the character after the next n bytes, which are ASCII.
func (r *reader) ahead(n int) rune {
	if r.at+n >= len(r.in) {
		return eof
	}
	c, _ := utf8.DecodeRuneInString(r.in[r.at+n:])
	return c
}

// take reads a text if it comes next, and reports whether it did.
func (r *reader) take(text string) bool {
	if !strings.HasPrefix(r.in[r.at:], text) {
		return false
	}
	r.at += len(text)
	return true
}

// space reads white space, and reports whether there was some.
func (r *reader) space() bool {
	rest := strings.TrimLeft(r.in[r.at:], " \t\n")
	had := len(rest) < len(r.in)-r.at
	r.at = len(r.in) - len(rest)
	return had
}

func (r *reader) unexpected() error {
	if r.done() {
		return errors.New("it ends where a selector should follow")
	}
	return fmt.Errorf("%q is not taken there", r.peek())
}

// identNext reports whether an identifier comes next (CSS Syntax Level 3, 4.3.9).
func (r *reader) identNext() bool {
	if r.peek() == '-' {
		return r.ahead(1) == '-' || startsIdent(r.ahead(1)) || r.escapeAt(1)
	}
	return startsIdent(r.peek()) || r.escapeAt(0)
}

// escapeAt reports whether an escape comes after the next n bytes.
func (r *reader) escapeAt(n int) bool {
	return r.ahead(n) == '\\' && r.ahead(n+1) != '\n' && r.ahead(n+1) != eof
}

// startsIdent reports whether an identifier may begin with a character.
func startsIdent(c rune) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 && (unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsDigit(c))
}

// continuesIdent reports whether an identifier may contain a character.
func continuesIdent(c rune) bool {
	return startsIdent(c) || c == '-' || c >= '0' && c <= '9'
}

// ident reads an identifier and returns it without escapes.
func (r *reader) ident() (string, error) {
	if !r.identNext() {
		return "", r.unexpected()
	}
	var name strings.Builder
	for {
		c := r.peek()
		switch {
		case continuesIdent(c):
			name.WriteRune(c)
			r.at += utf8.RuneLen(c)
		case r.escapeAt(0):
			c, err := r.escape()
			if err != nil {
				return "", err
			}
			name.WriteRune(c)
		default:
			return name.String(), nil
		}
	}
}

// escape reads an escape and returns its character (CSS Syntax Level 3, 4.3.7).
func (r *reader) escape() (rune, error) {
	r.at++
	digits := 0
	for digits < 6 && isHex(r.ahead(digits)) {
		digits++
	}
	if digits == 0 {
		c := r.peek()
		if !serializable(c) {
			return 0, r.unexpected()
		}
		r.at += utf8.RuneLen(c)
		return c, nil
	}
	value, err := strconv.ParseUint(r.in[r.at:r.at+digits], 16, 32)
	c := rune(value) //nolint:gosec // six digits
	if err != nil || !serializable(c) {
		return 0, errors.New("it has an escape that stands for no letter")
	}
	r.at += digits
	if p := r.peek(); p == ' ' || p == '\t' || p == '\n' {
		r.at++
	}
	return c, nil
}

// serializable reports whether an escape may mean a character: serialized can write
// it as a letter, or with a backslash.
func serializable(c rune) bool { return continuesIdent(c) || c >= ' ' && c <= '~' }

func isHex(c rune) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// plain reads an identifier of ASCII letters, digits and hyphens, and returns it in
// lower case.
func (r *reader) plain() (string, error) {
	end := strings.IndexFunc(r.in[r.at:], func(c rune) bool {
		return c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	})
	if end < 0 {
		end = len(r.in) - r.at
	}
	name := r.in[r.at : r.at+end]
	if name == "" || name[0] < 'A' {
		return "", r.unexpected()
	}
	r.at += end
	return strings.ToLower(name), nil
}

// quoted reads a string without escapes.
func (r *reader) quoted() (string, error) {
	quote := r.in[r.at : r.at+1]
	text, _, closed := strings.Cut(r.in[r.at+1:], quote)
	if !closed {
		return "", errors.New("a string in it does not end")
	}
	if strings.ContainsFunc(text, func(c rune) bool { return c == '\\' || c == '"' || c == utf8.RuneError || unicode.IsControl(c) }) {
		return "", errors.New("a string in it has an escape, a quotation mark or a control character")
	}
	r.at += len(text) + 2
	return text, nil
}

// serialized returns an identifier as CSSOM writes it (section 2.1).
func serialized(name string) string {
	var out strings.Builder
	for i, c := range name {
		digit := c >= '0' && c <= '9'
		switch {
		case digit && (i == 0 || i == 1 && name[0] == '-'):
			fmt.Fprintf(&out, `\%x `, c)
		case c == '-' && len(name) == 1:
			out.WriteString(`\-`)
		case c >= 0x80 || c == '-' || continuesIdent(c):
			out.WriteRune(c)
		default:
			out.WriteByte('\\')
			out.WriteRune(c)
		}
	}
	return out.String()
}
