package policy

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// maxPublic is the number of words of a control's name that can order that something is made public.
const maxPublic = 8

// judgePublic raises the risk of a control that makes something public: by an order such as "Make
// repository public", and by a choice such as "Public". A control that is on can only be turned off.
func judgePublic(j *judgement, name *phrase, facts action.Facts) {
	e := facts.Element
	if e.On || onlyShows(e, facts) {
		return
	}
	chooses := (switches[e.Role] || e.Role == "menuitem") && e.Role != "tab" && e.Role != "treeitem"
	if ordersPublic(name) || chooses && !filters(e) && (name.is(&words().public) || e.Toggle && fieldIsPublic(e)) {
		raisePublic(j)
	}
}

func raisePublic(j *judgement) {
	j.raise(action.High, "click.public", "it makes something public")
}

// saysPublic reports whether a name says that something is or becomes public.
func saysPublic(name *phrase) bool {
	return ordersPublic(name) || name.is(&words().public)
}

// ordersPublic reports whether a text orders that something is made public.
func ordersPublic(s *phrase) bool {
	if !s.hasLetters() || asksHow(s) || words().showing.holds(&s.all[0], 0, 1) {
		return false
	}
	for i := range s.all {
		r := &s.all[i]
		if r.skeleton || len(r.words) > maxPublic {
			continue
		}
		if words().making.inReading(r) && publicAt(r) {
			return true
		}
	}
	return false
}

// publicAt reports whether a reading has a word for public that belongs to no thing, as it does in "public
// holidays": it ends the text, or is beside the verb.
func publicAt(r *reading) bool {
	for at := range r.words {
		for _, p := range words().public.phrases[r.words[at]] {
			if !startsWith(r.words[at:], p) {
				continue
			}
			end := at + len(p)
			if end == len(r.words) || words().making.holds(r, end, 1) || at > 0 && words().making.holds(r, at-1, 1) || at > 1 && words().making.holds(r, at-2, 2) {
				return true
			}
		}
	}
	for _, part := range words().public.parts {
		if strings.Contains(r.whole, part) {
			return true
		}
	}
	return false
}

// filters reports whether a choice only selects what is shown.
func filters(e *action.Element) bool {
	about := fieldText(e) + " · " + e.Within
	if words().search.written(about) {
		return true
	}
	shown := newPhrase(e.Name)
	return shown.hasLetters() && e.Tag == "select" && words().showing.holds(&shown.all[0], 0, 1)
}

// fieldIsPublic reports whether the name or id of a field says that it makes something public.
func fieldIsPublic(e *action.Element) bool {
	for _, identifier := range strings.Fields(e.FieldName) {
		if said := normalize(fieldName(identifier)); said == "make public" || switchNames[said].has(sends) {
			return true
		}
	}
	return false
}

// judgePublicOption raises the risk of choosing an option that makes something public.
func judgePublicOption(j *judgement, text string, e *action.Element) {
	s := newPhrase(text)
	if e == nil || filters(e) || !saysPublic(&s) {
		return
	}
	for _, chosen := range splitFact(e.Chosen) {
		if is := newPhrase(chosen); is.key == s.key {
			return // it stays as it is
		}
	}
	raisePublic(j)
}
