// Package capture finds, in the browser's own layout of a page, where known
// secrets are drawn, so that they can be covered in screenshots. It also reads
// the sizes of pictures.
package capture

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// Layout is the answer of DOMSnapshot.captureSnapshot: the layout of all
// documents of a target, including shadow roots and generated text. No script
// of the page can change it.
type Layout struct {
	Documents []Document `json:"documents"`
	Strings   []string   `json:"strings"`
}

// Find returns the ranges of bytes of a text that are known secrets.
type Find func(text string) [][2]int

// Document is one document of a Layout.
type Document struct {
	Frame   int     `json:"frameId"`
	ScrollX float64 `json:"scrollOffsetX"`
	ScrollY float64 `json:"scrollOffsetY"`
	Nodes   struct {
		Parent     []int   `json:"parentIndex"`
		Name       []int   `json:"nodeName"` // in capitals for HTML
		Value      []int   `json:"nodeValue"`
		Attributes [][]int `json:"attributes"` // names and values by turns
		Input      sparse  `json:"inputValue"`
		Area       sparse  `json:"textValue"`
	} `json:"nodes"`
	Layout struct {
		Node   []int       `json:"nodeIndex"`
		Bounds [][]float64 `json:"bounds"` // of the document, CSS pixels
		Text   []int       `json:"text"`
	} `json:"layout"`
	Lines struct {
		Layout []int       `json:"layoutIndex"`
		Bounds [][]float64 `json:"bounds"`
		Start  []int       `json:"start"` // in UTF-16 units of the text
		Length []int       `json:"length"`
	} `json:"textBoxes"`
}

type sparse struct {
	Index []int `json:"index"`
	Value []int `json:"value"`
}

// Text returns a string of the layout by its index; "" if there is none.
func (l Layout) Text(i int) string {
	if i < 0 || i >= len(l.Strings) {
		return ""
	}
	return l.Strings[i]
}

// Secrets returns where secrets are drawn in a document, in coordinates of its
// viewport: in texts, including generated ones, in fields, and in the
// alternative texts of pictures that did not load.
func (l Layout) Secrets(doc Document, find Find) []injected.Box {
	var all []injected.Box
	add := func(r []float64) {
		if len(r) == 4 {
			all = append(all, injected.Box{Rect: injected.Rect{X: r[0] - doc.ScrollX, Y: r[1] - doc.ScrollY, Width: r[2], Height: r[3]}})
		}
	}
	for i, spans := range secretSpans(doc.texts(l), find) {
		for _, r := range doc.lines(i, spans, l) {
			add(widened(r))
		}
	}
	for _, r := range doc.fields(l, find) {
		add(r)
	}
	return all
}

// Holds reports whether a secret is in a text, a value or an attribute of any
// document, drawn or not.
func (l Layout) Holds(find Find) bool {
	holds := func(text string) bool { return len(find(text)) > 0 }
	return holds(strings.Join(l.Strings, "\n")) || slices.ContainsFunc(l.Documents, func(doc Document) bool {
		return holds(doc.prose(l, "")) || holds(doc.prose(l, " "))
	})
}

// widened adds space at both ends of a line for slanted letters, a quarter of
// their height.
func widened(r []float64) []float64 {
	if len(r) != 4 {
		return nil
	}
	return []float64{r[0] - r[3]/4, r[1], r[2] + r[3]/2, r[3]}
}

// phrase is a text of a document.
type phrase struct {
	layout int    // its index in Document.Layout
	shown  string // as it is drawn
	source string // as it is in the document, in lower case where that is drawn in capitals
}

func (doc Document) texts(l Layout) []phrase {
	var all []phrase
	for i, text := range doc.Layout.Text {
		if shown := l.Text(text); shown != "" {
			p := phrase{layout: i, shown: shown}
			if node := doc.node(i); node >= 0 && node < len(doc.Nodes.Value) {
				p.source = l.Text(doc.Nodes.Value[node])
			}
			all = append(all, p)
		}
	}
	return all
}

func (doc Document) node(layout int) int {
	if layout >= len(doc.Layout.Node) {
		return -1
	}
	return doc.Layout.Node[layout]
}

// wholeText is the range of a whole text.
var wholeText = [2]int{0, math.MaxInt}

// secretSpans returns which parts of the texts of a document belong to secrets,
// by their index in the layout. A secret may extend over several texts, with or
// without a space between them.
func secretSpans(pieces []phrase, find Find) map[int][][2]int {
	found := map[int][][2]int{}
	for _, glue := range []string{"", " "} {
		spansAcross(pieces, find, glue, func(p phrase) string { return p.shown }, func(p phrase, s [2]int) { found[p.layout] = append(found[p.layout], s) })
	}
	spansAcross(pieces, find, "", func(p phrase) string { return p.source }, func(p phrase, _ [2]int) { found[p.layout] = append(found[p.layout], wholeText) })
	return found
}

// spansAcross searches for secrets in texts that are joined by glue, and calls
// report with the part of each text that belongs to one.
func spansAcross(pieces []phrase, find Find, glue string, text func(phrase) string, report func(phrase, [2]int)) {
	var all strings.Builder
	starts := make([]int, len(pieces))
	for i, p := range pieces {
		starts[i] = all.Len()
		all.WriteString(text(p))
		all.WriteString(glue)
	}
	for _, s := range find(all.String()) {
		for i, p := range pieces {
			from, to := max(s[0]-starts[i], 0), min(s[1]-starts[i], len(text(p)))
			if from < to {
				report(p, [2]int{from, to})
			}
		}
	}
}

// lines returns the lines of a text that contain a part of one of the spans.
func (doc Document) lines(layout int, spans [][2]int, l Layout) (all [][]float64) {
	text := l.Text(doc.Layout.Text[layout])
	had := false
	for i, of := range doc.Lines.Layout {
		if of != layout || i >= len(doc.Lines.Bounds) || i >= len(doc.Lines.Start) || i >= len(doc.Lines.Length) {
			continue
		}
		had = true
		start, end := doc.Lines.Start[i], doc.Lines.Start[i]+doc.Lines.Length[i]
		for _, s := range spans {
			if !ascii(text) || s[0] < end && s[1] > start { // units are bytes where all is ASCII
				all = append(all, doc.Lines.Bounds[i])
				break
			}
		}
	}
	if !had && layout < len(doc.Layout.Bounds) {
		all = append(all, doc.Layout.Bounds[layout])
	}
	return all
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// fields returns the boxes of elements that show text that is not in text
// nodes: values, placeholders, labels of options, alternative texts of
// pictures.
func (doc Document) fields(l Layout, find Find) (all [][]float64) {
	values := map[int][]string{}
	for _, s := range []sparse{doc.Nodes.Input, doc.Nodes.Area} {
		for i, node := range s.Index {
			if i < len(s.Value) {
				values[node] = append(values[node], l.Text(s.Value[i]))
			}
		}
	}
	at := map[int]int{} // index in Document.Layout, by node
	for i, node := range doc.Layout.Node {
		if _, twice := at[node]; !twice {
			at[node] = i
		}
	}
	for node, attributes := range doc.Nodes.Attributes {
		words := append(values[node], doc.attributeWords(l, node, attributes)...)
		if len(words) == 0 || len(find(strings.Join(words, "\n"))) == 0 {
			continue
		}
		for holder := node; ; holder = doc.Nodes.Parent[holder] { // of an option, its list
			if i, laid := at[holder]; laid && i < len(doc.Layout.Bounds) {
				all = append(all, doc.Layout.Bounds[i])
				break
			}
			if !doc.inList(l, holder) {
				break
			}
		}
	}
	return all
}

// attributeWords returns the texts of an element that it may show: its
// attributes, and the text of an option.
func (doc Document) attributeWords(l Layout, node int, attributes []int) (words []string) {
	for i := 1; i < len(attributes); i += 2 {
		if shownAttributes[l.Text(attributes[i-1])] {
			words = append(words, l.Text(attributes[i]))
		}
	}
	if doc.inList(l, node) && node < len(doc.Nodes.Value) {
		words = append(words, l.Text(doc.Nodes.Value[node]))
	}
	return words
}

// inList reports whether a node is an option with a parent, or the text of one.
func (doc Document) inList(l Layout, node int) bool {
	for steps := 0; steps < 2 && node >= 0 && node < len(doc.Nodes.Parent) && node < len(doc.Nodes.Name); steps++ {
		switch l.Text(doc.Nodes.Name[node]) {
		case "OPTION", "OPTGROUP":
			return doc.Nodes.Parent[node] >= 0
		}
		node = doc.Nodes.Parent[node]
	}
	return false
}

var shownAttributes = map[string]bool{"value": true, "placeholder": true, "alt": true, "label": true}

// prose returns all text of a document, including text that is not laid out.
func (doc Document) prose(l Layout, glue string) string {
	var all strings.Builder
	for i, value := range doc.Nodes.Value {
		if i < len(doc.Nodes.Name) && l.Text(doc.Nodes.Name[i]) == "#text" {
			all.WriteString(l.Text(value) + glue)
		}
	}
	return all.String()
}
