package policy_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

func TestOpeningATabIsJudgedAsANavigation(t *testing.T) {
	p, err := policy.New(policy.Config{Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	verb, _ := action.Lookup("tab.open")
	judge := func(role action.Role, url string, to *action.Destination) policy.Verdict {
		call := action.Call{Verb: verb.Name, Caller: action.Caller{Actor: "a", Scope: "s", Role: role}, Args: &action.OpenTab{URL: url}}
		return p.Decide(call, verb, action.Facts{Page: action.Page{URL: "https://a.example/"}, Destination: to})
	}
	allowed := func(url, host string) *action.Destination {
		return &action.Destination{URL: url, Host: host, Allowed: true}
	}
	for name, c := range map[string]struct {
		got  policy.Verdict
		want policy.Decision
		code fault.Code
	}{
		"empty":              {judge(action.Agent, "", nil), policy.Allow, ""},
		"the same site":      {judge(action.Agent, "https://a.example/x", allowed("https://a.example/x", "a.example")), policy.Allow, ""},
		"a sensitive place":  {judge(action.Agent, "https://a.example/settings", allowed("https://a.example/settings", "a.example")), policy.Ask, ""},
		"nothing known":      {judge(action.Agent, "https://b.example/", nil), policy.Deny, fault.BlockedDomain},
		"blocked":            {judge(action.Agent, "https://b.example/", &action.Destination{URL: "https://b.example/", Host: "b.example"}), policy.Deny, fault.BlockedDomain},
		"blocked for people": {judge(action.Operator, "https://b.example/", &action.Destination{URL: "https://b.example/", Host: "b.example"}), policy.Deny, fault.BlockedDomain},
		"by a viewer":        {judge(action.Viewer, "", nil), policy.Deny, fault.DeniedByPolicy},
	} {
		if c.got.Decision != c.want || c.got.Code != c.code {
			t.Errorf("%s: %+v, want %s %s", name, c.got, c.want, c.code)
		}
	}
}
