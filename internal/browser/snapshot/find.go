package snapshot

import (
	"cmp"
	"context"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// Query says what to look for in a page. All that is given must hold.
type Query struct {
	Role, Name, Text string         // Name and Text are contained, whatever their case
	Pattern          *regexp.Regexp // nil is none
	Limit            int            // matches that are returned
	Context          int            // characters on each side of a match
}

// Find returns what matches, in document order, and how much does in all.
// Protected values are not in a page, and so not found. When ctx ends, what
// was found by then is returned.
func (p *Page) Find(ctx context.Context, q Query) ([]action.Match, int) {
	f := &finder{ctx: ctx, query: q, matches: []action.Match{}}
	f.name, f.text = plain(q.Name), plain(q.Text)
	f.walk(p.Nodes, "", place{})
	return f.matches, f.total
}

type finder struct {
	ctx        context.Context // of the one call that it lives for
	query      Query
	name, text string // folded
	matches    []action.Match
	total      int
}

// walk looks through siblings. A heading stands above what follows it, until
// the next one that is not below it.
func (f *finder) walk(nodes []*action.Node, ref string, at place) {
	for i, n := range nodes {
		if f.ctx.Err() != nil {
			return
		}
		if i == 0 || !inLine(nodes[i-1]) {
			f.line(nodes[i:], ref, at)
		}
		own := n.Ref
		if own == "" {
			own = ref
		}
		below := at
		if rows[n.Role] {
			below.row = n
		}
		f.judge(n, own, below)
		if landmarks[n.Role] {
			below.path = append(at.path[:len(at.path):len(at.path)], step{text: strings.TrimSpace(n.Role + " " + titled(n))})
		}
		f.walk(n.Children, own, below)
		if n.Role == "heading" {
			at.path = append(above(at.path, n.Level), step{level: max(n.Level, 1), text: "heading " + titled(n)})
		}
	}
}

// place is where in a page something stands.
type place struct {
	path []step
	row  *action.Node // the row or item of a list that it is in; nil in none
}

// step is a landmark, of level 0, or a heading on the way to a match.
type step struct {
	level int
	text  string
}

// above is the part of a path that a heading of a level stands below.
func above(path []step, level int) []step {
	end := len(path)
	for end > 0 && path[end-1].level >= max(level, 1) {
		end--
	}
	return path[:end:end]
}

var landmarks = map[string]bool{
	"banner": true, "complementary": true, "contentinfo": true, "dialog": true, "alertdialog": true, "form": true, "iframe": true,
	"main": true, "navigation": true, "region": true, "search": true, "table": true, "article": true,
}

const mostNamed = 80 // characters of a name on a path

func titled(n *action.Node) string {
	text := n.Name
	if text == "" && n.Role == "heading" && len(n.Children) > 0 {
		text = n.Children[0].Name
	}
	if text == "" {
		return ""
	}
	return untrusted.SnapshotQuoted(around(text, 0, 0, mostNamed))
}

// shownAs is the name of a node, or what it is shown by for want of one.
func shownAs(n *action.Node) string { return cmp.Or(n.Name, n.Derived) }

func (f *finder) judge(n *action.Node, ref string, at place) {
	q := f.query
	if q.Role != "" && n.Role != q.Role || f.name != "" && !strings.Contains(plain(shownAs(n)), f.name) {
		return
	}
	text, ok := f.said(n)
	if !ok {
		return
	}
	m := action.Match{Role: n.Role, Ref: ref, Text: text}
	if n.Role != "text" {
		m.Name = around(shownAs(n), 0, 0, mostNamed)
	}
	f.keep(m, at)
}

func (f *finder) keep(m action.Match, at place) {
	if f.total++; len(f.matches) >= f.query.Limit {
		return
	}
	for _, s := range at.path {
		m.Path = append(m.Path, s.text)
	}
	if at.row != nil {
		m.Beside = rowControls(at.row, m.Ref, nil)
	}
	f.matches = append(f.matches, m)
}

// said returns the words of a node around what is looked for in it.
func (f *finder) said(n *action.Node) (string, bool) {
	if f.text == "" && f.query.Pattern == nil {
		return "", true
	}
	for _, words := range []string{shownAs(n), n.Value} {
		from, to, ok := f.within(words)
		if ok {
			return around(words, from, to, f.query.Context), true
		}
	}
	return "", false
}

// within returns where in a text it is that is looked for, in bytes.
func (f *finder) within(words string) (from, to int, ok bool) {
	if words == "" {
		return 0, 0, false
	}
	if f.text != "" {
		folded := plain(words)
		at := strings.Index(folded, f.text)
		if at < 0 {
			return 0, 0, false
		}
		if from, to = at, at+len(f.text); len(folded) != len(words) { // folding moved it
			from, to = min(from, len(words)), min(to, len(words))
		}
	}
	if f.query.Pattern != nil {
		at := f.query.Pattern.FindStringIndex(words)
		if at == nil {
			return 0, 0, false
		}
		from, to = at[0], at[1]
	}
	return from, to, true
}

// plain is a text as it is compared.
func plain(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// around cuts a text to some characters on each side of a part of it.
func around(text string, from, to, context int) string {
	for back := 0; back < context && from > 0; back++ {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	for on := 0; on < context && to < len(text); on++ {
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
	}
	cut := strings.ToValidUTF8(text[from:to], "")
	if from > 0 {
		cut = "…" + cut
	}
	if to < len(text) {
		cut += "…"
	}
	return cut
}

// rows are the roles of the parts of lists and tables: a match in one is reported
// with the controls of the same row.
var rows = map[string]bool{"row": true, "listitem": true, "article": true}

const mostControls = 6 // of one row: a row that has more is better shown by a snapshot

// rowControls appends the elements of a row that can be acted on, without the one
// that has the reference except.
func rowControls(row *action.Node, except string, found []string) []string {
	for _, n := range row.Children {
		if n.Ref != "" && n.Ref != except && len(found) < mostControls {
			found = append(found, strings.TrimSpace(n.Role+" "+titled(n))+" ["+n.Ref+"]")
		}
		found = rowControls(n, except, found)
	}
	return found
}
