package action

import (
	"regexp"
	"strings"
	"unicode"
)

// terminalCode matches a control sequence of a terminal (ECMA-48): one that
// sets a colour or moves the cursor, a string such as the address of a link, or
// another escape.
var terminalCode = regexp.MustCompile(`(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x1b\x07]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-Z\\^-~]`)

// Typed returns the text as a keyboard would type it: line ends are line feeds.
// Codes of a terminal and control characters other than line feed and tab are
// removed. left is the number of removed codes and characters.
func Typed(text string) (typed string, left int) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if !strings.ContainsFunc(text, untyped) {
		return text, 0
	}
	text = terminalCode.ReplaceAllStringFunc(text, func(string) string { left++; return "" })
	text = strings.Map(func(r rune) rune {
		if untyped(r) {
			left++
			return -1
		}
		return r
	}, text)
	return text, left
}

func untyped(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
