package policy

import (
	"net/url"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// crawl judges a crawl like a navigation to each of its hosts. A person is asked once, and the
// answer covers the crawl's pages.
func (p *Policy) crawl(call action.Call, args *action.Crawl, facts action.Facts) judgement {
	if facts.Crawl == nil {
		return blocked("the hosts could not be judged", "crawl.unknown")
	}
	j := p.navigate(facts, facts.Destination, true)
	for i := range facts.Crawl.Also {
		j.join(p.navigate(facts, &facts.Crawl.Also[i], true))
	}
	if call.Caller.Role == action.Operator {
		return j
	}
	if args.Ruthless() {
		return operatorsOnly("crawl.ruthless", "it leaves out the politeness or the bounds of a crawl",
			"leave out ignoreRobots and perDomain, and keep delay at 200 or more and maxPages at 100 or less")
	}
	if row, _ := action.Lookup(action.VerbPageContent.Name); args.Extract == "html" {
		if v, refused := withheld(call.Caller, row, facts); refused {
			return operatorsOnly(v.Rule, v.Why, "use extract markdown, text or links")
		}
		if _, refused := p.Admit(call.Caller, row); refused {
			return operatorsOnly("crawl.html", "it reads the HTML of pages", "use extract markdown, text or links")
		}
	}
	return j
}

// crawlPage judges one page of a crawl that was allowed. Nobody is asked again: a page that the
// grant does not cover is refused, and the crawl continues without it. People were asked about
// the first page. No other page may have an address that acts, not in an operator's crawl
// either; in an agent's crawl none may be of settings or a checkout.
func (p *Policy) crawlPage(facts action.Facts) judgement {
	to := facts.Destination
	switch {
	case facts.Crawl == nil || to == nil:
		return blocked("no crawl is open for it", "crawl.none")
	case !to.Allowed || to.Host == "":
		return notAllowed(to)
	case !slices.ContainsFunc(facts.Crawl.Hosts, func(h string) bool { return action.HostCovers(h, to.Host) }):
		return blocked(to.Host+" is not among the crawl's hosts", "crawl.host")
	}
	j := judgement{risk: action.Low, rule: "crawl.granted", why: "it is a page of a crawl that was allowed", auto: true, hosts: []string{to.Host}}
	if to.URL == facts.Crawl.Start {
		return j
	}
	judgeActing(&j, to.URL)
	judgeHint(&j, to.URL)
	j.forAll = j.risk >= action.High // nobody has seen the links of a crawl
	judgeSettings(&j, to.URL)
	judgeCheckout(&j, to.URL)
	if j.risk >= action.High {
		j.refuse, j.hint = fault.DeniedByPolicy, "go there with page.goto, so that a person can be asked"
	}
	return j
}

// judgeHint raises the risk of an address that may act. Nobody has seen the link, so a hint is
// enough: a segment of one or two words that begins with an acting word (delete_item), or a
// parameter with such a name or value.
func judgeHint(j *judgement, address string) {
	hinted := false
	for _, s := range segmentsOf(strings.ReplaceAll(address, ";", "/")) {
		first, rest, _ := strings.Cut(s, " ")
		hinted = hinted || hosts().acting[first] && !strings.Contains(rest, " ")
	}
	if u, err := url.Parse(address); err == nil {
		for name, values := range u.Query() {
			hinted = hinted || hosts().acting[normalize(name)] || slices.ContainsFunc(values, func(v string) bool { return hosts().acting[normalize(v)] })
		}
	}
	if hinted {
		j.raise(action.High, "navigation.acting", "the address may delete, end or sign out of something")
	}
}

// normalize is a text as in the lists of acting words.
func normalize(s string) string { return strings.Join(tokens(split(s)), " ") }

func operatorsOnly(rule, why, hint string) judgement {
	return judgement{risk: action.High, rule: rule, why: why, refuse: fault.DeniedByPolicy, hint: hint}
}
