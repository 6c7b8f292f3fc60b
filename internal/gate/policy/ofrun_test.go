package policy_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// Runs are for test data only.
func TestSecretFieldsAreRefusedInEveryRun(t *testing.T) {
	p, err := policy.New(policy.Config{Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	verb, _ := action.Lookup("page.type")
	field := action.Facts{Element: &action.Element{Role: "textbox", Tag: "input", Type: "password", Name: "Password", Editable: true, Protected: true}}
	for _, role := range []action.Role{action.Agent, action.Operator} {
		call := action.Call{Verb: "page.type", Caller: action.Caller{Actor: "a", Scope: "s", Role: role}, Args: &action.Type{Input: "x"}, OfRun: true}
		if v := p.Decide(call, verb, field); v.Decision != policy.Deny || v.Code != fault.DeniedByPolicy || v.Rule != "field.secret" {
			t.Errorf("%s in a run: %+v", role, v)
		}
		call.OfRun = false
		if v := p.Decide(call, verb, field); (v.Decision == policy.Allow) != (role == action.Operator) {
			t.Errorf("%s by hand: %+v", role, v)
		}
	}
}

func TestPeopleAreAskedAboutARunWhoeverStartedIt(t *testing.T) {
	on, _ := policy.New(policy.Config{Enabled: true})
	off, _ := policy.New(policy.Config{})
	for name, args := range map[string]any{"run.guide": &action.RunGuide{Run: "r1", Why: "x"}, "run.allow": &action.RunAllow{Run: "r1", URL: "https://b.example/"}} {
		verb, _ := action.Lookup(name)
		for _, role := range []action.Role{action.Agent, action.Operator} {
			call := action.Call{Verb: name, Caller: action.Caller{Actor: "a", Scope: "s", Role: role}, Args: args, OfRun: true}
			facts := action.Facts{Destination: &action.Destination{URL: "https://b.example/", Host: "b.example"}}
			if v := on.Decide(call, verb, facts); v.Decision != policy.Ask || v.Risk != action.High {
				t.Errorf("%s of %s: %+v", name, role, v)
			}
			if v := off.Decide(call, verb, facts); v.Decision != policy.Deny {
				t.Errorf("%s of %s, with nobody to ask: %+v", name, role, v)
			}
		}
	}
}
