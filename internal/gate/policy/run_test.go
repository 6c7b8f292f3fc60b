package policy_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

func decideRun(t *testing.T, role action.Role, verb string, args any, facts action.Facts) policy.Verdict {
	t.Helper()
	p, err := policy.New(policy.Config{Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	row, _ := action.Lookup(verb)
	return p.Decide(action.Call{Verb: verb, Caller: action.Caller{Actor: "a", Scope: "s", Role: role}, Args: args}, row, facts)
}

func TestARunIsForBuildersInTheBuildPhaseOnly(t *testing.T) {
	for _, role := range []action.Role{action.Agent, action.Operator} {
		for _, good := range []action.RunStart{{}, {Archetype: "Builder"}, {Phase: "Build"}, {Archetype: "Builder", Phase: "Build"}} {
			if v := decideRun(t, role, "run.start", &good, action.Facts{}); v.Decision != policy.Allow {
				t.Errorf("%s: %+v is %+v", role, good, v)
			}
		}
		for _, bad := range []action.RunStart{{Archetype: "Reviewer"}, {Archetype: "builder"}, {Phase: "Deploy"}, {Archetype: "Builder", Phase: "Plan"}} {
			if v := decideRun(t, role, "run.start", &bad, action.Facts{}); v.Decision != policy.Deny || v.Code != fault.DeniedByPolicy {
				t.Errorf("%s: %+v is %+v", role, bad, v)
			}
		}
	}
	for _, verb := range []string{"run.start", "run.cancel"} {
		row, _ := action.Lookup(verb)
		if v := decideRun(t, action.Viewer, verb, row.NewArgs(), action.Facts{}); v.Decision != policy.Deny {
			t.Errorf("a viewer's %s is %+v", verb, v)
		}
	}
	for _, role := range []action.Role{action.Viewer, action.Agent} {
		if v := decideRun(t, role, "run.resume", &action.RunResume{}, action.Facts{}); v.Decision != policy.Deny {
			t.Errorf("%s resumes a run: %+v", role, v)
		}
	}
}

func TestUnapprovedHostsOfARunAreOneQuestion(t *testing.T) {
	here := &action.Destination{URL: "https://a.example/", Host: "a.example", Allowed: true}
	facts := action.Facts{Destination: here, Run: &action.RunGrant{Hosts: []string{"a.example"}}}
	if v := decideRun(t, action.Agent, "run.open", &action.RunOpen{}, facts); v.Decision != policy.Allow {
		t.Errorf("approved hosts: %+v", v)
	}
	facts.Run = &action.RunGrant{Hosts: []string{"a.example", "b.example", "*.c.example"}, Unknown: []string{"b.example", "*.c.example"}}
	v := decideRun(t, action.Agent, "run.open", &action.RunOpen{}, facts)
	if v.Decision != policy.Ask || v.Risk != action.High || !strings.HasSuffix(v.Why, ": b.example, *.c.example") || v.Host != "" {
		t.Errorf("unknown hosts: %+v", v)
	}
	if v := decideRun(t, action.Operator, "run.open", &action.RunOpen{}, facts); v.Decision != policy.Allow {
		t.Errorf("an operator's: %+v", v)
	}
	for _, role := range []action.Role{action.Agent, action.Operator} {
		for name, bad := range map[string]action.Facts{
			"nothing": {}, "no hosts": {Destination: here, Run: &action.RunGrant{}}, "no goal": {Run: facts.Run},
			"blocked": {Destination: &action.Destination{Host: "a.example", Reason: "host has a private or special address"}, Run: facts.Run},
		} {
			if v := decideRun(t, role, "run.open", &action.RunOpen{}, bad); v.Decision != policy.Deny {
				t.Errorf("%s of %s: %+v", name, role, v)
			}
		}
	}
}
