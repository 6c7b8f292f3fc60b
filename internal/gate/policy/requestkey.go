package policy

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

var (
	pathNumbers = regexp.MustCompile(`[0-9a-fA-F]{8,}|[0-9]+`)
	longNumbers = regexp.MustCompile(`[0-9a-fA-F]{8,}|[0-9]{8,}`) // times and keys
	tokenText   = regexp.MustCompile(`^[\w+/=.:-]+$`)
)

const minToken = 12 // characters

// RequestKey is equal for requests that do the same to things of one kind: with the same method,
// host, path without numbers, and parameters. Values of parameters that identify a thing, or that
// select what is shown, do not count.
func RequestKey(r action.Request) string {
	u, err := url.Parse(r.URL)
	if err != nil {
		return r.Method + " " + r.URL
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	key := method + " " + strings.ToLower(u.Host) + pathNumbers.ReplaceAllString(u.Path, "0")
	query := u.Query()
	if len(query) == 0 {
		return key
	}
	var pairs []string
	for name, values := range query {
		for _, value := range values {
			pairs = append(pairs, name+"="+keyValue(name, value))
		}
	}
	slices.Sort(pairs)
	return key + "?" + strings.Join(pairs, "&")
}

// keyValue returns what counts of the value of a parameter.
func keyValue(name, value string) string {
	lower := strings.ToLower(name)
	switch {
	case hosts().actingNames[lower], routeNames[lower] && strings.Contains(value, "/"):
		return value
	case hosts().showingNames[lower], lower == "id", strings.HasSuffix(lower, "_id"), strings.HasSuffix(name, "Id"), lower == "_":
		return ""
	}
	return longNumbers.ReplaceAllString(value, "0")
}

// PollKey is equal for requests that a page sends again and again: with the same sender,
// RequestKey and fields. Values that identify a thing or a time, and tokens, do not count, unless
// they say what the request does. It is empty where the body is not known.
func PollKey(r action.Request) string {
	said := []string{SenderOf(r), RequestKey(r)}
	if r.Unread || r.Cut {
		if r.Sum == "" {
			return ""
		}
		said = append(said, r.Sum)
	}
	for _, f := range r.Fields {
		value := f.Value
		if !Significant(f) {
			value = keyValue(fieldName(f.Name), value)
			if isToken(value) {
				value = ""
			}
		}
		said = append(said, f.Name+"="+value)
	}
	return strings.Join(said, "\n")
}

// isToken reports whether a value looks like a cursor, a key or another text of random letters.
func isToken(value string) bool {
	return len(value) >= minToken && tokenText.MatchString(value) && strings.ContainsAny(value, "0123456789")
}
