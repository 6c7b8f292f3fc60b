package input

import (
	"unicode"
	"unicode/utf8"
)

// mostKeys is how many characters are typed key by key. A longer text is inserted
// at once, as by pasting.
const mostKeys = 500

// Keyed reports whether characters of the text are typed as keys, where the page
// listens to keys or not.
func Keyed(text string, listens bool) bool {
	return listens && utf8.RuneCountInString(text) <= mostKeys && !hasMarkedFlag(text)
}

// TypingPlan returns the events that type a text, in groups that are sent one after
// the other. If the page listens to keys, characters of the keyboard are keys. Other
// characters, line breaks, tabs, and all of a long text, are inserted as text. Inserted
// text and keys can overtake each other, so inserted text is a group of its own.
func TypingPlan(text string, listens bool) [][]Event {
	keyed := Keyed(text, listens)
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
		turns = append(turns, Insert(text[run:end]))
		turn = nil
	}
	for at, r := range text {
		if !keyed || character(r).Code == "" {
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

// Insert returns the event that inserts a text in place of what is selected.
func Insert(text string) []Event {
	return []Event{{"Input.insertText", map[string]string{"text": text}}}
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

// Typing returns the events that type a character: those of its key, if it has one.
func Typing(r rune) []Event {
	if r == '\n' || r == '\t' {
		return Insert(string(r))
	}
	return character(r).Events(nil)
}
