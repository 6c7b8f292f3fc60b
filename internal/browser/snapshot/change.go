package snapshot

import (
	"slices"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// Delta is how a page differs from what it was.
type Delta struct {
	// Text has a line for each change, in the grammar of Text, after "+" for what
	// came, "-" for what went and "~" for what is otherwise now. A line "in …"
	// says where those below it stand. Empty: nothing changed.
	Text string
	// Much says that there is more than was asked for at most; Text is cut then.
	Much bool
}

// DeltaOptions say how changes are written down.
type DeltaOptions struct {
	Acted string // reference of what was acted on: that it has the focus now is not news
	Most  int    // bytes of text; 0 is any number
}

// Changes compares two sights of one document. What can be acted on is the same
// where its reference is; texts and wrappers are by their place among others. Of
// a run that is folded in both, what neither read is told as a number. It
// changes neither page.
func Changes(before, after *Page, o DeltaOptions) Delta {
	d := &differ{after: after}
	d.siblings(before.diffNodes(), after.diffNodes(), nil)
	d.focus(before, after, o.Acted)
	if len(d.edits) == 0 {
		return Delta{}
	}
	return d.write(o)
}

// diffNodes are the page's nodes for comparing, made once.
func (p *Page) diffNodes() []diffNode {
	if p == nil {
		return nil
	}
	if p.compared == nil {
		p.compared = p.diffNodesOf(p.Nodes)
	}
	return p.compared
}

// edit is one change. Of what came before is nil, of what went after is.
type edit struct {
	before, after *action.Node
	around        []*action.Node // outermost first; of what went, those that are left of it
	moved         int            // the place that it moved to, from 1; 0 for none
	among         int            // siblings there
	reordered     []*action.Node // after: siblings of which so many changed places that they are not told one by one
	focus         bool           // it got the focus, and nothing else
	late          bool           // after was there, and not read
	run           *runChange     // of a folded run, and of no node
}

type differ struct {
	after *Page
	edits []edit
}

const mostMoves = 3 // siblings that are told of one by one when they change places

// siblings compares the children of one node, or of the page.
func (d *differ) siblings(a, b []diffNode, around []*action.Node) {
	m := align(a, b)
	moves := 0
	for _, moved := range m.moved {
		if moved {
			moves++
		}
	}
	gone := 0
	stay := moves == 0 && !slices.Contains(m.to, -1)
	for j := range b {
		if b[j].tally.fills && stay { // it is read for one that is of another kind now
			continue
		}
		if m.with[j] >= 0 && !m.moved[j] {
			d.gone(m, gone, m.with[j], around)
			gone = m.with[j] + 1
		}
		d.pair(m, j, around, moves <= mostMoves)
	}
	d.gone(m, gone, len(a), around)
	if moves > mostMoves {
		d.edits = append(d.edits, edit{around: around, reordered: nodesOf(b), moved: moves, among: among(b)})
	}
	d.run(a, b, around, moves > 0)
}

func nodesOf(all []diffNode) []*action.Node {
	nodes := make([]*action.Node, len(all))
	for i := range all {
		nodes[i] = all[i].Node
	}
	return nodes
}

// gone tells of those before, from one place to another, that are not there
// any more.
func (d *differ) gone(m *alignment, from, to int, around []*action.Node) {
	for i := from; i < to; i++ {
		if m.to[i] < 0 {
			d.edits = append(d.edits, edit{before: m.a[i].Node, around: around})
		}
	}
}

// pair tells of one node as it is now.
func (d *differ) pair(m *alignment, j int, around []*action.Node, tellMoves bool) {
	b := &m.b[j]
	if m.with[j] < 0 {
		if !b.tally.still {
			d.edits = append(d.edits, edit{after: b.Node, around: around, late: b.tally.late != 0})
		}
		return
	}
	a := &m.a[m.with[j]]
	if m.moved[j] && tellMoves {
		d.edits = append(d.edits, edit{before: a.Node, after: b.Node, around: around, moved: nth(m.b, j), among: among(m.b)})
	}
	if a.hash == b.hash && !b.news {
		return
	}
	if !looksSame(a.Node, b.Node) {
		d.edits = append(d.edits, edit{before: a.Node, after: b.Node, around: around})
	}
	d.siblings(a.below, b.below, append(around[:len(around):len(around)], b.Node))
}

// looksSame reports whether two nodes have the same line, but for the focus.
func looksSame(a, b *action.Node) bool {
	if a.Role != b.Role || a.Name != b.Name || a.Derived != b.Derived || a.Ref != b.Ref || a.Value != b.Value || a.Level != b.Level || a.Protected != b.Protected {
		return false
	}
	return len(a.States)+len(b.States) == 0 || !slices.ContainsFunc(stateOrder, func(name string) bool {
		was, before := stateOf(a, name)
		is, now := stateOf(b, name)
		return name != "focused" && (before != now || was != is)
	})
}

// focus tells of what got the focus, unless that was acted on or is told of
// anyway. What lost it is not told: there is one that has it.
func (d *differ) focus(before, after *Page, acted string) {
	was, is := focused(before.Nodes, nil), focused(after.Nodes, nil)
	if len(is) == 0 {
		return
	}
	n := is[len(is)-1]
	if n.Ref == "" || n.Ref == acted || len(was) > 0 && was[len(was)-1].Ref == n.Ref {
		return
	}
	told := func(e edit) bool {
		return e.after != nil && (e.after == n || e.before == nil && slices.Contains(is, e.after))
	}
	if !slices.ContainsFunc(d.edits, told) {
		d.edits = append(d.edits, edit{before: n, after: n, around: is[:len(is)-1], focus: true})
	}
}

// focused returns the way to what has the focus, innermost last.
func focused(nodes, way []*action.Node) []*action.Node {
	for _, n := range nodes {
		here := append(way[:len(way):len(way)], n)
		if n.States["focused"] == true && n.Role != "iframe" {
			return here
		}
		if found := focused(n.Children, here); found != nil {
			return found
		}
	}
	return nil
}
