package snapshot

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// kept are the roles around what can be acted on that say where it is.
var kept = map[string]bool{
	"alert": true, "alertdialog": true, "article": true, "banner": true, "complementary": true, "contentinfo": true, "dialog": true, "form": true,
	"grid": true, "iframe": true, "main": true, "menu": true, "menubar": true, "navigation": true, "radiogroup": true, "region": true, "row": true,
	"search": true, "table": true, "tablist": true, "tabpanel": true, "toolbar": true, "tree": true, "treegrid": true,
}

// labelled are those that are told from each other by the text in them.
var labelled = map[string]bool{"row": true, "article": true, "listitem": true, "group": true}

const labelling = 60 // characters of such a text

// acting returns of nodes what can be acted on, with the landmarks and headings
// around it. It changes none of them.
func (p *Page) acting(nodes []*action.Node) []*action.Node {
	var out, waiting []*action.Node // headings that nothing stands below yet
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

// overHeading are the headings that one of a level stands below.
func overHeading(headings []*action.Node, level int) []*action.Node {
	for len(headings) > 0 && headings[len(headings)-1].Level >= level {
		headings = headings[:len(headings)-1]
	}
	return headings
}

// actingIn is what is left of one node.
func (p *Page) actingIn(n *action.Node) []*action.Node {
	below := p.acting(n.Children)
	acts := n.Ref != "" || n.Protected || fields[n.Role]
	switch {
	case acts && n.Role == "combobox", acts && n.Role == "listbox":
		return []*action.Node{n} // its options are chosen by name
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

// saying is the text in a node that is no name of what is shown anyway.
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

// like has a copy of a node stand for it where a run is folded.
func (p *Page) like(n, c *action.Node) *action.Node {
	if at, wide := p.wide[n]; wide {
		p.wide[c] = at
	}
	if more := p.unread[n]; more > 0 {
		p.unread[c] = more
	}
	return c
}
