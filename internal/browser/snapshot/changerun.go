package snapshot

import (
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// notRead marks nodes that the earlier snapshot only counted.
const notRead = " (not read before)"

// runChange is the change of the unread siblings of a folded run.
type runChange struct {
	came, went int
	unread     int // number of unread siblings now
	mixed      bool
	like       *action.Node // one of the run
}

// Compares reports whether a later snapshot can be compared with this one: it has
// read everything that earlier snapshots of the page had read.
func (p *Page) Compares() bool { return p != nil && !p.partial }

// Folded reports whether part of the page was only counted.
func (p *Page) Folded() bool { return p != nil && len(p.unread) > 0 }

// Plain reports whether nothing was read that a snapshot only counts, so that the page
// can be shown as a snapshot.
func (p *Page) Plain() bool {
	if p == nil {
		return false
	}
	for _, t := range p.tallies {
		if t.late != 0 {
			return false
		}
	}
	return true
}

// Holds reports whether the element with this reference was read.
func (p *Page) Holds(ref string) bool { return p != nil && holds(p.Nodes, ref) }

func holds(nodes []*action.Node, ref string) bool {
	for _, n := range nodes {
		if n.Ref == ref || holds(n.Children, ref) {
			return true
		}
	}
	return false
}

// run reports what happened to unread siblings: they still exist, were read now,
// or are gone.
func (d *differ) run(a, b []diffNode, around []*action.Node, toldOfMoves bool) {
	c := runChange{}
	for i := range a {
		c.went += a[i].unread
	}
	for i := range b {
		t := b[i].tally
		c.unread += b[i].unread
		c.came += t.fresh
		c.went -= b[i].unread - t.fresh + max(0, t.late)
		c.mixed = c.mixed || t.mixed && !toldOfMoves
		if b[i].unread > 0 {
			c.like = b[i].Node
		}
	}
	for i := range a {
		if c.like == nil && a[i].unread > 0 {
			c.like = a[i].Node
		}
	}
	if c.went > 0 || c.came > 0 || c.mixed {
		d.edits = append(d.edits, edit{around: around, run: &c})
	}
}

// nth returns the position of a sibling, from 1; among is the number of siblings.
func nth(all []diffNode, at int) int {
	return among(all[:at]) + 1
}

func among(all []diffNode) int {
	n := len(all)
	for i := range all {
		n += all[i].unread
	}
	return n
}

// run writes the change of unread siblings.
func (t *changeWriter) run(e edit) {
	c := e.run
	role := ""
	if foldable[c.like.Role] {
		role = " " + untrusted.SnapshotWord(c.like.Role)
	}
	if c.came > 0 {
		text := fmt.Sprintf("… %d more%s", c.came, role)
		if ref := t.writer.page.handle(e.around); ref != "" {
			text += "; ref=" + ref
		}
		t.tell("+", text)
	}
	if c.went > 0 {
		t.tell("-", fmt.Sprintf("… %d more%s%s", c.went, role, notRead))
	}
	if c.mixed {
		t.tell("~", fmt.Sprintf("… some of %d more%s in another order%s", c.unread, role, notRead))
	}
}
