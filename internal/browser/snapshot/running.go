package snapshot

import (
	"slices"
	"strings"
	"unicode"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// running returns how many of the first nodes are one line of running text: words
// and links that the walker found in one line box.
func (w *writer) running(nodes []*action.Node) int {
	end, words, links := 0, false, false
	for end < len(nodes) && inLine(nodes[end]) && (end == 0 || w.page.joined[nodes[end]]) {
		n := nodes[end]
		if end++; w.page.unread[n] > 0 || w.page.tallies[n] != (tally{}) {
			return 1
		}
		words = words || n.Role == "text" && strings.ContainsFunc(n.Name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
		links = links || n.Role == "link"
	}
	if end < 2 || !words || !links {
		return 1
	}
	return end
}

const mostPieces = 10 // of running text in one line

// runningText writes nodes as a line of running text, or several if there are too
// many. The number of lines does not depend on the budget.
func (w *writer) runningText(nodes []*action.Node, level int) {
	most := w.most
	defer func() { w.most = most }()
	for chunk := range slices.Chunk(nodes, mostPieces) {
		line := "text"
		if most > 0 {
			w.most = max(1, most*3/max(3, len(chunk)))
		}
		for _, n := range chunk {
			line += " " + strings.TrimPrefix(w.describe(n), "text ")
		}
		w.line(level, line)
	}
}
