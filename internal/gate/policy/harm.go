package policy

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// harm is what a phrase of a control means.
type harm struct {
	risk action.Risk
	kind kinds
}

// harmful is an index of the phrases of controls in all languages with their harm, so that a text is
// searched once.
type harmful struct {
	phrases, skeletons map[string][]harmPhrase // by their first word; as skeletons
	parts              map[rune][]harmPart     // of scripts that do not part words, by their first letter
	long               map[string]bool         // the long words of phrases: see joinFragments
}

type harmPhrase struct {
	words []string
	harm
}

type harmPart struct {
	text string
	harm
}

func (h *harmful) add(phrase string, what harm) {
	t := tokens(phrase)
	if len(t) == 0 {
		return
	}
	if h.phrases == nil {
		h.phrases, h.skeletons, h.parts, h.long = map[string][]harmPhrase{}, map[string][]harmPhrase{}, map[rune][]harmPart{}, map[string]bool{}
	}
	if whole := strings.Join(t, ""); strings.ContainsFunc(whole, isUnspaced) {
		first, _ := utf8.DecodeRuneInString(whole)
		h.parts[first] = append(h.parts[first], harmPart{whole, what})
		return
	}
	h.phrases[t[0]] = append(h.phrases[t[0]], harmPhrase{t, what})
	for _, w := range t {
		if what.risk >= action.High && utf8.RuneCountInString(w) >= minJoined {
			h.long[w] = true
		}
	}
	a := wordsOf(skeleton(phrase))
	h.skeletons[a[0]] = append(h.skeletons[a[0]], harmPhrase{a, what})
}

// matchMode says which phrases of a text count.
type matchMode int

const (
	mentioned matchMode = iota // all
	done                       // those that are actions: "Post", and not "View post"
	ordered                    // those at the beginning or the end of a text that are not names of things
)

// findings are the kinds of harm that phrases of a text name, by risk.
type findings struct {
	critical, high kinds
	medium         bool
}

func (f findings) kinds() kinds { return f.critical | f.high }

func (f *findings) add(h harm) {
	switch h.risk {
	case action.Critical:
		f.critical |= h.kind
	case action.High:
		f.high |= h.kind
	default:
		f.medium = true
	}
}

// find searches all readings of a text.
func (h *harmful) find(all []reading, how matchMode) (f findings) {
	for i := range all {
		h.findIn(&all[i], how, &f)
	}
	return f
}

func (h *harmful) findIn(r *reading, how matchMode, f *findings) {
	phrases := h.phrases
	if r.skeleton {
		phrases = h.skeletons
	}
	for at, first := range r.words {
		list := phrases[first]
		for i := range list {
			if startsWith(r.words[at:], list[i].words) && counts(r, at, len(list[i].words), how) {
				f.add(list[i].harm)
			}
		}
	}
	if isASCII(r.whole) || how == ordered && words().noun.exact[r.whole] {
		return // not in a script without spaces
	}
	for at, letter := range r.whole {
		list := h.parts[letter]
		for i := range list {
			if strings.HasPrefix(r.whole[at:], list[i].text) && (how == mentioned || !isCompoundName(r.whole, at, list[i].text)) {
				f.add(list[i].harm)
			}
		}
	}
}

// counts reports whether a phrase at a place of a reading counts.
func counts(r *reading, at, length int, how matchMode) bool {
	switch how {
	case done:
		return !isThingName(r, at, length)
	case ordered:
		return (at == 0 || at+length == len(r.words)) && !words().noun.holds(r, at, length) && !isThingName(r, at, length)
	}
	return true
}

// isThingName reports whether the words at a place of a reading are the name of a thing: they can be a
// noun, and follow a word such as "view" or "update", or precede one such as "list".
func isThingName(r *reading, at, length int) bool {
	if !words().noun.holds(r, at, length) {
		return false
	}
	if at > 0 && (words().showing.holds(r, at-1, 1) || words().editing.holds(r, at-1, 1)) {
		return true
	}
	return at+length < len(r.words) && words().things.holds(r, at+length, 1)
}

// isCompoundName is isThingName for scripts without spaces.
func isCompoundName(whole string, at int, part string) bool {
	if !words().noun.exact[part] {
		return false
	}
	before, after := whole[:at], whole[at+len(part):]
	for _, shown := range slices.Concat(words().showing.parts, words().editing.parts) {
		if strings.HasSuffix(before, shown) || strings.HasPrefix(after, shown) {
			return true
		}
	}
	for _, thing := range words().things.parts {
		if strings.HasPrefix(after, thing) {
			return true
		}
	}
	return false
}

// phrase is a text with its readings.
type phrase struct {
	text string
	all  []reading
	key  string // its words that have letters: whole phrases are looked up by it
}

func newPhrase(text string) phrase {
	s := phrase{text: text}
	if text == "" {
		return s
	}
	s.all = readings(text)
	s.key = lettersOnly(s.all[0].words)
	return s
}

// lettersOnly joins the words that have letters.
func lettersOnly(all []string) string {
	plain := true
	for _, t := range all {
		plain = plain && hasLetter(t)
	}
	if plain && len(all) == 1 {
		return all[0]
	}
	var kept []string
	for _, t := range all {
		if hasLetter(t) {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, " ")
}

// is reports whether the text is a phrase of l, without regard to numbers.
func (s *phrase) is(l *lexicon) bool { return l.exact[s.key] }

// hasLetters reports whether the text has a letter.
func (s *phrase) hasLetters() bool { return s.key != "" }

// isReadable reports whether the text has a letter, or signs that look like letters.
func (s *phrase) isReadable() bool {
	return s.hasLetters() || slices.ContainsFunc(s.all, func(r reading) bool { return slices.ContainsFunc(r.words, hasLetter) })
}

// in reports whether a phrase of l is in the text.
func (s *phrase) in(l *lexicon) bool { return s.text != "" && l.inAny(s.all) }

// kinds are the kinds of harm that words name.
type kinds uint8

const (
	destroys kinds = 1 << iota // deletes, empties, resets
	sends                      // sends, publishes, shares
	pays                       // pays, orders, transfers money, refunds
	grants                     // gives rights, signs, changes how somebody signs in
	ends                       // cancels, revokes, blocks, signs out
)

// kindNames are the names of the kinds in sections of the word lists, after the risk: "high sends".
var kindNames = map[string]kinds{"destroys": destroys, "sends": sends, "pays": pays, "grants": grants, "ends": ends}

// has reports whether k and other have a kind in common.
func (k kinds) has(other kinds) bool { return k&other != 0 }

// kindsOf returns the kinds of harm that the words of a text name, in every language and reading.
func kindsOf(text string) kinds {
	if text == "" {
		return 0
	}
	return words().harmful.find(readings(text), mentioned).kinds()
}

// splitSection splits the name of a section into its meaning and the kind of harm, which may be
// empty.
func splitSection(section string) (meaning, kind string) {
	meaning, kind, _ = strings.Cut(section, " ")
	return meaning, kind
}
