package policy

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// navigate judges a navigation. direct says that the caller names the address. Otherwise the page
// offers it, and links within a sensitive host do not count as sensitive again.
func (p *Policy) navigate(facts action.Facts, to *action.Destination, direct bool) judgement {
	if to == nil {
		return blocked("the address could not be judged", "navigation.unknown")
	}
	if to.URL == "about:blank" && to.Allowed {
		return judgement{risk: action.Low, rule: "navigation.blank", why: "it opens an empty page"}
	}
	if !to.Allowed || to.Host == "" {
		return notAllowed(to)
	}
	from := hostOf(facts.Page.URL)
	j := judgement{risk: action.Low, rule: "navigation.same-site", why: "it stays on the site", auto: true, hosts: []string{to.Host}}
	if from == "" || siteOf(from) != siteOf(to.Host) {
		j.raise(action.Medium, "navigation.new-domain", "it opens another site: "+to.Host)
	}
	if direct || from != to.Host {
		p.judgeHost(&j, to.Host)
	}
	judgeCheckout(&j, to.URL)
	if from != to.Host || direct && !p.inSettings(facts.Page.URL, to.Host) {
		judgeSettings(&j, to.URL)
	}
	judgeActing(&j, to.URL)
	return j
}

// inSettings reports whether a navigation to settings of a host does not count: the page is in settings
// already, or the host is trusted by its name.
func (p *Policy) inSettings(page, host string) bool {
	return p.trusted.exact[host] || leadsToSettings(page)
}

func leadsToSettings(address string) bool {
	for _, s := range pathOf(address) {
		if !s.page && words().settings.is(strings.Join(s.words, " ")) {
			return true
		}
	}
	return false
}

// judgeHost raises the risk of sensitive hosts and of those to pay at.
func (p *Policy) judgeHost(j *judgement, host string) {
	if p.isSensitive(host) && !p.trustedByName(host) {
		j.raise(action.High, "navigation.sensitive", host+" is a sensitive host")
	}
	if isPayment(host) {
		j.raise(action.Critical, "navigation.payment", host+" is a place to pay")
	}
}

// judgeSettings raises the risk of an address that leads to settings.
func judgeSettings(j *judgement, address string) {
	if leadsToSettings(address) {
		j.raise(action.High, "navigation.settings", "it leads to settings or administration")
	}
}

// judgeCheckout raises the risk of an address that leads to a checkout. A document about one does not
// count.
func judgeCheckout(j *judgement, address string) {
	path := pathOf(address)
	for i, s := range path {
		documents := i > 0 && len(path[i-1].words) == 1 && hosts().documents[path[i-1].words[0]]
		if !s.page && !documents && words().checkout.is(strings.Join(s.words, " ")) {
			j.raise(action.High, "navigation.checkout", "it leads to a checkout")
		}
	}
}

func reasonOf(to *action.Destination) string {
	switch {
	case to.Reason != "" && to.Host != "":
		return to.Host + " is not allowed: " + to.Reason
	case to.Reason != "":
		return "the address is not allowed: " + to.Reason
	case to.Host != "":
		return to.Host + " is not allowed"
	}
	return "the address is not allowed"
}

// blockedHint returns what helps where the egress proxy refuses an address for a
// reason.
func blockedHint(reason string) string {
	switch reason {
	case action.PortNotAllowed:
		return "use port 80 or 443; an operator can add ports to security.network.ports, or host:port to security.network.allow_private"
	case action.SpecialAddress:
		return "an operator can add host:port to security.network.allow_private"
	}
	return "stay on the hosts the session allows; an operator can add hosts to security.network.navigation"
}

// blocked refuses a call for what is wrong with where it leads.
func blocked(why, rule string) judgement {
	return judgement{risk: action.High, rule: rule, why: why, refuse: fault.BlockedDomain, hint: blockedHint("")}
}

// notAllowed refuses a call that leads to an address that is not allowed.
func notAllowed(to *action.Destination) judgement {
	j := blocked(reasonOf(to), "navigation.blocked")
	j.hint = blockedHint(to.Reason)
	return j
}
