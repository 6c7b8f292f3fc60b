package snapshot

import "github.com/gloveboxhq/glovebox/internal/action"

// Concealer removes secrets from texts. Find returns their positions as byte
// ranges in order; Mark replaces them.
type Concealer struct {
	Find func(text string) [][2]int
	Mark string
}

// Text returns a text without the secrets in it.
func (c Concealer) Text(text string) string {
	out, end := "", 0
	for _, s := range c.Find(text) {
		if s[0] >= end {
			out += text[end:s[0]] + c.Mark
			end = s[1]
		}
	}
	if end == 0 {
		return text
	}
	return out + text[end:]
}

// Conceal removes secrets from the text of a page, including those that begin in
// one piece of a line and end in another. It must be called before the page is
// searched or cut.
func (p *Page) Conceal(c Concealer) {
	p.compared = nil
	p.Title, p.URL = c.Text(p.Title), c.Text(p.URL)
	c.nodes(p.Nodes)
}

func (c Concealer) nodes(nodes []*action.Node) {
	for i := 0; i < len(nodes); i++ {
		end := i
		for end < len(nodes) && inLine(nodes[end]) {
			end++
		}
		c.line(nodes[i:end])
		i = max(i, end-1)
	}
	for _, n := range nodes {
		n.Name, n.Derived, n.Value, n.URL = c.Text(n.Name), c.Text(n.Derived), c.Text(n.Value), c.Text(n.URL)
		for key, state := range n.States {
			if words, says := state.(string); says {
				n.States[key] = c.Text(words)
			}
		}
		c.nodes(n.Children)
	}
}

// line removes secrets that span several pieces of a line.
func (c Concealer) line(nodes []*action.Node) {
	if len(nodes) < 2 {
		return
	}
	words, starts := joined(nodes)
	for _, s := range c.Find(words) {
		first, last := piece(starts, s[0]), piece(starts, max(s[1]-1, s[0]))
		for i := first; i <= last && first != last; i++ {
			nodes[i].Name = c.Mark
		}
	}
}
