package policy

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func explained(t *testing.T, p *Policy, q action.PolicyQuery) action.PolicyExplanation {
	t.Helper()
	out, err := p.Explain(q, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEveryRuleIsExplainedInOrder(t *testing.T) {
	p := mustNew(t, Config{Enabled: true, Allowed: []string{"app.example.com"}, Rules: []Rule{
		{Tools: []string{"page.type"}, Action: "deny", Description: "one"},
		{Tools: []string{"*"}, Roles: []string{"viewer"}, Action: "deny"},
		{Tools: []string{"*"}, Hosts: []string{"other.example"}, Action: "deny"},
		{Tools: []string{"page.click"}, Action: "deny", Conditions: []Condition{{Param: "element.role", Equals: text("button")}, {Param: "element.name", Matches: text("x")}}},
		{Tools: []string{"page.click"}, Action: "ask", Description: "the one"},
		{Tools: []string{"*"}, Action: "allow"},
	}})
	e := explained(t, p, action.PolicyQuery{Verb: "page.click", PageURL: "https://app.example.com/", Element: action.PolicyElement{Role: "button", Name: "Save"}})
	if e.Decision != "ask" || e.Rule != "rule.5" || e.Why != "the one" || e.Builtin.Rule != "click.unmatched" || len(e.Rules) != 6 || len(e.Assumed) == 0 || e.Policy != p.Hash() {
		t.Errorf("got %+v", e)
	}
	for i, want := range []string{"other tools", "other roles", "none of the call's hosts", "condition 2 on element.name", "it matches", "not reached"} {
		if !strings.Contains(e.Rules[i].Why, want) || e.Rules[i].Matched != (i == 4) {
			t.Errorf("rule %d: %+v, want %q", i+1, e.Rules[i], want)
		}
	}
	e = explained(t, p, action.PolicyQuery{Verb: "page.type", Args: []byte(`{"text": "x"}`), PageURL: "app.example.com", Element: action.PolicyElement{Type: "password"}})
	if e.Decision != "deny" || e.Rule != "field.secret" || !strings.Contains(e.Rules[0].Why, "not asked") {
		t.Errorf("a secret: %+v", e)
	}
}

func TestACallWithStatedFactsIsJudgedLikeARealOne(t *testing.T) {
	p := mustNew(t, Config{Enabled: true, Allowed: []string{"app.example.com", "*.example.org", "localhost:3000"}})
	for _, c := range []struct {
		q    action.PolicyQuery
		rule string
	}{
		{action.PolicyQuery{Verb: "page.goto", Args: []byte(`{"url": "app.example.com/x"}`), PageURL: "https://app.example.com/"}, "navigation.same-site"},
		{action.PolicyQuery{Verb: "page.goto", Args: []byte(`{"url": "https://a.example.org/"}`)}, "navigation.new-domain"},
		{action.PolicyQuery{Verb: "page.goto", Args: []byte(`{"url": "http://localhost:3000/"}`)}, "navigation.new-domain"},
		{action.PolicyQuery{Verb: "page.goto", Args: []byte(`{"url": "http://localhost:3001/"}`)}, "navigation.blocked"},
		{action.PolicyQuery{Verb: "page.goto", Args: []byte(`{"url": "https://evil.example/"}`)}, "navigation.blocked"},
		{action.PolicyQuery{Verb: "page.goto", Args: []byte(`{"url": "file:///etc/passwd"}`)}, "navigation.blocked"},
		{action.PolicyQuery{Verb: "page.goto", Args: []byte(`{"url": "about:blank"}`)}, "navigation.blank"},
		{action.PolicyQuery{Verb: "page.click", PageURL: "https://app.example.com/", Element: action.PolicyElement{Role: "link", Name: "Away", LinkURL: "https://evil.example/"}}, "navigation.blocked"},
		{action.PolicyQuery{Verb: "page.click", Element: action.PolicyElement{Role: "checkbox", Name: "Urgent"}}, "click.toggle"},
		{action.PolicyQuery{Verb: "page.select", Args: []byte(`{"values": ["x"]}`), Element: action.PolicyElement{Role: "combobox", Name: "Sort"}, Options: []string{"Delete all"}}, "click.delete"},
		{action.PolicyQuery{Verb: "page.dialog", Args: []byte(`{"accept": true}`), Dialog: "Delete it?"}, "click.delete"},
		{action.PolicyQuery{Verb: "page.drag", Element: action.PolicyElement{Name: "Card"}, Onto: action.PolicyElement{Name: "Trash"}}, "click.delete"},
		{action.PolicyQuery{Verb: "page.snapshot"}, "read"},
		{action.PolicyQuery{Verb: "page.snapshot", Role: action.Viewer}, "read"},
		{action.PolicyQuery{Verb: "page.click", Role: action.Viewer}, "role.viewer"},
		{action.PolicyQuery{Verb: "cookie.list"}, "class.raw"},
		{action.PolicyQuery{Verb: "cookie.list", Role: action.Operator}, "operator"},
		{action.PolicyQuery{Verb: "page.crawl", Args: []byte(`{"url": "https://app.example.com/"}`)}, "navigation.new-domain"},
	} {
		if e := explained(t, p, c.q); e.Rule != c.rule {
			t.Errorf("%s %s: %s by %s (%s), want %s", c.q.Verb, c.q.Args, e.Decision, e.Rule, e.Why, c.rule)
		}
	}
}

func TestAnInvalidQueryIsRefused(t *testing.T) {
	p := mustNew(t, Config{Enabled: true})
	_, err := p.Explain(action.PolicyQuery{Verb: "page.clik"}, nil)
	if f := fault.From(err); f == nil || f.Code != fault.UnknownAction || !strings.Contains(f.Hint, "page.click") {
		t.Errorf("an unknown verb: %v", err)
	}
	if _, err := p.Explain(action.PolicyQuery{Verb: "crawl.page"}, nil); fault.CodeOf(err) != fault.UnknownAction {
		t.Errorf("a step: %v", err)
	}
	_, err = p.Explain(action.PolicyQuery{Verb: "page.goto", Args: []byte(`{"ulr": "x"}`)}, nil)
	if fault.CodeOf(err) != fault.InvalidRequest || !strings.Contains(err.Error(), "ulr") {
		t.Errorf("an unknown argument: %v", err)
	}
}

func TestExplanationsAgreeWithDecisions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := New(Config{Enabled: rapid.Bool().Draw(t, "enabled"), Trusted: []string{"app.example.com"}, Rules: someRules(t)})
		if err != nil {
			t.Fatal(err)
		}
		call, verb, f := agentsCall(t)
		v := p.Decide(call, verb, f)
		e, err := p.Explain(action.PolicyQuery{Verb: call.Verb}, &f) // its arguments are empty
		if err != nil {
			t.Fatal(err)
		}
		if bare := p.Decide(action.Call{Verb: call.Verb, Args: verb.NewArgs(), Caller: call.Caller}, verb, f); e.Decision != bare.Decision.String() || e.Rule != bare.Rule || e.Risk != bare.Risk {
			t.Fatalf("explained %+v, decided %+v", e, bare)
		}
		matched := ""
		for _, r := range e.Rules {
			if r.Matched {
				matched += r.Why
			}
		}
		if strings.HasPrefix(e.Rule, "rule.") && matched != "it matches" {
			t.Fatalf("%s decided, and %d rules are said to match: %+v (%+v)", e.Rule, len(matched), e.Rules, v)
		}
	})
}

func TestAgentsDoNotSeePatterns(t *testing.T) {
	p := mustNew(t, Config{Enabled: true, Trusted: []string{"a.example"}, Allowed: []string{"b.example"}, File: "/etc/g.yaml", SHA256: "ab", Rules: []Rule{
		{Tools: []string{"cookie.list"}, Roles: []string{"agent"}, Hosts: []string{"c.example"}, Action: "ask", Description: "why", Conditions: when("page.url", Condition{Matches: text("secret")})},
	}})
	all := p.Show(action.Operator)
	if r := all.Rules[0]; len(r.Conditions) != 1 || !strings.Contains(r.Conditions[0], "secret") || r.Hosts[0] != "c.example" || all.File == "" {
		t.Errorf("an operator sees %+v", all)
	}
	for _, role := range []action.Role{action.Agent, action.Viewer, ""} {
		v := p.Show(role)
		if r := v.Rules[0]; r.Description != "why" || r.Action != "ask" || r.Conditions != nil || r.Hosts != nil || r.Tools != nil || v.File != "" || v.SHA256 != "ab" || v.Trusted[0] != "a.example" || v.Allowed[0] != "b.example" {
			t.Errorf("%q sees %+v", role, v)
		}
	}
	if granted := all.Roles[1].Granted; len(granted) != 2 || granted[0] != "cookie.list" {
		t.Errorf("granted to agents: %v", granted)
	}
}

func TestTheHashCoversWhatDecides(t *testing.T) {
	base := Config{Enabled: true, Trusted: []string{"a.example"}}
	same, other := base, base
	same.File, same.SHA256, same.Allowed = "x", "y", []string{"z.example"}
	other.Rules = []Rule{{Tools: []string{"*"}, Action: "ask"}}
	p := mustNew(t, base)
	if p.Hash() == "" || p.Hash() != mustNew(t, same).Hash() || p.Hash() == mustNew(t, other).Hash() {
		t.Error("the hash is not of what judges")
	}
}

func TestToolsAreExplainedAsTheirVerbs(t *testing.T) {
	p, err := New(Config{Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	tool, err := p.Explain(action.PolicyQuery{Verb: "browser_click", Args: []byte(`{"target":"e1","element":"the button"}`), Element: action.PolicyElement{Role: "button", Name: "Delete"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	verb, err := p.Explain(action.PolicyQuery{Verb: "page.click", Args: []byte(`{"ref":"e1"}`), Element: action.PolicyElement{Role: "button", Name: "Delete"}}, nil)
	if err != nil || tool.Decision != verb.Decision || tool.Risk != verb.Risk || tool.Risk != action.High {
		t.Errorf("%v: %+v, %+v", err, tool, verb)
	}
}
