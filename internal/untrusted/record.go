// Package untrusted makes text of pages, callers and boxes harmless for the
// place where it is put: one function for each destination.
package untrusted

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Record makes text fit for what people read and what is kept: questions, audit
// records, messages, webhooks. Control, bidirectional, zero-width and other
// invisible characters, line separators, and bytes that are no UTF-8 become
// visible escapes, \u{202e}. No more than most characters are kept: of more it
// says how many.
func Record(text string, most int) string {
	var b strings.Builder
	kept := 0
	for len(text) > 0 {
		if kept == most {
			fmt.Fprintf(&b, "… (%d more)", utf8.RuneCountInString(text))
			break
		}
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case isInvisible(r):
			fmt.Fprintf(&b, `\u{%04x}`, r)
		default:
			b.WriteRune(r)
		}
		text = text[size:]
		kept++
	}
	return b.String()
}

// isInvisible reports whether r shows nothing, or changes how other text shows.
func isInvisible(r rune) bool {
	if r == ' ' {
		return false
	}
	return unicode.IsControl(r) || r == 0x2800 || // blank Braille
		unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// LogLine makes what a box writes fit for a log and for a fault: at most so many
// characters, and a space for every one that is no graphic character or that
// changes the direction of text.
func LogLine(text string, most int) string {
	var b strings.Builder
	for _, r := range text {
		if most--; most < 0 {
			break
		}
		if r == unicode.ReplacementChar || !unicode.IsGraphic(r) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Reason makes a person's or an agent's words fit for one line of a message: at
// most so many characters, and an escape for each that does not print.
func Reason(words string, most int) string {
	letters := []rune(strings.TrimSpace(words))
	var line strings.Builder
	for _, letter := range letters[:min(len(letters), most)] {
		if strconv.IsPrint(letter) {
			line.WriteRune(letter)
			continue
		}
		line.WriteString(strings.Trim(strconv.QuoteRune(letter), "'"))
	}
	if len(letters) > most {
		line.WriteRune('…')
	}
	return line.String()
}

// Quoted makes a caller's word fit for a fault: in quotes, with escapes, at most
// 64 characters of it, as the longest name of a session has.
func Quoted(word string) string {
	const most = 64
	if letters := []rune(word); len(letters) > most {
		word = string(letters[:most]) + "…"
	}
	return strconv.Quote(word)
}

// Parameter makes the name of a parameter that a caller sent fit for a fault: in
// quotes, ASCII only, 64 bytes at most.
func Parameter(name string) string {
	quoted := strconv.QuoteToASCII(name)
	return quoted[:min(len(quoted), 64)]
}

// Field makes a name out of a caller's JSON fit for a fault: a question mark for
// all that is not printable ASCII.
func Field(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > 0x7e {
			return '?'
		}
		return r
	}, name)
}

// Cell makes text fit for a cell of a table in CSV: a spreadsheet does not take
// it for a formula (https://owasp.org/www-community/attacks/CSV_Injection).
func Cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}
