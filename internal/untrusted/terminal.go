package untrusted

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// Terminal makes several lines of text fit for a terminal: of the control
// characters it keeps only line feeds and tabs.
func Terminal(text string) string { return Text(text) }

// TerminalLine makes text fit for one table cell on a terminal: one line, at most
// most characters.
func TerminalLine(text string, most int) string {
	runes := []rune(strings.Join(strings.Fields(Terminal(text)), " "))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most-1]) + "…"
}

// TerminalJSON makes JSON fit for a terminal without changing its meaning. It
// escapes characters that encoding/json does not escape but that terminals
// interpret.
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
