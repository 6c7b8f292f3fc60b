package policy

import (
	"net/http"
	"net/url"
	"strings"

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
	name := newPhrase(e.Name)
	switch {
	case isWebLink(e) && !isEmptyLink(e):
		j = p.navigate(facts, facts.Destination, false)
		j.hosts = append(hostsOf(facts), j.hosts...)
		if e.Role != "link" && e.Role != "" && !e.Toggle && !showsOnly(&name) { // a link with the role of a button
			j.raise(action.Medium, "click.unmatched", "no rule knows what it does")
			j.auto = false
		}
	case e.Submits:
		j = p.submit(facts)
	case e.Toggle:
		j = judgement{risk: action.Low, rule: "click.toggle", why: "it switches something on the page", hosts: hostsOf(facts)}
	case clearsForm(e, &name):
		j = judgement{risk: action.Low, rule: "click.reset", why: "it empties the fields of its form", hosts: hostsOf(facts)}
	case showsOnly(&name):
		j = judgement{risk: action.Low, rule: "click.navigation", why: "it moves around on the page", hosts: hostsOf(facts)}
	case dismisses(e, &name):
		j = judgement{risk: action.Low, rule: "click.dismiss", why: "it closes or cancels what is open", hosts: hostsOf(facts)}
	case opensComposer(e, &name):
		j = judgement{risk: action.Low, rule: "click.compose", why: "it opens a place to write", hosts: hostsOf(facts)}
	case answersCookies(e, &name):
		j = judgement{risk: action.Low, rule: "click.cookies", why: "it answers a cookie banner", hosts: hostsOf(facts)}
	default:
		j = judgement{risk: action.Medium, rule: "click.unmatched", why: "no rule knows what it does", hosts: hostsOf(facts)}
	}
	judgeElement(&j, &name, facts)
	return j
}

// takesText reports whether activating e only puts the focus into it.
func takesText(e *action.Element) bool {
	if isPressed(e) {
		return false
	}
	return e.Editable && !e.Submits && e.LinkURL == "" || e.Editable && e.Tag == "input" && e.Type != "submit" && e.Type != "image"
}

// isPressed reports whether e is a control to a person although text can be typed into it: a field with
// the role of a button.
func isPressed(e *action.Element) bool {
	return e.Role == "button" || e.Role == "link" || e.Role == "menuitem" || switches[e.Role]
}

// isWebLink reports whether e leads to an http or https address. Links of other schemes do
// not leave the page, and are judged as buttons.
func isWebLink(e *action.Element) bool {
	u, err := url.Parse(e.LinkURL)
	return e.LinkURL != "" && (err != nil || isWeb(u))
}

// isEmptyLink reports whether e leads nowhere: a script does what it does.
func isEmptyLink(e *action.Element) bool {
	return strings.HasSuffix(e.LinkURL, "#") || strings.HasSuffix(e.LinkURL, "#!")
}

// judgeElement raises the risk by all names of an element, by what its attributes and its
// form order, and by the dialog that it is in. An element without a name is judged by its
// label and its addresses, and is never LOW.
func judgeElement(j *judgement, name *phrase, facts action.Facts) {
	e := facts.Element
	say := judgePhrase
	if onlyShows(e, facts) {
		say = judgeCommand
	}
	if !decidedByContext[j.rule] && !(e.On && saysPublic(name)) {
		say(j, name)
	}
	for _, text := range append(splitFact(e.Also), split(e.Label)) {
		if s := newPhrase(text); text != "" && !(e.On && saysPublic(&s)) {
			say(j, &s)
		}
	}
	judgePublic(j, name, facts)
	judgePicture(j, name, facts)
	if isPlainPart(e) {
		judgeWords(j, e.Within)
	}
	judgeOrders(j, e)
	judgeDialog(j, name, facts)
	if name.hasLetters() || e.Name != "" && onlyShows(e, facts) { // the number of a page
		return
	}
	judgeIcon(j, e)
	if !takesText(e) {
		j.raise(action.Medium, "click.unnamed", "the control has no name")
		j.auto = false
	}
	for _, address := range []string{e.FormAction, e.LinkURL} {
		for i := range pathOf(address) {
			judgeWords(j, strings.Join(pathOf(address)[i].words, " "))
		}
	}
}

// decidedByContext are the rules that decide by more than the name of a control.
var decidedByContext = map[string]bool{"click.dismiss": true, "click.compose": true, "click.cookies": true, "click.reset": true, "submit.cancel": true}

// splitFact returns the texts of a fact that has several.
func splitFact(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, " · ")
}

// isPlainPart reports whether e is not a control: a click on it acts on an element around it
// that listens.
func isPlainPart(e *action.Element) bool {
	return e.LinkURL == "" && !e.Submits && !e.Toggle && !e.Editable && !controls[e.Role] && !switches[e.Role] && !fields[e.Tag]
}

var (
	controls = map[string]bool{"button": true, "link": true, "menuitem": true, "combobox": true, "listbox": true, "slider": true, "spinbutton": true, "scrollbar": true, "gridcell": true}
	fields   = map[string]bool{"a": true, "button": true, "input": true, "select": true, "textarea": true, "option": true, "summary": true}
	switches = map[string]bool{"checkbox": true, "radio": true, "switch": true, "menuitemcheckbox": true, "menuitemradio": true, "tab": true, "option": true, "treeitem": true}
)

// submit judges sending the form of the element: by the name of its default button, and by
// where it is sent.
func (p *Policy) submit(facts action.Facts) judgement {
	e := facts.Element
	j := judgement{risk: action.Medium, rule: "submit", why: "it submits a form", hosts: hostsOf(facts)}
	name := e.SubmitName
	if !takesText(e) && hasWords(e.Name) {
		name = e.Name
	}
	if e.FormMethod == "get" && (isSearch(e) || words().low.is(name) && words().search.written(name)) {
		j = judgement{risk: action.Low, rule: "submit.search", why: "it searches", hosts: hostsOf(facts)}
	}
	said := newPhrase(name)
	if name == e.Name && said.is(&words().cancel) && savesBeside(e) && cancelsNothing(e) {
		j.rule, j.why = "submit.cancel", "it gives up what was edited"
	} else {
		judgePhrase(&j, &said)
	}
	judgeOrders(&j, e)
	judgeDialog(&j, &said, facts)
	if !said.hasLetters() {
		for _, s := range pathOf(e.FormAction) {
			judgeWords(&j, strings.Join(s.words, " "))
		}
	}
	p.judgeAction(&j, facts)
	if r, posts := posted(e); posts {
		if sent, _ := p.classify(r); sent.risk > action.Medium {
			j.raise(sent.risk, sent.rule, sent.why)
		}
	}
	if e.Emptied && j.rule != "submit.cancel" {
		j.raise(action.High, "submit.emptied", "it saves a text that was emptied, which deletes it")
	}
	return j
}

// posted is the request that sends the form of e, as far as it is known before.
func posted(e *action.Element) (action.Request, bool) {
	return action.Request{Method: http.MethodPost, URL: e.FormAction, Kind: "Document", Document: e.FrameURL}, e.Submits && e.FormMethod == "post" && e.FormAction != ""
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
	if facts.Element.FormMethod != "post" { // of others the request is judged
		judgeActing(j, facts.Element.FormAction)
	}
	path := pathOf(facts.Element.FormAction)
	for i, s := range path {
		if words().checkout.is(strings.Join(s.words, " ")) && !isCheckoutStep(path[i:]) {
			j.raise(action.Critical, "submit.checkout", "it sends a checkout form")
		}
	}
}

// isSearch reports whether e is a search field.
func isSearch(e *action.Element) bool { return e.Type == "search" || e.Role == "searchbox" }

// drag judges dropping one element on another: by the names of both, and like typing where
// the target is a field. The page decides what the drop does, so it is never LOW.
func (p *Policy) drag(facts action.Facts) judgement {
	j := judgement{risk: action.Medium, rule: "drag", why: "it drags something onto something else", hosts: hostsOf(facts)}
	if e := facts.Element; e != nil && e.Protected {
		j.private = true
		return refuse(j, "drag.secret", "it would drag out of a field that holds a secret", "leave what such fields hold to people")
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
		for _, name := range splitFact(e.Also) {
			judgeWords(&j, name)
		}
	}
	if showsDeletion(facts.Onto) {
		j.raise(action.High, "click.delete", "it drops something on what deletes, by its picture or its identifier")
	}
	judgeWords(&j, facts.Onto.Within) // a drop reaches what the target is in, too
	return j
}
