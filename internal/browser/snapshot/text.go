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

// Options configure how a page is written.
type Options struct {
	URLs        bool // show where links lead
	Depth       int  // deepest level; 0 means all
	Unfold      bool // do not fold runs of similar siblings or cut long texts; for a snapshot narrowed to a reference
	Interactive bool // only interactive elements, with the headings and landmarks around them
	MaxTokens   int  // of the text, including what a surface adds around it; 0 means no limit
	Aim         int  // tokens above which a page is condensed; 0 means MaxTokens
	Offset      int  // Part.Next of the part before
}

// Text writes the page in the grammar of docs/snapshot.md: first a line for the
// page, then one for each node, indented by one space for each level. No name,
// value or address can add a line.
func (p *Page) Text(o Options) string { return p.Part(o).Text }

// writer writes nodes as lines.
type writer struct {
	page    *Page
	options Options
	density density
	main    density               // of the main content
	most    int                   // tokens of one name, value or address; 0 means no limit
	aside   bool                  // inside a landmark that is not the main content
	apart   map[*action.Node]bool // the unread nodes after these are reported elsewhere
	rows    []row
}

// row is a line of a snapshot.
type row struct {
	level int
	text  string
	kept  bool // a field, which is never folded
	more  int  // number of nodes that a line about further ones stands for
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

// Reset removes the lines.
func (w *writer) Reset() { w.rows = nil }

func (r row) write(b *strings.Builder) {
	for range r.level {
		b.WriteByte(' ')
	}
	b.WriteString(r.text)
	b.WriteByte('\n')
}

// siblings writes nodes. way are their ancestors, outermost first.
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

// more writes how many more nodes there are, and how to see them.
func (w *writer) more(count, level int, way []*action.Node) {
	text := "… " + strconv.Itoa(count) + " more"
	if ref := w.page.handle(way); ref != "" {
		text += "; ref=" + ref
	}
	w.rows = append(w.rows, row{level: level, text: text, more: count})
}

// unread returns how many nodes the walker counted but did not read.
func (w *writer) unread(nodes []*action.Node) (all int) {
	for _, n := range nodes {
		if !w.apart[n] {
			all += w.page.unread[n]
		}
	}
	return all
}

// fold returns how many of the first nodes are a run, and how many of them are
// shown. A single node is shown.
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
	if n.Role == "main" {
		defer func(beside density) { w.density = beside }(w.density)
		w.density = w.main
	}
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

// trim keeps some of the lines from an index, and the fields among the others
// with their ancestors.
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

// hollow reports whether a node adds nothing to its only child.
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

// cut shortens words to what the density and the budget allow for a line, and
// says how many more characters there are.
func (w *writer) cut(words string, n *action.Node) (head, more string) {
	head = words
	if most := w.density.characters(n); most > 0 && !w.options.Unfold {
		head = beginning(words, most)
	}
	if w.most > 0 && len(head) > w.most { // a token has at least one byte
		head = tokens.Head(head, w.most)
	}
	if left := utf8.RuneCountInString(words) - utf8.RuneCountInString(head); left > 0 {
		more = " (+" + strconv.Itoa(left) + ")"
	}
	return head, more
}

// address shortens an address to what the budget allows for a line.
func (w *writer) address(url string) string {
	if w.most == 0 || len(url) <= w.most {
		return url
	}
	if head := tokens.Head(url, w.most); head != url {
		return head + "…"
	}
	return url
}

// beginning returns the beginning of a text with at most this width, in whole
// words if possible.
func beginning(text string, most int) string {
	if len(text) <= most || width(text) <= most+most/4 { // cutting would save little
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

// word makes text without quotes, such as a state, safe: it removes what looks
// like another part of a line.
func word(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`"[]()=`, r) {
			return '_'
		}
		return r
	}, untrusted.SnapshotWord(short(s)))
}
