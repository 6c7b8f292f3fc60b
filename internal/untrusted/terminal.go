package untrusted

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// Terminal makes text of several lines fit for a terminal: everything that a
// terminal would act on is left out, but for line feeds and tabs.
func Terminal(text string) string { return Text(text) }

// TerminalLine makes text fit for one cell of a table on a terminal: at most so
// many characters, on one line.
func TerminalLine(text string, most int) string {
	runes := []rune(strings.Join(strings.Fields(Terminal(text)), " "))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most-1]) + "…"
}

// TerminalJSON makes JSON fit for a terminal. The text in it stays the same:
// characters that encoding/json leaves as they are although terminals obey them
// become escapes.
func TerminalJSON(text []byte) []byte {
	var out bytes.Buffer
	for _, char := range string(text) {
		switch {
		case char == '\n' || !unicode.IsControl(char) && !unicode.Is(unicode.Cf, char):
			out.WriteRune(char)
		case char > 0xffff: // a surrogate pair
			high, low := 0xd800+(char-0x10000)>>10, 0xdc00+(char-0x10000)&0x3ff
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, char)
		}
	}
	return out.Bytes()
}
