package session

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Agents press only keys that are for pages. What the browser itself would do on a key
// is refused, with the verb that does it. Keys that are not listed are refused.

// pageKeys are the named keys for pages, with the modifiers of which one may be held,
// apart from Shift. Without any, none may be.
var pageKeys = map[string]heldKeys{
	"Enter": withControl, "Tab": 0, "Escape": 0, "Backspace": withControl, "Delete": withControl, "Insert": withControl, " ": withControl,
	"Home": withControl, "End": withControl, "PageUp": 0, "PageDown": 0,
	"ArrowLeft": withControl, "ArrowRight": withControl, "ArrowUp": withControl | withAlt, "ArrowDown": withControl | withAlt,
	"CapsLock": 0, "NumLock": 0, "ScrollLock": 0, "Pause": 0, "F2": 0, "F4": 0, "F8": 0, "F9": 0,
}

// heldKeys are modifiers that are held.
type heldKeys int

const (
	withControl heldKeys = 1 << iota
	withAlt
	withMeta
)

var heldBits = map[string]heldKeys{"Control": withControl, "Alt": withAlt, "Meta": withMeta, "Shift": 0}

// editing are the characters that edit a text while Control is held, and those while
// Shift is held too.
const (
	editing          = "acxvzybi"
	editingWithShift = "vz"
)

// notWithShift are keys for pages that are for the browser while Shift is held too: they
// open its page that clears its data, and its list of processes.
var notWithShift = map[string]heldKeys{"Delete": withControl, "Escape": 0}

// ownVerbs are the verbs to use in place of keys of the browser.
var ownVerbs = []struct{ keys, verb string }{
	{"Control+l Alt+d F6 Control+k Control+e Alt+Enter Alt+Home", "page.goto opens an address"},
	{"Control+t Control+n Control+Shift+n Control+Shift+t", "tab.open opens a tab"},
	{"Control+w Control+F4 Control+Shift+w Alt+F4", "tab.close closes a tab"},
	{"Control+Tab Control+Shift+Tab Control+PageUp Control+PageDown Control+1 Control+2 Control+3 Control+4 Control+5 Control+6 Control+7 Control+8 Control+9", "tab.activate shows another tab"},
	{"F5 Control+r Control+F5 Control+Shift+r Shift+F5", "page.reload loads the page again"},
	{"Alt+ArrowLeft Alt+ArrowRight", "page.back and page.forward go through the history"},
	{"Control+f Control+g F3 Control+Shift+g Shift+F3", "page.find searches the page"},
	{"Control+p Control+s", "page.pdf saves the page"},
	{"Control+Shift+i Control+Shift+j F12", "page.console shows what scripts wrote"},
}

// judgeKey refuses an agent's key unless it is one for pages. Faults: invalid_request,
// denied_by_policy.
func judgeKey(combination string) error {
	names, pressed := action.SplitKeys(combination)
	if _, err := keysymOf(pressed); err != nil {
		return err
	}
	var bits heldKeys
	shift := false
	for _, name := range names {
		bit, known := heldBits[name]
		if !known {
			return unknownKey()
		}
		bits |= bit
		shift = shift || name == "Shift"
	}
	if isForPages(bits, shift, pressed) {
		return nil
	}
	instead := cmp.Or(verbInsteadOf(names, pressed), "use the page verbs and tab.*")
	return fault.New(fault.DeniedByPolicy, "%s is a key of the browser itself, which agents do not use", combination).
		Hinted("%s; page.press sends a key to the page", instead).With("rule", interfaceRule)
}

func isForPages(bits heldKeys, shift bool, pressed string) bool {
	if _, isModifier := heldBits[pressed]; isModifier {
		return true
	}
	if allowed, named := pageKeys[pressed]; named {
		if never, listed := notWithShift[pressed]; listed && shift && bits == never {
			return false
		}
		return bits&^allowed == 0 && bits&(bits-1) == 0
	}
	if utf8.RuneCountInString(pressed) != 1 {
		return false
	}
	switch lower := strings.ToLower(pressed); {
	case bits == 0:
		return true
	case bits != withControl:
		return false
	case shift || lower != pressed:
		return strings.Contains(editingWithShift, lower)
	default:
		return strings.Contains(editing, lower)
	}
}

// verbInsteadOf returns the verb that does what the browser does on a key; "" if there
// is none.
func verbInsteadOf(names []string, pressed string) string {
	slices.Sort(names)
	names = slices.Compact(names)
	for _, one := range ownVerbs {
		for keys := range strings.FieldsSeq(one.keys) {
			held, key := action.SplitKeys(keys)
			slices.Sort(held)
			if slices.Equal(held, names) && strings.EqualFold(key, pressed) {
				return one.verb
			}
		}
	}
	return ""
}
