package htmlonly

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Leads are where a page leads, and what it says of itself to crawlers.
type Leads struct {
	Leads     []string // absolute, http and https, each once
	Canonical string   // its link rel=canonical
	NoFollow  bool     // its robots meta tag says so
}

// spaces are what JavaScript trims and its \s matches (ECMA-262 WhiteSpace and
// LineTerminator).
const spaces = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

func blank(text string) bool { return strings.Trim(text, spaces) == "" }

var space = regexp.MustCompile(`[` + spaces + `]+`)

func squeeze(text string) string {
	return strings.Trim(space.ReplaceAllString(text, " "), spaces)
}

// each calls visit for the elements of the page in order, until it says no.
func (p *Page) each(visit func(*html.Node) bool) bool {
	for n := range p.root.Descendants() {
		if n.Type == html.ElementNode && n.Namespace == "" && !visit(n) {
			return false
		}
	}
	return true
}

// Title is the document's title; false for one that is too long.
func (p *Page) Title() (string, bool) {
	title := ""
	p.each(func(n *html.Node) bool {
		if n.DataAtom != atom.Title {
			return true
		}
		if n.FirstChild != nil {
			title = squeeze(n.FirstChild.Data)
		}
		return false
	})
	return title, len(title) <= mostTitle
}

// Leads lists where the page leads, hidden links too; false where a browser
// may read an address otherwise.
func (p *Page) Leads() (out Leads, ok bool) {
	known, robots, canonical := map[string]bool{}, []string{}, false
	ok = p.each(func(n *html.Node) bool {
		href, is := attribute(n, "href")
		switch {
		case n.DataAtom == atom.Meta:
			if name, _ := attribute(n, "name"); strings.EqualFold(name, "robots") {
				content, _ := attribute(n, "content")
				robots = append(robots, content)
			}
		case n.DataAtom == atom.Link && is && !canonical:
			rel, _ := attribute(n, "rel")
			if wordSet(strings.ToLower(rel))["canonical"] {
				canonical = true
				to, fine := p.resolve(href)
				out.Canonical = to
				return fine
			}
		case is && (n.DataAtom == atom.A || n.DataAtom == atom.Area):
			to, fine := p.resolve(href)
			if !fine {
				return false
			}
			if strings.HasPrefix(to, "http") && len(to) <= mostLead && !known[to] && len(out.Leads) < mostLeads {
				known[to] = true
				out.Leads = append(out.Leads, to)
			}
		}
		return true
	})
	out.NoFollow = nofollow.MatchString(strings.Join(robots, ","))
	return out, ok
}

var (
	nofollow = regexp.MustCompile(`(?i)\b(nofollow|none)\b`)
	plainURL = regexp.MustCompile(`^[\w\-.~:/?#&=%+,;@!$()*' ]*$`)
	schemes  = regexp.MustCompile(`^(https?|mailto|tel|javascript):`)
)

// resolve is an address as a browser has it. Of those with characters on which
// parsers may differ it knows none.
func (p *Page) resolve(href string) (string, bool) {
	if !plainURL.MatchString(href) {
		return "", false
	}
	to, err := p.base.Parse(href)
	if err != nil || !schemes.MatchString(to.Href(false)) {
		return "", false
	}
	return to.Href(false), true
}

func (p *Page) unseen(n *html.Node) bool {
	if _, is := attribute(n, "hidden"); is {
		return true
	}
	return p.looks[n] != nil && p.looks[n].hidden
}

// Text is the page as plain text: a line for each block (inpage's text).
func (p *Page) Text() (string, bool) {
	t := texter{page: p}
	t.visit(p.body)
	t.close(false)
	text := strings.TrimRight(t.all.String(), spaces)
	return text, len(text) < mostOutput
}

type texter struct {
	page      *Page
	all, line strings.Builder
	pre       int  // elements around that keep lines and spaces as they are written
	kept      bool // the line holds text of one
}

// close ends a line; one without words is left out unless it is to be kept.
func (t *texter) close(blank bool) {
	line := strings.TrimRight(t.line.String(), spaces)
	if !t.kept {
		line = squeeze(line)
	}
	if line != "" || blank {
		t.all.WriteString(line + "\n")
	}
	t.line.Reset()
	t.kept = false
}

// write adds text (inpage's readable).
func (t *texter) write(text string) {
	loose := space.ReplaceAllString(text, " ") != text || strings.Trim(text, spaces) != text
	if t.pre == 0 || !loose {
		switch {
		case blank(text):
			text = " "
		case t.kept:
			text = space.ReplaceAllString(text, " ")
		}
		t.line.WriteString(text)
		return
	}
	lines := strings.Split(text, "\n")
	if !t.kept {
		before := space.ReplaceAllString(t.line.String(), " ")
		t.line.Reset()
		t.line.WriteString(before)
	}
	t.line.WriteString(lines[0])
	t.kept = true
	for _, next := range lines[1:] {
		t.close(true)
		t.line.WriteString(next)
		t.kept = true
	}
}

func (t *texter) visit(n *html.Node) {
	kind := tags[n.Data]
	switch {
	case n.Namespace != "" || kind == silent:
		return
	case n.DataAtom == atom.Br:
		t.close(false)
		return
	case t.page.unseen(n) || kind == field:
		return
	}
	if kind == block {
		t.close(false)
	}
	if n.DataAtom == atom.Pre {
		t.pre++
		defer func() { t.pre-- }()
	}
	for child := range n.ChildNodes() {
		switch {
		case child.Type == html.ElementNode:
			t.visit(child)
		case child.Type == html.TextNode:
			t.write(child.Data)
		}
	}
	switch kind {
	case cell:
		t.line.WriteByte('\t')
	case block:
		t.close(false)
	}
}
