package policy

import (
	"net/url"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// navigate judges going to a place. direct says that the caller names the
// address; otherwise the page offers it, and being on a sensitive host already
// does not count again for its own links.
func (p *Policy) navigate(facts action.Facts, to *action.Destination, direct bool) judgement {
	if to == nil {
		return blocked("the address could not be judged", "navigation.unknown")
	}
	if to.URL == "about:blank" && to.Allowed {
		return judgement{risk: action.Low, rule: "navigation.blank", why: "it opens an empty page"}
	}
	if !to.Allowed || to.Host == "" {
		return blocked(reasonOf(to), "navigation.blocked")
	}
	from := hostOf(facts.Page.URL)
	j := judgement{risk: action.Low, rule: "navigation.same-site", why: "it stays on the site", auto: true, hosts: []string{to.Host}}
	if from == "" || siteOf(from) != siteOf(to.Host) {
		j.raise(action.Medium, "navigation.new-domain", "it opens another site: "+to.Host)
	}
	if direct || from != to.Host {
		p.judgeHost(&j, to.Host)
	}
	judgePath(&j, to.URL)
	judgeActing(&j, to.URL)
	return j
}

// judgeActing raises the risk of an address that by its path or query does
// something when it is requested: to name it does what its button would.
func judgeActing(j *judgement, address string) {
	for _, s := range segmentsOf(address) {
		if hosts.acting[s] {
			j.raise(action.High, "navigation.acting", "the address deletes, ends or signs out of something")
		}
	}
	u, err := url.Parse(address)
	if err != nil {
		return
	}
	for name, values := range u.Query() {
		if !hosts.actingNames[strings.ToLower(name)] {
			continue
		}
		for _, v := range values {
			if hosts.acting[strings.Join(tokens(split(v)), " ")] {
				j.raise(action.High, "navigation.acting", "the address deletes, ends or signs out of something")
			}
		}
	}
}

// judgeHost raises the risk by what a host is for.
func (p *Policy) judgeHost(j *judgement, host string) {
	if p.isSensitive(host) {
		j.raise(action.High, "navigation.sensitive", host+" is a sensitive host")
	}
	if isPayment(host) {
		j.raise(action.Critical, "navigation.payment", host+" is a place to pay")
	}
}

// judgePath raises the risk by where on a host an address leads.
func judgePath(j *judgement, address string) {
	for _, s := range segmentsOf(address) {
		if words.settings.is(s) {
			j.raise(action.High, "navigation.settings", "it leads to settings or administration")
		}
		if words.checkout.is(s) {
			j.raise(action.Critical, "navigation.checkout", "it leads to a checkout")
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

func blocked(why, rule string) judgement {
	return judgement{
		risk: action.High, rule: rule, why: why, refuse: fault.BlockedDomain,
		hint: "stay on the hosts the session allows; an operator can add hosts to security.network.navigation",
	}
}
