package policy

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// TestADeniedHostIsNotOpenedWithoutAnAct judges documents as they leave the browser.
func TestADeniedHostIsNotOpenedWithoutAnAct(t *testing.T) {
	p, err := New(Config{Enabled: true, Rules: []Rule{
		{Tools: []string{"page.goto"}, Hosts: []string{"open.denied.example"}, Action: "allow"},
		{Tools: []string{"*"}, Hosts: []string{"denied.example", "*.denied.example"}, Action: "deny"},
		{Tools: []string{"page.goto"}, Hosts: []string{"typed.example"}, Action: "deny"},
		{Tools: []string{"page.click"}, Hosts: []string{"clicked.example"}, Action: "deny"},
		{Tools: []string{"page.goto"}, Roles: []string{"viewer"}, Hosts: []string{"viewer.example"}, Action: "deny"},
		{Tools: []string{"*"}, Conditions: []Condition{{Param: "destination.url", Matches: new("/private")}}, Action: "deny"},
		{Tools: []string{"page.goto"}, Action: "deny"}, // about no address: links may still be followed
	}})
	if err != nil {
		t.Fatal(err)
	}
	agents, operators := []Act{{Risk: action.Low, Link: true}}, []Act{{Operator: true}}
	for _, c := range []struct {
		url    string
		change func(*Outgoing)
		rule   string // that denies; empty: none does
	}{
		{"https://denied.example/", nil, "rule.2"},
		{"http://DENIED.example:8080/a?b=c", nil, "rule.2"},
		{"https://a.denied.example/", nil, "rule.2"},
		{"https://denied.example/", func(o *Outgoing) { o.Acts = agents }, "rule.2"},
		{"https://denied.example/", func(o *Outgoing) { o.Request.Redirect = true }, "rule.2"},
		{"https://denied.example/", func(o *Outgoing) { o.Request.Page = "https://denied.example/" }, "rule.2"},
		{"https://denied.example/", func(o *Outgoing) { o.Request.Method = "POST" }, "rule.2"},
		{"https://denied.example/", func(o *Outgoing) { o.Sending = action.SendNone }, "rule.2"},
		{"https://denied.example/", func(o *Outgoing) { o.Acts, o.Request.Crawl = nil, true }, "rule.2"},
		{"https://typed.example/", nil, "rule.3"},
		{"https://app.example/private", nil, "rule.6"},

		{"https://open.denied.example/", nil, ""},
		{"https://typed.example/", func(o *Outgoing) { o.Acts = agents }, ""},        // the act was judged
		{"https://typed.example/", func(o *Outgoing) { o.Request.Crawl = true }, ""}, // judged by rules for page.crawl
		{"https://clicked.example/", nil, ""},
		{"https://viewer.example/", nil, ""},
		{"https://app.example/", nil, ""},
		{"https://notdenied.example/", nil, ""},
		{"https://denied.example/", func(o *Outgoing) { o.Request.Top = false }, ""}, // a frame
		{"https://denied.example/", func(o *Outgoing) { o.Acts = operators }, ""},
		{"https://denied.example/", func(o *Outgoing) { o.Owner = action.Operator }, ""},
		{"https://denied.example/", func(o *Outgoing) { o.People = true }, ""},
	} {
		o := Outgoing{Request: action.Request{Method: "GET", URL: c.url, Kind: "Document", Top: true, Page: "https://app.example/"}, Owner: action.Agent}
		if c.change != nil {
			c.change(&o)
		}
		v := p.Effect(o)
		switch {
		case c.rule != "" && (v.Decision != Deny || v.Rule != c.rule || v.Hint == ""):
			t.Errorf("%s %+v: %s by %s, want a refusal by %s", c.url, o, v.Decision, v.Rule, c.rule)
		case c.rule == "" && v.Decision == Deny:
			t.Errorf("%s %+v is denied by %s", c.url, o, v.Rule)
		}
	}
}
