package policy

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// segment is one part of an address's path.
type segment struct {
	words []string // folded
	id    bool     // it identifies a thing
	page  bool     // it is a document by its file extension, and only shows
	joint bool     // it is one identifier, such as deleteItem or delete_item
}

// maxActWords is the number of words of a segment that can act: a longer one is the title of
// a text.
const maxActWords = 3

// pathOf returns the segments of an address's path, and of a fragment that is used as a path.
func pathOf(address string) []segment {
	var all []segment
	for raw := range strings.SplitSeq(strings.ReplaceAll(wholePath(address), ";", "/"), "/") {
		if raw == "" {
			continue
		}
		var s segment
		name, extension, found := strings.Cut(raw, ".")
		if found && len(extension) <= 5 && !ordersHarm(extension) {
			s.page = hosts().pages[strings.ToLower(extension)]
		} else {
			name = raw
		}
		if plain := strings.TrimRight(name, "0123456789"); hosts().acting[strings.ToLower(plain)] { // delete2.php
			name = plain
		}
		s.id, s.words = isID(name), tokens(split(name))
		s.joint = len(s.words) > 1 && !strings.ContainsAny(name, "- +")
		if len(s.words) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// wholePath is the path of an address with a fragment that is used as a path; empty for what is no
// address.
func wholePath(address string) string {
	u, err := parseLeniently(address)
	if err != nil {
		return ""
	}
	if fragment := strings.TrimPrefix(u.Fragment, "!"); strings.HasPrefix(fragment, "/") {
		fragment, _, _ = strings.Cut(fragment, "?")
		return u.Path + fragment
	}
	return u.Path
}

// isID reports whether a segment is a number, or has digits and letters as keys do.
func isID(name string) bool {
	digits, letters := 0, 0
	for _, r := range name {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		case r != '-' && r != '_':
			return false
		}
	}
	return digits > 0 && (letters == 0 || digits >= 2 && digits+letters >= 8)
}

// is reports whether a segment is one of the words of a list.
func (s *segment) is(list map[string]bool) bool { return len(s.words) == 1 && list[s.words[0]] }

// hasYear reports whether a path has a year, which months and days may follow.
func hasYear(path []segment) bool {
	return slices.ContainsFunc(path, func(s segment) bool { return isYear(s.words[0]) })
}

// isYear reports whether a word is a year, as addresses of articles have.
func isYear(word string) bool {
	return len(word) == 4 && (strings.HasPrefix(word, "19") || strings.HasPrefix(word, "20"))
}

// judgeActing raises the risk of an address that does something when it is requested, by the
// words of its path and query: requesting it has the effect of a button.
func judgeActing(j *judgement, address string) { judgeAddress(j, address, false, nil) }

// judgeAddress is judgeActing for requests. That something is sent to the address is taken as
// evidence that it does what its words say. Segments that are known titles are skipped.
//
// Servers read addresses in several ways: without regard to case, without what follows a
// semicolon, or with encoded slashes as slashes. The worst reading counts.
func judgeAddress(j *judgement, address string, sent bool, titles map[string]bool) {
	judgeReading(j, address, sent, titles)
	if other := lenientReading(address); other != address {
		judgeReading(j, other, sent, titles)
	}
}

// lenientReading is an address as lenient servers read it; the address itself where that is
// no difference.
func lenientReading(address string) string {
	u, err := parseLeniently(address)
	if err != nil {
		return address
	}
	plain := u.Path
	for range maxEscapes {
		plain = unescaped(plain)
	}
	if strings.Contains(plain, ";") {
		plain = pathParams.ReplaceAllString(plain, "")
	}
	if strings.Contains(plain, "/.") {
		plain = path.Clean(plain)
	}
	if mixedCase.MatchString(plain) {
		plain = strings.ToLower(plain)
	}
	if plain == u.Path {
		return address
	}
	u.Path, u.RawPath = plain, ""
	return u.String()
}

var (
	pathParams = regexp.MustCompile(`;[^/]*`)
	mixedCase  = regexp.MustCompile(`[a-z][A-Z]{3}|[a-z][A-Z][a-z][A-Z]|[A-Z][a-z][A-Z][a-z][A-Z]|[A-Z]{2}[a-z]{1,2}[A-Z]`) // case that does not separate words
)

func judgeReading(j *judgement, address string, sent bool, titles map[string]bool) {
	u, err := parseLeniently(address)
	if err != nil {
		return
	}
	query := queryOf(u)
	query.amount, query.sent = query.amount || sent, sent
	if sent {
		query.actions = append(query.actions, componentOrders(u)...)
	}
	parts := pathOf(address)
	id, documents := false, false // the path identifies a thing, or the rest of it names a text
	for i := range parts {
		s := &parts[i]
		of := i+1 < len(parts) && parts[i+1].id && !isYear(parts[i+1].words[0])
		shows := s.page && !sent && (documents || !id && !query.id) || !sent && documents && !id && !of && !query.id || !sent && i > 0 && !s.joint && len(s.words) > 1 && parts[i-1].is(hosts().titles)
		if !shows {
			on := i+1 < len(parts) && parts[i+1].id
			whole := strings.Join(s.words, " ")
			if titles[whole] || sent && isCheckoutStep(parts[i:]) {
				continue
			}
			noun := words().noun.exact[whole] && !(sent && (kindsOf(whole).has(pays) || isPathVerb(parts, i)))
			judgeActWords(j, s, sent && !noun || id || query.evidence || on && !noun, query)
		}
		id = id || s.id && !isYear(s.words[0]) && !(i > 0 && len(s.words[0]) <= 2 && hasYear(parts[:i]))
		documents = documents || s.is(hosts().documents)
	}
	if sent {
		judgePairs(j, parts)
	}
	for _, value := range query.actions {
		if t := tokens(split(value)); len(t) > 0 && (len(t) <= maxActWords || len(t) <= maxIdentifier && !strings.ContainsAny(value, " +-")) {
			judgeActWords(j, &segment{words: t, joint: true}, true, query)
		}
	}
}

// pathVerbs are nouns of controls that name an act where something is sent to them: /reply/7.
var pathVerbs = setOf(strings.Split(`reply,reply all,forward,tweet,repost,broadcast,invite,flush,prune,kill,kick,shutdown,ban,restart,halt,suspend,revert,rollback,disconnect,truncate,factory reset,reset,deploy`, ","))

// isPathVerb reports whether a part of a path is one of them, and not a reset of what is shown:
// /filters/reset.
func isPathVerb(path []segment, i int) bool {
	whole := strings.Join(path[i].words, " ")
	return pathVerbs[whole] && !(i > 0 && words().low.exact[whole+" "+strings.Join(path[i-1].words, " ")])
}

// isCheckoutStep reports whether the end of a path is a step of a purchase that asks who gets what:
// checkout/address.
func isCheckoutStep(path []segment) bool {
	return len(path) == 2 && path[0].is(checkoutNames) && checkoutSteps[strings.Join(path[1].words, " ")]
}

var (
	checkoutNames = map[string]bool{"checkout": true}
	checkoutSteps = map[string]bool{
		"address": true, "addresses": true, "shipping": true, "shipping address": true, "shipping method": true, "billing address": true, "delivery": true, "delivery address": true,
		"delivery method": true, "contact": true, "customer": true, "guest": true, "email": true, "details": true, "information": true,
	}
)

// titlesOf returns the segments of several words in a page's address, if requesting the
// address does nothing. They name the page's subject, also in addresses that it reads.
func titlesOf(page string) map[string]bool {
	j := judgement{risk: action.Low}
	if judgeActing(&j, page); j.risk > action.Low {
		return nil
	}
	titles := map[string]bool{}
	for _, s := range pathOf(page) {
		if len(s.words) > 1 && !s.joint {
			titles[strings.Join(s.words, " ")] = true
		}
	}
	return titles
}

// judgeActWords raises the risk by the words of a segment, or of a parameter that names an
// action. with says that the address also identifies a thing.
func judgeActWords(j *judgement, s *segment, with bool, q query) {
	whole := strings.Join(s.words, " ")
	if len(s.words) > maxActWords && !hosts().acting[whole] && !isOperation(s, with || q.sent) || !q.sent && isHelp(s.words) && !(len(s.words) > 1 && isOperation(s, with)) {
		return
	}
	strong, weak := hosts().acting[whole] || isActing(s.words, hosts().actingWords) || isActing(s.words, hosts().harming), isActing(s.words, hosts().actingWith) || words().noun.exact[whole]
	said := pathReadings(s.words)
	found := words().harmful.find(said, mentioned).kinds()
	if !strong && !weak && found != 0 {
		mode := ordered
		if q.sent { // harm anywhere in the segment counts
			mode = done
		}
		strong = words().harmful.find(said, mode).kinds() != 0
	}
	if !strong && !(weak && with && (len(s.words) == 1 || s.joint || found != 0)) {
		if with && (q.sent || q.evidence || !hosts().forms[whole]) && (hosts().changing[s.words[0]] && (len(s.words) == 1 || s.joint) || hosts().changing[whole]) {
			j.raise(action.Medium, "navigation.changing", "the address changes something when it is requested")
			j.auto = false
		}
		return
	}
	if found.has(pays) && q.amount {
		j.raise(action.Critical, "navigation.acting", "the address pays or transfers an amount")
		return
	}
	if q.sent && found == 0 && !isActing(s.words, hosts().harming) {
		return // it may change something, like every request that sends something
	}
	j.raise(action.High, "navigation.acting", addressReason(found))
}

// pathReadings are the ways to read words of an address: as they are, and with ae, oe and ue
// as umlauts.
func pathReadings(part []string) []reading {
	all := []reading{{words: part, whole: strings.Join(part, "")}}
	for _, w := range part {
		if strings.Contains(w, "ae") || strings.Contains(w, "oe") || strings.Contains(w, "ue") {
			return append(all, reading{words: strings.Fields(spellings.Replace(strings.Join(part, " ")))})
		}
	}
	return all
}

var spellings = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")

func isActing(all []string, list map[string]bool) bool {
	return len(all) > 0 && (list[all[0]] || list[all[len(all)-1]] || list[strings.Join(all, " ")])
}

// isHelp reports whether words have a word of a help text or of a thing that only shows.
func isHelp(all []string) bool {
	for _, w := range all {
		if words().help.exact[w] || words().things.exact[w] {
			return true
		}
	}
	return false
}

// query is what the parameters of an address mean.
type query struct {
	sent     bool     // something is sent to the address
	actions  []string // names of actions: parameters' own names, and values of parameters for actions
	id       bool     // a parameter identifies a thing
	shows    bool     // the action only shows something
	evidence bool     // there are parameters besides those that select what is shown
	amount   bool
}

func queryOf(u *url.URL) (q query) {
	values := valuesOf(u.RawQuery)
	if _, after, found := strings.Cut(u.Fragment, "?"); found {
		if more, err := url.ParseQuery(after); err == nil {
			for name, v := range more {
				values[name] = append(values[name], v...)
			}
		}
	}
	for name, all := range values {
		lower := strings.ToLower(name)
		if routeNames[lower] && !hosts().actingNames[lower] {
			for _, v := range all {
				if strings.Contains(v, "/") && !strings.Contains(v, "://") {
					q.actions = append(q.actions, strings.Split(strings.Trim(v, "/"), "/")...)
				} else if lower != "q" && hosts().acting[strings.ToLower(v)] && len(values) > 1 {
					q.actions = append(q.actions, v)
				}
			}
		}
		if hosts().showingNames[lower] {
			q.amount = q.amount || hosts().amounts[lower]
			continue
		}
		q.evidence = true
		q.amount = q.amount || hosts().amounts[lower]
		q.shows = q.shows || lower == "response_type" // a page that asks for consent (OAuth 2.0)
		q.id = q.id || lower == "id" || strings.HasSuffix(lower, "id")
		if hosts().actingNames[lower] {
			for _, v := range all {
				v = v[strings.LastIndexByte(v, '/')+1:]
				q.actions = append(q.actions, v)
				q.shows = q.shows || hosts().showingActs[strings.ToLower(v)]
			}
			continue
		}
		if t := tokens(split(name)); len(t) > 0 && len(t) <= maxActWords && (hosts().acting[strings.Join(t, " ")] || hosts().actingWords[t[0]] || words().harmful.find(pathReadings(t), ordered).kinds() != 0) {
			q.actions = append(q.actions, name)
		}
		if lower == "id" { // it identifies a thing, whose name may be "delete_files"
			continue
		}
		for _, v := range all {
			if t := tokens(split(v)); hosts().acting[strings.Join(t, " ")] || len(t) == 2 && hosts().acting[t[0]] && !strings.ContainsAny(v, " -+") {
				q.actions = append(q.actions, v)
			}
		}
	}
	q.evidence, q.id = q.evidence && !q.shows, q.id && !q.shows
	return q
}

// routeNames are parameters with a path, in place of the address's own.
var routeNames = map[string]bool{"q": true, "p": true, "page": true, "route": true, "_data": true}

// componentOrders are the orders in a parameter that names components of a page, from the outer
// ones to the one that was pressed: ?0-1.ILinkListener-list-deleteLink, and
// ?wicket:interface=:1:form:delete::IFormSubmitListener.
func componentOrders(u *url.URL) (said []string) {
	for name, values := range valuesOf(u.RawQuery) {
		components := name
		if strings.HasPrefix(name, "wicket:") {
			components = strings.Join(values, ":")
		} else if strings.Join(values, "") != "" {
			continue
		}
		said = append(said, ordersOfComponents(components)...)
	}
	return said
}

// ordersOfComponents are the orders of controls in a path of components.
func ordersOfComponents(path string) (said []string) {
	for _, part := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("-.:", r) }) {
		if order := orderOf(controlWords(part), anyHarm); order != "" {
			said = append(said, order)
		}
	}
	return said
}

// addressReason describes what an address does, by the kinds of harm that its words name.
func addressReason(found kinds) string {
	switch {
	case found.has(pays):
		return "the address pays, buys or transfers something"
	case found.has(destroys):
		return "the address deletes something"
	case found.has(sends):
		return "the address sends or publishes something"
	case found.has(grants):
		return "the address grants rights or changes how somebody signs in"
	case found.has(ends):
		return "the address cancels, stops or signs out of something"
	}
	return "the address changes something when it is requested"
}
