package policy

import (
	"net/http"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// AskAt says when people are asked about acts of risk MEDIUM and HIGH.
type AskAt string

// The values of AskAt.
const (
	AskAtAct  AskAt = "act"  // before the act
	AskAtWire AskAt = "wire" // before a request that the act causes leaves the browser
)

// Act is an act of a session that may have caused a request.
type Act struct {
	Operator bool // of an operator
	Risk     action.Risk
	Rule     string
	Why      string
	Running  bool // its call has not returned
	Link     bool // it goes to an address that does nothing
	Deferred bool // it ran without a question: its requests get its risk
	Approved bool // a person allowed it, or a request of it
	Left     bool // a person allowed the document of a tab that it requested
	Covered  bool // the request is one that the person allowed
	Harms    bool // a person was asked about a request of it that does harm by itself
	Told     bool // it is of another tab than the request, whose page can tell that of the request
	Cover    Cover
}

// hostPort is the host of an http, https or WebSocket address, with its port unless that is the
// default.
func hostPort(address string) string {
	if after, found := strings.CutPrefix(address, "ws"); found {
		address = "http" + after
	}
	u, err := parseLeniently(address)
	if err != nil || !isWeb(u) || u.Hostname() == "" {
		return ""
	}
	port := u.Port()
	if port == "" || port == "80" && u.Scheme == "http" || port == "443" && u.Scheme == "https" {
		return hostOf(address)
	}
	return hostOf(address) + ":" + port
}

func withoutPort(place string) string {
	host, _, _ := strings.Cut(place, ":")
	return host
}

// senderOf is the host that sends a request.
func senderOf(r action.Request) string { return withoutPort(SenderOf(r)) }

// SenderOf is the host that sends a request, with its port: by the request's Origin header, else
// by its document, because a form of a frame may load the whole tab. It is empty for a document
// without a host.
func SenderOf(r action.Request) string {
	if r.Origin != "" {
		return hostPort(r.Origin)
	}
	return hostPort(r.Document)
}

// Outgoing is a request that is about to leave the browser, with what is known of its cause.
type Outgoing struct {
	Request action.Request
	Sending action.Sending // how the session treats requests
	Owner   action.Role    // of the caller who started the session
	People  bool           // a person or their program drives the browser, perhaps beside an agent
	Acts    []Act          // that may have caused it, the newest first
	Known   bool           // a similar request was made before without an act
	Same    bool           // the same bytes left before without a question
	Polls   bool           // a request of the same kind was sent before by a page of the same host, by itself
}

// EffectVerdict is what becomes of a request.
type EffectVerdict struct {
	Verdict
	Act   int         // index of the act it belongs to; -1 for none
	Kinds kinds       // of harm that it names
	Reads bool        // it only reads, by its method and address
	Own   action.Risk // without that of the act which caused it
}

// OnlyDeletes reports whether deleting is all the harm that the request names: to repeat it
// does nothing more.
func (v EffectVerdict) OnlyDeletes() bool { return v.Kinds == destroys }

// SentByPage reports whether the request leaves as one that the page sends by itself.
func (v EffectVerdict) SentByPage() bool {
	return v.Decision == Allow && (v.Act < 0 || v.Rule == "effect.background")
}

// reads reports whether a request only reads by its method (RFC 9110, section 9.2.1). OPTIONS with
// a body is a request for something that no standard says.
func reads(r action.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions && len(r.Fields) == 0 && !r.Unread
}

// Effect decides about a request by its method, its address, what it sends and the acts that may
// have caused it. Texts of the page do not count here.
func (p *Policy) Effect(o Outgoing) EffectVerdict {
	if p == nil || !p.made {
		v := deny("none", "there is no policy that allows it", "repair the gateway's configuration")
		return EffectVerdict{Verdict: v, Act: -1}
	}
	if o.Request.Kind == action.ChannelKind { // ws and wss are http and https
		o.Request.URL = strings.Replace(o.Request.URL, "ws", "http", 1)
	}
	j, kind := p.classify(o.Request)
	ruled := p.effectRule(o.Request)
	mode := o.Sending
	if ruled != nil {
		if ruled.risk > 0 {
			j.risk, j.rule, j.why = ruled.risk, ruled.name, ruled.why()
		}
		if ruled.sending != "" {
			mode = ruled.sending
		}
	}
	v := EffectVerdict{Act: newestAct(o.Acts), Kinds: kind, Reads: reads(o.Request), Own: j.risk}
	ruling, denied := p.deniesOpening(o)
	switch {
	case mode == action.SendFree, o.People && (len(o.Acts) == 0 || o.Acts[0].Operator):
		v.Verdict = allowed(j, "operator", "a person or their program drives the browser")
		return v
	case denied:
		v.Verdict = ruling
		return v
	case mode == action.SendNone:
		v.Verdict = readOnly(j, v.Reads, ruled)
		return v
	case o.Request.Open:
		v.Verdict = allowed(j, j.rule, "it is open already")
		return v
	}
	return p.decideEffect(o, j, v, ruled)
}

func newestAct(deeds []Act) int {
	if len(deeds) == 0 {
		return -1
	}
	return 0
}

func allowed(j judgement, rule, why string) Verdict {
	return Verdict{Decision: Allow, Risk: j.risk, Rule: rule, Why: why}
}

// readOnly allows requests that only read, and those that a rule of the configuration calls LOW.
func readOnly(j judgement, reading bool, x *effectRule) Verdict {
	switch {
	case x != nil && x.risk == action.Low:
		return allowed(j, x.name, x.why())
	case reading && j.risk < action.High:
		return allowed(j, "effect.reads", "it only reads")
	}
	return Verdict{Risk: j.risk, Rule: "effect.none", Why: "this session only reads: nothing that changes something may leave it", Code: fault.DeniedByPolicy,
		Hint: "go on with what can be read; changes need a session that is not read-only"}
}

// decideEffect finds the act that a request belongs to, and decides.
func (p *Policy) decideEffect(o Outgoing, j judgement, v EffectVerdict, ruled *effectRule) EffectVerdict {
	// Only the newest act counts: the approval of one deletion does not cover the next.
	if len(o.Acts) > 0 && o.Acts[0].Approved && (o.Acts[0].Covered || o.Acts[0].Cover.follows(o.Request, j.risk)) {
		v.Verdict = allowed(j, "effect.approved", "a person allowed the act that sends it")
		return v
	}
	judged := ruled == nil || ruled.risk == 0
	if judged {
		v.Act = causeOf(o.Acts, j.risk)
	}
	if v.Act >= 0 && o.Acts[v.Act].Told && o.Polls && j.risk <= action.Medium {
		v.Act = ownCause(o.Acts, j.risk) // the tab goes on with what it sends all the time
	}
	if judged {
		p.raiseToAct(&j, o, v)
	}
	switch {
	case v.Act >= 0 && o.Acts[v.Act].Operator, v.Act < 0 && o.Owner == action.Operator:
		v.Verdict = allowed(j, "operator", "an operator's act sends it")
	case (v.Act < 0 || o.Acts[v.Act].Link) && j.risk == action.Medium && p.background(o):
		v.Verdict = allowed(j, "effect.background", "the page sends it by itself")
	case o.Request.Crawl && j.risk >= action.High:
		v.Verdict = deny("effect.crawl", j.why, "go there with page.goto, so that a person can be asked")
	case o.Request.Crawl:
		v.Verdict = allowed(j, "effect.crawl", "a page of a crawl sends it by itself")
	default:
		v.Verdict = p.verdictOf(j)
	}
	return v
}

// causeOf is the act that a request belongs to: the newest one, unless it has ended and its risk
// is lower than the request's, and an earlier deferred act has a higher one.
func causeOf(deeds []Act, risk action.Risk) int {
	if len(deeds) == 0 {
		return -1
	}
	at := 0
	if deeds[0].Running || deeds[0].Risk >= risk || deeds[0].Operator {
		return at
	}
	for i, d := range deeds {
		if d.Deferred && d.Risk > deeds[at].Risk {
			at = i
		}
	}
	return at
}

// ownCause is causeOf without the acts of other tabs.
func ownCause(deeds []Act, risk action.Risk) int {
	var own []Act
	var at []int
	for i, d := range deeds {
		if !d.Told {
			own, at = append(own, d), append(at, i)
		}
	}
	if i := causeOf(own, risk); i >= 0 {
		return at[i]
	}
	return -1
}

// raiseToAct raises the risk of a request to that of the act that caused it, if that ran without
// a question. A request that only reads is raised if the act is HIGH, unless pages load such
// things all the time. What left before without a question is not raised once the act is
// explained by another request, or its call has ended: it is what the page sends all the time.
// A request whose content cannot be read is HIGH after an act that is not LOW.
func (p *Policy) raiseToAct(j *judgement, o Outgoing, v EffectVerdict) {
	if v.Act < 0 {
		return
	}
	d := o.Acts[v.Act]
	switch {
	case o.Request.Unknown && d.Risk > action.Low && j.rule != "effect.analytics":
		j.raise(action.High, "effect.unknown", "an act that may change something sends what is in no form that can be read")
		return
	case o.Same && j.risk <= action.Medium && (!d.Running || d.Harms):
		return
	case !d.Deferred, (d.Link || d.Left) && v.Reads, j.rule == "effect.analytics":
		return
	case v.Reads && (d.Risk < action.High || o.Known || IsStatic(o.Request) || p.isFromElsewhere(o.Request)):
		return
	case !v.Reads && j.risk == action.Low && (d.Risk < action.High || o.Known): // a search, a draft, a typing notice
		return
	}
	j.raise(d.Risk, d.Rule, d.Why)
}

// isFromElsewhere reports whether a page loads a resource of another site, as pages do without an
// act: a picture, a script, data of a host that agents may not open.
func (p *Policy) isFromElsewhere(r action.Request) bool {
	from, to := siteOf(hostOf(r.Document)), hostOf(r.URL)
	return r.Kind != "Document" && from != "" && from != siteOf(to) && (pageParts[r.Kind] || !p.allowedHosts.match(to))
}

// background reports whether a MEDIUM request is one that a page may send by itself: to its own
// site, to a host that agents may not open, or a request that it has sent before.
func (p *Policy) background(o Outgoing) bool {
	to, from := hostOf(o.Request.URL), senderOf(o.Request)
	return o.Known || siteOf(to) == siteOf(from) && from != "" || !p.allowedHosts.match(to)
}

// OnlyNavigates reports whether an act only navigates, by itself or by a link, to an http or https
// address that does nothing when it is requested. Other requests are then the page's own.
func OnlyNavigates(facts action.Facts) bool {
	e, address := facts.Element, ""
	switch {
	case e != nil && isWebLink(e) && !isEmptyLink(e) && !e.Submits && e.Orders == "":
		address = e.LinkURL
	case e == nil && facts.Destination != nil:
		address = facts.Destination.URL
	default:
		return false
	}
	j := judgement{risk: action.Low}
	judgeActing(&j, address)
	return j.risk == action.Low && !isPayment(hostOf(address))
}
