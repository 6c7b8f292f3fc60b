package policy

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/spelling"
)

// QueriedCall is the call that a query asks about, and its row. Faults:
// unknown_action naming the nearest verb, invalid_request naming the argument.
func QueriedCall(q action.PolicyQuery) (action.Call, *action.Verb, error) {
	verb, known := action.Lookup(q.Verb)
	if tool, is := action.OfTool(q.Verb); !known && is {
		verb, known, q.Args = tool, true, action.OfToolArgs(q.Args)
		q.Verb = verb.Name
	}
	if !known || verb.Inner {
		var names []string
		for _, v := range action.Offered() {
			names = append(names, v.Name)
			if v.Tool != "" {
				names = append(names, v.Tool)
			}
		}
		return action.Call{}, nil, fault.New(fault.UnknownAction, "there is no verb or tool %q", q.Verb).
			Hinted("the nearest one is %s", spelling.Nearest(q.Verb, names)).With("field", "verb")
	}
	call := action.Call{Verb: q.Verb, Args: verb.NewArgs(), Caller: action.Caller{Role: q.Role}}
	if q.Role == "" {
		call.Caller.Role = action.Agent
	}
	if err := action.DecodePart(q.Args, call.Args); err != nil {
		return call, verb, err //nolint:wrapcheck // a fault that names the argument
	}
	return call, verb, nil
}

// Explain says what would become of the call that a query asks about, with the facts of a page; nil
// takes the facts from the query. Like Decide it has no effects. Faults: as QueriedCall.
func (p *Policy) Explain(q action.PolicyQuery, seen *action.Facts) (action.PolicyExplanation, error) {
	call, verb, err := QueriedCall(q)
	if err != nil {
		return action.PolicyExplanation{}, err
	}
	out := action.PolicyExplanation{Policy: p.Hash(), Assumed: []string{}, Rules: []action.RuleTried{}}
	if seen == nil {
		facts, assumed := p.assumedFacts(q, call, verb)
		seen, out.Assumed = &facts, assumed
	}
	v, view := p.decide(call, verb, *seen)
	out.Decision, out.Risk, out.Rule, out.Why, out.Hint = v.shownDecision(), v.Risk, v.Rule, v.Why, v.Hint
	if out.Decision == Ask.String() {
		out.AskAt = string(AskAtAct)
	}
	if v.Deferred {
		out.AskAt = string(AskAtWire)
	}
	bare := *p
	bare.rules, bare.granted = nil, nil
	b := bare.Decide(call, verb, *seen)
	out.Builtin = action.PolicyReason{Decision: b.shownDecision(), Risk: b.Risk, Rule: b.Rule, Why: b.Why}
	out.Rules = append(out.Rules, p.triedRules(view)...)
	return out, nil
}

// shownDecision is the decision for people: a deferred call is one that is asked about.
func (v Verdict) shownDecision() string {
	if v.Deferred {
		return Ask.String()
	}
	return v.Decision.String()
}

// triedRules says of every rule whether it matched; without a view no rule was considered.
func (p *Policy) triedRules(v *view) []action.RuleTried {
	var all []action.RuleTried
	decided := false
	for i := range p.rules {
		x := &p.rules[i]
		t := action.RuleTried{Number: x.number, Description: x.source.Description}
		switch {
		case v == nil:
			t.Why = "not asked: no rule can change what is decided before the rules"
		case decided:
			t.Why = "not reached: a rule before it matched"
		default:
			m := x.match(v)
			if t.Matched, t.Why = m == (miss{}), x.explain(m); t.Matched {
				decided, t.Why = true, "it matches"
			}
		}
		all = append(all, t)
	}
	return all
}

// assumedFacts returns the facts that a query states, and what is assumed besides.
func (p *Policy) assumedFacts(q action.PolicyQuery, call action.Call, verb *action.Verb) (f action.Facts, assumed []string) {
	assumed = []string{"the page was not looked at: facts that were not given are empty"}
	f = action.Facts{Page: action.Page{URL: withScheme(q.PageURL)}, Options: q.Options}
	f.Session.Credentialed = q.Credentialed
	if verb.Target || q.Element != (action.PolicyElement{}) {
		f.Element = elementOf(q.Element)
	}
	if q.Onto != (action.PolicyElement{}) {
		f.Onto = elementOf(q.Onto)
	}
	if q.Dialog != "" {
		f.Dialog = &action.Dialog{Kind: "confirm", Message: q.Dialog}
	}
	address := ""
	if hasDestination(verb) && len(argument(call.Args, "url")) > 0 {
		address = argument(call.Args, "url")[0]
	} else if f.Element != nil {
		address = f.Element.LinkURL
	}
	if address != "" {
		f.Destination = p.destination(withScheme(address))
		assumed = append(assumed, "where the session may go was taken from security.network, which a session may narrow")
		if args, crawls := call.Args.(*action.Crawl); crawls {
			f.Crawl = &action.CrawlGrant{Start: args.URL, Hosts: []string{f.Destination.Host}}
		}
	}
	return f, assumed
}

// destination judges an address by the configured list. The egress proxy, which decides, also checks
// the addresses that a name resolves to.
func (p *Policy) destination(address string) *action.Destination {
	u, err := url.Parse(address)
	if err != nil || !isWeb(u) {
		return &action.Destination{URL: address, Allowed: address == "about:blank", Reason: "it is no address of the web"}
	}
	host := hostOf(address)
	d := &action.Destination{URL: address, Host: host, Site: siteOf(host), Reason: "not in security.network.navigation"}
	for _, entry := range p.source.Allowed {
		if _, _, err := net.SplitHostPort(entry); err == nil {
			d.Allowed = d.Allowed || strings.EqualFold(entry, u.Host)
		} else if list, err := parsePatterns([]string{entry}); err == nil {
			d.Allowed = d.Allowed || list.match(host)
		}
	}
	if d.Allowed {
		d.Reason = ""
	}
	return d
}

func withScheme(address string) string {
	if address == "" || strings.Contains(address, ":") && !strings.Contains(address, ".") || strings.Contains(address, "://") {
		return address
	}
	return "https://" + address
}

// tags are the most frequent tags of elements of a role.
var tags = map[string]string{"button": "button", "link": "a", "textbox": "input", "searchbox": "input", "checkbox": "input", "radio": "input", "combobox": "select"}

func elementOf(e action.PolicyElement) *action.Element {
	if e.Tag == "" {
		e.Tag = tags[e.Role]
	}
	typed := e.Editable || slices.Contains([]string{"textbox", "searchbox"}, e.Role)
	return &action.Element{
		Role: e.Role, Name: e.Name, Label: e.Label, Within: e.Within, Tag: e.Tag, Type: e.Type, FieldName: e.FieldName, Placeholder: e.Placeholder,
		Autocomplete: e.Autocomplete, FrameURL: e.FrameURL, LinkURL: e.LinkURL, FormAction: e.FormAction, FormMethod: e.FormMethod, SubmitName: e.SubmitName,
		Submits: e.Submits, Toggle: e.Toggle || e.Role == "checkbox" || e.Role == "radio" || e.Role == "switch", Editable: typed, Protected: e.Protected || e.Type == "password",
	}
}

// Show is the policy as a caller of a role may see it.
func (p *Policy) Show(role action.Role) action.PolicyView {
	c := p.source
	v := action.PolicyView{
		Policy: p.hash, SHA256: c.SHA256, Asking: p.enabled,
		Trusted: clone(c.Trusted), Sensitive: clone(c.Sensitive), Allowed: clone(c.Allowed), Rules: []action.PolicyRule{},
		Roles: []action.RoleClasses{
			{Role: action.Viewer, Classes: []string{"read"}, Granted: []string{}},
			{Role: action.Agent, Classes: []string{"read", "write"}, Granted: p.grantedVerbs()},
			{Role: action.Operator, Classes: []string{"read", "write", "raw", "admin"}, Granted: []string{}},
		},
	}
	if role == action.Operator {
		v.File = c.File
	}
	for i := range p.rules {
		v.Rules = append(v.Rules, p.rules[i].shown(role))
	}
	return v
}

func clone(all []string) []string { return append([]string{}, all...) }

// grantedVerbs are the raw verbs that agents may ask for.
func (p *Policy) grantedVerbs() []string {
	all := []string{scriptVerb}
	for name := range p.granted {
		if name != scriptVerb {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

func (x *rule) shown(role action.Role) action.PolicyRule {
	out := action.PolicyRule{Number: x.number, Action: x.source.Action, Risk: x.source.Risk, Description: x.source.Description}
	if role != action.Operator {
		return out
	}
	out.Tools, out.Roles, out.Hosts = x.source.Tools, x.source.Roles, x.source.Hosts
	for _, c := range x.source.Conditions {
		out.Conditions = append(out.Conditions, c.words())
	}
	return out
}

func (c Condition) words() string {
	switch {
	case c.Equals != nil:
		return fmt.Sprintf("%s equals %q", c.Param, *c.Equals)
	case c.Matches != nil:
		return fmt.Sprintf("%s matches %q", c.Param, *c.Matches)
	}
	return fmt.Sprintf("%s in %q", c.Param, c.In)
}
