package snapshot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	oldShown    = 40 // characters of an old name, and of a removed node
	alikeShown  = 3  // shown changes of a folded row of equal ones
	alikeLength = 8  // number of equal changes in a row that are folded
	goneShown   = 2  // shown of removed siblings of one role
	firstShown  = 3  // shown of reordered siblings
)

// write formats edits as lines.
func (d *differ) write(o DeltaOptions) Delta {
	t := &changeWriter{writer: &writer{page: d.after, density: densities[0], main: densities[0]}, most: o.Most}
	removed := slices.ContainsFunc(d.edits, edit.isGone)
	for i := 0; i < len(d.edits); {
		if o.Most > 0 && t.Len() > o.Most {
			return Delta{Text: t.String(), Much: true, Removed: removed}
		}
		i += t.next(d.edits[i:])
	}
	return Delta{Text: t.String(), Much: o.Most > 0 && t.Len() > o.Most, Removed: removed}
}

// changeWriter writes changes and where they are.
type changeWriter struct {
	strings.Builder
	writer *writer
	most   int
	at     *action.Node // the node of the last line "in …"
}

func (t *changeWriter) tell(mark, text string) { t.WriteString(mark + " " + text + "\n") }

// next writes the first edits that belong together, and returns how many.
func (t *changeWriter) next(edits []edit) int {
	e := edits[0]
	t.in(e.around)
	switch {
	case e.reordered != nil:
		t.reordered(e)
		return 1
	case e.run != nil:
		t.run(e)
		return 1
	case e.again:
		n := together(edits, func(o edit) bool { return o.again && o.after.Role == e.after.Role })
		t.few("+", asBefore, edits[:n], func(o edit) *action.Node { return o.after })
		return n
	case e.before == nil:
		n := together(edits, func(o edit) bool { return o.isNew() && !o.again && o.late == e.late })
		t.came(edits[:n])
		return n
	case e.after == nil:
		n := together(edits, func(o edit) bool { return o.isGone() && o.before.Role == e.before.Role })
		t.went(edits[:n])
		return n
	}
	n := t.alike(edits)
	if n < alikeLength {
		t.is(e)
		return 1
	}
	for _, o := range edits[:alikeShown] {
		t.in(o.around)
		t.is(o)
	}
	t.in(commonPlace(edits[:n]))
	t.tell("~", fmt.Sprintf("… %d more %s%s", n-alikeShown, untrusted.SnapshotWord(e.after.Role), t.news(e)))
	return n
}

func (e edit) isNew() bool { return e.before == nil && e.after != nil }

func (e edit) isGone() bool { return e.before != nil && e.after == nil }

// together counts the first edits among the same siblings.
func together(edits []edit, as func(edit) bool) int {
	n := 1
	for n < len(edits) && slices.Equal(edits[n].around, edits[0].around) && as(edits[n]) {
		n++
	}
	return n
}

// alike counts the first edits with the same change of a state, in any place.
func (t *changeWriter) alike(edits []edit) int {
	news := func(e edit) (string, bool) {
		plain := e.before != nil && e.after != nil && e.moved == 0 && !e.focus &&
			e.before.Name == e.after.Name && e.before.Value == e.after.Value && e.before.Ref == e.after.Ref
		if !plain {
			return "", false
		}
		return e.after.Role + t.news(e), true
	}
	first, plain := news(edits[0])
	n := 1
	for plain && n < len(edits) {
		if other, is := news(edits[n]); !is || other != first {
			break
		}
		n++
	}
	return n
}

// commonPlace returns the common ancestors of the edits.
func commonPlace(edits []edit) []*action.Node {
	common := edits[0].around
	for _, e := range edits[1:] {
		n := 0
		for n < len(common) && n < len(e.around) && common[n] == e.around[n] {
			n++
		}
		common = common[:n]
	}
	return common
}

// is writes a changed node, and its earlier text if that does not show.
func (t *changeWriter) is(e edit) {
	n := e.after
	switch {
	case e.moved > 0:
		t.tell("~", fmt.Sprintf("%s moved, now %d of %d", t.brief(n), e.moved, e.among))
		return
	case n.Role == "text" && n.Ref == "":
		t.tell("~", "text "+untrusted.SnapshotQuoted(n.Name)+" (was "+untrusted.SnapshotQuoted(cutTo(e.before.Name, oldShown))+")")
		return
	}
	text := t.writer.describe(n)
	for _, name := range stateOrder {
		_, was := stateOf(e.before, name)
		if _, is := stateOf(n, name); was && !is && name != "focused" {
			text += " not " + name
		}
	}
	if e.before.Value != "" && n.Value == "" && !n.Protected {
		text += ` value=""`
	}
	var old []string
	if e.before.Role != n.Role {
		old = append(old, untrusted.SnapshotWord(e.before.Role))
	}
	if e.before.Name != n.Name {
		old = append(old, untrusted.SnapshotQuoted(cutTo(e.before.Name, oldShown)))
	}
	if e.before.Ref != n.Ref && e.before.Ref != "" {
		old = append(old, "["+e.before.Ref+"]")
	}
	if len(old) > 0 {
		text += " (was " + strings.Join(old, " ") + ")"
	}
	t.tell("~", text)
}

// news describes an edit's changes of states.
func (t *changeWriter) news(e edit) string {
	text := ""
	for _, name := range stateOrder {
		was, before := stateOf(e.before, name)
		is, now := stateOf(e.after, name)
		switch {
		case name == "focused" || before == now && was == is:
		case !now:
			text += " not " + name
		case is == "true":
			text += " " + name
		default:
			text += " " + name + "=" + untrusted.SnapshotWord(is)
		}
	}
	return text
}

// came writes new or formerly unread nodes completely; runs are folded.
func (t *changeWriter) came(edits []edit) {
	nodes := make([]*action.Node, len(edits))
	apart := make(map[*action.Node]bool, len(edits))
	for i, e := range edits {
		nodes[i], apart[e.after] = e.after, true
	}
	t.writer.Reset()
	t.writer.apart = apart
	t.writer.siblings(nodes, 0, edits[0].around)
	mark, note := "+ ", ""
	if edits[0].late {
		mark, note = "~ ", notRead
	}
	for _, r := range t.writer.rows {
		if r.level == 0 && r.more == 0 {
			r.text += note
		}
		t.WriteString(mark)
		r.write(&t.Builder)
	}
}

// asBefore marks a node that is back with everything below it as it was shown before.
const asBefore = " (back, as it was)"

// went writes removed nodes.
func (t *changeWriter) went(edits []edit) {
	t.few("-", "", edits, func(e edit) *action.Node { return e.before })
}

// few writes nodes of one role in brief: the first ones, and how many more there are.
func (t *changeWriter) few(mark, note string, edits []edit, of func(edit) *action.Node) {
	shown := len(edits)
	if shown > goneShown+1 {
		shown = goneShown
	}
	for _, e := range edits[:shown] {
		t.tell(mark, t.brief(of(e))+note)
	}
	if rest := len(edits) - shown; rest > 0 {
		t.tell(mark, fmt.Sprintf("… %d more %s%s", rest, untrusted.SnapshotWord(of(edits[0]).Role), note))
	}
}

func (t *changeWriter) reordered(e edit) {
	text := fmt.Sprintf("%d of %d %s in another order, first now", e.moved, e.among, untrusted.SnapshotWord(e.reordered[0].Role))
	for i, n := range e.reordered[:min(len(e.reordered), firstShown)] {
		if i > 0 {
			text += ","
		}
		text += " " + t.brief(n)
	}
	t.tell("~", text)
}

// brief describes a node in a few words: its name or the words in it.
func (t *changeWriter) brief(n *action.Node) string {
	text := untrusted.SnapshotWord(n.Role)
	if words := wordsOf(n); words != "" {
		text += " " + untrusted.SnapshotQuoted(cutTo(words, oldShown))
	}
	if n.Ref != "" {
		text += " [" + n.Ref + "]"
	}
	return text
}

// wordsOf is a node's name, or the first words in it.
func wordsOf(n *action.Node) string {
	if n.Name != "" {
		return n.Name
	}
	for _, below := range n.Children {
		if words := wordsOf(below); words != "" {
			return words
		}
	}
	return ""
}

func cutTo(text string, most int) string { return around(text, 0, 0, most) }

// telltale are the roles that say where something is.
var telltale = map[string]bool{
	"row": true, "listitem": true, "article": true, "treeitem": true, "dialog": true, "alertdialog": true, "form": true, "region": true,
	"navigation": true, "complementary": true, "search": true, "group": true, "tabpanel": true, "menu": true, "listbox": true, "table": true,
	"grid": true, "list": true, "tree": true, "iframe": true, "status": true, "alert": true, "radiogroup": true, "toolbar": true, "combobox": true,
	"figure": true, "banner": true, "contentinfo": true,
}

// ofRows are roles that are described by the words in them if they have no name.
var ofRows = map[string]bool{"row": true, "listitem": true, "article": true, "treeitem": true, "dialog": true, "alertdialog": true}

// in writes where the next line is, if that differs from the last line.
func (t *changeWriter) in(around []*action.Node) {
	place, said := placeIn(around)
	if place == t.at {
		return
	}
	t.at = place
	switch {
	case place != nil:
		t.WriteString("in " + untrusted.SnapshotWord(place.Role))
		if said != "" {
			t.WriteString(" " + untrusted.SnapshotQuoted(cutTo(said, oldShown)))
		}
		t.WriteString(":\n")
	default:
		t.WriteString("in page:\n")
	}
}

// placeIn returns the innermost ancestor that says where something is.
func placeIn(around []*action.Node) (place *action.Node, said string) {
	for i := len(around) - 1; i >= 0; i-- {
		n := around[i]
		if !telltale[n.Role] {
			continue
		}
		said = n.Name
		if said == "" && ofRows[n.Role] {
			said = wordsOf(n)
		}
		if said != "" || n.Role == "status" || n.Role == "alert" || n.Role == "navigation" || n.Role == "banner" || n.Role == "contentinfo" {
			return n, said
		}
	}
	return nil, ""
}
