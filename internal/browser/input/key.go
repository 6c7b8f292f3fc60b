// Package input composes the events that the browser is sent for keys, text and the
// pointer.
package input

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Event is a call of the protocol that dispatches input.
type Event struct {
	Method string
	Params any
}

// Key is one key of a US keyboard, with the values of its events.
type Key struct {
	Key      string // KeyboardEvent.key
	Code     string // KeyboardEvent.code
	VK       int    // Windows virtual key code, KeyboardEvent.keyCode
	Text     string // text that it types
	Location int    // KeyboardEvent.location: 1 left, 2 right, 3 keypad
	Shift    bool   // it needs Shift
}

type keyEvent struct {
	Type      string `json:"type"`
	Modifiers int    `json:"modifiers"`
	Text      string `json:"text,omitempty"`
	Key       string `json:"key"`
	Code      string `json:"code,omitempty"`
	VK        int    `json:"windowsVirtualKeyCode,omitempty"`
	Location  int    `json:"location,omitempty"`
	Keypad    bool   `json:"isKeypad,omitempty"`
	System    bool   `json:"isSystemKey,omitempty"`
}

// Modifiers as Input.dispatchKeyEvent has them.
const (
	modAlt = 1 << iota
	modControl
	modMeta
	modShift
)

var modifierBits = map[string]int{"Alt": modAlt, "Control": modControl, "Meta": modMeta, "Shift": modShift}

var named = map[string]Key{
	"Enter": {VK: 13, Text: "\r"}, "Tab": {VK: 9}, "Escape": {VK: 27}, "Backspace": {VK: 8},
	"Delete": {VK: 46}, "Insert": {VK: 45}, "Home": {VK: 36}, "End": {VK: 35},
	"PageUp": {VK: 33}, "PageDown": {VK: 34}, "ArrowLeft": {VK: 37}, "ArrowUp": {VK: 38},
	"ArrowRight": {VK: 39}, "ArrowDown": {VK: 40}, "CapsLock": {VK: 20}, "NumLock": {VK: 144},
	"ScrollLock": {VK: 145}, "Pause": {VK: 19}, "PrintScreen": {VK: 44}, "ContextMenu": {VK: 93},
	"Shift": {Code: "ShiftLeft", VK: 16, Location: 1}, "Control": {Code: "ControlLeft", VK: 17, Location: 1},
	"Alt": {Code: "AltLeft", VK: 18, Location: 1}, "Meta": {Code: "MetaLeft", VK: 91, Location: 1},
	"F1": {VK: 112}, "F2": {VK: 113}, "F3": {VK: 114}, "F4": {VK: 115}, "F5": {VK: 116}, "F6": {VK: 117},
	"F7": {VK: 118}, "F8": {VK: 119}, "F9": {VK: 120}, "F10": {VK: 121}, "F11": {VK: 122}, "F12": {VK: 123},
}

// plain and shifted are the characters of the keys below, in the same order.
const (
	plain   = "`1234567890-=[]\\;',./ "
	shifted = "~!@#$%^&*()_+{}|:\"<>? "
)

var codes = []Key{
	{Code: "Backquote", VK: 192},
	{Code: "Digit1", VK: 49},
	{Code: "Digit2", VK: 50},
	{Code: "Digit3", VK: 51},
	{Code: "Digit4", VK: 52},
	{Code: "Digit5", VK: 53},
	{Code: "Digit6", VK: 54},
	{Code: "Digit7", VK: 55},
	{Code: "Digit8", VK: 56},
	{Code: "Digit9", VK: 57},
	{Code: "Digit0", VK: 48},
	{Code: "Minus", VK: 189},
	{Code: "Equal", VK: 187},
	{Code: "BracketLeft", VK: 219},
	{Code: "BracketRight", VK: 221},
	{Code: "Backslash", VK: 220},
	{Code: "Semicolon", VK: 186},
	{Code: "Quote", VK: 222},
	{Code: "Comma", VK: 188},
	{Code: "Period", VK: 190},
	{Code: "Slash", VK: 191},
	{Code: "Space", VK: 32},
}

// Named returns the key of that name or character.
func Named(name string) (Key, bool) {
	if k, ok := named[name]; ok {
		k.Key = name
		if k.Code == "" {
			k.Code = name
		}
		return k, true
	}
	r, size := utf8.DecodeRuneInString(name)
	if r == utf8.RuneError || size != len(name) || unicode.IsControl(r) {
		return Key{}, false
	}
	return character(r), true
}

// character returns the key that types r. A character that a US keyboard does not
// have is sent without a key code.
func character(r rune) Key {
	k := Key{Key: string(r), Text: string(r)}
	if unicode.IsLetter(r) && r < unicode.MaxASCII {
		upper := unicode.ToUpper(r)
		k.Code, k.VK, k.Shift = "Key"+string(upper), int(upper), r == upper
		return k
	}
	at := strings.IndexRune(plain, r)
	if at < 0 {
		at = strings.IndexRune(shifted, r)
		k.Shift = at >= 0
	}
	if at >= 0 {
		k.Code, k.VK = codes[at].Code, codes[at].VK
	}
	return k
}

// Chord parses a combination such as "Control+Shift+a" into the modifiers to hold
// and the key.
func Chord(s string) (held []Key, k Key, err error) {
	names, pressed := action.SplitKeys(s)
	for _, name := range names {
		if modifierBits[name] == 0 {
			return nil, Key{}, unknownKey(name)
		}
		m, _ := Named(name)
		held = append(held, m)
	}
	k, ok := Named(pressed)
	if !ok {
		return nil, Key{}, unknownKey(pressed)
	}
	return held, k, nil
}

// Writes reports whether a combination changes the text of a field and nothing else:
// a character, or a key that deletes.
func Writes(s string) bool {
	held, k, err := Chord(s)
	if err != nil || slices.ContainsFunc(held, func(m Key) bool { return m.Key != "Shift" }) {
		return false
	}
	return k.Text != "" && k.Text != "\r" && k.Text != "\t" || k.Key == "Backspace" || k.Key == "Delete"
}

func unknownKey(name string) error {
	return fault.New(fault.InvalidRequest, "key %q is not known", name).
		Hinted("use names of KeyboardEvent.key such as Enter, Tab, ArrowDown, F5 or one character, joined by + with Alt, Control, Meta, Shift")
}

// Modifiers returns the bits of the named modifiers.
func Modifiers(names []string) (int, error) {
	bits := 0
	for _, n := range names {
		bit := modifierBits[action.KeyName(n)]
		if bit == 0 {
			return 0, fault.New(fault.InvalidRequest, "modifier %q is not known", n).
				Hinted("use Alt, Control, Meta or Shift")
		}
		bits |= bit
	}
	return bits, nil
}

// Events returns the events of pressing k with modifiers held.
func (k Key) Events(held []Key) []Event {
	var out []Event
	bits := 0
	for _, m := range held {
		bits |= modifierBits[m.Key]
		out = append(out, m.event("rawKeyDown", bits))
	}
	if k.Shift && bits&modShift == 0 {
		bits |= modShift
	}
	if bits&modShift != 0 && !k.Shift && len(held) > 0 {
		k = k.withShift()
	}
	down := "rawKeyDown"
	if k.Text != "" && bits&^modShift == 0 {
		down = "keyDown"
	}
	out = append(out, k.event(down, bits), k.event("keyUp", bits))
	for i := len(held) - 1; i >= 0; i-- {
		bits &^= modifierBits[held[i].Key]
		out = append(out, held[i].event("keyUp", bits))
	}
	return out
}

// Hold returns the event of pressing k, or of releasing it, while other keys are held.
func (k Key) Hold(held []Key, down bool) Event {
	bits := 0
	for _, m := range held {
		bits |= modifierBits[m.Key]
	}
	switch {
	case bits&modShift != 0 && !k.Shift:
		k = k.withShift()
	case k.Shift:
		bits |= modShift
	}
	kind := "keyUp"
	if down {
		bits |= modifierBits[k.Key]
		kind = "rawKeyDown"
		if k.Text != "" && bits&^modShift == 0 {
			kind = "keyDown"
		}
	}
	return k.event(kind, bits)
}

// withShift returns what the key sends while Shift is held.
func (k Key) withShift() Key {
	if len(k.Key) != 1 {
		return k
	}
	if at := strings.Index(plain, k.Key); at >= 0 {
		k.Key = shifted[at : at+1]
	} else {
		k.Key = strings.ToUpper(k.Key)
	}
	k.Text = k.Key
	return k
}

func (k Key) event(kind string, bits int) Event {
	e := keyEvent{Type: kind, Modifiers: bits, Key: k.Key, Code: k.Code, VK: k.VK, Location: k.Location, Keypad: k.Location == 3}
	if kind == "keyDown" {
		e.Text = k.Text
	}
	return Event{"Input.dispatchKeyEvent", e}
}

// Keys returns how many of the events press a key.
func Keys(events []Event) int {
	n := 0
	for _, e := range events {
		if key, ok := e.Params.(keyEvent); ok && key.Type != "keyUp" {
			n++
		}
	}
	return n
}
