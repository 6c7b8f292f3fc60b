package policy

import (
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// judgeWords raises the risk by the words of a control.
func judgeWords(j *judgement, text string) {
	if s := newPhrase(text); text != "" {
		judgePhrase(j, &s)
	}
}

func judgePhrase(j *judgement, s *phrase) {
	if !s.isReadable() || s.is(&words().low) || asksHow(s) || dropsFiles(s) { // "remove filters" and "how to pay" only show something
		return
	}
	f := words().harmful.find(s.all, done)
	switch {
	case f.critical != 0:
		j.raise(action.Critical, "click.pay", criticalReason(f.critical))
	case f.high != 0:
		j.raise(action.High, "click.delete", reasonFor(f.high))
	case f.medium && !words().showing.holds(&s.all[0], 0, 1):
		j.raise(action.Medium, "click.save", "it saves or submits something")
		j.auto = false // it is more than a navigation
	}
}

// dropsFiles reports whether a text tells people to drop files on something, and no more: "Drop files here".
func dropsFiles(s *phrase) bool {
	said := s.all[0].words
	drop, files := slices.Index(said, "drop"), false
	for _, w := range said {
		files = files || dropped[w]
	}
	if drop < 0 || !files || !slices.ContainsFunc(said, func(w string) bool { return dropPlaces[w] }) {
		return false
	}
	rest := newPhrase(strings.Join(slices.Concat(said[:drop], said[drop+1:]), " "))
	return words().harmful.find(rest.all, done).kinds() == 0
}

var (
	dropped    = namesOf("file files image images photo photos picture pictures document documents folder folders attachment attachments video videos csv pdf")
	dropPlaces = namesOf("here drag upload browse")
)

// asksHow reports whether a text is a question, or the title of a text that answers one, and not an
// action.
func asksHow(s *phrase) bool {
	t := s.all[0].words
	return len(t) > 2 && (questions[t[0]] || questions[t[0]+" "+t[1]])
}

var questions = map[string]bool{
	"how to": true, "how do": true, "how can": true, "how does": true, "what is": true, "what are": true, "what happens": true, "why do": true, "why does": true,
	"wie man": true, "wie kann": true, "warum": true, "weshalb": true, "pourquoi": true, "como": true, "perche": true, "hoe": true, "waarom": true, "как": true, "почему": true,
}

// A text with more than maxCommand words, or in a script without spaces maxUnspaced bytes, is a title
// and not a command.
const (
	maxCommand  = 4
	maxUnspaced = 30
)

// judgeCommand raises the risk of a control that only leads somewhere, or shows something, if its words
// are a command.
func judgeCommand(j *judgement, s *phrase) {
	if !s.hasLetters() || s.is(&words().low) || s.is(&words().dismiss) {
		return
	}
	for i := range s.all {
		r := &s.all[i]
		if len(r.words) > maxCommand || isHelp(r.words) || words().help.inReading(r) || len(r.whole) > maxUnspaced && strings.ContainsFunc(r.whole, isUnspaced) {
			return
		}
	}
	f := words().harmful.find(s.all, ordered)
	switch {
	case f.critical.has(destroys | pays):
		j.raise(action.Critical, "click.pay", criticalReason(f.critical))
	case f.high.has(destroys | ends | pays):
		j.raise(action.High, "click.delete", reasonFor(f.high))
	}
}

func criticalReason(found kinds) string {
	if found.has(pays) {
		return "it pays, buys or transfers something"
	}
	return "it deletes or closes an account, or a whole project"
}

// reasonFor describes words of HIGH risk by the worst of their kinds.
func reasonFor(found kinds) string {
	switch {
	case found.has(destroys):
		return "it deletes or resets something"
	case found.has(pays):
		return "it moves money"
	case found.has(grants):
		return "it grants rights, signs something, or changes how somebody signs in"
	case found.has(sends):
		return "it sends, publishes or shares something"
	}
	return "it cancels, stops or signs out of something"
}

// showsOnly reports whether a control only moves around on the page or shows more of it, by its name.
func showsOnly(name *phrase) bool {
	return name.is(&words().low) || name.hasLetters() && len(name.all[0].words) > 1 && words().showing.holds(&name.all[0], 0, 1)
}

// clearsForm reports whether a control is the reset button of a form, and its name says no more than
// that.
func clearsForm(e *action.Element, name *phrase) bool {
	return e.Type == "reset" && !e.Scripted && ordersNothing(e) && (name.is(&words().high) || name.is(&words().low))
}

// onlyShows reports whether a click is known to only show something, so that the words in the control's
// name are not what it does: a plain link, a tab, an entry of a list, a button that opens a menu.
func onlyShows(e *action.Element, facts action.Facts) bool {
	if e.Submits || !ordersNothing(e) {
		return false
	}
	if isWebLink(e) {
		return !e.Scripted && !isEmptyLink(e) && e.LinkURL != facts.Page.URL && (e.Role == "link" || e.Role == "") && facts.Destination != nil && siteOf(facts.Destination.Host) == siteOf(hostOf(facts.Page.URL))
	}
	return e.Toggle && (e.Role == "tab" || e.Role == "treeitem" || e.Role == "columnheader" || e.Role == "button" || e.Role == "DisclosureTriangle")
}

// judgeIcon raises the risk of a control without words whose icon means deletion.
func judgeIcon(j *judgement, e *action.Element) {
	for _, t := range tokens(split(e.Label)) {
		if hosts().icons[t] {
			j.raise(action.High, "click.delete", "its picture stands for deleting something")
		}
	}
}

// judgeOrders raises the risk by the requests that hidden fields of the form and attributes of the
// element name.
func judgeOrders(j *judgement, e *action.Element) {
	for _, order := range splitFact(e.Orders) {
		name, value, _ := strings.Cut(order, "=")
		name = strings.ToLower(name)
		switch {
		case strings.HasSuffix(name, "confirm"):
			judgeWords(j, value)
			j.raise(action.Medium, "click.confirm", "the page asks whether one is sure")
		case strings.HasSuffix(name, "method"):
			judgeMethod(j, value)
		case strings.HasPrefix(strings.TrimPrefix(name, "data-"), "hx-"):
			judgeMethod(j, name[strings.LastIndexByte(name, '-')+1:])
			judgeActing(j, value)
		case name == "formaction" && e.FormMethod == "post": // the request is judged, see posted
		case name == "data-url" || name == "data-href" || name == "formaction" || name == "ping":
			judgeActing(j, value)
		case strings.EqualFold(value, e.SubmitName) && words().affirm.is(value): // the button's own value, as "Submit"
		case name == "data-action" && (words().cancel.is(value) || words().dismiss.is(value)):
		default:
			judgeOrder(j, value)
		}
	}
}

// judgeOrder raises the risk by the value of a field that names the action.
func judgeOrder(j *judgement, value string) {
	t := tokens(split(value))
	if len(t) == 0 || isDraft(t) {
		return
	}
	judgeWords(j, split(value))
	judgeActWords(j, &segment{words: t, joint: true}, true, query{})
}

// isDraft reports whether the words of an action say that a draft is saved: "post-quickdraft-save"
// publishes nothing.
func isDraft(said []string) bool {
	draft := false
	for _, w := range said {
		draft = draft || drafts[w]
	}
	return draft && words().harmful.find(pathReadings(said), mentioned).kinds()&^sends == 0
}

var drafts = map[string]bool{"draft": true, "drafts": true, "quickdraft": true, "autosave": true, "autosaves": true}

// ordersNothing reports whether the attributes and hidden fields of an element and its form name no
// action.
func ordersNothing(e *action.Element) bool {
	j := judgement{risk: action.Low}
	judgeOrders(&j, e)
	return j.risk == action.Low
}

// judgeMethod raises the risk by the method of the request.
func judgeMethod(j *judgement, method string) {
	switch strings.ToLower(method) {
	case "delete":
		j.raise(action.High, "click.delete", "it sends a request that deletes something")
	case "post", "put", "patch":
		j.raise(action.Medium, "submit", "it sends a request that changes something")
		j.auto = false
	}
}

// judgeDialog raises the risk of a control in a dialog: of one that agrees, by the dialog's whole text,
// and of one whose own name says nothing, by the heading.
func judgeDialog(j *judgement, name *phrase, facts action.Facts) {
	e := facts.Element
	judgeButton(j, name, e.Dialog)
	if decidedByContext[j.rule] {
		judgeButton(j, name, e.Within)
	}
	if e.Dialog == "" || decidedByContext[j.rule] || onlyShows(e, facts) || e.Toggle {
		return
	}
	says := splitFact(e.Dialog)
	switch {
	case !name.hasLetters() || name.in(&words().affirm) && (name.is(&words().affirm) || !name.is(&words().low)):
		judgeWords(j, e.Dialog)
	case words().save.is(name.text) && kindsOf(says[0]).has(grants):
		judgeWords(j, says[0])
	case !name.is(&words().low) && !name.in(&words().medium) && (len(says) > 1 || len(e.Dialog) <= shortDialog):
		if kindsOf(says[0]).has(destroys | pays | ends | grants) { // not sends: a dialog for writing has other buttons than the one that sends
			judgeWords(j, says[0])
		}
	}
}

// shortDialog is the length of a dialog's text, in bytes, that counts as a heading where there is none.
const shortDialog = 160

// dismisses reports whether a button only closes or cancels what is open. A bare "Cancel" does, unless it
// is beside something that can be cancelled.
func dismisses(e *action.Element, name *phrase) bool {
	switch {
	case e.Submits || !ordersNothing(e):
		return false
	case name.is(&words().cancel):
		return cancelsNothing(e)
	case name.is(&words().dismiss) && !name.is(&words().affirm), e.Dialog != "" && (closeSigns[e.Name] && e.Item == "" || saysNo(name)):
		return true
	case name.is(&words().dismiss), name.is(&words().affirm) && e.Dialog != "" && e.Beside == "": // of a notice
		says := newPhrase(e.Dialog)
		return words().harmful.find(says.all, mentioned) == findings{}
	}
	return false
}

// closeSigns are labels of buttons that close a dialog.
var closeSigns = map[string]bool{"×": true, "✕": true, "✖": true, "✗": true, "⨯": true, "x": true, "X": true}

// saysNo reports whether the button of a dialog declines: "Keep my account".
func saysNo(name *phrase) bool {
	if !name.hasLetters() || len(name.all[0].words) > maxCommand || name.in(&words().affirm) || words().harmful.find(name.all, mentioned) != (findings{}) {
		return false
	}
	return refusals[name.all[0].words[0]]
}

var refusals = map[string]bool{
	"no": true, "keep": true, "stay": true, "nein": true, "behalten": true, "non": true, "conserver": true, "garder": true, "conservar": true, "mantener": true,
	"nao": true, "manter": true, "mantieni": true, "nee": true, "behouden": true, "нет": true, "оставить": true, "khong": true, "giu": true,
}

// savesBeside reports whether there is a button beside e that saves what was edited.
func savesBeside(e *action.Element) bool {
	return slices.ContainsFunc(splitFact(e.Beside), func(name string) bool {
		return words().save.is(name) || words().affirm.is(name) || words().reply.is(name)
	})
}

func cancelsNothing(e *action.Element) bool {
	switch {
	case e.Dialog != "":
		return !words().cancel.in(e.Dialog) || !words().cancelled.in(e.Dialog)
	case e.Item != "" || words().cancelled.in(e.Within):
		return savesBeside(e)
	}
	return true
}

// opensComposer reports whether a button such as "Reply" can only open an editor: no field around it has
// anything to send.
func opensComposer(e *action.Element, name *phrase) bool {
	return e.Blank && name.is(&words().reply) && ordersNothing(e)
}

// answersCookies reports whether a button answers a cookie banner.
func answersCookies(e *action.Element, name *phrase) bool {
	if !name.is(&words().answers) && !name.is(&words().affirm) && !name.in(&words().cookie) || words().harmful.find(name.all, mentioned).kinds() != 0 {
		return false
	}
	about := e.Dialog + " · " + e.Within
	return words().cookie.in(about) && !kindsOf(about).has(destroys|pays|grants) && ordersNothing(e)
}
