package policy

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// someRule draws a rule that can be read.
func someRule(t *rapid.T) Rule {
	tools := rapid.SampledFrom([]string{"*", "page.click", "browser_type", "page.press", "page.select", "page.goto", "page.content"})
	r := Rule{
		Tools: []string{tools.Draw(t, "tool")},
		Roles: rapid.SampledFrom([][]string{nil, {"agent"}, {"viewer"}, {"agent", "viewer"}}).Draw(t, "roles"),
		Hosts: rapid.SampledFrom([][]string{nil, {"app.example.com"}, {"*.example.com"}, {"other.example.org", "pay.example.org"}}).Draw(t, "hosts"),
		Risk:  rapid.SampledFrom([]string{"", "LOW", "MEDIUM", "HIGH", "CRITICAL"}).Draw(t, "risk"),
	}
	r.Action = rapid.SampledFrom([]string{"", "allow", "ask", "deny"}).Draw(t, "action")
	if r.Risk == "" && r.Action == "" {
		r.Action = "ask"
	}
	if r.Tools[0] == "page.content" {
		r.Roles = []string{"agent"}
	}
	if rapid.Bool().Draw(t, "conditional") {
		word := rapid.SampledFrom([]string{"next", "delete", "save", ""}).Draw(t, "word")
		r.Conditions = []Condition{{Param: "page.host", Equals: &word}}
		if rapid.Bool().Draw(t, "negated") {
			pattern := "^[^z]"
			r.Conditions = []Condition{{Param: "page.url", Matches: &pattern}}
		}
	}
	return r
}

func someRules(t *rapid.T) []Rule {
	return rapid.SliceOfN(rapid.Custom(someRule), 0, 6).Draw(t, "rules")
}

func agentsCall(t *rapid.T) (action.Call, *action.Verb, action.Facts) {
	verb, args := someCall(t)
	if rapid.IntRange(0, 9).Draw(t, "raw") == 0 {
		verb, args = "page.content", &action.Content{}
	}
	f := on(someElement(t))
	f.Destination = to(rapid.SampledFrom([]string{"https://app.example.com/", "https://other.example.org/", "https://pay.example.org/"}).Draw(t, "destination"))
	f.Destination.Allowed = rapid.Bool().Draw(t, "allowed")
	return action.Call{Verb: verb, Args: args, Caller: action.Caller{Actor: "a", Scope: "s", Role: action.Agent}}, byName(verb), f
}

// The table without rules is the comparison.
func TestRulesNeverLowerARiskNorAllowHighCalls(t *testing.T) {
	plain := mustNew(t, Config{Enabled: true, Trusted: []string{"app.example.com"}})
	rapid.Check(t, func(t *rapid.T) {
		p, err := New(Config{Enabled: true, Trusted: []string{"app.example.com"}, Rules: someRules(t)})
		if err != nil {
			t.Fatal(err)
		}
		call, verb, f := agentsCall(t)
		with, without := p.Decide(call, verb, f), plain.Decide(call, verb, f)
		if with.Risk < without.Risk && with.Decision != Deny && without.Decision != Deny {
			t.Fatalf("%s: the risk fell from %s to %s", call.Verb, without.Risk, with.Risk)
		}
		if with.Decision == Allow && with.Risk >= action.High {
			t.Fatalf("%s ran at %s by %s", call.Verb, with.Risk, with.Rule)
		}
		if without.Decision == Deny && with.Decision == Allow {
			t.Fatalf("%s was denied by %s and is allowed by %s", call.Verb, without.Rule, with.Rule)
		}
		if without.Decision == Deny && with.Decision == Ask && without.Rule != "class.raw" {
			t.Fatalf("%s was denied by %s and is asked by %s", call.Verb, without.Rule, with.Rule)
		}
		if again := p.Decide(call, verb, f); again != with {
			t.Fatalf("the same call: %+v, then %+v", with, again)
		}
	})
}

// Rules after the one that matches change nothing, and neither do rules that do not match.
func TestOnlyRulesBeforeTheFirstMatchCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := someRules(t)
		p, err := New(Config{Enabled: true, Rules: rules})
		if err != nil {
			t.Fatal(err)
		}
		call, verb, f := agentsCall(t)
		v := p.Decide(call, verb, f)
		behind := append(rules[:len(rules):len(rules)], someRule(t))
		more, err := New(Config{Enabled: true, Rules: behind})
		if err != nil {
			t.Fatal(err)
		}
		_, seen := p.decide(call, verb, f)
		if seen != nil && p.firstRule(seen) != nil {
			if after := more.Decide(call, verb, f); after != v {
				t.Fatalf("a rule behind the one that matched changed %+v to %+v", v, after)
			}
		}
	})
}

func TestDecidingDoesNotChangeTheCall(t *testing.T) {
	p := ruled(t, Rule{Tools: []string{"*"}, Hosts: []string{"*.example.com"}, Risk: "HIGH"})
	f := on(button("Save"))
	f.Element.FrameURL, f.Element.Submits, f.Element.FormAction = "https://widget.example.org/", true, "https://api.example.com/"
	before := fmt.Sprintf("%+v %+v", f, *f.Element)
	for range 3 {
		decide(t, p, action.Agent, "page.click", &action.Click{}, f)
	}
	if after := fmt.Sprintf("%+v %+v", f, *f.Element); after != before {
		t.Errorf("%s\nbecame\n%s", before, after)
	}
}

// The search for required words must decide as the pattern does.
func TestRequiredWordsDecideAsThePatternDoes(t *testing.T) {
	patterns := []string{"delete|remove", "^(close|reopen) ticket$", "revoke .* key", "a+b", "[ab]c", "(?-i)Save", "x?y", "", "(foo|ba[rz])qux", "\\bpay\\b", "k", "s{2}", "(ab){2,3}", "é|e"}
	rapid.Check(t, func(t *rapid.T) {
		source := rapid.SampledFrom(patterns).Draw(t, "pattern")
		p, err := newPattern(source)
		if err != nil {
			t.Fatal(err)
		}
		text := rapid.StringOfN(rapid.SampledFrom([]rune("aAbcdelrmovDRkKsSyxé \u212a\u017fpP")), 0, 12, -1).Draw(t, "text")
		if rapid.Bool().Draw(t, "with words") {
			text += rapid.SampledFrom([]string{"Delete", "close TICKET", "revoke my KEY", "aab", "Save", "save", "fooqux", "BAZqux", "pay", "ss", "abab"}).Draw(t, "words")
		}
		lower := ""
		if isASCII(text) {
			lower = strings.ToLower(text)
		}
		if got := p.in(text, lower); got != p.MatchString(text) {
			t.Fatalf("%q in %q: %t", source, text, got)
		}
	})
}

// hundred are rules as configurations have them: by verb, host and word. None matches, so all are
// considered.
func hundred() []Rule {
	var rules []Rule
	words := []string{"escalate|impersonate", "wire transfer", "^(close|reopen) ticket", "approve (all|selected)", "revoke .* key"}
	tools := []string{"page.click", "page.type", "page.goto", "page.press", "page.select"}
	for i := range 100 {
		r := Rule{Tools: []string{tools[i%len(tools)]}, Action: "ask"}
		switch i / 5 % 4 {
		case 0:
			r.Hosts = []string{fmt.Sprintf("app%d.example.net", i)}
		case 1:
			r.Hosts, r.Tools = []string{fmt.Sprintf("*.team%d.example.org", i)}, []string{"*"}
		case 2:
			r.Roles = []string{"viewer"}
		}
		if r.Tools[0] != "*" && r.Tools[0] != "page.goto" {
			r.Conditions = []Condition{{Param: "element.name", Matches: &words[i/20]}}
		}
		rules = append(rules, r)
	}
	return rules
}

// BenchmarkDecideRules compares the table alone with 100 rules of which none
// matches, on a click with a long name. The goal is 20 µs.
func BenchmarkDecideRules(b *testing.B) {
	f := on(button("Delete this invoice and everything that belongs to it"))
	call := action.Call{Verb: "page.click", Args: &action.Click{}, Caller: action.Caller{Role: action.Agent}}
	pattern := "escalate|impersonate"
	worst := make([]Rule, 100)
	for i := range worst {
		worst[i] = Rule{Tools: []string{"page.click"}, Action: "ask", Conditions: []Condition{{Param: "element.name", Matches: &pattern}}}
	}
	for _, c := range []struct {
		name  string
		rules []Rule
	}{{"none", nil}, {"mixed", hundred()}, {"worst", worst}} {
		p := mustNew(b, Config{Enabled: true, Rules: c.rules})
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				p.Decide(call, byName("page.click"), f)
			}
		})
	}
}
