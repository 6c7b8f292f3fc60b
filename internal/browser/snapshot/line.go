package snapshot

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// inLine reports whether a node may be a piece of a line of text.
func inLine(n *action.Node) bool {
	return (n.Role == "text" || n.Role == "link") && len(n.Children) == 0 && n.Name != ""
}

// line looks for what begins in one piece of the line that nodes start with and
// ends in another, as a phrase with a link in it does. What is in one piece is
// found there. Paragraphs that follow each other are one line: a page has no
// sign of where one ends.
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

// joined is a line of pieces, and where each begins in it. The space around
// them is not known any more: before a sign that ends a word there is none.
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

// piece returns which piece of a line a byte of it is in.
func piece(starts []int, at int) int {
	i := len(starts) - 1
	for i > 0 && starts[i] > at {
		i--
	}
	return i
}
