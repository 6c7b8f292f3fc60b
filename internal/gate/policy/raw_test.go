package policy

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestRawVerbsAreForOperators(t *testing.T) {
	p := mustNew(t, Config{Enabled: true, Trusted: []string{"app.example.com"}})
	here := action.Facts{Page: action.Page{URL: pageURL}}
	for verb, args := range map[string]any{"page.content": &action.Content{}, "cookie.list": &action.CookieList{}, "cdp.attach": &action.None{}, "profile.list": &action.None{}} {
		check(t, verb, decide(t, p, action.Agent, verb, args, here), want{Deny, action.Critical, "class.raw"})
		check(t, verb, decide(t, p, action.Viewer, verb, args, here), want{Deny, action.Critical, "role.viewer"})
		if v := decide(t, p, action.Operator, verb, args, here); v.Decision != Allow || v.Risk < action.High {
			t.Errorf("an operator's %s: %+v", verb, v)
		}
	}
}

func TestPeopleAreAskedAboutScriptsOfAgents(t *testing.T) {
	p := mustNew(t, Config{Enabled: true, Trusted: []string{"app.example.com"}})
	here := action.Facts{Page: action.Page{URL: pageURL}}
	script := &action.Execute{Expression: "1"}
	check(t, "agent", decide(t, p, action.Agent, "page.execute", script, here), want{Ask, action.High, "class.raw"})
	check(t, "viewer", decide(t, p, action.Viewer, "page.execute", script, here), want{Deny, action.Critical, "role.viewer"})
	long := &action.Execute{Expression: strings.Repeat("é", maxScript+1)}
	check(t, "too long to read", decide(t, p, action.Agent, "page.execute", long, here), want{Deny, action.High, "script.long"})
	check(t, "an operator's", decide(t, p, action.Operator, "page.execute", long, here), want{Allow, action.High, "operator"})
	check(t, "nobody to ask", decide(t, mustNew(t, Config{}), action.Agent, "page.execute", script, here), want{Deny, action.High, "class.raw"})
}
