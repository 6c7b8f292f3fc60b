package session

import (
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// proxyOf is the name of the upstream proxy that a session goes out by: the one
// that is asked for, or else the first of its scope, or else the gateway's, for
// which it is empty. What is of another scope does not exist. Where a scope has
// proxies of its own its agents go out by these only. Faults: invalid_request.
func (pl *planner) proxyOf(caller action.Caller, asked string) (string, error) {
	var own, everyones []string
	for _, p := range pl.config.Proxies {
		switch {
		case slices.Contains(p.Scopes, caller.Scope):
			own = append(own, p.Name)
		case len(p.Scopes) == 0:
			everyones = append(everyones, p.Name)
		}
	}
	if asked == "" {
		return append(own, "")[0], nil
	}
	offered := own
	if len(own) == 0 || caller.Role == action.Operator {
		offered = slices.Concat(own, everyones, []string{action.DefaultProxy})
	}
	if caller.Role == action.Operator {
		offered = append(offered, action.DirectProxy)
	}
	switch {
	case !slices.Contains(offered, asked):
		return "", fault.New(fault.InvalidRequest, "there is no upstream proxy %s for this session", quoted(asked)).
			Hinted("leave proxy out, or name one of %s", strings.Join(offered, ", ")).With("field", "proxy").With("proxies", offered)
	case asked == action.DefaultProxy:
		return "", nil
	}
	return asked, nil
}
