// Package policy decides what becomes of a call: it runs, a person is asked, or it is
// refused. A policy is a value: the same call with the same facts gets the same verdict, and
// a decision reads, writes and waits for nothing.
package policy

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Decision is what becomes of a call. The zero Decision refuses.
type Decision int

// The decisions.
const (
	Deny Decision = iota
	Ask
	Allow
)

// String returns the name of d; an unknown decision is a refusal.
func (d Decision) String() string {
	switch d {
	case Ask:
		return "ask"
	case Allow:
		return "allow"
	}
	return "deny"
}

// Verdict is a decision and its reasons.
type Verdict struct {
	Decision Decision
	Risk     action.Risk
	Rule     string     // which rule decided, stable; "click.delete"
	Why      string     // one sentence without a full stop, for people
	Code     fault.Code // of a refusal: denied_by_policy or blocked_domain
	Host     string     // that a grant would cover. Empty: no grant can cover the call
	Hint     string     // of a refusal: what to do instead
	Private  bool       // what is typed must not be recorded or shown
	Deferred bool       // of an allowed call: nobody was asked, and the requests that it causes get its risk
	Channel  bool       // of a question about a MEDIUM act: it is asked before the act only because the page has an open channel whose messages cannot be held
}

// Config is the policy's part of the configuration. The zero Config trusts nobody and asks
// nobody: a call that needs a person is refused.
type Config struct {
	Enabled   bool     // people can be asked; security.hitl.enabled
	Trusted   []string // hosts and "*." patterns where MEDIUM calls run unasked
	Sensitive []string // hosts and "*." patterns: navigating to them is HIGH, and they are never trusted
	Rules     []Rule   // the first that matches decides

	AskAt   AskAt        // AskAtAct when empty
	Effects []EffectRule // of requests that leave the browser; the first that matches decides

	// The rest is shown to callers, and decides nothing.
	Allowed []string // where agents may go: hosts, "*." patterns, host:port
	File    string   // the configuration file
	SHA256  string   // of the file, hex
}

// Policy decides about calls. The zero Policy and a nil Policy refuse everything. It is safe
// for concurrent use.
type Policy struct {
	made         bool
	enabled      bool
	trusted      patterns
	sensitive    patterns
	rules        []rule
	atWire       bool
	effects      []effectRule
	allowedHosts patterns        // where agents may go
	granted      map[string]bool // raw verbs that a rule gives to agents
	hash         string
	source       Config
}

// New makes a policy. Fault: invalid_request for a configuration with a problem; it names
// the first one.
func New(c Config) (*Policy, error) {
	embedded() // so that the first call does not wait for it
	p, problems := read(c)
	if len(problems) > 0 {
		return nil, fault.New(fault.InvalidRequest, "%s", problems[0].Error()).
			Hinted("glovebox config check names everything that is wrong").With("field", problems[0].Path)
	}
	return p, nil
}

// Check returns all problems of a configuration, in its order.
func Check(c Config) []Problem {
	_, problems := read(c)
	return problems
}

func read(c Config) (*Policy, []Problem) {
	p := &Policy{made: true, enabled: c.Enabled, granted: map[string]bool{}, hash: hashOf(c), source: c}
	r := &reader{}
	p.trusted = r.hosts("trusted_domains", c.Trusted)
	p.sensitive = r.hosts("sensitive_domains", c.Sensitive)
	p.atWire = c.AskAt == AskAtWire
	if c.AskAt != "" {
		r.knownWord("ask_at", "place to ask at", string(c.AskAt), []string{string(AskAtWire), string(AskAtAct)})
	}
	for i, source := range c.Effects {
		p.effects = append(p.effects, r.effectRule(i, source))
	}
	r.at = ""
	p.allowedHosts = withoutPorts(c.Allowed)
	for i, source := range c.Rules {
		x := r.rule(i, source)
		p.rules = append(p.rules, x)
		for name := range x.verbs {
			if verb, known := action.Lookup(name); known && x.act != judge && x.act != denies && x.givesRaw(verb) {
				p.granted[name] = true
			}
		}
	}
	return p, r.problems
}

// Hash identifies the policy: two policies with the same hash decide alike. It is the
// SHA-256 in hex.
func (p *Policy) Hash() string { return p.hash }

func hashOf(c Config) string {
	c.Allowed, c.File, c.SHA256 = nil, "", ""
	text, err := json.Marshal(c)
	if err != nil { // of texts and flags: cannot happen
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// Decide decides about a call, by its verb's row and the facts of the live page.
func (p *Policy) Decide(call action.Call, verb *action.Verb, facts action.Facts) Verdict {
	v, _ := p.decide(call, verb, facts)
	return v
}

// decide is Decide that also returns the call as the rules saw it; nil where no rule was
// considered.
func (p *Policy) decide(call action.Call, verb *action.Verb, facts action.Facts) (Verdict, *view) {
	if verb != nil {
		verb = verb.As(call.Args)
	}
	if v, refused := p.Admit(call.Caller, verb); refused {
		return v, nil
	}
	if v, refused := withheld(call.Caller, verb, facts); refused {
		return v, nil // no rule can allow it
	}
	j := p.judgement(call, verb, facts)
	if j.refuse == fault.BlockedDomain || j.refuse != "" && (j.forAll || call.OfRun || call.Caller.Role != action.Operator) || onlyAsks(verb) {
		return p.verdictOf(j), nil // no rule allows it
	}
	seen := &view{call: &call, verb: verb, facts: &facts, hosts: concernedHosts(j, facts)}
	x := p.firstRule(seen)
	switch {
	case call.Caller.Role == action.Operator && x == nil:
		return p.operator(verb, j), seen
	case x == nil && verb.Class == action.Raw && verb.Name != scriptVerb:
		return classRaw(), seen
	case x == nil:
		return p.refuseInnerQuestion(verb, p.deferToWire(seen, p.verdictOf(j))), seen
	case x.act == judge:
		return p.refuseInnerQuestion(verb, p.deferToWire(seen, p.applyRule(x, j, verb))), seen
	}
	return p.refuseInnerQuestion(verb, p.applyRule(x, j, verb)), seen
}

// deferToWire lets an act run where the policy asks about the requests that it causes, which
// get its risk. People are asked before the act where the page has a channel whose messages
// cannot be held, on hosts where a script may do harm without a request, and in sessions whose
// requests are not judged.
func (p *Policy) deferToWire(seen *view, v Verdict) Verdict {
	if !p.atWire || v.Decision != Ask || !seen.verb.Input || seen.facts.Session.Sending == action.SendFree {
		return v
	}
	for _, h := range seen.hosts {
		if p.sensitive.match(h) || isPayment(h) {
			return v
		}
	}
	if seen.facts.Unheld {
		if v.Channel = v.Risk <= action.Medium; v.Channel {
			v.Why += "; it is asked now because the page has a WebSocket open, and once for the acts of this risk on this host"
		}
		return v
	}
	return v.Defer()
}

// Defer returns the verdict of an act that runs, and whose requests get its risk.
func (v Verdict) Defer() Verdict {
	v.Decision, v.Deferred, v.Host, v.Channel = Allow, true, "", false
	return v
}

// judgement applies the built-in risk table to a call.
func (p *Policy) judgement(call action.Call, verb *action.Verb, facts action.Facts) judgement {
	switch verb.Class {
	case action.Write:
		return p.judge(call, verb, facts)
	case action.Raw:
		if script, runs := call.Args.(*action.Execute); runs && script != nil && utf8.RuneCountInString(script.Expression) > maxScript {
			return judgement{risk: action.High, rule: "script.long", why: "nobody would read a script of so many characters", hosts: hostsOf(facts),
				refuse: fault.DeniedByPolicy, hint: fmt.Sprintf("ask for a script of %d characters at most, or use the page verbs", maxScript)}
		}
		return judgement{risk: max(verb.Risk, action.High), rule: "class.raw", why: "it gives unmediated access to the page", hosts: hostsOf(facts)}
	}
	return judgement{risk: action.Low, rule: "read", why: "it changes nothing", hosts: hostsOf(facts)}
}

// scriptVerb is the raw verb that agents have unless a rule denies it: a person reads each
// script.
var scriptVerb = action.VerbPageExecute.Name

// maxScript is the length of an agent's script, in characters: questions show so much.
const maxScript = 4000

// Admit decides what needs no facts: whether a caller of this role may use a verb of this
// class at all. The gate calls it before it looks at a page.
func (p *Policy) Admit(caller action.Caller, verb *action.Verb) (v Verdict, refused bool) {
	switch {
	case p == nil || !p.made || verb == nil || verb.Class.String() == "invalid":
		return deny("none", "there is no policy that allows it", "repair the gateway's configuration"), true
	case caller.Role == action.Operator:
		return Verdict{}, false
	case caller.Role != action.Agent && caller.Role != action.Viewer:
		return deny("role", "the caller has no role", "use a token with a role"), true
	case verb.Class == action.Admin:
		return deny("class.admin", "it is for operators", "leave this to the people who run the gateway"), true
	case verb.Class == action.Read:
		return Verdict{}, false
	case caller.Role == action.Viewer:
		return deny("role.viewer", "a viewer may only watch", "use an agent's or an operator's token"), true
	case verb.Class == action.Raw && !p.offers(verb):
		return classRaw(), true
	}
	return Verdict{}, false
}

// offers reports whether an agent can be allowed to use a raw verb at all. A verb that is raw
// only because of its arguments is never offered.
func (p *Policy) offers(verb *action.Verb) bool {
	row, known := action.Lookup(verb.Name)
	return known && row.Class == action.Raw && (verb.Name == scriptVerb || p.granted[verb.Name])
}

func classRaw() Verdict {
	return deny("class.raw", "it gives unmediated access to the page", "use the page verbs, or ask an operator")
}

// operator is the verdict for operators: nobody is asked.
func (p *Policy) operator(verb *action.Verb, j judgement) Verdict {
	switch verb.Class {
	case action.Raw:
		j.risk = max(j.risk, verb.Risk, action.High)
	case action.Admin:
		j.risk = max(j.risk, verb.Risk)
	}
	return Verdict{Decision: Allow, Risk: j.risk, Rule: "operator", Why: "an operator asked for it", Private: j.private}
}

// verdictOf is the verdict for a judgement of an agent's call.
func (p *Policy) verdictOf(j judgement) Verdict {
	v := Verdict{Risk: j.risk, Rule: j.rule, Why: j.why, Private: j.private}
	if j.refuse != "" {
		v.Code, v.Hint = j.refuse, j.hint
		return v
	}
	switch {
	case j.risk == action.Medium:
		v.Host = singleHost(j.hosts)
	case j.risk == action.High:
		v.Host = j.grant
	}
	if j.risk == action.Low || j.risk == action.Medium && (j.auto || p.trusts(j.hosts)) {
		v.Decision = Allow
		return v
	}
	return p.ask(v)
}

// ask makes v a question, or a refusal where nobody can be asked.
func (p *Policy) ask(v Verdict) Verdict {
	if !p.enabled {
		v.Code, v.Hint = fault.DeniedByPolicy, "nobody can be asked: security.hitl.enabled is false"
		return v
	}
	v.Decision = Ask
	return v
}

// singleHost is the only host of a list; empty where there are several. A grant is for one
// host.
func singleHost(hosts []string) string {
	for _, h := range hosts {
		if h != hosts[0] {
			return ""
		}
	}
	if len(hosts) == 0 {
		return ""
	}
	return hosts[0]
}

// trusts reports whether there are hosts, all of them trusted and none sensitive.
func (p *Policy) trusts(hosts []string) bool {
	for _, h := range hosts {
		if !p.trusted.match(h) || p.isSensitive(h) && !p.trustedByName(h) || isPayment(h) {
			return false
		}
	}
	return len(hosts) > 0
}

// trustedByName reports whether a host is trusted by its exact name, and is sensitive at
// most because of the words in that name.
func (p *Policy) trustedByName(host string) bool {
	return p.trusted.exact[host] && !p.sensitive.match(host)
}

func (p *Policy) isSensitive(host string) bool { return p.sensitive.match(host) || isSensitive(host) }

func deny(rule, why, hint string) Verdict {
	return Verdict{Risk: action.Critical, Rule: rule, Why: why, Code: fault.DeniedByPolicy, Hint: hint}
}

// Asks reports whether there are people to be asked.
func (p *Policy) Asks() bool { return p != nil && p.made && p.enabled }
