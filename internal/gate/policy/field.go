package policy

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// typing judges text that is typed into the element. Its line breaks and tabs are text: the page
// engine presses Enter to submit, and no other key.
func (p *Policy) typing(args *action.Type, facts action.Facts) judgement {
	j := p.fill(facts)
	if facts.Element != nil && args.Submit {
		j.join(p.enter(facts))
	}
	return j
}

// enter judges the Enter key on the element.
func (p *Policy) enter(facts action.Facts) judgement {
	e := facts.Element
	switch {
	case e == nil:
		return judgement{risk: action.Medium, rule: "press.unknown", why: "nothing is known of what the key would do", hosts: hostsOf(facts)}
	case isPressed(e):
		return p.activate(facts)
	case e.Editable && e.Submits:
		return p.submitField(facts)
	case e.Editable && isSearchField(e):
		return judgement{risk: action.Low, rule: "press.search", why: "it searches", hosts: hostsOf(facts)}
	case e.Editable && isComposer(e):
		if e.SubmitName != "" {
			return p.submitField(facts)
		}
		return judgement{risk: action.High, rule: "press.send", why: "Enter sends what is written there", hosts: hostsOf(facts)}
	case e.Editable:
		j := judgement{risk: action.Medium, rule: "press.enter", why: "Enter may send what is in the field", hosts: hostsOf(facts)}
		if !e.Code {
			judgeWords(&j, firstOf(splitFact(e.Dialog))) // in place of its button, which is not known
		}
		return j
	}
	return p.activate(facts)
}

func firstOf(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[0]
}

// isSearchField reports whether e is a field that only searches.
func isSearchField(e *action.Element) bool {
	if isSearch(e) {
		return true
	}
	text := fieldText(e)
	return e.Tag == "input" && words().search.written(text) && !words().personal.in(text) && (!words().composer.in(text) || searchesMessages(e))
}

// maxSearch is the number of words of a search field's name that may name what is searched.
const maxSearch = 4

// searchesMessages reports whether the name of a field says that messages, or the like, are searched.
func searchesMessages(e *action.Element) bool {
	name := newPhrase(e.Name)
	if !name.hasLetters() || len(name.all[0].words) > maxSearch || words().harmful.find(name.all, done).kinds() != 0 {
		return false
	}
	first := name.all[0]
	for _, part := range words().search.parts {
		if strings.HasPrefix(first.whole, part) || strings.HasSuffix(first.whole, part) {
			return true
		}
	}
	return phraseAt(&words().search, first.words) > 0
}

// isComposer reports whether e is for a message, a comment or the like.
func isComposer(e *action.Element) bool { return !e.Code && words().composer.in(fieldText(e)) }

// submitField judges Enter in a field that sends its form: as sending the form, and, if the form's button
// says nothing else, by what is written in the field.
func (p *Policy) submitField(facts action.Facts) judgement {
	e := facts.Element
	j := p.submit(facts)
	button := newPhrase(e.SubmitName)
	sends := !button.hasLetters() || button.is(&words().affirm) || button.is(&words().reply) || button.in(&words().composer)
	if sends && isComposer(e) && j.rule != "submit.search" && !isSearchField(e) {
		j.raise(action.High, "press.send", "Enter sends what is written there")
	}
	return j
}

// fill judges a change of a field's value by what the field is for.
func (p *Policy) fill(facts action.Facts) judgement {
	e := facts.Element
	if e == nil {
		return judgement{risk: action.High, rule: "field.unknown", why: "nothing is known of the field", hosts: hostsOf(facts)}
	}
	j := judgement{risk: action.Medium, rule: "field.unmatched", why: "no rule knows what the field is for", hosts: hostsOf(facts)}
	text := fieldText(e)
	guarded := withoutPhrases(text, &words().unguarded)
	switch {
	case isSecret(e, guarded):
		j.private = true
		j.raise(action.Critical, "field.secret", "the field is for a password or another secret")
		j.refuse, j.hint = fault.DeniedByPolicy, "agents never type secrets: browser_fill_secret types one that is stored for the site, and browser_request_human asks a person to sign in or to store it"
	case e.Protected || isCard(e) || words().guarded.in(guarded) && !slides(e):
		j.private = e.Protected || isCard(e)
		j.raise(action.High, "field.guarded", "the field is for a card, an identity or a configuration")
	case e.Code:
		j.raise(action.High, "field.code", "it is a code editor")
	case isSearch(e):
		j = judgement{risk: action.Low, rule: "field.free", why: "the field is for searching", hosts: hostsOf(facts)}
	case words().personal.in(text) || personalTypes[e.Type] || isPersonal(e):
		j.rule, j.why = "field.personal", "the field is for personal data"
	case words().free.written(text):
		j = judgement{risk: action.Low, rule: "field.free", why: "the field is for searching or commenting", hosts: hostsOf(facts)}
	}
	if e.Tag == "select" && e.Submits {
		j.join(p.submit(facts)) // a choice sends the form at once
	}
	return j
}

// choose judges the choice of options by the purpose of the list and by the options' texts: a page
// may act on a choice at once.
func (p *Policy) choose(args *action.Select, facts action.Facts) judgement {
	j := p.fill(facts)
	for _, text := range args.Values {
		judgeWords(&j, text)
		judgePublicOption(&j, text, facts.Element)
	}
	return judgeOptions(j, facts)
}

// judgeOptions raises the risk by the options that would be, or could be, chosen.
func judgeOptions(j judgement, facts action.Facts) judgement {
	for _, text := range facts.Options {
		judgeWords(&j, text)
		judgePublicOption(&j, text, facts.Element)
	}
	return j
}

// slides reports whether e is a slider: it sets a number between limits, and holds no configuration.
func slides(e *action.Element) bool { return e.Type == "range" || e.Role == "slider" }

// fieldText is all texts that say what a field is for.
func fieldText(e *action.Element) string {
	return strings.Join([]string{e.Name, split(e.Label), e.Placeholder, split(e.FieldName), e.Also}, " · ")
}

var (
	personalTypes = map[string]bool{"email": true, "tel": true}
	// plainTokens are autofill field names of the HTML standard for addresses.
	plainTokens = namesOf(`postal-code street-address address-line1 address-line2 address-line3 address-level1 address-level2
		address-level3 address-level4 country country-name`)
	secretTokens = map[string]bool{"current-password": true, "new-password": true, "one-time-code": true}
)

// isSecret reports whether a field is for a secret, which an agent must never type. A protected field
// is, unless it is only protected because it is for a payment card.
func isSecret(e *action.Element, text string) bool {
	suggests := e.Role == "combobox" || e.Role == "searchbox" // new-password keeps the browser's own suggestions away there
	if e.Type == "password" || hasToken(e, func(t string) bool { return secretTokens[t] && !(suggests && t == "new-password") }) {
		return true
	}
	if isCard(e) {
		return false // the card's security code is not a password
	}
	plain := hasToken(e, func(t string) bool { return plainTokens[t] }) // the PIN code of an address
	return words().secret.in(text) && !plain || e.Protected && !words().guarded.in(text)
}

// withoutPhrases is a text without the phrases of a list: the longest first, because a phrase may
// be part of another.
func withoutPhrases(text string, list *lexicon) string {
	plain := " " + normalize(text) + " "
	var found []string
	for phrase := range list.exact {
		if strings.Contains(plain, " "+phrase+" ") {
			found = append(found, phrase)
		}
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	for _, phrase := range found {
		for strings.Contains(plain, " "+phrase+" ") { // the next one may begin where this one ends
			plain = strings.Replace(plain, " "+phrase+" ", " · ", 1)
			text = plain
		}
	}
	return text
}

// isCard reports whether autocomplete marks a payment card's field (HTML
// standard, autofill field names).
func isCard(e *action.Element) bool {
	return hasToken(e, func(t string) bool { return strings.HasPrefix(t, "cc-") })
}

// isPersonal reports whether autocomplete marks a field of another kind.
func isPersonal(e *action.Element) bool {
	return hasToken(e, func(t string) bool { return t != "on" && t != "off" })
}

func hasToken(e *action.Element, match func(string) bool) bool {
	for _, t := range strings.Fields(strings.ToLower(e.Autocomplete)) {
		if match(t) {
			return true
		}
	}
	return false
}

// press judges a key or a combination of keys on the element.
func (p *Policy) press(combination string, facts action.Facts) judgement {
	held, key := action.SplitKeys(combination)
	modified := slices.ContainsFunc(held, func(name string) bool { return name != "Shift" })
	switch key {
	case "Enter", "\r", "\n":
		return judgeModifier(p.enter(facts), modified, len(held) > 0, facts)
	case "Escape":
		return p.escape(facts)
	case "Tab", "Home", "End", "PageUp", "PageDown", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight",
		"Shift", "Control", "Alt", "Meta":
		return p.move(facts)
	}
	e := facts.Element
	if e != nil && (e.Editable && !isPressed(e) || e.Tag == "select" || e.Protected) {
		j := judgeOptions(p.fill(facts), facts) // it types, deletes, pastes or chooses
		if j.rule == "field.code" && j.refuse == "" && isLetterKey(key, modified) {
			j = judgement{risk: action.Low, rule: "field.keystroke", why: "it changes a letter of a text", hosts: hostsOf(facts)}
		}
		if modified && !isEditKey(key) {
			j.raise(action.Medium, "press.shortcut", "the key may be a shortcut of the page")
		}
		return judgeAltKey(j, held)
	}
	if e != nil && key == " " {
		j := p.activate(facts)
		if j.refuse == "" {
			return j // the space bar does not follow links, so nothing is lost where a link is blocked
		}
	}
	j := judgement{risk: action.Medium, rule: "press.shortcut", why: "the key may be a shortcut of the page", hosts: hostsOf(facts)}
	if key == "Delete" || key == "Backspace" || key == "#" || key == "3" && slices.Equal(held, []string{"Shift"}) {
		j.raise(action.High, "press.delete", "the key may delete what is selected")
	}
	return judgeAltKey(j, held)
}

// judgeModifier raises the risk of Enter with a modifier key, which sends in many editors.
func judgeModifier(j judgement, modified, held bool, facts action.Facts) judgement {
	if e := facts.Element; e != nil && e.Code && held {
		j.raise(action.High, "press.run", "with another key, Enter runs code in many editors")
	}
	if !modified {
		return j
	}
	j.raise(action.Medium, "press.enter", "Enter may send what is in the field")
	if e := facts.Element; e != nil && (e.Editable && e.Tag != "input" || e.Tag == "body") {
		j.raise(action.High, "press.send", "with Control or Command, Enter sends in many editors")
	}
	return j
}

// isLetterKey reports whether a key types or deletes a letter, or undoes that. A key that pastes does
// not count: nobody has seen the text.
func isLetterKey(key string, modified bool) bool {
	if modified {
		return isEditKey(key) && !strings.EqualFold(key, "v") && key != "Insert"
	}
	return key == "Backspace" || key == "Delete" || utf8.RuneCountInString(key) == 1
}

// isEditKey reports whether a key with Control only edits text.
func isEditKey(key string) bool {
	switch strings.ToLower(key) {
	case "a", "c", "x", "v", "y", "z", "backspace", "delete", "insert":
		return true
	}
	return false
}

// judgeAltKey raises the risk of keys with Alt, which may activate an element that was not judged
// (HTML standard, accesskey).
func judgeAltKey(j judgement, held []string) judgement {
	if slices.Contains(held, "Alt") {
		j.raise(action.High, "press.accesskey", "with Alt, the key may press a button that was not looked at")
	}
	return j
}

// move judges a key that moves the focus, the cursor or the view. In a list or slider it changes the
// value.
func (p *Policy) move(facts action.Facts) judgement {
	e := facts.Element
	if e != nil && (e.Tag == "select" || e.Role == "slider" || e.Role == "spinbutton") && !e.Protected {
		return judgeOptions(p.fill(facts), facts)
	}
	return judgement{risk: action.Low, rule: "press.move", why: "the key moves the focus or the view", hosts: hostsOf(facts)}
}

// escape judges the Escape key, which dismisses the dialog that the element is in.
func (p *Policy) escape(facts action.Facts) judgement {
	j := p.move(facts)
	if e := facts.Element; e != nil {
		judgeDismissal(&j, e.Dialog)
	}
	return j
}

// upload judges giving files to a page, which may send them anywhere. An element that is not a file
// input is clicked first, so the click is judged too.
func (p *Policy) upload(args *action.Upload, facts action.Facts) judgement {
	e := facts.Element
	if args.Clear && args.Count() == 0 {
		return judgement{risk: action.Low, rule: "upload.clear", why: "it takes files out of a form", hosts: hostsOf(facts)}
	}
	j := judgement{risk: action.Medium, rule: "upload", why: "it gives files to the page", hosts: hostsOf(facts)}
	for _, host := range j.hosts {
		if p.isSensitive(host) && !p.trustedByName(host) || isPayment(host) {
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
