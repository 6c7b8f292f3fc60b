package policy

import (
	"net/url"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// activate judges a click on the element found, or a key that does the same.
func (p *Policy) activate(facts action.Facts) judgement {
	e := facts.Element
	if e == nil {
		return judgement{risk: action.Medium, rule: "click.unknown", why: "nothing is known of what it would hit", hosts: hostsOf(facts)}
	}
	if takesText(e) {
		return judgement{risk: action.Low, rule: "click.focus", why: "it puts the cursor into a field", hosts: hostsOf(facts)}
	}
	var j judgement
	switch {
	case isWebLink(e):
		j = p.navigate(facts, facts.Destination, false)
		j.hosts = append(hostsOf(facts), j.hosts...)
	case e.Submits:
		j = p.submit(facts)
	case e.Toggle || navigational[e.Role]:
		j = judgement{risk: action.Low, rule: "click.toggle", why: "it switches something on the page", hosts: hostsOf(facts)}
	case words.low.is(e.Name):
		j = judgement{risk: action.Low, rule: "click.navigation", why: "it moves around on the page", hosts: hostsOf(facts)}
	default:
		j = judgement{risk: action.Medium, rule: "click.unmatched", why: "no rule knows what it does", hosts: hostsOf(facts)}
	}
	judgeName(&j, e)
	return j
}

// navigational are the roles whose activation only shows something else.
var navigational = map[string]bool{
	"tab": true, "option": true, "treeitem": true, "columnheader": true, "DisclosureTriangle": true,
	"checkbox": true, "radio": true, "switch": true, "menuitemcheckbox": true, "menuitemradio": true,
}

// takesText reports whether activating e only puts the focus into it.
func takesText(e *action.Element) bool {
	return e.Editable && !e.Submits && e.LinkURL == "" || e.Editable && e.Tag == "input" && e.Type != "submit" && e.Type != "image"
}

// isWebLink reports whether e leads to an http or https address. Other schemes
// never leave the page: they count as buttons.
func isWebLink(e *action.Element) bool {
	u, err := url.Parse(e.LinkURL)
	return e.LinkURL != "" && (err != nil || isWeb(u))
}

// judgeName raises the risk by what a control is called. One without a name is
// judged by its label and the addresses behind it, and is never LOW.
func judgeName(j *judgement, e *action.Element) {
	judgeWords(j, e.Name)
	judgeWords(j, split(e.Label))
	if isPart(e) {
		judgeWords(j, e.Within)
	}
	if hasWords(e.Name) {
		return
	}
	if !takesText(e) {
		j.raise(action.Medium, "click.unnamed", "the control has no name")
		j.auto = false
	}
	for _, address := range []string{e.FormAction, e.LinkURL} {
		for _, s := range segmentsOf(address) {
			judgeWords(j, s)
		}
	}
}

// isPart reports whether e is no control by itself: a click on it is one on
// whatever around it listens.
func isPart(e *action.Element) bool {
	return e.LinkURL == "" && !e.Submits && !e.Toggle && !e.Editable && !controls[e.Role] && !navigational[e.Role] && !fields[e.Tag]
}

var (
	controls = map[string]bool{"button": true, "link": true, "menuitem": true, "combobox": true, "listbox": true, "slider": true, "spinbutton": true, "scrollbar": true, "gridcell": true}
	fields   = map[string]bool{"a": true, "button": true, "input": true, "select": true, "textarea": true, "option": true, "summary": true}
)

// judgeWords raises the risk by the words of a control.
func judgeWords(j *judgement, text string) {
	if text == "" {
		return
	}
	said := readings(text)
	switch {
	case words.critical.among(said):
		j.raise(action.Critical, "click.pay", "it pays, transfers, or closes an account")
	case words.high.among(said):
		j.raise(action.High, "click.delete", "it deletes, ends, sends or publishes something")
	case words.medium.among(said) && !words.low.is(text): // "apply filters" only shows something else
		j.raise(action.Medium, "click.save", "it saves or submits something")
		j.auto = false // more than going to an allowed place
	}
}

// submit judges sending the form that the element belongs to: by the name of
// its default button, and by where it is sent.
func (p *Policy) submit(facts action.Facts) judgement {
	e := facts.Element
	j := judgement{risk: action.Medium, rule: "submit", why: "it submits a form", hosts: hostsOf(facts)}
	name := e.SubmitName
	if !takesText(e) && hasWords(e.Name) {
		name = e.Name
	}
	if e.FormMethod == "get" && (isSearch(e) || words.low.is(name) && words.free.written(name)) {
		j = judgement{risk: action.Low, rule: "submit.search", why: "it searches", hosts: hostsOf(facts)}
	}
	judgeWords(&j, name)
	if !hasWords(name) {
		for _, s := range segmentsOf(e.FormAction) {
			judgeWords(&j, s)
		}
	}
	p.judgeAction(&j, facts)
	return j
}

// judgeAction raises the risk by the host and path a form is sent to.
func (p *Policy) judgeAction(j *judgement, facts action.Facts) {
	to := hostOf(facts.Element.FormAction)
	if to == "" {
		return
	}
	from := hostsOf(facts)
	if own := from[len(from)-1]; siteOf(to) != siteOf(own) {
		j.raise(action.Medium, "submit.elsewhere", "it sends a form to another site: "+to)
		j.hosts = append(j.hosts, to)
		p.judgeHost(j, to)
	}
	if facts.Element.FormMethod != "get" {
		judgeActing(j, facts.Element.FormAction)
	}
	for _, s := range segmentsOf(facts.Element.FormAction) {
		if words.checkout.is(s) {
			j.raise(action.Critical, "submit.checkout", "it sends a checkout form")
		}
	}
}

// isSearch reports whether e is a search field.
func isSearch(e *action.Element) bool { return e.Type == "search" || e.Role == "searchbox" }
