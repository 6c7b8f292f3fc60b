package policy

import (
	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// firstRule returns the first rule that matches a call; nil for none.
func (p *Policy) firstRule(v *view) *rule {
	for i := range p.rules {
		if p.rules[i].match(v) == (miss{}) {
			return &p.rules[i]
		}
	}
	return nil
}

// applyRule is the verdict of the rule that matches. A rule may be stricter than the table,
// and may allow calls of risk MEDIUM; about HIGH and CRITICAL calls people are asked whatever
// the rule allows.
func (p *Policy) applyRule(x *rule, j judgement, verb *action.Verb) Verdict {
	j.raise(x.risk, x.name, x.why())
	if x.act == denies {
		return Verdict{Risk: j.risk, Rule: x.name, Why: x.why(), Code: fault.DeniedByPolicy, Private: j.private,
			Hint: "a rule of this gateway forbids it: go on without it, or tell the person you work for"}
	}
	if x.act == judge && verb.Class == action.Raw && verb.Name != scriptVerb {
		return classRaw() // a rule that only raises the risk does not give a verb
	}
	if x.act == judge {
		return p.verdictOf(j)
	}
	v := Verdict{Risk: j.risk, Rule: x.name, Why: x.why(), Private: j.private}
	if j.risk >= action.High {
		v.Why = j.why // which the person who is asked must know
	}
	if x.act == allows && j.risk <= action.Medium && !p.tooGeneral(x, j.hosts) {
		v.Decision = Allow
		return v
	}
	v.Risk = max(v.Risk, action.Medium) // a question has at least this risk
	return p.ask(v)
}

// tooGeneral reports whether a rule names no hosts, and a host of the call is sensitive or
// one to pay at: such a rule does not allow calls there.
func (p *Policy) tooGeneral(x *rule, hosts []string) bool {
	if len(x.source.Hosts) > 0 {
		return false
	}
	for _, h := range hosts {
		if p.isSensitive(h) || isPayment(h) {
			return true
		}
	}
	return false
}

func (x *rule) why() string {
	if x.source.Description != "" {
		return x.source.Description
	}
	return "a rule of the configuration says so"
}

// refuseInnerQuestion refuses a call of a crawl about which a person would be asked: people
// were asked before the crawl began.
func (p *Policy) refuseInnerQuestion(verb *action.Verb, v Verdict) Verdict {
	if verb.Inner && verb.Name != action.VerbRunOpen.Name && v.Decision == Ask { // a person is asked about the hosts of a run
		v.Decision, v.Code, v.Hint = Deny, fault.DeniedByPolicy, "go there with page.goto, so that a person can be asked"
	}
	return v
}

// concernedHosts are the hosts that a call concerns: those that must be trusted, the
// destination, and the host that its form is sent to.
func concernedHosts(j judgement, facts action.Facts) []string {
	hosts := j.hosts
	add := func(host string) {
		for _, known := range hosts {
			if known == host {
				return
			}
		}
		if host != "" {
			hosts = append(hosts[:len(hosts):len(hosts)], host)
		}
	}
	if facts.Destination != nil {
		add(facts.Destination.Host)
	}
	if e := facts.Element; e != nil && e.Submits {
		add(hostOf(e.FormAction))
	}
	return hosts
}

// hosts reads hosts and patterns of the configuration.
func (r *reader) hosts(path string, list []string) patterns {
	p, err := parsePatterns(list)
	if err != nil {
		r.at = ""
		f := fault.From(err)
		r.complain(path, "%s; %s", f.Message, f.Hint)
	}
	return p
}
