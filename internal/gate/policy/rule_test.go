package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func text(s string) *string { return &s }

// ruled is a policy of rules that can ask, with the page's host trusted.
func ruled(t testing.TB, rules ...Rule) *Policy {
	t.Helper()
	return mustNew(t, Config{Enabled: true, Trusted: []string{"app.example.com"}, Rules: rules})
}

func when(param string, c Condition) []Condition {
	c.Param = param
	return []Condition{c}
}

func TestTheFirstRuleThatMatchesDecides(t *testing.T) {
	frob := button("Frobnicate")
	for _, c := range []struct {
		name  string
		rules []Rule
		want  want
	}{
		{"none", nil, want{Allow, action.Medium, "click.unmatched"}},
		{"other tool", []Rule{{Tools: []string{"page.type"}, Action: "deny"}}, want{Allow, action.Medium, "click.unmatched"}},
		{"other role", []Rule{{Tools: []string{"*"}, Roles: []string{"viewer"}, Action: "deny"}}, want{Allow, action.Medium, "click.unmatched"}},
		{"other host", []Rule{{Tools: []string{"*"}, Hosts: []string{"*.example.org"}, Action: "deny"}}, want{Allow, action.Medium, "click.unmatched"}},
		{"other name", []Rule{{Tools: []string{"page.click"}, Action: "deny", Conditions: when("element.name", Condition{Equals: text("frob")})}}, want{Allow, action.Medium, "click.unmatched"}},
		{"verb", []Rule{{Tools: []string{"page.click"}, Action: "deny"}}, want{Deny, action.Medium, "rule.1"}},
		{"tool", []Rule{{Tools: []string{"browser_click"}, Action: "ask"}}, want{Ask, action.Medium, "rule.1"}},
		{"any", []Rule{{Tools: []string{"*"}, Action: "ask"}}, want{Ask, action.Medium, "rule.1"}},
		{"host", []Rule{{Tools: []string{"*"}, Hosts: []string{"*.example.com"}, Action: "deny"}}, want{Deny, action.Medium, "rule.1"}},
		{"equal", []Rule{{Tools: []string{"page.click"}, Action: "deny", Conditions: when("element.name", Condition{Equals: text("frobnicate")})}}, want{Deny, action.Medium, "rule.1"}},
		{"searched", []Rule{{Tools: []string{"page.click"}, Action: "deny", Conditions: when("element.name", Condition{Matches: text("BNI|xyz")})}}, want{Deny, action.Medium, "rule.1"}},
		{"one of", []Rule{{Tools: []string{"page.click"}, Action: "deny", Conditions: when("element.role", Condition{In: []string{"link", "button"}})}}, want{Deny, action.Medium, "rule.1"}},
		{"a raised risk asks", []Rule{{Tools: []string{"page.click"}, Risk: "HIGH"}}, want{Ask, action.High, "rule.1"}},
		{"a lower risk changes nothing", []Rule{{Tools: []string{"page.click"}, Risk: "LOW"}}, want{Allow, action.Medium, "click.unmatched"}},
		{"order", []Rule{{Tools: []string{"page.click"}, Action: "ask"}, {Tools: []string{"page.click"}, Action: "deny"}}, want{Ask, action.Medium, "rule.1"}},
		{"order, the other way", []Rule{{Tools: []string{"page.click"}, Action: "deny"}, {Tools: []string{"page.click"}, Action: "ask"}}, want{Deny, action.Medium, "rule.1"}},
		{"the second", []Rule{{Tools: []string{"page.type"}, Action: "ask"}, {Tools: []string{"page.click"}, Action: "deny"}}, want{Deny, action.Medium, "rule.2"}},
	} {
		check(t, c.name, decide(t, ruled(t, c.rules...), action.Agent, "page.click", &action.Click{}, on(frob)), c.want)
	}
}

func TestRulesAllowOnlyMediumCalls(t *testing.T) {
	anything := Rule{Tools: []string{"*"}, Action: "allow"}
	p := mustNew(t, Config{Enabled: true, Rules: []Rule{anything}}) // nothing is trusted
	check(t, "MEDIUM", decide(t, p, action.Agent, "page.click", &action.Click{}, on(button("Save"))), want{Allow, action.Medium, "rule.1"})
	check(t, "HIGH", decide(t, p, action.Agent, "page.click", &action.Click{}, on(button("Delete"))), want{Ask, action.High, "rule.1"})
	check(t, "CRITICAL", decide(t, p, action.Agent, "page.click", &action.Click{}, on(button("Pay"))), want{Ask, action.Critical, "rule.1"})
	secret := field("Password")
	check(t, "a secret", decide(t, p, action.Agent, "page.type", &action.Type{Input: "x"}, on(secret)), want{Deny, action.Critical, "field.secret"})
	away := action.Facts{Destination: &action.Destination{URL: "https://evil.example/", Host: "evil.example"}}
	check(t, "a blocked host", decide(t, p, action.Agent, "page.goto", &action.Goto{}, away), want{Deny, action.High, "navigation.blocked"})
	check(t, "a cookie", decide(t, p, action.Agent, "cookie.list", &action.CookieList{}, action.Facts{}), want{Deny, action.Critical, "class.raw"})
	check(t, "an answer", decide(t, p, action.Agent, "approval.answer", &action.Answer{}, action.Facts{}), want{Deny, action.Critical, "class.admin"})
	check(t, "a viewer's click", decide(t, p, action.Viewer, "page.click", &action.Click{}, on(button("Save"))), want{Deny, action.Critical, "role.viewer"})
	check(t, "raised by the rule itself", decide(t, ruled(t, Rule{Tools: []string{"*"}, Risk: "HIGH", Action: "allow"}), action.Agent, "page.click", &action.Click{}, on(button("Next"))), want{Ask, action.High, "rule.1"})

	mail := action.Facts{Page: action.Page{URL: "https://mail.example.com/"}, Element: &action.Element{Role: "button", Name: "Save", Tag: "button"}}
	check(t, "on a sensitive host, unnamed", decide(t, p, action.Agent, "page.click", &action.Click{}, mail), want{Ask, action.Medium, "rule.1"})
	named := mustNew(t, Config{Enabled: true, Rules: []Rule{{Tools: []string{"*"}, Hosts: []string{"mail.example.com"}, Action: "allow"}}})
	check(t, "on a sensitive host, named", decide(t, named, action.Agent, "page.click", &action.Click{}, mail), want{Allow, action.Medium, "rule.1"})
}

// Of several hosts and values one match is enough to deny; to allow, all must match.
func TestARuleThatAllowsMustMatchAllHostsAndValues(t *testing.T) {
	framed := on(button("Frobnicate"))
	framed.Element.FrameURL = "https://widget.example.org/"
	elsewhere := on(action.Element{Role: "button", Tag: "button", Name: "Frobnicate", Submits: true, SubmitName: "Frobnicate", FormMethod: "post", FormAction: "https://api.example.com/x"})
	list := action.Element{Role: "combobox", Tag: "select", Name: "Kind"}
	chosen := on(list)
	chosen.Options = []string{"Red", "Blue"}
	host := func(h, act string) Rule { return Rule{Tools: []string{"*"}, Hosts: []string{h}, Action: act} }
	option := func(c Condition, act string) Rule {
		return Rule{Tools: []string{"page.select"}, Action: act, Conditions: when("option", c)}
	}
	for _, c := range []struct {
		name, verb string
		args       any
		f          action.Facts
		rule       Rule
		matches    bool
	}{
		{"page allowed, frame not", "page.click", &action.Click{}, framed, host("app.example.com", "allow"), false},
		{"page denied", "page.click", &action.Click{}, framed, host("app.example.com", "deny"), true},
		{"frame denied", "page.click", &action.Click{}, framed, host("widget.example.org", "deny"), true},
		{"form sent to a denied host of the site", "page.click", &action.Click{}, elsewhere, host("api.example.com", "deny"), true},
		{"one option denied", "page.select", &action.Select{}, chosen, option(Condition{Equals: text("blue")}, "deny"), true},
		{"one option allowed", "page.select", &action.Select{}, chosen, option(Condition{Equals: text("blue")}, "allow"), false},
		{"all options allowed", "page.select", &action.Select{}, chosen, option(Condition{In: []string{"blue", "red"}}, "allow"), true},
		{"no option allowed", "page.select", &action.Select{}, on(list), option(Condition{Matches: text(".")}, "allow"), false},
	} {
		p := mustNew(t, Config{Enabled: true, Rules: []Rule{c.rule}})
		if v := decide(t, p, action.Agent, c.verb, c.args, c.f); (v.Rule == "rule.1") != c.matches {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

func TestDisguisesDoNotPassRules(t *testing.T) {
	for name, disguise := range map[string]string{
		"zero width": "Esca\u200blate", "wide": "Ｅｓｃａｌａｔｅ", "Cyrillic": "Еsсаlаtе", "marks": "E\u0301scala\u0336te", "bold": "𝐄𝐬𝐜𝐚𝐥𝐚𝐭𝐞",
		"small capitals": "ᴇꜱᴄᴀʟᴀᴛᴇ", "filler": "Esc\u3164alate", "variation": "Es\ufe0fcalate",
	} {
		deny := ruled(t, Rule{Tools: []string{"page.click"}, Action: "deny", Conditions: when("element.name", Condition{Matches: text("escalate")})})
		check(t, name+", searched", decide(t, deny, action.Agent, "page.click", &action.Click{}, on(button(disguise))), want{Deny, action.Medium, "rule.1"})
		deny = ruled(t, Rule{Tools: []string{"page.click"}, Action: "deny", Conditions: when("element.name", Condition{Equals: text("Escalate")})})
		check(t, name+", equal", decide(t, deny, action.Agent, "page.click", &action.Click{}, on(button(disguise))), want{Deny, action.Medium, "rule.1"})
		allow := mustNew(t, Config{Enabled: true, Rules: []Rule{{Tools: []string{"page.click"}, Action: "allow", Conditions: when("element.name", Condition{Equals: text("Escalate")})}}})
		if v := decide(t, allow, action.Agent, "page.click", &action.Click{}, on(button(disguise))); v.Decision != Ask {
			t.Errorf("%s is allowed for what it looks like: %+v", name, v)
		}
	}
}

func TestConditionsMayBeAboutArguments(t *testing.T) {
	yes := true
	for _, c := range []struct {
		verb, param string
		c           Condition
		args        any
		matches     bool
	}{
		{"page.type", "text", Condition{Matches: text("@corp")}, &action.Type{Input: "ann@corp.example"}, true},
		{"page.type", "submit", Condition{Equals: text("true")}, &action.Type{Submit: true}, true},
		{"page.type", "submit", Condition{Equals: text("true")}, &action.Type{}, false},
		{"page.click", "button", Condition{In: []string{"right", "middle"}}, &action.Click{Button: "middle"}, true},
		{"page.click", "modifiers", Condition{Equals: text("shift")}, &action.Click{Modifiers: []string{"Control", "Shift"}}, true},
		{"page.click", "index", Condition{Equals: text("0")}, &action.Click{}, false},
		{"page.click", "clickCount", Condition{Equals: text("2")}, &action.Click{ClickCount: 2}, true},
		{"page.drag", "from.role", Condition{Equals: text("row")}, &action.Drag{From: action.Locator{Role: "row"}}, true},
		{"page.select", "values", Condition{Equals: text("x")}, &action.Select{Values: []string{"y", "x"}}, true},
		{"page.dialog", "accept", Condition{Equals: text("true")}, &action.AnswerDialog{Accept: yes}, true},
	} {
		p := ruled(t, Rule{Tools: []string{c.verb}, Action: "deny", Conditions: when(c.param, c.c)})
		if v := decide(t, p, action.Agent, c.verb, c.args, on(button("Next"))); (v.Rule == "rule.1") != c.matches {
			t.Errorf("%s %s: %+v", c.verb, c.param, v)
		}
	}
}

func TestRawAccessIsGivenByNameOnly(t *testing.T) {
	grant := func(act string) Rule {
		return Rule{Tools: []string{"cookie.list", "cdp.attach", "page.content"}, Roles: []string{"agent"}, Hosts: []string{"app.example.com"}, Action: act}
	}
	here, there := action.Facts{Page: action.Page{URL: pageURL}}, action.Facts{Page: action.Page{URL: "https://other.example/"}}
	for _, act := range []string{"allow", "ask"} {
		p := ruled(t, grant(act))
		check(t, act, decide(t, p, action.Agent, "page.content", &action.Content{}, here), want{Ask, action.High, "rule.1"})
		check(t, act+" to attach", decide(t, p, action.Agent, "cdp.attach", &action.None{}, here), want{Ask, action.Critical, "rule.1"})
		check(t, act+" elsewhere", decide(t, p, action.Agent, "page.content", &action.Content{}, there), want{Deny, action.Critical, "class.raw"})
		check(t, act+" of another verb", decide(t, p, action.Agent, "cookie.set", &action.CookieSet{}, here), want{Deny, action.Critical, "class.raw"})
		check(t, act+" for a viewer", decide(t, p, action.Viewer, "page.content", &action.Content{}, here), want{Deny, action.Critical, "role.viewer"})
	}
	check(t, "a raised risk", decide(t, ruled(t, Rule{Tools: []string{"page.content"}, Risk: "CRITICAL"}), action.Agent, "page.content", &action.Content{}, here), want{Deny, action.Critical, "class.raw"})
	check(t, "everything", decide(t, ruled(t, Rule{Tools: []string{"*"}, Roles: []string{"agent"}, Action: "ask"}), action.Agent, "page.content", &action.Content{}, here), want{Deny, action.Critical, "class.raw"})
	headers := &action.ReadNetwork{Headers: true}
	check(t, "raw by its arguments", decide(t, ruled(t, Rule{Tools: []string{"page.network"}, Roles: []string{"agent"}, Action: "allow"}), action.Agent, "page.network", headers, here), want{Deny, action.Critical, "class.raw"})
	check(t, "a script denied", decide(t, ruled(t, Rule{Tools: []string{"page.execute"}, Action: "deny"}), action.Agent, "page.execute", &action.Execute{Expression: "1"}, here), want{Deny, action.High, "rule.1"})
}

func TestOperatorsAreDeniedByNameOnly(t *testing.T) {
	pay := on(button("Pay"))
	check(t, "unnamed", decide(t, ruled(t, Rule{Tools: []string{"*"}, Action: "deny"}), action.Operator, "page.click", &action.Click{}, pay), want{Allow, action.Critical, "operator"})
	check(t, "named", decide(t, ruled(t, Rule{Tools: []string{"page.click"}, Roles: []string{"operator"}, Action: "deny"}), action.Operator, "page.click", &action.Click{}, pay), want{Deny, action.Critical, "rule.1"})
}

func TestReadsMayBeDeniedAndAsked(t *testing.T) {
	here := action.Facts{Page: action.Page{URL: pageURL}}
	p := ruled(t, Rule{Tools: []string{"page.screenshot"}, Hosts: []string{"app.example.com"}, Action: "deny", Description: "pictures show customers"}, Rule{Tools: []string{"browser_read"}, Action: "ask"})
	v := decide(t, p, action.Agent, "page.screenshot", &action.TakeScreenshot{}, here)
	check(t, "denied", v, want{Deny, action.Low, "rule.1"})
	if v.Why != "pictures show customers" || v.Code != fault.DeniedByPolicy {
		t.Errorf("got %+v", v)
	}
	v = decide(t, p, action.Agent, "page.extract", &action.Extract{}, here)
	check(t, "asked", v, want{Ask, action.Medium, "rule.2"})
	if v.Host != "" {
		t.Error("a grant for the session would cover what a rule wants asked each time")
	}
}

func TestCrawlsAreJudgedByRulesToo(t *testing.T) {
	f := action.Facts{Destination: to("https://app.example.com/b"), Crawl: &action.CrawlGrant{Hosts: []string{"app.example.com"}, Start: "https://app.example.com/"}}
	check(t, "denied", decide(t, ruled(t, Rule{Tools: []string{"page.crawl"}, Action: "deny"}), action.Agent, "crawl.page", &action.CrawlPage{}, f), want{Deny, action.Low, "rule.1"})
	check(t, "asked", decide(t, ruled(t, Rule{Tools: []string{"*"}, Risk: "HIGH"}), action.Agent, "crawl.page", &action.CrawlPage{}, f), want{Deny, action.High, "rule.1"})
}

func TestMistakesInRulesAreNamed(t *testing.T) {
	ok := func(change func(*Rule)) Rule {
		r := Rule{Tools: []string{"page.click"}, Action: "ask"}
		change(&r)
		return r
	}
	for name, c := range map[string]struct {
		rule Rule
		want string
	}{
		"unknown verb":        {ok(func(r *Rule) { r.Tools = []string{"page.clik"} }), `rules[0].tools[0]: "page.clik" is no verb or tool; the nearest known one is "page.click"`},
		"unknown tool":        {ok(func(r *Rule) { r.Tools = []string{"browser_clicks"} }), `"browser_click"`},
		"a step":              {ok(func(r *Rule) { r.Tools = []string{"crawl.page"} }), "is no verb or tool"},
		"no tool":             {ok(func(r *Rule) { r.Tools = nil }), "rules[0].tools: is missing"},
		"all and one":         {ok(func(r *Rule) { r.Tools = []string{"page.click", "*"} }), "leave out the others"},
		"unknown role":        {ok(func(r *Rule) { r.Roles = []string{"agents"} }), `the nearest known one is "agent"`},
		"unknown risk":        {ok(func(r *Rule) { r.Risk = "HIHG" }), `the nearest known one is "HIGH"`},
		"unknown action":      {ok(func(r *Rule) { r.Action = "denny" }), `the nearest known one is "deny"`},
		"nothing to do":       {ok(func(r *Rule) { r.Action = "" }), "neither risk nor action"},
		"host":                {ok(func(r *Rule) { r.Hosts = []string{"https://a.example/"} }), `rules[0].hosts: `},
		"unknown param":       {ok(func(r *Rule) { r.Conditions = when("element.nme", Condition{Equals: text("x")}) }), `rules[0].conditions[0].param: "element.nme" is no parameter of page.click; the nearest known one is "element.name"`},
		"another verb's fact": {ok(func(r *Rule) { r.Conditions = when("dialog.message", Condition{Equals: text("x")}) }), "is no parameter of page.click"},
		"an alias": {ok(func(r *Rule) {
			r.Tools = []string{"page.select"}
			r.Conditions = when("value", Condition{Equals: text("x")})
		}), `the nearest known one is "values"`},
		"of no verb": {ok(func(r *Rule) {
			r.Tools = []string{"*"}
			r.Conditions = when("elment.name", Condition{Equals: text("x")})
		}), `"element.name"`},
		"also beside another": {Rule{Tools: []string{"page.clik"}, Action: "ask", Conditions: when("element.nme", Condition{Equals: text("x")})}, `"element.nme" is no parameter`},
		"pattern":             {ok(func(r *Rule) { r.Conditions = when("element.name", Condition{Matches: text("(")}) }), "rules[0].conditions[0].matches: "},
		"pattern that closes": {ok(func(r *Rule) { r.Conditions = when("element.name", Condition{Matches: text("a)|(b")}) }), "unexpected )"},
		"empty pattern":       {ok(func(r *Rule) { r.Conditions = when("element.name", Condition{Matches: text("")}) }), "is empty"},
		"long pattern": {ok(func(r *Rule) {
			r.Conditions = when("element.name", Condition{Matches: text(strings.Repeat("a", 1001))})
		}), "longer than 1000"},
		"no comparison":    {ok(func(r *Rule) { r.Conditions = when("element.name", Condition{}) }), "exactly one of"},
		"two comparisons":  {ok(func(r *Rule) { r.Conditions = when("element.name", Condition{Equals: text("a"), In: []string{"b"}}) }), "exactly one of"},
		"operators asked":  {ok(func(r *Rule) { r.Roles = []string{"operator"} }), "may only deny"},
		"admin given":      {ok(func(r *Rule) { r.Tools = []string{"approval.answer"}; r.Action = "allow" }), "may only deny"},
		"raw to everybody": {ok(func(r *Rule) { r.Tools = []string{"cookie.list"}; r.Action = "allow" }), "name agent"},
		"raw to viewers":   {ok(func(r *Rule) { r.Tools = []string{"page.content"}; r.Roles = []string{"viewer"} }), "name agent"},
	} {
		problems := Check(Config{Rules: []Rule{c.rule}})
		if !slices.ContainsFunc(problems, func(p Problem) bool { return strings.Contains(p.Error(), c.want) }) {
			t.Errorf("%s: %v, want %q", name, problems, c.want)
		}
		if _, err := New(Config{Rules: []Rule{c.rule}}); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: a policy was made: %v", name, err)
		}
	}
	both := Check(Config{Trusted: []string{"*"}, Rules: []Rule{{}, ok(func(r *Rule) { r.Risk = "x" })}})
	if len(both) != 4 {
		t.Errorf("not all are named: %v", both)
	}
}

func TestEveryParameterHasItsFact(t *testing.T) {
	for _, p := range Params {
		found := false
		for _, v := range action.Offered() {
			found = found || p.on(v)
		}
		if !found || p.Doc == "" {
			t.Errorf("%s is of no verb, or says nothing", p.Name)
		}
	}
}

func TestLookalikesAreEachOneLetter(t *testing.T) {
	letters := map[rune]bool{}
	for _, list := range lookalikes {
		for i, r := range []rune(list) {
			if (i == 0) != (r < 0x80) || letters[r] {
				t.Errorf("%q of %q stands for two letters, or is one", r, list)
			}
			letters[r] = true
		}
	}
}

// No verb is a way around a rule for clicks.
func TestARuleForClicksCoversAllVerbsThatPress(t *testing.T) {
	for _, v := range action.Offered() {
		args, names := v.OnElement(action.Locator{Ref: "e1"})
		if _, presses := args.(action.Pressing); !names || !presses {
			continue
		}
		for _, tool := range []string{"page.click", "browser_click"} {
			p := ruled(t, Rule{Tools: []string{tool}, Action: "deny", Conditions: when("element.name", Condition{Equals: text("Next")})})
			if got := decide(t, p, action.Agent, v.Name, args, on(button("Next"))); got.Rule != "rule.1" {
				t.Errorf("a rule for %s and %s: %+v", tool, v.Name, got)
			}
		}
	}
	p := ruled(t, Rule{Tools: []string{"page.check"}, Action: "deny"})
	if got := decide(t, p, action.Agent, "page.click", &action.Click{}, on(button("Next"))); got.Rule == "rule.1" {
		t.Errorf("a rule for page.check and a click: %+v", got)
	}
}
