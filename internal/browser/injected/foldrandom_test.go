package injected_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// TestAFoldedWalkIsTheWholeOneWithoutWhatItCounts compares folded and complete
// walks of random pages. The folded walk has the same nodes in the same order,
// except as many as it says it left out, and none of those has a state that no
// read sibling has.
func TestAFoldedWalkIsTheWholeOneWithoutWhatItCounts(t *testing.T) {
	p := blank(t)
	left := 0
	rapid.Check(t, func(rt *rapid.T) {
		page := &pageMaker{t: rt}
		html := page.block(0) + page.block(0)
		p.show(html)
		p.page(`{const all = document.querySelectorAll('input, a[href], button'); all[` + fmt.Sprint(rapid.IntRange(0, 60).Draw(rt, "focus")) + `]?.focus()}`)
		whole, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
		must(t, err)
		folded, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{Fold: true})
		must(t, err)
		c := comparison{t: rt}
		c.siblings(folded.Nodes, whole.Nodes)
		if c.left > 0 && folded.Container == 0 && len(folded.Nodes) > 0 && containers(folded.Nodes) == 0 {
			rt.Fatal("nothing says where the others are")
		}
		left += c.left
	})
	if left == 0 && !testing.Short() { // few pages may have nothing to fold
		t.Error("nothing was folded on any page")
	}
}

// pageMaker writes pages of runs. All texts are different.
type pageMaker struct {
	t    *rapid.T
	last int
}

func (m *pageMaker) word() string {
	m.last++
	return fmt.Sprintf("w%d.", m.last)
}

func (m *pageMaker) block(depth int) string {
	kind := rapid.SampledFrom([]string{"ul", "table", "bodies", "cards", "links", "select", "prose", "rows"}).Draw(m.t, "block")
	count := rapid.SampledFrom([]int{3, 19, 20, 30, 49, 60}).Draw(m.t, "count")
	if depth > 0 {
		count = min(count, 22)
	}
	var b strings.Builder
	for range count {
		b.WriteString(m.sibling(kind, depth))
	}
	switch kind {
	case "ul", "table":
		return "<" + kind + ">" + b.String() + "</" + kind + ">"
	case "bodies":
		return "<table><tr><th>" + m.word() + b.String() + "</table>"
	case "select":
		return "<select aria-label=" + m.word() + ">" + b.String() + "</select>"
	case "rows":
		return "<div role=grid aria-label=" + m.word() + ">" + b.String() + "</div>"
	}
	return "<div>" + b.String() + "</div>"
}

func (m *pageMaker) sibling(kind string, depth int) string {
	odd := ""
	if rapid.IntRange(0, 9).Draw(m.t, "odd") == 0 {
		odd = rapid.SampledFrom([]string{" hidden", " aria-current=true", " class=bad", " aria-selected=true", " style='display:none'", " class=item-7", " aria-hidden=true"}).Draw(m.t, "state")
	}
	switch kind {
	case "ul":
		return "<li" + odd + ">" + m.inside(depth) + "</li>"
	case "table":
		return "<tr" + odd + "><td>" + m.word() + "<td>" + m.inside(depth)
	case "bodies":
		return "<tbody" + odd + "><tr><td>" + m.word() + "<tr><td>" + m.word()
	case "cards":
		return "<div" + odd + "><div><a href=x>" + m.word() + "</a></div><p>" + m.inside(depth) + "</p></div>"
	case "links":
		return "<a href=x" + odd + ">" + m.word() + "</a> "
	case "select":
		return "<option>" + m.word()
	case "rows":
		return "<div role=row" + odd + "><div role=gridcell>" + m.word() + "</div></div>"
	}
	return "<p" + odd + ">" + m.word() + " <a href=x>" + m.word() + "</a></p>"
}

func (m *pageMaker) inside(depth int) string {
	switch rapid.IntRange(0, 40).Draw(m.t, "inside") {
	case 0:
		return "<input type=checkbox checked aria-label=" + m.word() + ">"
	case 1:
		return "<h3>" + m.word() + "</h3>"
	case 2:
		return "<input aria-label=" + m.word() + " value=" + m.word() + " aria-invalid=true>"
	case 3:
		if depth == 0 {
			return m.block(1)
		}
	case 4, 5, 6, 7, 8:
		return "<button>" + m.word() + "</button>"
	}
	return m.word()
}

type comparison struct {
	t    *rapid.T
	left int
}

func (c *comparison) siblings(folded, whole []*injected.Node) {
	read := map[string]bool{}
	for _, n := range folded {
		note(n, read)
	}
	at := 0
	for i, n := range folded {
		if at == len(whole) || same(n) != same(whole[at]) {
			c.t.Fatalf("%s was read, and is not next in the whole page", same(n))
		}
		c.siblings(n.Children, whole[at].Children)
		at++
		from := at
		for n.More > 0 && at < len(whole) && (i+1 == len(folded) || same(folded[i+1]) != same(whole[at])) {
			c.known(whole[at], read)
			at++
		}
		if at-from < n.More || n.More == 0 && at > from {
			c.t.Fatalf("%d are said to follow %s, and %d do", n.More, same(n), at-from)
		}
		c.left += at - from
	}
	if at != len(whole) {
		c.t.Fatalf("%s and what follows were neither read nor counted", same(whole[at]))
	}
}

// known checks that no element left unread has a state that was not read.
func (c *comparison) known(n *injected.Node, read map[string]bool) {
	all := map[string]bool{}
	note(n, all)
	for kind := range all {
		if !read[kind] {
			c.t.Fatalf("a %s was left unread, and none was read", kind)
		}
	}
}

// note adds the kinds of a node and its descendants.
func note(n *injected.Node, kinds map[string]bool) {
	states, _ := json.Marshal(n.States)
	kinds[n.Role+string(states)] = true
	for _, child := range n.Children {
		note(child, kinds)
	}
}

// same returns what identifies a node: itself, and the first of its
// descendants.
func same(n *injected.Node) string {
	own := *n
	own.Children, own.More, own.Container = nil, 0, 0
	text, _ := json.Marshal(own)
	if len(n.Children) == 0 {
		return string(text)
	}
	return string(text) + same(n.Children[0])
}

func containers(nodes []*injected.Node) (found int) {
	for _, n := range nodes {
		if n.Container != 0 {
			found++
		}
		found += containers(n.Children)
	}
	return found
}
