package policy

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// Some servers take addresses that others refuse: with a percent sign that escapes nothing, with
// characters as %u0064, escaped twice, or with semicolons between parameters.

var (
	badEscape  = regexp.MustCompile(`%([^0-9A-Fa-f]|[0-9A-Fa-f]([^0-9A-Fa-f]|$)|$)`)
	wideEscape = regexp.MustCompile(`%[uU][0-9A-Fa-f]{4}`)
	goodEscape = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
)

const maxEscapes = 3 // levels of escapes within each other that are read

// parseLeniently reads an address as such servers do.
func parseLeniently(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err == nil {
		return u, nil
	}
	plain := wideEscape.ReplaceAllStringFunc(address, func(escape string) string {
		code, _ := strconv.ParseUint(escape[2:], 16, 32) // it has four hexadecimal digits
		return url.PathEscape(string(rune(code)))
	})
	for range 2 { // an escape that is none may overlap the next
		plain = badEscape.ReplaceAllString(plain, "%25$1")
	}
	return url.Parse(plain)
}

// unescaped is a text without one level of escapes; what is none stays.
func unescaped(text string) string {
	return goodEscape.ReplaceAllStringFunc(text, func(escape string) string {
		code, _ := strconv.ParseUint(escape[1:], 16, 8) // it has two hexadecimal digits
		return string([]byte{byte(code)})
	})
}

// valuesOf are the parameters of a query, with each reading that servers have of it.
func valuesOf(query string) url.Values {
	values := url.Values{}
	add := func(pair string) {
		name, value, _ := strings.Cut(strings.ReplaceAll(pair, "+", " "), "=")
		name, value = unescaped(name), unescaped(value)
		values.Add(name, value)
		for range maxEscapes {
			again := unescaped(value)
			if again == value {
				break
			}
			value = again
			values.Add(name, value)
		}
	}
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "" {
			continue
		}
		add(pair)
		first, rest, more := strings.Cut(pair, ";")
		if !more {
			continue
		}
		add(first)
		for inner := range strings.SplitSeq(rest, ";") {
			if strings.Contains(inner, "=") {
				add(inner)
			}
		}
	}
	return values
}

// ordersHarm reports whether what follows the dot in a segment orders harm, as in /api/chat.post.
func ordersHarm(extension string) bool {
	t := tokens(extension)
	return len(t) == 1 && (kindsOf(extension) != 0 || hosts().harming[t[0]])
}

const maxIdentifier = 8 // words of the name of an operation

// isOperation reports whether a long segment is the name of an operation that begins with what it
// does: deleteItemByIdAndVersion. with says that the address is evidence of that.
func isOperation(s *segment, with bool) bool {
	return with && s.joint && len(s.words) <= maxIdentifier && (hosts().acting[s.words[0]] || hosts().harming[s.words[0]] || kindsOf(s.words[0]) != 0 && !words().noun.exact[s.words[0]])
}

// judgePairs raises the risk by what two segments say together, in either order and without the ids
// between them: /account/close, /carts/5/empty.
func judgePairs(j *judgement, parts []segment) {
	var named []string
	for _, s := range parts {
		if !s.id {
			named = append(named, strings.Join(s.words, " "))
		}
	}
	for i := 1; i < len(named); i++ {
		thing, act := strings.TrimSuffix(named[i-1], "s"), named[i]
		for _, phrase := range []string{act + " " + thing, act + " " + named[i-1], thing + " " + act} {
			if hosts().acting[phrase] || words().high.exact[phrase] || words().critical.exact[phrase] {
				j.raise(action.High, "navigation.acting", addressReason(kindsOf(phrase)))
			}
		}
	}
}
