package gate_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestProfilesAreTheOperators(t *testing.T) {
	h := open(t)
	for about, call := range map[string]action.Call{
		"profile work": {Verb: "session.start", Args: &action.SessionStart{Profile: "work"}},
		"profile home": {Verb: "browser.start", Args: &action.BrowserStart{Context: "home"}},
		"profile new":  {Verb: "profile.create", Args: &action.ProfileCreate{Name: "new"}},
		"profile a1":   {Verb: "profile.delete", Args: &action.ByID{ID: "a1"}},
		"":             {Verb: "profile.list", Args: &action.None{}},
	} {
		for _, call.Caller = range []action.Caller{agent, viewer} {
			if _, err := h.Call(t.Context(), call); fault.CodeOf(err) != fault.DeniedByPolicy {
				t.Errorf("%s %q by %s: %v", call.Verb, about, call.Caller.Role, err)
			}
		}
		call.Caller = operator
		if _, err := h.Call(t.Context(), call); err != nil {
			t.Errorf("%s %q: %v", call.Verb, about, err)
		}
		if intent, outcome := h.last(t); intent.Risk != "HIGH" || outcome.TargetElement != about {
			t.Errorf("%s left %+v and %+v", call.Verb, intent, outcome)
		}
	}
	for _, call := range []action.Call{
		{Verb: "session.start", Args: &action.SessionStart{}}, {Verb: "browser.start", Args: &action.BrowserStart{}},
	} {
		call.Caller = agent
		if _, err := h.Call(t.Context(), call); err != nil {
			t.Errorf("%s without a profile: %v", call.Verb, err)
		}
	}
}
