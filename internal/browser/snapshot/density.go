package snapshot

import (
	"slices"
	"strings"
	"unicode"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// density says how compactly a page is written. Each density omits more than the
// one before. Omitted nodes are counted in their place.
type density struct {
	long, shown int  // length of runs of siblings that are folded, and how many of them are shown
	aside       int  // lines of a landmark that is not the main content; 0 means all
	prose, name int  // characters of a text, and of a name; 0 means all
	tidy        bool // omit separators, repeated text, and cells
	loose       bool // links, pictures and short texts count as similar in any order
	lift        bool // omit lists and groups around their content
}

// densities start with the complete page, which folds only long runs of rows and
// similar nodes.
var densities = [...]density{
	{long: 20, shown: 10},
	{long: 16, shown: 8, aside: 40, prose: 600, name: 250, tidy: true},
	{long: 12, shown: 6, aside: 24, prose: 360, name: 180, tidy: true},
	{long: 10, shown: 5, aside: 12, prose: 240, name: 140, tidy: true, loose: true},
	{long: 8, shown: 4, aside: 6, prose: 170, name: 110, tidy: true, loose: true},
	{long: 6, shown: 3, aside: 3, prose: 120, name: 90, tidy: true, loose: true, lift: true},
	{long: 5, shown: 3, aside: 1, prose: 90, name: 70, tidy: true, loose: true, lift: true},
	{long: 4, shown: 2, aside: 1, prose: 70, name: 60, tidy: true, loose: true, lift: true},
}

// mainAhead is how many densities the main content of a page is written more fully than
// the menus beside it.
const mainAhead = 2

// levels is the number of ways to write a page: at the last one, the main content has the
// last density too.
const levels = len(densities) + mainAhead

// densitiesAt returns the densities of a level, for what is beside the main content and for
// that.
func densitiesAt(level int) (beside, main density) {
	return densities[min(level, len(densities)-1)], densities[max(0, level-mainAhead)]
}

// hasAsides reports whether nodes, or those in them to a depth, have landmarks that are
// not the main content.
func hasAsides(nodes []*action.Node, depth int) bool {
	return slices.ContainsFunc(nodes, func(n *action.Node) bool {
		return asides[n.Role] || n.Role != "main" && depth > 0 && hasAsides(n.Children, depth-1)
	})
}

// asides are landmarks that are not the main content.
var asides = map[string]bool{
	"banner": true, "complementary": true, "contentinfo": true, "navigation": true, "menu": true, "menubar": true,
}

// fields are roles of elements that have a typed or chosen value.
var fields = map[string]bool{
	"checkbox": true, "combobox": true, "listbox": true, "radio": true, "searchbox": true, "slider": true, "spinbutton": true,
	"switch": true, "textbox": true,
}

// foldable are roles with long runs of similar nodes. Text and headings are never
// folded.
var foldable = map[string]bool{
	"row": true, "listitem": true, "option": true, "article": true, "treeitem": true, "menuitem": true,
	"menuitemradio": true, "menuitemcheckbox": true, "gridcell": true, "generic": true, "link": true, "button": true, "img": true,
}

// characters returns how many characters of a node's text a line shows.
func (d density) characters(n *action.Node) int {
	switch n.Role {
	case "text", "blockquote", "definition", "code", "term", "cell", "figure":
		return d.prose
	}
	return d.name
}

// siblings omits nodes without information, and replaces wrappers by their
// content.
func (d density) siblings(nodes []*action.Node) []*action.Node {
	if !d.tidy {
		return nodes
	}
	kept := make([]*action.Node, 0, len(nodes))
	for _, n := range nodes {
		switch {
		case idle(n):
		case d.lift && lifted[n.Role] && wordless(n) && len(n.Children) > 0:
			kept = append(kept, d.siblings(n.Children)...)
		default:
			kept = append(kept, n)
		}
	}
	return kept
}

var lifted = map[string]bool{"list": true, "listitem": true, "figure": true, "group": true, "generic": true, "definition": true}

// idle reports whether a node is a separator: a character between links, or an
// empty frame.
func idle(n *action.Node) bool {
	switch {
	case n.Ref != "" || len(n.Children) > 0 || n.Value != "":
		return false
	case n.Role == "text":
		return !strings.ContainsFunc(n.Name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) })
	}
	return n.Role == "iframe" && n.Name == "" || n.Role == "separator"
}

// words returns the name and the children to write of a node.
func (d density) words(n *action.Node) (string, []*action.Node) {
	switch {
	case !d.tidy:
	case n.Role == "row":
		if cells, plain := cellsOf(n); plain {
			return cells, nil
		}
	case n.Role == "heading" && len(n.Children) == 1 && n.Children[0].Name == n.Name:
		return "", n.Children
	}
	return n.Name, n.Children
}

// cellsOf joins the cells of a row without interactive elements.
func cellsOf(n *action.Node) (string, bool) {
	if n.Ref != "" || len(n.Children) == 0 {
		return "", false
	}
	words := make([]string, len(n.Children))
	for i, c := range n.Children {
		text, plain := plainText(c)
		if !plain {
			return "", false
		}
		words[i] = text
	}
	return strings.Join(words, " | "), true
}

// plainText returns the text in a node without interactive elements.
func plainText(n *action.Node) (string, bool) {
	if n.Ref != "" || n.Value != "" || n.Protected || len(n.States) > 0 || n.Role == "img" || n.Role == "iframe" {
		return "", false
	}
	words := make([]string, 0, 1+len(n.Children))
	if n.Name != "" {
		words = append(words, n.Name)
	}
	for _, c := range n.Children {
		text, plain := plainText(c)
		if !plain {
			return "", false
		}
		words = append(words, text)
	}
	return strings.Join(words, " "), true
}

// run returns how many of the first nodes are a run: similar, or small.
func (d density) run(nodes []*action.Node) int {
	length := 1
	if foldable[nodes[0].Role] {
		for length < len(nodes) && alike(nodes[0], nodes[length]) {
			length++
		}
	}
	if length >= d.long || !d.loose {
		return length
	}
	small, acting := 0, 0
	for small < len(nodes) && minor(nodes[small], 4) {
		if nodes[small].Role != "text" {
			acting++
		}
		small++
	}
	if acting*3 < small { // short lines of prose
		return length
	}
	return max(length, small)
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

const littleText = 40 // characters; a longer text counts as a sentence

// minor reports whether a node is a small part of menus and footers: a link, a
// picture, a word, or an item with a few of these.
func minor(n *action.Node, most int) bool {
	switch n.Role {
	case "link", "img", "menuitem", "option":
	case "text", "term", "definition":
		if width(n.Name) > littleText {
			return false
		}
	case "listitem", "list", "generic":
	default:
		return false
	}
	if len(n.Children) > most {
		return false
	}
	for _, c := range n.Children {
		if !minor(c, most-1) {
			return false
		}
	}
	return true
}

// width returns the width of a text in Latin letters. A character of a syllabic
// or ideographic script counts double.
func width(text string) (all int) {
	for _, r := range text {
		if all++; wide(r) {
			all++
		}
	}
	return all
}

func wide(r rune) bool { return r >= 0x2e80 && r < 0x10000 } // from CJK Radicals on
