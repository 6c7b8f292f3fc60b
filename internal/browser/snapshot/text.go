package snapshot

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// Options say how a page is written down.
type Options struct {
	URLs   bool // show where links lead
	Depth  int  // deepest level; 0 is all of them
	Unfold bool // show runs of alike siblings whole; for a snapshot narrowed to a reference
}

const (
	runLength = 20 // alike siblings in a row that are folded
	runShown  = 10 // of which so many are shown
)

// Text writes the page in the grammar of SPEC section 7: a line for each node,
// one space of indent for each level, and first the page itself. Every name,
// value and address stays on its line.
func (p *Page) Text(o Options) string {
	w := &writer{page: p, options: o}
	w.line(0, strings.TrimSuffix("page "+quote(p.Title)+" "+oneLine(p.URL), " "))
	w.siblings(p.Nodes, 1, p.top)
	if p.Cut {
		w.line(1, "… the page goes on; narrow with ref")
	}
	return w.String()
}

type writer struct {
	strings.Builder
	page    *Page
	options Options
}

func (w *writer) line(level int, text string) {
	for range level {
		w.WriteByte(' ')
	}
	w.WriteString(text)
	w.WriteByte('\n')
}

// siblings writes nodes; ref is the reference that shows all of them.
func (w *writer) siblings(nodes []*action.Node, level int, ref string) {
	if w.options.Depth > 0 && level > w.options.Depth {
		if len(nodes) > 0 {
			w.line(level, "… "+strconv.Itoa(len(nodes))+" below; raise depth")
		}
		return
	}
	for i := 0; i < len(nodes); {
		length := 1
		if !w.options.Unfold && foldable[nodes[i].Role] {
			length = run(nodes[i:])
		}
		if length < runLength {
			length = 1
			w.node(nodes[i], level)
		} else {
			w.folded(nodes[i:i+length], level, ref)
		}
		i += length
	}
}

func (w *writer) folded(nodes []*action.Node, level int, ref string) {
	for _, n := range nodes[:runShown] {
		w.node(n, level)
	}
	text := fmt.Sprintf("… %d more like these", len(nodes)-runShown)
	if ref != "" {
		text += "; narrow with ref=" + ref
	}
	w.line(level, text)
}

func (w *writer) node(n *action.Node, level int) {
	if hollow(n) {
		w.node(n.Children[0], level)
		return
	}
	w.line(level, w.describe(n))
	ref := w.page.wide[n]
	if ref == "" {
		ref = n.Ref
	}
	w.siblings(n.Children, level+1, ref)
}

var wrapper = map[string]bool{"listitem": true, "cell": true, "gridcell": true}

// hollow reports whether a node says nothing that its only child does not.
func hollow(n *action.Node) bool {
	return wrapper[n.Role] && len(n.Children) == 1 && n.Name == "" && n.Ref == "" && n.Value == "" && n.Level == 0 && len(n.States) == 0
}

func (w *writer) describe(n *action.Node) string {
	var b strings.Builder
	b.WriteString(oneLine(n.Role))
	if n.Name != "" {
		b.WriteString(" " + quote(n.Name))
	}
	if n.Ref != "" {
		b.WriteString(" [" + n.Ref + "]")
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
			b.WriteString(" " + name + "=" + oneLine(fmt.Sprint(value)))
		}
	}
	if n.Protected {
		b.WriteString(" (protected)")
	} else if n.Value != "" {
		b.WriteString(" value=" + quote(n.Value))
	}
	if w.options.URLs && n.URL != "" {
		b.WriteString(" " + oneLine(n.URL))
	}
	return b.String()
}

// foldable are the roles that come in long runs where one tells what the
// others are like. Text and headings never do.
var foldable = map[string]bool{
	"row": true, "listitem": true, "option": true, "article": true, "treeitem": true, "menuitem": true,
	"menuitemradio": true, "menuitemcheckbox": true, "gridcell": true, "generic": true, "link": true, "button": true, "img": true,
}

// run returns how many nodes from the first on are alike.
func run(nodes []*action.Node) int {
	length := 1
	for length < len(nodes) && alike(nodes[0], nodes[length]) {
		length++
	}
	return length
}

func alike(a, b *action.Node) bool {
	if a.Role != b.Role || len(a.Children) != len(b.Children) || (a.Ref == "") != (b.Ref == "") {
		return false
	}
	for i := range a.Children {
		if a.Children[i].Role != b.Children[i].Role {
			return false
		}
	}
	return true
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func quote(s string) string { return `"` + escapes.Replace(flat(s)) + `"` }

// flat replaces whatever could end a line, or that no person sees, by spaces.
func flat(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\u2028' || r == '\u2029' || unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// oneLine is flat for what stands without quotes: it holds no space either.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, flat(s))
}
