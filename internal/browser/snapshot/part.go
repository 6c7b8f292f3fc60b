package snapshot

import (
	"fmt"
	"math"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/tokens"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// Part is a part of a page that fits into a budget of tokens.
type Part struct {
	Text    string
	Tokens  int // upper bound for the text
	Next    int // Options.Offset of the next part; 0 if there is none
	More    int // upper bound for the tokens of all further parts
	Density int // index of the density; 0 omits only what is folded in any page
	Context int // number of leading lines that are the page's title or repeat an earlier part
}

const (
	outside = 130 // tokens of headings, marks and notes around a snapshot in an answer
	footing = 90  // tokens of the last lines, which say what was omitted
	least   = 200 // minimum of tokens for lines in each part
	titling = 150 // shown characters of the page's title
	placing = 300 // shown characters of its address
)

// Part writes as much of the page as o allows. A page with more tokens than o.Aim
// is written at a higher density, until it fits or nothing more can be omitted.
// The rest is left to later parts.
func (p *Page) Part(o Options) Part {
	c := cutting{head: row{text: p.title(o.MaxTokens)}, room: math.MaxInt}
	if o.MaxTokens > 0 {
		head := tokens.Of(c.head.text)
		c.room = max(o.MaxTokens-outside-footing-head, head+least) // the answer's headings contain it too
	}
	c.write(p, o)
	return c.part(o.Offset / levels)
}

// title returns the first line of a snapshot.
func (p *Page) title(most int) string {
	title, url := beginning(p.Title, titling), beginning(p.URL, placing)
	if most > 0 {
		title, url = tokens.Head(title, most/8), tokens.Head(url, most/8)
	}
	if url != p.URL {
		url += "…"
	}
	return strings.TrimSuffix("page "+untrusted.SnapshotQuoted(title)+" "+untrusted.SnapshotWord(url), " ")
}

// cutting is a page as lines, which is cut into parts.
type cutting struct {
	head    row
	rows    []row
	room    int // tokens of a part
	density int // a level, see densitiesAt
	whole   int // tokens of the whole page; 0 if unknown
}

// write writes the page at the density for its size; a later part uses that of
// the first.
func (c *cutting) write(p *Page, o Options) {
	nodes := p.Nodes
	if o.Interactive {
		nodes = p.acting(nodes)
	}
	at := func(density int) int {
		c.density, c.rows = density, p.rows(nodes, o, density, c.room)
		return weigh(c.rows)
	}
	if o.Offset > 0 || o.MaxTokens <= 0 || o.Unfold {
		at(o.Offset % levels)
		return
	}
	aim := c.room
	if o.Aim > 0 {
		aim = min(o.Aim, aim)
	}
	if c.whole = at(0); c.whole <= aim {
		return
	}
	low, high := 1, levels-1 // the first density that fits, or the last
	for low < high {
		if middle := (low + high) / 2; at(middle) <= aim {
			high = middle
		} else {
			low = middle + 1
		}
	}
	if c.density != low {
		at(low)
	}
}

// rows formats nodes as lines.
func (p *Page) rows(nodes []*action.Node, o Options, level, room int) []row {
	w := &writer{page: p, options: o}
	if w.density, w.main = densitiesAt(level); !hasAsides(nodes, 3) {
		w.main = w.density
	}
	if o.MaxTokens > 0 {
		w.most = room / 8
	}
	if dialog := modal(p.Nodes); p.blocked && dialog != nil {
		w.line(1, "… blocked by "+word(dialog.Role)+" "+untrusted.SnapshotQuoted(beginning(dialog.Name, titling))+": only what is in it can be acted on")
	}
	w.siblings(nodes, 1, nil)
	if p.Outside > 0 {
		w.line(1, fmt.Sprintf("… %d more out of view", p.Outside))
	}
	if p.Cut {
		w.line(1, "… the page goes on; narrow with ref")
	}
	return w.rows
}

func weigh(rows []row) int {
	var s tokens.Sum
	for _, r := range rows {
		r.on(&s)
	}
	return s.Tokens()
}

// on adds a line to the sum.
func (r row) on(s *tokens.Sum) {
	s.Spaces(r.level)
	s.Add(r.text)
	s.Add("\n")
}

// part returns the lines from an index that fit, below their ancestors.
func (c *cutting) part(from int) Part {
	from = min(from, len(c.rows))
	shown := append([]row{c.head}, c.above(from)...)
	out := Part{Context: len(shown), Density: c.density}
	var s tokens.Sum
	for _, r := range shown {
		r.on(&s)
	}
	to := from
	for ; to < len(c.rows); to++ {
		if c.rows[to].on(&s); s.Tokens() > c.room && to > from {
			break
		}
	}
	shown = append(shown, c.rows[from:to]...)
	if to < len(c.rows) {
		out.Next, out.More = to*levels+c.density, weigh(c.rows[to:])
		shown = append(shown, row{text: fmt.Sprintf("… %d more tokens; offset=%d", out.More, out.Next)})
	}
	if c.density > 0 && from == 0 {
		shown = append(shown, row{text: c.advice()})
	}
	var b strings.Builder
	for _, r := range shown {
		r.write(&b)
	}
	out.Text = b.String()
	out.Tokens = weigh(shown)
	return out
}

// advice says that much was omitted, and how to see it.
func (c *cutting) advice() string {
	text := "… shortened: (+n) characters, \"more\" lines; "
	if c.whole+2*outside <= action.MostTokens {
		text += fmt.Sprintf("max_tokens=%d shows all, ", (c.whole+2*outside+99)/100*100)
	}
	return text + "ref a part, format=markdown the text"
}

// above returns the ancestors of a line, outermost first, as far as they leave
// space for others.
func (c *cutting) above(at int) []row {
	if at >= len(c.rows) {
		return nil
	}
	var way []row
	level := c.rows[at].level
	for i := at - 1; i >= 0 && level > 1; i-- {
		if c.rows[i].level < level {
			level = c.rows[i].level
			if way = append(way, c.rows[i]); weigh(way) > c.room/3 {
				way = way[:len(way)-1]
				break
			}
		}
	}
	for i, j := 0, len(way)-1; i < j; i, j = i+1, j-1 {
		way[i], way[j] = way[j], way[i]
	}
	return way
}

// modal returns the last dialog that is marked as modal; nil if there is none.
func modal(nodes []*action.Node) (found *action.Node) {
	for _, n := range nodes {
		if n.States["modal"] == true {
			found = n
		}
		if inner := modal(n.Children); inner != nil {
			found = inner
		}
	}
	return found
}
