package snapshot

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// inLine reports whether a node can be part of a line of text.
func inLine(n *action.Node) bool {
	return (n.Role == "text" || n.Role == "link") && len(n.Children) == 0 && n.Name != ""
}

// line searches the line that starts the nodes for matches that begin in one
// piece and end in another, such as a phrase with a link in it. Matches in one
// piece are found elsewhere. Consecutive paragraphs are one line, because a page
// has no mark at their ends.
func (f *finder) line(nodes []*action.Node, ref string, at place) {
	end := 0
	for end < len(nodes) && inLine(nodes[end]) {
		end++
	}
	if end < 2 || f.query.Role != "" || f.name != "" || f.text == "" && f.query.Pattern == nil {
		return
	}
	words, starts := joined(nodes[:end])
	for base := 0; base < len(words); {
		from, to, ok := f.within(words[base:])
		if !ok || to <= 0 {
			return
		}
		from, to = from+base, to+base
		if first, last := piece(starts, from), piece(starts, to-1); first != last {
			m := action.Match{Role: "text", Ref: ref, Text: around(words, from, to, f.query.Context)}
			for _, n := range nodes[first : last+1] {
				if n.Ref != "" {
					m.Ref = n.Ref
					break
				}
			}
			f.keep(m, at)
		}
		for base = to; base < len(words) && words[base] == ' '; {
			base++
		}
	}
}

// joined returns the text of pieces as one line, and where each begins. The
// spaces between pieces are unknown: there is none before punctuation.
func joined(nodes []*action.Node) (words string, starts []int) {
	var b strings.Builder
	for _, n := range nodes {
		name := strings.Join(strings.Fields(n.Name), " ")
		if b.Len() > 0 && !strings.ContainsAny(name[:min(1, len(name))], ".,;:!?)]") {
			b.WriteByte(' ')
		}
		starts = append(starts, b.Len())
		b.WriteString(name)
	}
	return b.String(), starts
}

// piece returns the index of the piece that contains a byte of the line.
func piece(starts []int, at int) int {
	i := len(starts) - 1
	for i > 0 && starts[i] > at {
		i--
	}
	return i
}
