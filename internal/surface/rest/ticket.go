package rest

import (
	"context"
	"net/http"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// ticket is a token for the DevTools protocol of one session that a client gave
// in an address. The addresses in answers contain it too.
type ticket struct{ session, token string }

type ticketKey struct{}

// isDiscovery reports whether clients of the protocol ask at a path for the
// address of the WebSocket.
func isDiscovery(path string) bool {
	if path == rootVersion {
		return true
	}
	base, found := strings.CutSuffix(path, "/json/version")
	if !found {
		base, found = strings.CutSuffix(strings.TrimSuffix(path, "/list"), "/json")
	}
	return found && isCDPPath(base)
}

// takeToken returns the token of a request, and the request without it if it
// was in the query. Only requests for a WebSocket, and for its address, may
// have it in the query. The log does not contain it, and these addresses are not
// linked or cached.
func takeToken(r *http.Request) (token string, inQuery bool, without *http.Request) {
	query := r.URL.Query()
	given, found := query[tokenQuery]
	if !found || !((isCDPPath(r.URL.Path) || isStreamPath(r.URL.Path)) && upgrades(r)) && !(r.Method == http.MethodGet && isDiscovery(r.URL.Path)) {
		return bearer(r), false, r
	}
	query.Del(tokenQuery)
	r = r.Clone(r.Context())
	r.URL.RawQuery = query.Encode()
	if len(given) != 1 || len(r.Header.Values("Authorization")) > 0 {
		return "", true, r
	}
	return given[0], true, r
}

// limitToSession refuses a token for one session at all addresses but those of
// the session's DevTools. In the address of a plain request it accepts only
// such a token. Faults: unauthenticated, denied_by_policy.
func limitToSession(r *http.Request, who auth.Identity, token string, inQuery bool) (*http.Request, error) {
	if who.Session == "" {
		if inQuery && !upgrades(r) {
			return nil, fault.New(fault.Unauthenticated, "the call carries no valid token").
				Hinted("send it in the header Authorization, or have an address made with glovebox cdp url --for 10m")
		}
		return r, nil
	}
	path := r.URL.Path
	own := "/v1/sessions/" + who.Session + cdpPath
	watch := "/v1/sessions/" + who.Session + action.VerbDesktopWatch.Path
	if path != rootVersion && path != own && path != watch && !strings.HasPrefix(path, own+"/") {
		return nil, fault.New(fault.DeniedByPolicy, "the token opens the browser's protocol and the live view of one session and nothing else").
			Hinted("connect at %s, or call with another token", own).With("rule", "token.session")
	}
	if !inQuery {
		return r, nil
	}
	return r.WithContext(context.WithValue(r.Context(), ticketKey{}, ticket{who.Session, token})), nil
}
