package engine

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// layouts is what DOMSnapshot.captureSnapshot says of a target: all its
// documents as they are laid out, shadow roots and generated text included. The
// page has no part in it.
type layouts struct {
	Documents []drawing `json:"documents"`
	Strings   []string  `json:"strings"`
}

type drawing struct {
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

func filed(ctx context.Context, s *cdp.Session) (layouts, error) {
	var p layouts
	err := s.Call(ctx, "DOMSnapshot.captureSnapshot", map[string]any{"computedStyles": []string{}}, &p)
	return p, err
}

func (p layouts) text(i int) string {
	if i < 0 || i >= len(p.Strings) {
		return ""
	}
	return p.Strings[i]
}

// sheets are the targets of a tab that can be read, each with a frame of its own.
func (b *Browser) sheets(t *tab) map[*cdp.Session]*frame {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := map[*cdp.Session]*frame{t.main.session: t.root}
	var walk func(*frame)
	walk = func(f *frame) {
		if f.target != nil && all[f.target.session] == nil {
			all[f.target.session] = f
		}
		for _, c := range f.children {
			walk(c)
		}
	}
	walk(t.root)
	return all
}

// spelled returns where known secrets can be read on the page, in the tab's
// viewport: in texts, generated ones too, and in what fields and pictures that
// did not load show. Of a process that does not answer it is all of its frame.
func (b *Browser) spelled(ctx context.Context, t *tab) ([]injected.Rect, error) {
	var all []injected.Rect
	for session, top := range b.sheets(t) {
		found, err := b.spelledIn(ctx, t, session)
		if err != nil && top != t.root && ctx.Err() == nil {
			found, err = b.geometry.windowOf(ctx, top)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func (b *Browser) spelledIn(ctx context.Context, t *tab, s *cdp.Session) ([]injected.Rect, error) {
	if s != t.main.session {
		var stop func()
		ctx, stop = context.WithTimeout(ctx, childLimit)
		defer stop()
	}
	work, err := filed(ctx, s)
	if err != nil {
		return nil, err
	}
	var all []injected.Rect
	for _, doc := range work.Documents {
		marks := b.spelledOn(work, doc)
		if len(marks) == 0 {
			continue
		}
		b.mu.Lock()
		f, known := t.frames[work.text(doc.Frame)]
		b.mu.Unlock()
		if !known {
			return nil, errMoved
		}
		boxes, err := b.geometry.toTab(ctx, f, marks)
		if err != nil {
			return nil, err
		}
		all = append(all, rects(boxes)...)
	}
	return all, nil
}

// spelledOn returns where known secrets are in a document, in its viewport.
func (b *Browser) spelledOn(work layouts, doc drawing) []injected.Box {
	var all []injected.Box
	add := func(r []float64) {
		if len(r) == 4 {
			all = append(all, injected.Box{Rect: injected.Rect{X: r[0] - doc.ScrollX, Y: r[1] - doc.ScrollY, Width: r[2], Height: r[3]}})
		}
	}
	for i, spans := range b.spread(doc.texts(work)) {
		for _, r := range doc.lines(i, spans, work) {
			add(slanted(r))
		}
	}
	for _, r := range doc.fields(work, b.secrets) {
		add(r)
	}
	return all
}

// slanted is a line with room for letters that lean out of it, a quarter of
// their height.
func slanted(r []float64) []float64 {
	if len(r) != 4 {
		return nil
	}
	return []float64{r[0] - r[3]/4, r[1], r[2] + r[3]/2, r[3]}
}

// phrase is a text of a document and which part of its layout it is.
type phrase struct {
	layout int
	shown  string // as it is drawn
	source string // as it is in the document, in lower case where that is drawn in capitals
}

func (doc drawing) texts(work layouts) []phrase {
	var all []phrase
	for i, text := range doc.Layout.Text {
		if shown := work.text(text); shown != "" {
			p := phrase{layout: i, shown: shown}
			if node := doc.node(i); node >= 0 && node < len(doc.Nodes.Value) {
				p.source = work.text(doc.Nodes.Value[node])
			}
			all = append(all, p)
		}
	}
	return all
}

func (doc drawing) node(layout int) int {
	if layout >= len(doc.Layout.Node) {
		return -1
	}
	return doc.Layout.Node[layout]
}

// throughout is all of a text.
var throughout = [2]int{0, math.MaxInt}

// spread returns which parts of the texts of a document are in known secrets, by
// their place in the layout. A secret may go through several of them, with and
// without space between.
func (b *Browser) spread(pieces []phrase) map[int][][2]int {
	found := map[int][][2]int{}
	for _, glue := range []string{"", " "} {
		b.through(pieces, glue, func(p phrase) string { return p.shown }, func(p phrase, s [2]int) { found[p.layout] = append(found[p.layout], s) })
	}
	b.through(pieces, "", func(p phrase) string { return p.source }, func(p phrase, _ [2]int) { found[p.layout] = append(found[p.layout], throughout) })
	return found
}

// through looks for secrets in pieces that are put together, and tells of each
// piece the part that is in one.
func (b *Browser) through(pieces []phrase, glue string, text func(phrase) string, tell func(phrase, [2]int)) {
	var all strings.Builder
	starts := make([]int, len(pieces))
	for i, p := range pieces {
		starts[i] = all.Len()
		all.WriteString(text(p))
		all.WriteString(glue)
	}
	for _, s := range b.secrets(all.String()) {
		for i, p := range pieces {
			from, to := max(s[0]-starts[i], 0), min(s[1]-starts[i], len(text(p)))
			if from < to {
				tell(p, [2]int{from, to})
			}
		}
	}
}

// lines returns the lines of a text that have a part of one of the spans.
func (doc drawing) lines(layout int, spans [][2]int, work layouts) (all [][]float64) {
	text := work.text(doc.Layout.Text[layout])
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

// fields returns the boxes of elements that show what they do not have as text:
// values, placeholders, labels of options, words in the place of a picture.
func (doc drawing) fields(work layouts, find func(string) [][2]int) (all [][]float64) {
	values := map[int][]string{}
	for _, s := range []sparse{doc.Nodes.Input, doc.Nodes.Area} {
		for i, node := range s.Index {
			if i < len(s.Value) {
				values[node] = append(values[node], work.text(s.Value[i]))
			}
		}
	}
	at := map[int]int{} // the layout of a node
	for i, node := range doc.Layout.Node {
		if _, twice := at[node]; !twice {
			at[node] = i
		}
	}
	for node, attributes := range doc.Nodes.Attributes {
		words := append(values[node], doc.said(work, node, attributes)...)
		if len(words) == 0 || len(find(strings.Join(words, "\n"))) == 0 {
			continue
		}
		for holder := node; ; holder = doc.Nodes.Parent[holder] { // of an option, its list
			if i, laid := at[holder]; laid && i < len(doc.Layout.Bounds) {
				all = append(all, doc.Layout.Bounds[i])
				break
			}
			if !doc.inList(work, holder) {
				break
			}
		}
	}
	return all
}

// said are the words of an element that it may show and are no text of it.
func (doc drawing) said(work layouts, node int, attributes []int) (words []string) {
	for i := 1; i < len(attributes); i += 2 {
		if shownAttributes[work.text(attributes[i-1])] {
			words = append(words, work.text(attributes[i]))
		}
	}
	if doc.inList(work, node) && node < len(doc.Nodes.Value) {
		words = append(words, work.text(doc.Nodes.Value[node]))
	}
	return words
}

// inList reports whether a node is of an option, and has a parent.
func (doc drawing) inList(work layouts, node int) bool {
	for steps := 0; steps < 2 && node >= 0 && node < len(doc.Nodes.Parent) && node < len(doc.Nodes.Name); steps++ {
		switch work.text(doc.Nodes.Name[node]) {
		case "OPTION", "OPTGROUP":
			return doc.Nodes.Parent[node] >= 0
		}
		node = doc.Nodes.Parent[node]
	}
	return false
}

var shownAttributes = map[string]bool{"value": true, "placeholder": true, "alt": true, "label": true}

// prose is all text of a document, laid out or not: it may not be yet.
func (doc drawing) prose(work layouts, glue string) string {
	var all strings.Builder
	for i, value := range doc.Nodes.Value {
		if i < len(doc.Nodes.Name) && work.text(doc.Nodes.Name[i]) == "#text" {
			all.WriteString(work.text(value) + glue)
		}
	}
	return all.String()
}

// unwritten refuses a page that has a known secret in a text, a value or an
// attribute, drawn or not. Faults: denied_by_policy.
func (b *Browser) unwritten(ctx context.Context, t *tab) error {
	if !b.credentialed() {
		return nil
	}
	for session := range b.sheets(t) {
		work, err := filed(ctx, session)
		if err != nil {
			return err
		}
		holds := func(text string) bool { return len(b.secrets(text)) > 0 }
		if holds(strings.Join(work.Strings, "\n")) || slices.ContainsFunc(work.Documents, func(doc drawing) bool {
			return holds(doc.prose(work, "")) || holds(doc.prose(work, " "))
		}) {
			return fault.New(fault.DeniedByPolicy, "the page holds a secret of the session, and it cannot be covered on paper").
				Hinted("read the page with page.snapshot or page.markdown, or take a screenshot").With("rule", action.WithheldRule)
		}
	}
	return nil
}
