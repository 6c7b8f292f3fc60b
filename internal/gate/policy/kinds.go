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
	return words.harmful.find(readings(text), mentioned).kinds()
}

// partsOf parts the name of a section into its meaning and the kind of harm,
// which is empty where it has none.
func partsOf(section string) (meaning, kind string) {
	meaning, kind, _ = strings.Cut(section, " ")
	return meaning, kind
}
