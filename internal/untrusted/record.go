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

// Record makes text fit for records and for what people read: questions, audit
// records, messages, webhooks. Control, bidirectional, zero-width and other
// invisible characters, line separators, and invalid UTF-8 become visible escapes
// such as \u{202e}. It keeps at most most characters, and says how many it left
// out.
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

// isInvisible reports whether r is invisible or changes how other text is
// displayed.
func isInvisible(r rune) bool {
	if r == ' ' {
		return false
	}
	return unicode.IsControl(r) || r == 0x2800 || // blank Braille
		unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// LogLine makes output of a box fit for a log and a fault: at most most
// characters, with a space for each character that is not graphic or changes the
// direction of text.
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

// Reason makes the text of a person or an agent fit for one line of a message: at
// most most characters, with an escape for each that is not printable.
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
// 64 characters, which is the longest name of a session.
func Quoted(word string) string {
	const most = 64
	if letters := []rune(word); len(letters) > most {
		word = string(letters[:most]) + "…"
	}
	return strconv.Quote(word)
}

// Parameter makes the name of a caller's parameter fit for a fault: in quotes,
// ASCII only, at most 64 bytes.
func Parameter(name string) string {
	quoted := strconv.QuoteToASCII(name)
	return quoted[:min(len(quoted), 64)]
}

// Field makes a name in a caller's JSON fit for a fault: everything that is not
// printable ASCII becomes a question mark.
func Field(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > 0x7e {
			return '?'
		}
		return r
	}, name)
}

// Cell makes text fit for a cell of a CSV table, so that a spreadsheet does not
// run it as a formula (https://owasp.org/www-community/attacks/CSV_Injection).
func Cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}
