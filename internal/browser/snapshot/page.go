package snapshot

import (
	"slices"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// Frame is the tree of one document, with the frames inside it.
type Frame struct {
	Document string         // loader id
	Tree     *injected.Tree // nil if the frame could not be read
	Children map[int]*Frame // by the number of the iframe element in Tree
}

// Page is the merged tree of all frames of a page. Texts are nodes of role
// "text".
type Page struct {
	URL     string // token-like parameters masked
	Title   string
	Type    string // media type of the document, if it is not HTML
	Hidden  int    // number of texts omitted because a person could not see them
	Outside int    // number of texts omitted outside of the visible part, if only that was read
	Cut     bool   // a frame exceeds the walker's limits
	Nodes   []*action.Node

	blocked bool // a modal dialog blocks the rest of the page

	refs   *Refs
	wide   map[*action.Node]Place // nodes with several children, which a snapshot can be narrowed to; they get references when they are shown
	top    Place                  // the same for the document itself
	joined map[*action.Node]bool  // texts and links that continue the line of the node before
	unread map[*action.Node]int   // number of similar unread siblings directly after a node

	tallies map[*action.Node]tally // further data of folded runs, if the page was read for a comparison
	partial bool

	compared []diffNode // used by Changes; not for concurrent use
}

// tally is a walk's data of a run for a comparison with another walk.
type tally struct {
	fresh int  // number of new siblings among the unread ones after a node
	mixed bool // elements of the run changed places
	late  int  // the node existed, unread, and counted as this many; -1 for further nodes of the same element
	still bool // with late: it is unchanged and interactive
	fills bool // with late: it is unchanged, and was read because others of its kind are gone
}

const deepestFrames = 20 // depth of nested frames; a page can nest itself endlessly

// Merge merges frames and gives references to interactive elements.
func Merge(f *Frame, refs *Refs) *Page {
	p := &Page{refs: refs, wide: map[*action.Node]Place{}, joined: map[*action.Node]bool{}, unread: map[*action.Node]int{}, tallies: map[*action.Node]tally{}}
	if f == nil || f.Tree == nil {
		return p
	}
	p.URL, p.Title, p.Type, p.blocked = f.Tree.URL, f.Tree.Title, f.Tree.Type, f.Tree.Blocked
	if f.Tree.Container != 0 {
		p.top = Place{f.Document, f.Tree.Container}
	}
	m := merging{page: p, refs: refs}
	p.Nodes = m.frame(f, 0)
	return p
}

type merging struct {
	page *Page
	refs *Refs
}

func (m merging) frame(f *Frame, depth int) []*action.Node {
	if f == nil || f.Tree == nil || depth > deepestFrames {
		return nil
	}
	m.page.Hidden += f.Tree.Hidden
	m.page.Outside += f.Tree.Outside
	m.page.Cut = m.page.Cut || f.Tree.Cut
	m.page.partial = m.page.partial || f.Tree.Partial
	return m.nodes(f, f.Tree.Nodes, depth)
}

func (m merging) nodes(f *Frame, nodes []*injected.Node, depth int) []*action.Node {
	if len(nodes) == 0 {
		return nil
	}
	merged := make([]*action.Node, 0, len(nodes))
	for _, n := range nodes {
		if n != nil {
			merged = append(merged, m.node(f, n, depth))
		}
	}
	return merged
}

func (m merging) node(f *Frame, n *injected.Node, depth int) *action.Node {
	if n.Text != "" {
		out := &action.Node{Role: "text", Name: n.Text}
		m.counted(out, n)
		return out
	}
	out := &action.Node{Role: n.Role, Name: n.Name, Derived: n.Derived, Value: n.Value, Protected: n.Protected, Level: n.Level, States: states(n.States), URL: n.URL}
	if n.Frame {
		if child := f.Children[n.Number]; child != nil && child.Tree != nil && child.Tree.Container != 0 {
			m.page.wide[out] = Place{child.Document, child.Tree.Container}
		}
		m.counted(out, n)
		out.Children = m.frame(f.Children[n.Number], depth+1)
		return out
	}
	if n.Number != 0 {
		out.Ref = m.refs.Ref(Place{f.Document, n.Number})
	}
	if n.Protected {
		out.Value = ""
	}
	if n.Container != 0 {
		m.page.wide[out] = Place{f.Document, n.Container}
	}
	m.counted(out, n)
	out.Children = m.nodes(f, n.Children, depth)
	return out
}

// counted records how many nodes the walker counted after a node, and whether the
// node continues the line of the one before.
func (m merging) counted(out *action.Node, n *injected.Node) {
	if n.Joined {
		m.page.joined[out] = true
	}
	if n.More > 0 {
		m.page.unread[out] = n.More
	}
	if t := (tally{fresh: n.Fresh, mixed: n.Mixed, late: n.Late, still: n.Still, fills: n.Fills}); t != (tally{}) {
		m.page.tallies[out] = t
	}
}

// Tree returns the page in the format of the JSON snapshot (docs/snapshot.md):
// RootWebArea at the top, with at most depth levels below it; 0 means all.
func (p *Page) Tree(depth int) *action.Node {
	root := &action.Node{Role: "RootWebArea", Name: p.Title, URL: p.URL, Children: p.Nodes}
	if depth <= 0 {
		return root
	}
	return cut(root, depth)
}

func cut(n *action.Node, depth int) *action.Node {
	if len(n.Children) == 0 {
		return n
	}
	c := *n
	c.Children = nil
	if depth == 0 {
		return &c
	}
	c.Children = make([]*action.Node, len(n.Children))
	for i, child := range n.Children {
		c.Children[i] = cut(child, depth-1)
	}
	return &c
}

// handle returns the reference of the innermost node that a snapshot can be
// narrowed to, or of the document; empty if there is none.
func (p *Page) handle(way []*action.Node) string {
	for _, n := range slices.Backward(way) {
		if n.Ref != "" {
			return n.Ref
		}
		if at, wide := p.wide[n]; wide {
			return p.refs.Ref(at)
		}
	}
	if p.top.Node != 0 {
		return p.refs.Ref(p.top)
	}
	return ""
}
