package input

import (
	"unicode"
	"unicode/utf8"
)

// mostKeys is how many characters are typed key by key. A longer text is inserted
// at once, as by pasting.
const mostKeys = 500

// TypingPlan returns the events that type a text, in groups that are sent one after
// the other. With keyed, characters of the keyboard are keys, for pages that listen to
// keys. Other characters, and all of a long text, are inserted as text. Enter and Tab are
// always keys. Inserted text and keys can overtake each other, so inserted text is a
// group of its own.
func TypingPlan(text string, keyed bool) [][]Event {
	keyed = keyed && utf8.RuneCountInString(text) <= mostKeys && !hasMarkedFlag(text)
	var turns [][]Event
	var turn []Event
	run := 0 // where text begins that is inserted at once
	insert := func(end int) {
		if run == end {
			return
		}
		if len(turn) > 0 {
			turns = append(turns, turn)
		}
		turns = append(turns, []Event{{"Input.insertText", map[string]string{"text": text[run:end]}}})
		turn = nil
	}
	for at, r := range text {
		if r != '\n' && r != '\t' && (!keyed || character(r).Code == "") {
			continue
		}
		insert(at)
		turn = append(turn, Typing(r)...)
		run = at + utf8.RuneLen(r)
	}
	insert(len(text))
	if len(turn) > 0 {
		turns = append(turns, turn)
	}
	return turns
}

// hasMarkedFlag reports whether a combining mark follows a letter of a flag. After such
// text was inserted, Chromium 156 has the caret before it, where keys would type.
func hasMarkedFlag(text string) bool {
	var last rune
	for _, r := range text {
		if unicode.IsMark(r) && unicode.Is(unicode.Regional_Indicator, last) {
			return true
		}
		last = r
	}
	return false
}

// Typing returns the events of the key that types a character.
func Typing(r rune) []Event {
	switch r {
	case '\n':
		k, _ := Named("Enter")
		return k.Events(nil)
	case '\t':
		k, _ := Named("Tab")
		return k.Events(nil)
	}
	return character(r).Events(nil)
}
