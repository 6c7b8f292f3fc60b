package cli

import (
	"strings"
	"unicode"

	"github.com/gloveboxhq/glovebox/internal/config"
)

// style colours text for a terminal, and leaves it alone elsewhere.
type style struct{ on bool }

func newStyle(stdio Stdio, env config.Env) style {
	_, refused := env("NO_COLOR") // no-color.org
	return style{on: stdio.Terminal && !refused}
}

func (s style) paint(code, text string) string {
	if !s.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bad(text string) string  { return s.paint("31;1", text) }
func (s style) good(text string) string { return s.paint("32", text) }
func (s style) warn(text string) string { return s.paint("33", text) }
func (s style) dim(text string) string  { return s.paint("2", text) }
func (s style) bold(text string) string { return s.paint("1", text) }

// clean takes everything out of text that a terminal would act on, since much
// of what is printed was written by a web page.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
}

// short cuts text to n runes for a table.
func short(text string, n int) string {
	runes := []rune(strings.Join(strings.Fields(clean(text)), " "))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n-1]) + "…"
}
