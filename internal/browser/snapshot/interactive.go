package snapshot

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// kept are the roles around interactive elements that say where they are.
var kept = map[string]bool{
	"alert": true, "alertdialog": true, "article": true, "banner": true, "complementary": true, "contentinfo": true, "dialog": true, "form": true,
	"grid": true, "iframe": true, "main": true, "menu": true, "menubar": true, "navigation": true, "radiogroup": true, "region": true, "row": true,
	"search": true, "table": true, "tablist": true, "tabpanel": true, "toolbar": true, "tree": true, "treegrid": true,
}

// labelled are the roles that are distinguished by the text in them.
var labelled = map[string]bool{"row": true, "article": true, "listitem": true, "group": true}

const labelling = 60 // characters of this text

// acting returns the interactive elements of nodes, with the landmarks and
// headings around them. It does not change the nodes.
func (p *Page) acting(nodes []*action.Node) []*action.Node {
	var out, waiting []*action.Node // headings without content so far
	for _, n := range nodes {
		here := p.actingIn(n)
		if n.Role == "heading" && len(here) == 0 {
			waiting = append(overHeading(waiting, n.Level), n)
			continue
		}
		if len(here) > 0 {
			out = append(append(out, waiting...), here...)
			waiting = nil
		}
	}
	return out
}

// overHeading returns the headings that are above one of this level.
func overHeading(headings []*action.Node, level int) []*action.Node {
	for len(headings) > 0 && headings[len(headings)-1].Level >= level {
		headings = headings[:len(headings)-1]
	}
	return headings
}

// actingIn returns what remains of one node.
func (p *Page) actingIn(n *action.Node) []*action.Node {
	below := p.acting(n.Children)
	acts := n.Ref != "" || n.Protected || fields[n.Role]
	switch {
	case acts && n.Role == "combobox", acts && n.Role == "listbox":
		return []*action.Node{n} // options are chosen by name
	case !acts && len(below) == 0:
		return nil
	}
	c := *n
	if c.Children = below; c.Name == "" && labelled[n.Role] {
		c.Name = beginning(saying(n), labelling)
	}
	if !acts && !kept[n.Role] && c.Name == "" {
		return below
	}
	return []*action.Node{p.like(n, &c)}
}

// saying returns the text in a node, except the names of nodes that are shown
// anyway.
func saying(n *action.Node) string {
	var words []string
	for _, c := range n.Children {
		switch {
		case c.Ref != "":
		case c.Name != "":
			words = append(words, c.Name)
		default:
			if text := saying(c); text != "" {
				words = append(words, text)
			}
		}
	}
	return strings.Join(words, " ")
}

// like lets a copy represent a node if a run is folded.
func (p *Page) like(n, c *action.Node) *action.Node {
	if at, wide := p.wide[n]; wide {
		p.wide[c] = at
	}
	if more := p.unread[n]; more > 0 {
		p.unread[c] = more
	}
	return c
}
