package untrusted

import (
	"html"
	"strings"
	"unicode"
)

// Title makes a single line of text, such as a title or a name, fit for an
// answer. It removes control characters and invisible characters that can hide
// text (tags, zero-width characters, bidirectional overrides).
func Title(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, text)
}

// Text is Title for several lines: it keeps line feeds and tabs.
func Text(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return -1
		}
		return r
	}, text)
}

// ToolLine makes text fit for one line of a tool's answer, so that it cannot
// start a line of its own. It keeps at most most characters.
func ToolLine(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	runes := []rune(strings.TrimSpace(text))
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(runes)
}

// ToolQuoted is ToolLine in quotes, with at most 200 characters. The text cannot
// end the quotes.
func ToolQuoted(text string) string {
	return `"` + strings.ReplaceAll(ToolLine(text, 200), `"`, "'") + `"`
}

var snapshotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)

// SnapshotQuoted makes text fit for a snapshot: on one line in quotes, with
// escapes for line feeds and tabs.
func SnapshotQuoted(text string) string { return `"` + flat(snapshotEscapes.Replace(text)) + `"` }

// SnapshotWord makes text fit for a snapshot without quotes. The result contains
// no space.
func SnapshotWord(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, flat(text))
}

// flat replaces characters that could end a line, and invisible ones, by spaces.
func flat(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\u2028' || r == '\u2029' || unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// SnapshotLines makes text fit for a snapshot that puts a mark before each line.
// Only a line feed ends a line.
func SnapshotLines(text string) []string {
	lines := strings.Split(strings.TrimRight(strings.ToValidUTF8(text, "\uFFFD"), "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.Map(func(r rune) rune {
			switch {
			case r == '\t':
				return r
			case r == '\u2028' || r == '\u2029' || unicode.IsControl(r):
				return ' '
			}
			return r
		}, line)
	}
	return lines
}

// HTML makes text fit for the content of an HTML element.
func HTML(text string) string { return html.EscapeString(text) }
