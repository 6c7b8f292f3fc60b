package snapshot

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/tokens"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// Options say how a page is written down.
type Options struct {
	URLs        bool // show where links lead
	Depth       int  // deepest level; 0 is all of them
	Unfold      bool // show runs of alike siblings and long texts whole; for a snapshot narrowed to a reference
	Interactive bool // only what can be acted on, with the headings and landmarks around it
	MaxTokens   int  // of the text, with what a surface puts around it; 0 is any number
	Aim         int  // tokens beyond which a page is condensed; 0 is MaxTokens
	Offset      int  // where to go on: Part.Next of the part before
}

// Text writes the page in the grammar of docs/snapshot.md: a line for each
// node, one space of indent for each level, and first the page itself. Every
// name, value and address stays on its line.
func (p *Page) Text(o Options) string { return p.Part(o).Text }

// writer writes nodes as lines.
type writer struct {
	page    *Page
	options Options
	density density
	most    int                   // tokens of one name, value or address; 0 is any number
	aside   bool                  // inside a landmark that is not what the page is about
	apart   map[*action.Node]bool // what is unread after these is told elsewhere
	rows    []row
}

// row is a line of a snapshot.
type row struct {
	level int
	text  string
	kept  bool // a field: never folded away with what is around it
	more  int  // how much it stands for, when it says that there is more
}

func (w *writer) line(level int, text string) { w.rows = append(w.rows, row{level: level, text: text}) }

// String returns the lines written so far.
func (w *writer) String() string {
	var b strings.Builder
	for _, r := range w.rows {
		r.write(&b)
	}
	return b.String()
}

// Reset forgets them.
func (w *writer) Reset() { w.rows = nil }

func (r row) write(b *strings.Builder) {
	for range r.level {
		b.WriteByte(' ')
	}
	b.WriteString(r.text)
	b.WriteByte('\n')
}

// siblings writes nodes; way are those that they are in, outermost first.
func (w *writer) siblings(nodes []*action.Node, level int, way []*action.Node) {
	if w.options.Depth > 0 && level > w.options.Depth {
		if len(nodes) > 0 {
			w.line(level, "… "+strconv.Itoa(len(nodes))+" below; raise depth")
		}
		return
	}
	nodes = w.density.siblings(nodes)
	for i := 0; i < len(nodes); {
		length, shown := w.fold(nodes[i:])
		if line := w.running(nodes[i:]); line > 1 && length == 1 {
			w.runningText(nodes[i:i+line], level)
			i += line
			continue
		}
		for _, n := range nodes[i : i+shown] {
			w.node(n, level, way)
		}
		if more := length - shown + w.unread(nodes[i:i+length]); more > 0 {
			w.more(more, level, way)
		}
		i += length
	}
}

// more says that so much more is there, and how to see it.
func (w *writer) more(count, level int, way []*action.Node) {
	text := "… " + strconv.Itoa(count) + " more"
	if ref := w.page.handle(way); ref != "" {
		text += "; ref=" + ref
	}
	w.rows = append(w.rows, row{level: level, text: text, more: count})
}

// unread is how many nodes the walker counted and did not read.
func (w *writer) unread(nodes []*action.Node) (all int) {
	for _, n := range nodes {
		if !w.apart[n] {
			all += w.page.unread[n]
		}
	}
	return all
}

// fold returns how many nodes from the first on are a run, and how many of
// them are shown. What is no run is one node, shown.
func (w *writer) fold(nodes []*action.Node) (length, shown int) {
	if w.options.Unfold {
		return 1, 1
	}
	length = w.density.run(nodes)
	if length+w.unread(nodes[:length]) < w.density.long {
		return 1, 1
	}
	return length, min(length, w.density.shown)
}

func (w *writer) node(n *action.Node, level int, way []*action.Node) {
	if hollow(n) {
		w.node(n.Children[0], level, way)
		return
	}
	name, children := w.density.words(n)
	w.line(level, w.named(n, name))
	from := len(w.rows)
	w.rows[from-1].kept = fields[n.Role]
	way = append(way[:len(way):len(way)], n)
	if w.density.aside == 0 || w.aside || !asides[n.Role] {
		w.siblings(children, level+1, way)
		return
	}
	w.aside = true
	w.siblings(children, level+1, way)
	w.aside = false
	w.trim(from, level+1, way)
}

// trim leaves so many of the lines from one on, and the fields among the
// others with what they stand in.
func (w *writer) trim(from, level int, way []*action.Node) {
	if len(w.rows)-from <= w.density.aside+1 {
		return
	}
	keep, deep := make([]bool, len(w.rows)-from), 0
	for i := len(keep) - 1; i >= 0; i-- {
		r := w.rows[from+i]
		if keep[i] = r.kept || i < w.density.aside || r.level < deep; keep[i] {
			deep = r.level
		}
	}
	rest, left := w.rows[:from], 0
	for i, r := range w.rows[from:] {
		if keep[i] {
			rest = append(rest, r)
		} else {
			left += max(r.more, 1)
		}
	}
	w.rows = rest
	w.more(left, level, way)
}

var wrapper = map[string]bool{"listitem": true, "cell": true, "gridcell": true}

// hollow reports whether a node says nothing that its only child does not.
func hollow(n *action.Node) bool {
	return wrapper[n.Role] && len(n.Children) == 1 && wordless(n)
}

func wordless(n *action.Node) bool {
	return n.Name == "" && n.Ref == "" && n.Value == "" && n.Level == 0 && len(n.States) == 0 && !n.Protected
}

func (w *writer) describe(n *action.Node) string { return w.named(n, n.Name) }

func (w *writer) named(n *action.Node, name string) string {
	var b strings.Builder
	b.WriteString(word(n.Role))
	name, more := w.cut(name, n)
	if name != "" {
		b.WriteString(" " + untrusted.SnapshotQuoted(name))
	}
	if n.Ref != "" {
		b.WriteString(" [" + n.Ref + "]")
	}
	if n.Derived != "" {
		b.WriteString(" derived=" + untrusted.SnapshotQuoted(n.Derived))
	}
	if n.Level != 0 {
		b.WriteString(" level=" + strconv.Itoa(n.Level))
	}
	for _, name := range stateOrder {
		value, said := n.States[name]
		switch {
		case !said || !shown(name, value):
		case value == true:
			b.WriteString(" " + name)
		default:
			b.WriteString(" " + name + "=" + word(fmt.Sprint(value)))
		}
	}
	if n.Protected {
		b.WriteString(" (protected)")
	} else if n.Value != "" {
		value, rest := w.cut(n.Value, n)
		b.WriteString(" value=" + untrusted.SnapshotQuoted(value) + rest)
	}
	if w.options.URLs && n.URL != "" {
		b.WriteString(" " + untrusted.SnapshotWord(w.address(n.URL)))
	}
	return b.String() + more
}

// cut shortens words to what the density, and the budget, let a line have of
// them, and says how many characters more there are.
func (w *writer) cut(words string, n *action.Node) (head, more string) {
	head = words
	if most := w.density.characters(n); most > 0 && !w.options.Unfold {
		head = beginning(words, most)
	}
	if w.most > 0 && len(head) > w.most { // a token is a byte at least
		head = tokens.Head(head, w.most)
	}
	if left := utf8.RuneCountInString(words) - utf8.RuneCountInString(head); left > 0 {
		more = " (+" + strconv.Itoa(left) + ")"
	}
	return head, more
}

// address shortens an address to what the budget lets a line have of it.
func (w *writer) address(url string) string {
	if w.most == 0 || len(url) <= w.most {
		return url
	}
	if head := tokens.Head(url, w.most); head != url {
		return head + "…"
	}
	return url
}

// beginning returns what of a text is at most so wide, in whole words where it
// can.
func beginning(text string, most int) string {
	if len(text) <= most || width(text) <= most+most/4 { // little would be saved
		return text
	}
	at, room := 0, most
	for i, r := range text {
		if room--; wide(r) {
			room--
		}
		if at = i; room < 0 {
			break
		}
	}
	head := text[:at]
	if space := strings.LastIndexByte(head, ' '); space > at*2/3 {
		head = head[:space]
	}
	return head
}

// word is what stands without quotes and is no address, such as a state: one
// that looks like something else of a line loses what makes it look so.
func word(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`"[]()=`, r) {
			return '_'
		}
		return r
	}, untrusted.SnapshotWord(short(s)))
}
