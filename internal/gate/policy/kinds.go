package policy

import "strings"

// kinds are the kinds of harm that words name.
type kinds uint8

const (
	destroys kinds = 1 << iota // deletes, empties, resets
	sends                      // sends, publishes, shares
	pays                       // pays, orders, transfers money, refunds
	grants                     // gives rights, signs, changes how somebody signs in
	ends                       // cancels, revokes, blocks, signs out
)

// kindNames are the kinds as sections of the word lists name them, after the
// risk: "high sends".
var kindNames = map[string]kinds{"destroys": destroys, "sends": sends, "pays": pays, "grants": grants, "ends": ends}

// has reports whether k and other have a kind in common.
func (k kinds) has(other kinds) bool { return k&other != 0 }

// kindsOf tells which kinds of harm the words of a text name, in every language
// and however the text is read. The zero kinds means none.
func kindsOf(text string) kinds {
	if text == "" {
		return 0
	}
	return kindsAmong(readings(text))
}

func kindsAmong(said []reading) (found kinds) {
	for i := range words.kinds {
		if words.kinds[i].words.among(said) {
			found |= words.kinds[i].kind
		}
	}
	return found
}

// ofKind are the phrases of one kind, of every risk.
type ofKind struct {
	kind  kinds
	words lexicon
}

// addKind adds a phrase of a section such as "high sends" to its kind.
func (d *dictionary) addKind(kind kinds, phrase string) {
	for i := range d.kinds {
		if d.kinds[i].kind == kind {
			d.kinds[i].words.add(phrase)
			return
		}
	}
	d.kinds = append(d.kinds, ofKind{kind: kind})
	d.kinds[len(d.kinds)-1].words.add(phrase)
}

// partsOf parts the name of a section into its meaning and the kind of harm,
// which is empty where it has none.
func partsOf(section string) (meaning, kind string) {
	meaning, kind, _ = strings.Cut(section, " ")
	return meaning, kind
}
