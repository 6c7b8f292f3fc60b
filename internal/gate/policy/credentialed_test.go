package policy

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// generous has a rule that gives agents everything that a rule can give.
func generous(t *testing.T) *Policy {
	return mustNew(t, Config{Enabled: true, Trusted: []string{"app.example.com"}, Rules: []Rule{
		{Tools: []string{"cookie.list", "cookie.set", "cookie.delete", "cdp.attach", "page.content", "page.execute", "profile.list", "profile.create", "profile.delete", "page.har"}, Roles: []string{"agent"}, Action: "allow"},
	}})
}

func TestNoRuleGivesAnAgentWhatReadsCredentials(t *testing.T) {
	p := generous(t)
	plain := action.Facts{Page: action.Page{URL: pageURL}}
	holds := plain
	holds.Session.Credentialed = true
	for verb, args := range map[string]any{
		"page.execute": &action.Execute{Expression: "1"}, "page.content": &action.Content{}, "cdp.attach": &action.None{},
		"cookie.list": &action.CookieList{}, "cookie.set": &action.CookieSet{}, "cookie.delete": &action.CookieDelete{},
		"profile.list": &action.None{}, "profile.create": &action.ProfileCreate{}, "profile.delete": &action.ByID{},
		"page.har": &action.ExportHAR{}, "page.network": &action.ReadNetwork{Headers: true},
	} {
		v := decide(t, p, action.Agent, verb, args, holds)
		check(t, verb, v, want{Deny, action.Critical, ""})
		if v.Hint == "" || !row(t, verb).As(args).WithheldFrom(action.Agent) {
			t.Errorf("%s: refused as %+v", verb, v)
		}
		if verb != "page.network" && v.Rule != action.WithheldRule { // whose headers no rule gives at all
			t.Errorf("%s: refused by %s", verb, v.Rule)
		}
		if v := decide(t, p, action.Operator, verb, args, holds); v.Decision != Allow {
			t.Errorf("an operator's %s: %+v", verb, v)
		}
		if v := decide(t, p, action.Agent, verb, args, plain); v.Decision == Deny && verb != "page.network" && verb != "page.har" {
			t.Errorf("%s in a session without credentials: %+v", verb, v)
		}
	}
	check(t, "a viewer's network log", decide(t, p, action.Viewer, "page.har", &action.ExportHAR{}, holds), want{Deny, action.Critical, action.WithheldRule})
	replay := &action.SessionReplay{}
	check(t, "a viewer's replay", decide(t, p, action.Viewer, "session.replay", replay, holds), want{Deny, action.Critical, action.WithheldRule})
	check(t, "a viewer's replay without credentials", decide(t, p, action.Viewer, "session.replay", replay, plain), want{Allow, action.Low, "read"})
	if v := decide(t, p, action.Operator, "session.replay", replay, holds); v.Decision != Allow {
		t.Errorf("an operator's replay: %+v", v)
	}
	for _, verb := range []string{"page.snapshot", "page.network", "page.screenshot"} {
		check(t, verb, decide(t, p, action.Agent, verb, row(t, verb).NewArgs(), holds), want{Allow, action.Low, ""})
	}
}

func TestNoRuleGivesAnAgentTheHTMLOfACrawl(t *testing.T) {
	p := generous(t)
	f := crawlFacts("https://app.example.com/")
	crawl := &action.Crawl{URL: "https://app.example.com/", Extract: "html"}
	if v := decide(t, p, action.Agent, "page.crawl", crawl, f); v.Decision == Deny {
		t.Errorf("without credentials: %+v", v)
	}
	f.Session.Credentialed = true
	if v := decide(t, p, action.Agent, "page.crawl", crawl, f); v.Decision != Deny || v.Rule != action.WithheldRule || v.Hint == "" {
		t.Errorf("with credentials: %+v", v)
	}
	crawl.Extract = "markdown"
	if v := decide(t, p, action.Agent, "page.crawl", crawl, f); v.Decision == Deny {
		t.Errorf("its markdown: %+v", v)
	}
}

func TestExplainSaysWhatSessionsWithCredentialsRefuse(t *testing.T) {
	p := generous(t)
	e, err := p.Explain(action.PolicyQuery{Verb: "page.content", PageURL: pageURL, Credentialed: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e.Decision != "deny" || e.Rule != action.WithheldRule || !strings.Contains(e.Hint, "page.snapshot") {
		t.Errorf("it explains %+v", e)
	}
	if len(e.Rules) != 1 || e.Rules[0].Matched || !strings.Contains(e.Rules[0].Why, "no rule can change") {
		t.Errorf("of the rules it says %+v", e.Rules)
	}
}
