package snapshot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
)

// changed merges two states of a document and returns their difference.
func changed(o snapshot.DeltaOptions, before, after []*node) snapshot.Delta {
	refs := new(snapshot.Refs)
	return snapshot.Changes(snapshot.Merge(frame("A", before...), refs), snapshot.Merge(frame("A", after...), refs), o)
}

func button(number int, name string) *node { return &node{Role: "button", Name: name, Number: number} }

func text(words string) *node { return &node{Text: words} }

func with(role, name string, children ...*node) *node {
	return &node{Role: role, Name: name, Children: children}
}

func rows(names ...string) []*node {
	all := make([]*node, len(names))
	for i, name := range names {
		all[i] = with("row", "", with("cell", name), with("cell", "", &node{Role: "checkbox", Name: "Watch", Number: 100 + int(name[0])}))
	}
	return all
}

func TestChangesHaveTheGrammarOfSnapshots(t *testing.T) {
	box := func(state string) *node {
		return &node{Role: "checkbox", Name: "Watch", Number: 7, States: &injected.States{Checked: state}}
	}
	field := func(value string, focused bool) *node {
		return &node{Role: "textbox", Name: "Email", Number: 8, Value: value, States: &injected.States{Focused: focused}}
	}
	all := rows("Ann", "Bob", "Cleo", "Dan")
	for name, c := range map[string]struct {
		before, after []*node
		acted         string
		want          string
	}{
		"nothing":            {[]*node{box("false"), text("a")}, []*node{box("false"), text("a")}, "", ""},
		"checked":            {[]*node{box("false")}, []*node{box("true")}, "", "~ checkbox \"Watch\" [e1] checked\n"},
		"unchecked":          {[]*node{box("true")}, []*node{box("false")}, "", "~ checkbox \"Watch\" [e1] not checked\n"},
		"value":              {[]*node{field("", false)}, []*node{field("a@b", true)}, "e1", "~ textbox \"Email\" [e1] focused value=\"a@b\"\n"},
		"emptied":            {[]*node{field("a@b", false)}, []*node{field("", false)}, "", "~ textbox \"Email\" [e1] value=\"\"\n"},
		"focus":              {[]*node{field("", false)}, []*node{field("", true)}, "", "~ textbox \"Email\" [e1] focused\n"},
		"focus of the deed":  {[]*node{field("", false)}, []*node{field("", true)}, "e1", ""},
		"text":               {[]*node{text("2 items")}, []*node{text("3 items")}, "", "~ text \"3 items\" (was \"2 items\")\n"},
		"renamed":            {[]*node{button(3, "Follow")}, []*node{button(3, "Unfollow")}, "", "~ button \"Unfollow\" [e1] (was \"Follow\")\n"},
		"came":               {[]*node{button(3, "Save")}, []*node{button(3, "Save"), with("status", "", text("Saved"), button(4, "Undo"))}, "", "+ status\n+  text \"Saved\"\n+  button \"Undo\" [e2]\n"},
		"went":               {[]*node{with("dialog", "Sure?", button(3, "Yes")), text("a")}, []*node{text("a")}, "", "- dialog \"Sure?\"\n"},
		"in a row":           {rows("Ann", "Bob"), []*node{rows("Ann")[0], with("row", "", with("cell", "Bob"), with("cell", "", &node{Role: "checkbox", Name: "Watch", Number: 166, States: &injected.States{Checked: "true"}}))}, "", "in row \"Bob\":\n~ checkbox \"Watch\" [e2] checked\n"},
		"made anew":          {[]*node{button(3, "Save")}, []*node{button(4, "Save")}, "", "~ button \"Save\" [e2] (was [e1])\n"},
		"moved":              {all, []*node{all[3], all[0], all[1], all[2]}, "", "~ row \"Dan\" moved, now 1 of 4\n"},
		"a row went":         {all, []*node{all[0], all[2], all[3]}, "", "- row \"Bob\"\n"},
		"a row came between": {[]*node{all[0], all[2]}, []*node{all[0], all[1], all[2]}, "", "+ row\n+  cell \"Bob\"\n+  checkbox \"Watch\" [e3]\n"},
	} {
		if got := changed(snapshot.DeltaOptions{Acted: c.acted}, c.before, c.after); got.Text != c.want || got.Much {
			t.Errorf("%s:\n%swant:\n%s", name, got.Text, c.want)
		}
	}
}

// A menu or a dialog hides the page behind it, which comes back when it closes: what is as it
// was needs no second description, unless it is short.
func TestWhatComesBackAsItWasIsNotDescribedAgain(t *testing.T) {
	table := func(last string) *node {
		var all []*node
		for i := range 9 {
			all = append(all, with("row", "", with("cell", fmt.Sprintf("Row %d", i))))
		}
		return with("table", "People", append(all, with("row", "Bob", button(2, last)))...)
	}
	covered := []*node{with("menu", "", &node{Role: "menuitem", Name: "Open", Number: 3})}
	page := func(last string) []*node {
		return []*node{button(4, "Status"), table(last), with("list", "", text("one"))}
	}
	refs := new(snapshot.Refs)
	read := func(nodes []*node) *snapshot.Page { return snapshot.Merge(frame("A", nodes...), refs) }
	before, during := read(page("Edit")), read(covered)
	got := snapshot.Changes(during, read(page("Edit")), snapshot.DeltaOptions{Earlier: before})
	if want := "+ button \"Status\" [e1]\n+ table \"People\" (back, as it was)\n+ list\n+  text \"one\"\n- menu \"Open\"\n"; got.Text != want || !got.Removed {
		t.Errorf("got:\n%swant:\n%s", got.Text, want)
	}
	got = snapshot.Changes(during, read(page("Remove")), snapshot.DeltaOptions{Earlier: before})
	if !strings.Contains(got.Text, "button \"Remove\"") || strings.Contains(got.Text, "(back") {
		t.Errorf("got:\n%s", got.Text)
	}
}

func TestSimilarChangesAreFolded(t *testing.T) {
	list := func(state string) []*node {
		var all []*node
		for i := range 500 {
			all = append(all, with("row", fmt.Sprintf("Row %d", i), &node{Role: "checkbox", Name: "Pick", Number: i + 1, States: &injected.States{Checked: state}}))
		}
		return []*node{with("table", "People", all...)}
	}
	got := changed(snapshot.DeltaOptions{}, list("false"), list("true")).Text
	if !strings.HasSuffix(got, "in table \"People\":\n~ … 497 more checkbox checked\n") || strings.Count(got, "\n") != 8 {
		t.Errorf("got:\n%s", got)
	}
	back := list("false")
	slices.Reverse(back[0].Children)
	got = changed(snapshot.DeltaOptions{}, list("false"), back).Text
	if want := "in table \"People\":\n~ 499 of 500 row in another order, first now row \"Row 499\", row \"Row 498\", row \"Row 497\"\n"; got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
	if got := changed(snapshot.DeltaOptions{}, list("false"), []*node{with("table", "People", text("none"))}); strings.Count(got.Text, "\n") > 6 {
		t.Errorf("got:\n%s", got.Text)
	}
}

func TestTooManyChangesAreCut(t *testing.T) {
	var before, after []*node
	for i := range 300 {
		before = append(before, with("heading", fmt.Sprintf("Old %d", i)))
		after = append(after, with("article", fmt.Sprintf("New %d", i), text(strings.Repeat("word ", i%50))))
	}
	if got := changed(snapshot.DeltaOptions{Most: 2000}, before, after); !got.Much || len(got.Text) < 1000 {
		t.Errorf("%d bytes, much %v", len(got.Text), got.Much)
	}
}

// tree generates a page of up to 40 nodes with unique numbers.
func tree(t *rapid.T, label string) []*node {
	used := map[int]bool{}
	var draw func(depth int) []*node
	draw = func(depth int) []*node {
		var all []*node
		for range rapid.IntRange(0, 4).Draw(t, label) {
			n := &node{Role: rapid.SampledFrom([]string{"button", "text", "row", "list", "cell", "dialog", "checkbox", "generic"}).Draw(t, "role")}
			name := rapid.SampledFrom([]string{"", "Save", "Ann", "Bob", "3 items", "a \"quoted\" [e1]"}).Draw(t, "name")
			if n.Role == "text" {
				n = text("said " + name)
			} else {
				n.Name = name
				if number := rapid.IntRange(0, 30).Draw(t, "number"); !used[number] {
					used[number] = true
					n.Number = number
				}
				if rapid.Bool().Draw(t, "state") {
					n.States = &injected.States{Checked: rapid.SampledFrom([]string{"", "true", "false", "mixed"}).Draw(t, "checked"), Disabled: rapid.Bool().Draw(t, "disabled")}
				}
				if depth < 3 {
					n.Children = draw(depth + 1)
				}
			}
			all = append(all, n)
		}
		return all
	}
	return draw(0)
}

// TestChangesApplied applies the changes to the earlier lines, which must give
// the later lines.
func TestChangesApplied(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		refs := new(snapshot.Refs)
		before := snapshot.Merge(frame("A", tree(t, "before")...), refs)
		after := snapshot.Merge(frame("A", tree(t, "after")...), refs)
		whole := snapshot.Options{Unfold: true}
		was, want := bag(before.Text(whole)), bag(after.Text(whole))
		for _, e := range snapshot.Edits(before, after) {
			for line := range strings.Lines(e.Went) {
				was[strings.TrimSpace(line)]--
			}
			for line := range strings.Lines(e.Came) {
				was[strings.TrimSpace(line)]++
			}
		}
		delete(was, "cell") // a wrapper is omitted while it has only one child
		for line, n := range was {
			if n != want[line] {
				t.Fatalf("%q is there %d times, want %d\nbefore:\n%s\nafter:\n%s\nchanges:\n%s", line, n, want[line],
					before.Text(whole), after.Text(whole), snapshot.Changes(before, after, snapshot.DeltaOptions{}).Text)
			}
		}
		if same := snapshot.Changes(after, after, snapshot.DeltaOptions{}).Text; same != "" {
			t.Fatalf("a page differs from itself:\n%s", same)
		}
		told := snapshot.Changes(before, after, snapshot.DeltaOptions{}).Text
		if (told == "") != (before.Text(whole) == after.Text(whole)) {
			t.Fatalf("reported:\n%s\nbefore:\n%s\nafter:\n%s", told, before.Text(whole), after.Text(whole))
		}
	})
}

func bag(text string) map[string]int {
	all := map[string]int{}
	for line := range strings.Lines(text) {
		all[strings.TrimSpace(line)]++
	}
	return all
}

// TestEveryNewReferenceIsReported checks that each new or changed reference is
// reported.
func TestEveryNewReferenceIsReported(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		refs := new(snapshot.Refs)
		before := snapshot.Merge(frame("A", tree(t, "before")...), refs)
		after := snapshot.Merge(frame("A", tree(t, "after")...), refs)
		was, told := before.Text(snapshot.Options{}), snapshot.Changes(before, after, snapshot.DeltaOptions{}).Text
		for line := range strings.Lines(after.Text(snapshot.Options{})) {
			for _, found := range shown.FindAllString(line, -1) {
				if !strings.Contains(was, found) && !strings.Contains(told, strings.TrimSpace(found)) {
					t.Fatalf("%q is not reported\nbefore:\n%s\nreported:\n%s", found, was, told)
				}
			}
		}
	})
}
