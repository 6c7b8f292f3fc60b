package policy

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// judgePicture raises the risk of a control whose picture, class, id or the like means deletion although
// its name says something else. A name that says itself that it is about deletion is judged by its words.
func judgePicture(j *judgement, name *phrase, facts action.Facts) {
	e := facts.Element
	if e.Icons == "" || tellsDeletion(name) || onlyShows(e, facts) && !leadsNowhereElse(e, facts) {
		return
	}
	if showsDeletion(e) {
		j.raise(action.High, "click.delete", "its picture or its identifier stands for deleting something")
	}
}

// showsDeletion reports whether an identifier of e or of its pictures means deletion.
func showsDeletion(e *action.Element) bool {
	for _, identifier := range splitFact(e.Icons) {
		if meansDeletion(identifier) {
			return true
		}
	}
	return false
}

// meansDeletion reports whether an identifier such as "btn-delete" or "trash3" means deletion.
func meansDeletion(identifier string) bool {
	found := false
	for i, w := range tokens(split(identifier)) {
		w = strings.TrimRight(w, "0123456789")
		if hosts().notPictures[w] || i == 0 && w == "can" {
			return false
		}
		found = found || hosts().pictures[w]
	}
	return found
}

// tellsDeletion reports whether a name says that the control deletes, or shows what was deleted.
func tellsDeletion(name *phrase) bool {
	if words().harmful.find(name.all, mentioned).kinds().has(destroys) {
		return true
	}
	for i := range name.all {
		for at, w := range name.all[i].words {
			if hosts().deleted[w] || at == 0 && name.is(&words().low) && hosts().actingWords[w] { // "Clear filters"
				return true
			}
		}
	}
	return false
}

// leadsNowhereElse reports whether a link leads to a place of the page it is on, where a script may act.
func leadsNowhereElse(e *action.Element, facts action.Facts) bool {
	return withoutFragment(e.LinkURL) == withoutFragment(facts.Page.URL)
}
