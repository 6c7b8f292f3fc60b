package policy_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

func TestUploadsAreJudgedByWhereTheyGo(t *testing.T) {
	p, err := policy.New(policy.Config{Enabled: true, Trusted: []string{"a.example", "secret.example"}, Sensitive: []string{"secret.example"}})
	if err != nil {
		t.Fatal(err)
	}
	verb, _ := action.Lookup("page.upload")
	judge := func(role action.Role, page string, e action.Element, args action.Upload) policy.Verdict {
		call := action.Call{Verb: verb.Name, Caller: action.Caller{Actor: "a", Scope: "s", Role: role}, Args: &args}
		return p.Decide(call, verb, action.Facts{Page: action.Page{URL: page}, Element: &e})
	}
	input := action.Element{Tag: "input", Type: "file", Role: "button", Name: "File"}
	elsewhere, button, publish := input, action.Element{Tag: "button", Role: "button", Name: "Delete everything"}, input
	elsewhere.FormAction, elsewhere.FormMethod = "https://b.example/take", "post"
	publish.Name = "Publish at once"
	file := action.Upload{Artifact: "a1"}
	for name, c := range map[string]struct {
		got  policy.Verdict
		want policy.Decision
		risk action.Risk
	}{
		"trusted":             {judge(action.Agent, "https://a.example/", input, file), policy.Allow, action.Medium},
		"unknown":             {judge(action.Agent, "https://b.example/", input, file), policy.Ask, action.Medium},
		"to another site":     {judge(action.Agent, "https://a.example/", elsewhere, file), policy.Ask, action.Medium},
		"sensitive":           {judge(action.Agent, "https://secret.example/", input, file), policy.Ask, action.High},
		"by a telling button": {judge(action.Agent, "https://a.example/", button, file), policy.Ask, action.High},
		"that publishes":      {judge(action.Agent, "https://a.example/", publish, file), policy.Ask, action.High},
		"clearing":            {judge(action.Agent, "https://b.example/", input, action.Upload{Clear: true}), policy.Allow, action.Low},
		"an operator's":       {judge(action.Operator, "https://b.example/", input, file), policy.Allow, action.Medium},
	} {
		if c.got.Decision != c.want || c.got.Risk != c.risk {
			t.Errorf("%s: %+v, want %s %s", name, c.got, c.want, c.risk)
		}
	}
	if v := judge(action.Viewer, "https://a.example/", input, file); v.Decision != policy.Deny || v.Code != fault.DeniedByPolicy {
		t.Errorf("a viewer's: %+v", v)
	}
}
