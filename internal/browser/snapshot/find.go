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

// Query says what to search for in a page. All given conditions must hold.
type Query struct {
	Role, Name, Text string         // Name and Text match substrings, ignoring case
	Pattern          *regexp.Regexp // nil means none
	Limit            int            // of returned matches
	Context          int            // characters on each side of a match
}

// Find returns the matches in document order, and their total number. Protected
// values are not in a page and cannot be found. If ctx ends, it returns the
// matches so far.
func (p *Page) Find(ctx context.Context, q Query) ([]action.Match, int) {
	f := &finder{ctx: ctx, query: q, matches: []action.Match{}}
	f.name, f.text = plain(q.Name), plain(q.Text)
	f.walk(p.Nodes, "", place{})
	return f.matches, f.total
}

type finder struct {
	ctx        context.Context // of the call
	query      Query
	name, text string // folded
	matches    []action.Match
	total      int
}

// walk searches siblings. A heading is above what follows it, until the next
// heading that is not below it.
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

// place is a position in a page.
type place struct {
	path []step
	row  *action.Node // the enclosing row or list item; nil if there is none
}

// step is a landmark (level 0) or a heading on the path to a match.
type step struct {
	level int
	text  string
}

// above returns the part of a path that a heading of a level is below.
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

// shownAs returns the name of a node, or its derived name.
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

// said returns the text of a node around the match.
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

// within returns the byte range of the match in a text.
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
		if from, to = at, at+len(f.text); len(folded) != len(words) { // folding changed the offsets
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

// plain normalizes a text for comparing.
func plain(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// around cuts a text to a number of characters on each side of a part of it.
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

// rows are the roles of parts of lists and tables. A match in one is reported
// with the controls of the same row.
var rows = map[string]bool{"row": true, "listitem": true, "article": true}

const mostControls = 6 // of one row; for more, a snapshot is better

// rowControls appends the interactive elements of a row, except the one with the
// reference except.
func rowControls(row *action.Node, except string, found []string) []string {
	for _, n := range row.Children {
		if n.Ref != "" && n.Ref != except && len(found) < mostControls {
			found = append(found, strings.TrimSpace(n.Role+" "+titled(n))+" ["+n.Ref+"]")
		}
		found = rowControls(n, except, found)
	}
	return found
}
