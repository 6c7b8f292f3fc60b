package policy

import "github.com/gloveboxhq/glovebox/internal/action"

// drag judges dropping one element on another: by what both are called, and,
// where a field is dropped on, as typing into it. What the drop does is the
// page's to say, so that it is never LOW.
func (p *Policy) drag(facts action.Facts) judgement {
	j := judgement{risk: action.Medium, rule: "drag", why: "it drags something onto something else", hosts: hostsOf(facts)}
	if e := facts.Element; e != nil && e.Protected {
		j.private = true
		return refused(j, "drag.secret", "it would drag out of a field that holds a secret", "leave what such fields hold to people")
	}
	if facts.Element == nil || facts.Onto == nil {
		j.raise(action.High, "drag.unknown", "nothing is known of what it would drag, or onto what")
		return j
	}
	onto := facts
	onto.Element = facts.Onto
	if takesText(facts.Onto) {
		j.join(p.fill(onto))
	}
	for _, e := range []*action.Element{facts.Element, facts.Onto} {
		judgeWords(&j, e.Name)
		judgeWords(&j, split(e.Label))
		for _, name := range parts(e.Also) {
			judgeWords(&j, name)
		}
	}
	judgeWords(&j, facts.Onto.Within) // a drop reaches what the target is in, too
	return j
}
