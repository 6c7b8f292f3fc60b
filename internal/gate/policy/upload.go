package policy

import "github.com/gloveboxhq/glovebox/internal/action"

// upload judges giving files to a page: they leave for wherever the page sends
// them. An element that is no file input is clicked first, and judged as that
// too.
func (p *Policy) upload(args *action.Upload, facts action.Facts) judgement {
	e := facts.Element
	if args.Clear && args.Count() == 0 {
		return judgement{risk: action.Low, rule: "upload.clear", why: "it takes files out of a form", hosts: hostsOf(facts)}
	}
	j := judgement{risk: action.Medium, rule: "upload", why: "it gives files to the page", hosts: hostsOf(facts)}
	for _, host := range j.hosts {
		if p.isSensitive(host) && !p.vouched(host) || isPayment(host) {
			j.raise(action.High, "upload.sensitive", "it gives files to a sensitive host: "+host)
		}
	}
	if e == nil {
		return j
	}
	if e.Tag != "input" || e.Type != "file" {
		j.join(p.activate(facts))
	}
	judgeWords(&j, e.Name)
	judgeWords(&j, split(e.Label))
	p.judgeAction(&j, facts)
	return j
}
