package gate_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

func TestThePolicyIsShownToEveryRole(t *testing.T) {
	h := openWith(t, policy.Config{Enabled: true, Trusted: []string{"a.example"}, Rules: []policy.Rule{{Tools: []string{"page.drag"}, Action: "deny", Description: "no"}}})
	for _, who := range []action.Caller{agent, viewer, operator} {
		result, err := h.Call(t.Context(), action.Call{Verb: "policy.show", Caller: who})
		if err != nil {
			t.Fatal(err)
		}
		v := result.Data.(*action.PolicyView)
		if v.Trusted[0] != "a.example" || v.Timeouts.High != 600 || (len(v.Rules[0].Tools) > 0) != (who.Role == action.Operator) {
			t.Errorf("%s sees %+v", who.Role, v)
		}
		h.last(t)
	}
}

func TestExplainingACallUsesTheLivePageAndDoesNothing(t *testing.T) {
	h := open(t) // its page has the button "Delete invoice"
	ask := func(who action.Caller, q action.PolicyQuery) (*action.PolicyExplanation, error) {
		result, err := h.Call(t.Context(), action.Call{Verb: "policy.explain", Caller: who, Args: &q})
		if err != nil {
			return nil, err
		}
		return result.Data.(*action.PolicyExplanation), nil
	}
	live, err := ask(operator, action.PolicyQuery{Verb: "page.click", Args: []byte(`{"ref": "e7"}`), Session: "s1"})
	if err != nil || live.Rule != "click.delete" || live.Decision != "ask" || len(live.Assumed) != 0 {
		t.Errorf("of the page: %+v %v", live, err)
	}
	if _, outcome := h.last(t); outcome.SessionID != "s1" {
		t.Errorf("the record is of session %q", outcome.SessionID)
	}
	told, err := ask(operator, action.PolicyQuery{Verb: "page.click", Element: action.PolicyElement{Role: "button", Name: "Save"}})
	if err != nil || told.Rule != "click.unmatched" || h.fakeSessions.looked != 1 {
		t.Errorf("with given facts: %+v %v, %d looks", told, err, h.fakeSessions.looked)
	}
	if h.fakeSessions.count() != 0 || !h.fakeSessions.peeked {
		t.Error("something was done or counted")
	}
	if _, err := ask(agent, action.PolicyQuery{Verb: "page.click"}); fault.CodeOf(err) != fault.DeniedByPolicy {
		t.Errorf("an agent: %v", err)
	}
	for name, q := range map[string]action.PolicyQuery{
		"no element":      {Verb: "page.click", Session: "s1"},
		"not of a page":   {Verb: "session.start", Session: "s1"},
		"a crawl":         {Verb: "page.crawl", Session: "s1", Args: []byte(`{"url": "a.example"}`)},
		"wrong arguments": {Verb: "page.click", Args: []byte(`{"reff": "e1"}`)},
		"a control":       {Verb: "page.click", Session: "s1", Args: []byte(`{"ref": "e\u001b"}`)},
	} {
		if _, err := ask(operator, q); fault.CodeOf(err) != fault.InvalidRequest && fault.CodeOf(err) != fault.MissingSelector {
			t.Errorf("%s: %v", name, err)
		}
	}
}
