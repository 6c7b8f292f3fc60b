package gate

import "github.com/gloveboxhq/glovebox/internal/action"

const redacted = "[redacted]" // in place of what only operators may read

// maskCookies takes out of a result what a caller of a role may not read: cookies'
// values are for operators alone.
func maskCookies(role action.Role, result action.Result) action.Result {
	listing, ok := result.Data.(*action.CookieListing)
	if !ok || listing == nil || role == action.Operator {
		return result
	}
	shown := &action.CookieListing{Cookies: make([]action.Cookie, len(listing.Cookies))}
	for i, c := range listing.Cookies {
		c.Value = redacted
		shown.Cookies[i] = c
	}
	result.Data = shown
	return result
}
