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
)

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
		lower := strings.ToLower(name)
		for _, value := range values {
			switch {
			case hosts().actingNames[lower], routeNames[lower] && strings.Contains(value, "/"):
			case hosts().showingNames[lower], lower == "id", strings.HasSuffix(lower, "_id"), strings.HasSuffix(name, "Id"), lower == "_":
				value = ""
			default:
				value = longNumbers.ReplaceAllString(value, "0")
			}
			pairs = append(pairs, name+"="+value)
		}
	}
	slices.Sort(pairs)
	return key + "?" + strings.Join(pairs, "&")
}
