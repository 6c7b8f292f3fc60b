package snapshot_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
)

// folded returns a list whose last read item counts further ones.
func folded(last node, items ...*node) []*node {
	end := *items[len(items)-1]
	end.More, end.Fresh, end.Mixed = last.More, last.Fresh, last.Mixed
	items = append(items[:len(items)-1:len(items)-1], &end)
	list := with("list", "Mail", items...)
	list.Container = 900
	return []*node{list}
}

func items(names ...string) []*node {
	all := make([]*node, len(names))
	for i, name := range names {
		all[i] = with("listitem", name)
	}
	return all
}

func late(n *node, as int) *node {
	n.Late = as
	return n
}

func TestChangesOfUnreadSiblingsAreReported(t *testing.T) {
	ten := folded(node{More: 490}, items("a", "b")...)
	still := late(with("listitem", "", text("z"), &node{Role: "checkbox", Name: "Pick", Number: 5}), 1)
	still.Still = true
	fills := late(with("listitem", "z"), 1)
	fills.Fills = true
	for name, c := range map[string]struct {
		after []*node
		want  string
	}{
		"nothing":    {folded(node{More: 490}, items("a", "b")...), ""},
		"went":       {folded(node{More: 480}, items("a", "b")...), "in list \"Mail\":\n- … 10 more listitem (not read before)\n"},
		"came":       {folded(node{More: 520, Fresh: 30}, items("a", "b", "c")...), "in list \"Mail\":\n+ listitem \"c\"\n+ … 30 more listitem; ref=e1\n"},
		"both":       {folded(node{More: 500, Fresh: 30}, items("a", "b")...), "in list \"Mail\":\n+ … 30 more listitem; ref=e1\n- … 20 more listitem (not read before)\n"},
		"moved":      {folded(node{More: 490, Mixed: true}, items("a", "b")...), "in list \"Mail\":\n~ … some of 490 more listitem in another order (not read before)\n"},
		"late":       {folded(node{More: 489}, items("a", "b")[0], items("b")[0], late(with("listitem", "", text("z"), button(3, "Open")), 1)), "in list \"Mail\":\n~ listitem (not read before)\n~  text \"z\"\n~  button \"Open\" [e1]\n"},
		"late twice": {folded(node{More: 489}, items("a", "b")[0], items("b")[0], late(text("z"), 1), late(text("y"), -1)), "in list \"Mail\":\n~ text \"z\" (not read before)\n~ text \"y\" (not read before)\n"},
		"still":      {folded(node{More: 489}, items("a", "b")[0], items("b")[0], still), ""},
		"fills":      {folded(node{More: 489}, items("a", "b")[0], items("b")[0], fills), ""},
		"fills in":   {folded(node{More: 489}, items("a")[0], fills), "in list \"Mail\":\n~ listitem \"z\" (not read before)\n- listitem \"b\"\n"},
		"alike":      {folded(node{More: 489}, items("a")[0], late(items("b")[0], 1)), "in list \"Mail\":\n~ listitem \"b\" (not read before)\n- listitem \"b\"\n"},
		"no list":    {items("a"), "+ listitem \"a\"\n- list \"Mail\"\n"},
	} {
		if got := changed(snapshot.DeltaOptions{}, ten, c.after); got.Text != c.want {
			t.Errorf("%s:\n%swant:\n%s", name, got.Text, c.want)
		}
	}
}

// TestNumbersOfUnreadSiblingsAreRight checks that a node that was unread and is
// read now counts neither as new nor as gone, and neither do nodes of both
// snapshots.
func TestNumbersOfUnreadSiblingsAreRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var before, after []*node
		went, came := 0, 0
		push := func(all *[]*node, i, role int, as int) {
			*all = append(*all, late(with("listitem", fmt.Sprintf("n%d %d", i, role)), as))
		}
		count := func(all *[]*node, fresh bool) {
			last := (*all)[len(*all)-1]
			last.More++
			if fresh {
				last.Fresh++
			}
		}
		push(&before, -1, 0, 0)
		push(&after, -1, 0, 0)
		for i := range rapid.IntRange(0, 60).Draw(t, "siblings") {
			switch rapid.IntRange(0, 6).Draw(t, "fate") {
			case 0:
				push(&before, i, 0, 0)
				push(&after, i, 0, 0)
			case 1:
				count(&before, false)
				count(&after, false)
			case 2:
				count(&before, false)
				push(&after, i, 1, 1)
			case 3:
				count(&before, false)
				went++
			case 4:
				count(&after, true)
				came++
			case 5:
				push(&after, i, 2, 0)
			case 6:
				push(&before, i, 3, 0)
			}
		}
		told := changed(snapshot.DeltaOptions{}, []*node{with("list", "Mail", before...)}, []*node{with("list", "Mail", after...)}).Text
		if want := fmt.Sprintf("- … %d more listitem (not read before)\n", went); strings.Contains(told, want) != (went > 0) {
			t.Fatalf("want %q in:\n%s", want, told)
		}
		if want := fmt.Sprintf("+ … %d more listitem\n", came); strings.Contains(told, want) != (came > 0) {
			t.Fatalf("want %q in:\n%s", want, told)
		}
	})
}
