package policy

import (
	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// deniesOpening returns the verdict of a rule that denies the document of a tab, however it
// was opened: by an address that somebody typed, by a script, by a redirect. The document
// is judged as agents' page.goto. A rule counts if it is about addresses, by hosts or
// conditions, and is for every verb, or neither an act nor a crawl explains the document.
func (p *Policy) deniesOpening(o Outgoing) (v Verdict, denied bool) {
	r := o.Request
	to := hostOf(r.URL)
	if !r.Top || to == "" || o.Owner == action.Operator && len(o.Acts) == 0 || len(o.Acts) > 0 && o.Acts[0].Operator {
		return Verdict{}, false
	}
	verb, _ := action.Lookup(action.VerbPageGoto.Name)
	seen := &view{
		call: &action.Call{Verb: verb.Name, Caller: action.Caller{Role: action.Agent}, Args: &action.Goto{URL: r.URL}},
		verb: verb, hosts: []string{to},
		facts: &action.Facts{Page: action.Page{URL: r.Page}, Destination: &action.Destination{URL: r.URL, Host: to, Allowed: true}},
	}
	x := p.firstRule(seen)
	if x == nil || x.act != denies || len(x.source.Hosts) == 0 && len(x.conditions) == 0 || x.verbs != nil && (len(o.Acts) > 0 || r.Crawl) {
		return Verdict{}, false
	}
	return Verdict{Risk: action.High, Rule: x.name, Why: x.why(), Code: fault.DeniedByPolicy,
		Hint: "a rule of this gateway forbids it: go on without it, or tell the person you work for"}, true
}
