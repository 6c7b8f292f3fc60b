package rest

import (
	"context"
	"net/http"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// ticket is a token that opens the browser's protocol of one session, where a
// client gave it in an address: it is told that address again.
type ticket struct{ session, token string }

type ticketKey struct{}

// discovers reports whether a path is where clients of the protocol ask for the
// address of the WebSocket.
func discovers(path string) bool {
	if path == rootVersion {
		return true
	}
	base, found := strings.CutSuffix(path, "/json/version")
	if !found {
		base, found = strings.CutSuffix(strings.TrimSuffix(path, "/list"), "/json")
	}
	return found && ofCDP(base)
}

// credential returns the token of a request, and the request without it where
// it came in the query: which only a WebSocket's may, and a question for its
// address (it is no part of what is logged, and of nothing that is linked or
// cached).
func credential(r *http.Request) (token string, inQuery bool, without *http.Request) {
	query := r.URL.Query()
	given, found := query[tokenQuery]
	if !found || !(ofCDP(r.URL.Path) && upgrades(r)) && !(r.Method == http.MethodGet && discovers(r.URL.Path)) {
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

// bounded holds a token for one session to what it is for, and a token in the
// address of a plain request to being such a one. Faults: unauthenticated,
// denied_by_policy.
func bounded(r *http.Request, who auth.Identity, token string, inQuery bool) (*http.Request, error) {
	if who.Session == "" {
		if inQuery && !upgrades(r) {
			return nil, fault.New(fault.Unauthenticated, "the call carries no valid token").
				Hinted("send it in the header Authorization, or have an address made with glovebox cdp url --for 10m")
		}
		return r, nil
	}
	path := r.URL.Path
	own := "/v1/sessions/" + who.Session + cdpPath
	if path != rootVersion && path != own && !strings.HasPrefix(path, own+"/") {
		return nil, fault.New(fault.DeniedByPolicy, "the token opens the browser's protocol of one session and nothing else").
			Hinted("connect at %s, or call with another token", own).With("rule", "token.session")
	}
	if !inQuery {
		return r, nil
	}
	return r.WithContext(context.WithValue(r.Context(), ticketKey{}, ticket{who.Session, token})), nil
}
