package snapshot

import (
	"slices"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// Delta describes how a page differs from an earlier state.
type Delta struct {
	// Text has a line for each change, in the grammar of Text, after "+" for a
	// new node, "-" for a removed one and "~" for a changed one. A line "in …"
	// says where the following changes are. It is empty if nothing changed.
	Text string
	// Much reports that there are more changes than the limit; Text is cut then.
	Much bool
	// Removed reports that nodes are gone, as when a menu covers the page.
	Removed bool
}

// DeltaOptions configure Changes.
type DeltaOptions struct {
	Acted string // reference of the element of the action, whose new focus is not reported
	Most  int    // bytes of text; 0 means no limit
	// Earlier is the page before nodes of it were reported as removed. Of what comes back as
	// it was there, one line is reported.
	Earlier *Page
}

// Changes compares two snapshots of one document. Interactive elements are
// matched by their references; texts and wrappers by their place among siblings.
// For a run that is folded in both, the siblings that neither snapshot read are
// reported as a number. It changes neither page.
func Changes(before, after *Page, o DeltaOptions) Delta {
	d := &differ{after: after, earlier: o.Earlier}
	d.siblings(before.diffNodes(), after.diffNodes(), nil)
	d.focus(before, after, o.Acted)
	if len(d.edits) == 0 {
		return Delta{}
	}
	return d.write(o)
}

// diffNodes returns the page's nodes for comparing. They are made once.
func (p *Page) diffNodes() []diffNode {
	if p == nil {
		return nil
	}
	if p.compared == nil {
		p.compared = p.diffNodesOf(p.Nodes)
	}
	return p.compared
}

// edit is one change. For a new node before is nil, for a removed one after.
type edit struct {
	before, after *action.Node
	around        []*action.Node // ancestors, outermost first; for a removed node those that still exist
	moved         int            // its new place, from 1; 0 if it did not move
	among         int            // number of siblings there
	reordered     []*action.Node // siblings in their new order, if too many moved to report each
	focus         bool           // only the focus changed
	late          bool           // after existed before, but was not read
	again         bool           // after was shown before, as it is
	run           *runChange     // the change of a folded run, not of a node
}

type differ struct {
	after   *Page
	earlier *Page
	shown   map[uint64]bool // by hash: the nodes of earlier; nil until one is looked for
	edits   []edit
}

const maxMoves = 3 // moved siblings that are reported one by one

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
		if b[j].tally.fills && stay { // it was read only because a sibling became another kind
			continue
		}
		if m.with[j] >= 0 && !m.moved[j] {
			d.gone(m, gone, m.with[j], around)
			gone = m.with[j] + 1
		}
		d.pair(m, j, around, moves <= maxMoves)
	}
	d.gone(m, gone, len(a), around)
	if moves > maxMoves {
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

// gone reports a range of the earlier siblings as removed.
func (d *differ) gone(m *alignment, from, to int, around []*action.Node) {
	for i := from; i < to; i++ {
		if m.to[i] < 0 {
			d.edits = append(d.edits, edit{before: m.a[i].Node, around: around})
		}
	}
}

// pair reports the changes of one matched node.
func (d *differ) pair(m *alignment, j int, around []*action.Node, tellMoves bool) {
	b := &m.b[j]
	if m.with[j] < 0 {
		if !b.tally.still {
			d.edits = append(d.edits, edit{after: b.Node, around: around, late: b.tally.late != 0, again: d.isAgain(b)})
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

const leastAgain = 10 // nodes below a node that is not described again; fewer are

// isAgain reports whether a new node was on the earlier page, with all that is below it.
func (d *differ) isAgain(b *diffNode) bool {
	if d.earlier == nil || b.news || b.tally != (tally{}) || b.count() < leastAgain {
		return false
	}
	if d.shown == nil {
		d.shown = map[uint64]bool{}
		addHashes(d.shown, d.earlier.diffNodes())
	}
	return d.shown[b.hash]
}

// count returns the number of nodes below a node.
func (t *diffNode) count() int {
	n := len(t.below)
	for i := range t.below {
		n += t.below[i].count()
	}
	return n
}

func addHashes(to map[uint64]bool, nodes []diffNode) {
	for i := range nodes {
		to[nodes[i].hash] = true
		addHashes(to, nodes[i].below)
	}
}

// looksSame reports whether two nodes have the same line, except for the focus.
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

// focus reports which element got the focus, unless it was acted on or is
// reported anyway. The loss of the focus is not reported.
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

// focused returns the path to the focused node, innermost last.
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
