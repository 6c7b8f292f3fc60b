package snapshot

import (
	"hash/maphash"
	"sort"
	"strconv"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// diffNode is a node for comparing. hash covers the node and everything below it
// as text shows them, except for the focus. anchor is the first reference in it.
type diffNode struct {
	*action.Node
	hash   uint64
	anchor string
	unread int // number of similar siblings directly after it
	tally  tally
	news   bool // a descendant has a tally
	below  []diffNode
}

var seed = maphash.MakeSeed()

func (p *Page) diffNodesOf(nodes []*action.Node) []diffNode {
	if len(nodes) == 0 {
		return nil
	}
	all := make([]diffNode, len(nodes))
	for i, n := range nodes {
		all[i] = diffNode{Node: n, anchor: n.Ref, unread: p.unread[n], tally: p.tallies[n], below: p.diffNodesOf(n.Children)}
		all[i].seal()
	}
	return all
}

// seal computes hash and anchor.
func (t *diffNode) seal() {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, s := range [...]string{t.Role, t.Name, t.Ref, t.Value} {
		_, _ = h.WriteString(s)
		_ = h.WriteByte(0)
	}
	_ = h.WriteByte(byte(t.Level))
	if t.Protected {
		_ = h.WriteByte(1)
	}
	if len(t.States) > 0 {
		for i, name := range stateOrder {
			if value, is := stateOf(t.Node, name); is && name != "focused" {
				_ = h.WriteByte(byte(i))
				_, _ = h.WriteString(value)
			}
		}
	}
	unread := 0
	for i := range t.below {
		maphash.WriteComparable(&h, t.below[i].hash)
		unread += t.below[i].unread
		t.news = t.news || t.below[i].news || t.below[i].tally != tally{}
		if t.anchor == "" {
			t.anchor = t.below[i].anchor
		}
	}
	maphash.WriteComparable(&h, unread)
	t.hash = h.Sum64()
}

// stateOf returns a state as text shows it; is reports whether text shows it.
func stateOf(n *action.Node, name string) (value string, is bool) {
	switch v := n.States[name].(type) {
	case bool:
		return strconv.FormatBool(v), shown(name, v)
	case string:
		return v, true
	}
	return "", false
}

// alignment maps the later siblings to the earlier ones.
type alignment struct {
	a, b  []diffNode
	with  []int  // for each of b: its index in a, or -1
	to    []int  // for each of a: its index in b, or -1
	sure  []bool // for each of b: matched by identity, not by appearance
	moved []bool // for each of b: the same node at another place among its siblings

	low, endA, endB int // nodes outside of this range are equal
}

// align matches siblings: by reference, by a reference inside them, by
// appearance, by role and name, and finally by place and role. Unread nodes are
// not matched with read ones.
func align(a, b []diffNode) *alignment {
	m := &alignment{
		a: a, b: b, with: nowhere(len(b)), to: nowhere(len(a)), sure: make([]bool, len(b)), moved: make([]bool, len(b)),
		endA: len(a), endB: len(b),
	}
	m.trim()
	if m.low < m.endA && m.low < m.endB {
		m.by(true, func(t *diffNode) string { return t.Ref })
		m.by(true, func(t *diffNode) string { return joinedKey(t.Role, t.anchor, t.Ref == "") })
		m.by(false, func(t *diffNode) string { return strconv.FormatUint(t.hash, 36) })
		m.by(false, func(t *diffNode) string { return joinedKey(t.Role, t.Name, t.Role != "text") })
		m.order()
		m.fillGaps()
	}
	return m
}

func nowhere(n int) []int {
	places := make([]int, n)
	for i := range places {
		places[i] = -1
	}
	return places
}

func joinedKey(role, word string, may bool) string {
	if word == "" || !may {
		return ""
	}
	return role + "\x00" + word
}

// trim matches equal nodes at both ends.
func (m *alignment) trim() {
	for m.low < len(m.a) && m.low < len(m.b) && m.same(m.low, m.low) {
		m.match(m.low, m.low, true)
		m.low++
	}
	for m.endA > m.low && m.endB > m.low && m.same(m.endA-1, m.endB-1) {
		m.endA--
		m.endB--
		m.match(m.endA, m.endB, true)
	}
}

func (m *alignment) same(inA, inB int) bool {
	return m.a[inA].hash == m.b[inB].hash && m.b[inB].tally.late == 0
}

func (m *alignment) match(inA, inB int, sure bool) {
	m.with[inB], m.to[inA], m.sure[inB] = inA, inB, sure
}

// by matches nodes with the same key, in order. An empty key does not match.
func (m *alignment) by(sure bool, key func(*diffNode) string) {
	places := map[string][]int{}
	for i := m.low; i < m.endA; i++ {
		if k := key(&m.a[i]); k != "" && m.to[i] < 0 {
			places[k] = append(places[k], i)
		}
	}
	for j := m.low; j < m.endB && len(places) > 0; j++ {
		if m.with[j] >= 0 || m.b[j].tally.late != 0 {
			continue
		}
		k := key(&m.b[j])
		if at := places[k]; k != "" && len(at) > 0 {
			m.match(at[0], j, sure)
			places[k] = at[1:]
		}
	}
}

// order finds the longest part that kept its order. Of the others, nodes matched
// by identity have moved, and those matched by appearance are not the same.
func (m *alignment) order() {
	var places []int
	for j := m.low; j < m.endB; j++ {
		if m.with[j] >= 0 {
			places = append(places, j)
		}
	}
	kept := rising(places, func(j int) int { return m.with[j] })
	for _, j := range places {
		switch {
		case len(kept) > 0 && kept[0] == j:
			kept = kept[1:]
		case m.sure[j]:
			m.moved[j] = true
		default:
			m.to[m.with[j]], m.with[j] = -1, -1
		}
	}
}

// rising returns a longest increasing subsequence of a list.
func rising(list []int, value func(int) int) []int {
	var ends []int // for each length, the index of the last element of the best subsequence
	before := make([]int, len(list))
	for i, x := range list {
		at := sort.Search(len(ends), func(k int) bool { return value(list[ends[k]]) >= value(x) })
		before[i] = -1
		if at > 0 {
			before[i] = ends[at-1]
		}
		if at == len(ends) {
			ends = append(ends, i)
		} else {
			ends[at] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	best := make([]int, len(ends))
	for k, i := len(ends)-1, ends[len(ends)-1]; k >= 0; k, i = k-1, before[i] {
		best[k] = list[i]
	}
	return best
}

const gapReach = 8 // siblings that are compared with an unmatched one

// fillGaps matches the remaining nodes by place and role.
func (m *alignment) fillGaps() {
	next := m.low
	for j := m.low; j < m.endB; j++ {
		switch {
		case m.b[j].tally.late != 0:
		case m.with[j] < 0:
			for i, tried := next, 0; i < m.endA && tried < gapReach && !m.passes(i); i, tried = i+1, tried+1 {
				if m.to[i] < 0 && kin(&m.a[i], &m.b[j]) {
					m.match(i, j, false)
					next = i + 1
					break
				}
			}
		case !m.moved[j]:
			next = m.with[j] + 1
		}
	}
}

// passes reports whether the earlier node at i kept its order.
func (m *alignment) passes(i int) bool { return m.to[i] >= 0 && !m.moved[m.to[i]] }

// kin reports whether one node may have become the other: interactive elements
// are identified by their references, and rows without common content are
// different rows.
func kin(a, b *diffNode) bool {
	if a.Role != b.Role || (a.Ref == "") != (b.Ref == "") {
		return false
	}
	if a.Ref != "" {
		return a.Name == b.Name
	}
	if len(a.below) == 0 || len(b.below) == 0 {
		return len(a.below) == len(b.below) || a.Name == b.Name
	}
	if a.Name != "" && a.Name == b.Name || !foldable[a.Role] {
		return true
	}
	for i := range a.below {
		for k := range b.below[:min(len(b.below), gapReach)] {
			if a.below[i].hash == b.below[k].hash {
				return true
			}
		}
		if i >= gapReach {
			break
		}
	}
	return false
}
