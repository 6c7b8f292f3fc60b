package session

import (
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// keysyms are the numbers that X11 has for named keys (keysymdef.h).
var keysyms = map[string]uint32{
	"Backspace": 0xff08, "Tab": 0xff09, "Enter": 0xff0d, "Pause": 0xff13, "ScrollLock": 0xff14, "Escape": 0xff1b,
	"Home": 0xff50, "ArrowLeft": 0xff51, "ArrowUp": 0xff52, "ArrowRight": 0xff53, "ArrowDown": 0xff54,
	"PageUp": 0xff55, "PageDown": 0xff56, "End": 0xff57, "PrintScreen": 0xff61, "Insert": 0xff63, "ContextMenu": 0xff67,
	"NumLock": 0xff7f, "F1": 0xffbe, "F2": 0xffbf, "F3": 0xffc0, "F4": 0xffc1, "F5": 0xffc2, "F6": 0xffc3, "F7": 0xffc4,
	"F8": 0xffc5, "F9": 0xffc6, "F10": 0xffc7, "F11": 0xffc8, "F12": 0xffc9,
	"Shift": 0xffe1, "Control": 0xffe3, "CapsLock": 0xffe5, "Alt": 0xffe9, "Meta": 0xffeb, "AltGraph": 0xfe03, "Delete": 0xffff,
}

const (
	firstLatin, lastLatin = 0xa0, 0xff // characters whose keysym is their number, as are those of ASCII
	unicodeKeysym         = 0x01000000 // added to the number of other characters
)

// keysymOf returns the keysym of a key, by its name as page.press takes it. Faults:
// invalid_request.
func keysymOf(name string) (uint32, error) {
	name = action.KeyName(name)
	if keysym, named := keysyms[name]; named {
		return keysym, nil
	}
	r, size := utf8.DecodeRuneInString(name)
	switch {
	case size != len(name) || r == utf8.RuneError || r < ' ' || r > '~' && r < firstLatin:
		return 0, unknownKey()
	case r <= lastLatin:
		return uint32(r), nil
	}
	return unicodeKeysym + uint32(r), nil
}

func unknownKey() error {
	return fault.New(fault.InvalidRequest, "the key is not known").
		Hinted("use names of KeyboardEvent.key such as Enter, Tab, ArrowDown, F5 or one character")
}

// chord returns the input that presses a combination of keys, such as Control+a.
func chord(combination string) (events []action.PersonInput, err error) {
	held, pressed := action.SplitKeys(combination)
	var releases []action.PersonInput
	for _, name := range append(held, pressed) {
		keysym, err := keysymOf(name)
		if err != nil {
			return nil, err
		}
		events = append(events, action.PersonInput{Kind: action.InputKeyDown, Keysym: keysym})
		releases = append([]action.PersonInput{{Kind: action.InputKeyUp, Keysym: keysym}}, releases...)
	}
	return append(events, releases...), nil
}
