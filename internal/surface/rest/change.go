package rest

import (
	"net/http"
	"strconv"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// changesParameter asks a call for what it changed on the page.
const changesParameter = "changes"

// offersChanges reports whether a verb's own route takes changesParameter.
func offersChanges(v *action.Verb) bool { return actsOnSession(v) && v.Tells() }

// asksChanges reads changesParameter.
func asksChanges(r *http.Request, v *action.Verb) (bool, error) {
	given := r.URL.Query()[changesParameter]
	if !offersChanges(v) || len(given) == 0 {
		return false, nil
	}
	asks, err := strconv.ParseBool(given[0])
	if err != nil || len(given) > 1 {
		return false, fault.New(fault.InvalidRequest, "%s must be one bool", changesParameter).
			Hinted("true has the answer say what changed on the page").With("field", changesParameter)
	}
	return asks, nil
}
