package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
)

// newErrors are the errors among lines of the console, one line each. Those of
// documents that a tab shows no more say so: they are none of the new page's.
func newErrors(lines []utterance, loaders map[*tab]string) []string {
	const most = 3
	var all []string
	more := 0
	for _, u := range lines[max(0, len(lines)-100):] {
		m, ok := u.message()
		if !ok || m.Level != "error" || strings.HasSuffix(m.URL, "/favicon.ico") { // which browsers ask for, not pages
			continue
		}
		text := errorLine(m)
		if now, there := loaders[u.tab]; there && u.loader != now {
			text = "on the page before: " + text
		}
		switch {
		case slices.Contains(all, text):
		case len(all) < most:
			all = append(all, text)
		default:
			more++
		}
	}
	if more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	return all
}

// errorLine is an error without its stack, and where it is from.
func errorLine(m action.ConsoleMessage) string {
	const length = 160 // characters
	text, _, _ := strings.Cut(m.Text, "\n")
	text = pagetext.Shorten(text, length)
	if m.URL != "" && !strings.Contains(text, m.URL) {
		text += " (" + pagetext.Shorten(m.URL, length/2) + ")"
	}
	return text
}
