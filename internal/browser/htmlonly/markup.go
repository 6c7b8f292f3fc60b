package htmlonly

import (
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Markup is the page as the HTML that markdown is made of, as inpage's Markup
// writes it. shown masks an address. It reports false where the page has what
// only a browser can tell.
func (p *Page) Markup(shown func(string) string) (string, bool) {
	m := &marker{page: p, shown: shown}
	m.visit(p.body, place{})
	return m.out.String(), !m.doubt && m.out.Len() < mostOutput
}

type marker struct {
	page  *Page
	shown func(string) string
	out   strings.Builder
	doubt bool
}

// place is what is around an element.
type place struct{ pre, flat, link bool }

var (
	kept       = wordSet("h1 h2 h3 h4 h5 h6 p ul ol li dl dt dd pre code kbd samp blockquote strong b em i del s")
	keptInline = wordSet("code kbd samp strong b em i del s")
	escapes    = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
	webLink    = regexp.MustCompile(`^(https?|mailto|tel):`)
	language   = regexp.MustCompile(`(?:^|[` + spaces + `])(?:language|lang|highlight-source)-([\w+#.-]{1,30})`)
	leading    = regexp.MustCompile(`^[+-]?\d+`)
)

func (m *marker) emit(text string) { m.out.WriteString(text) }

func (m *marker) visit(n *html.Node, at place) {
	kind := tags[n.Data]
	hidden, _ := attribute(n, "aria-hidden")
	switch {
	case n.Namespace != "" || kind == silent:
	case n.DataAtom == atom.Br:
		m.emit(lineBreak(at))
	case n.DataAtom == atom.Img:
		alt, _ := attribute(n, "alt")
		m.doubt = m.doubt || !at.pre && !blank(alt) // told where the image is seen
	case kind == field || hidden == "true" || m.page.unseen(n) || around(n):
	case sharing(n):
		m.doubt = true
	default:
		m.wrap(n, n.Data, kind == block || kind == cell, at)
	}
}

func lineBreak(at place) string {
	switch {
	case at.pre:
		return "\n"
	case at.flat:
		return " "
	}
	return "<br>"
}

func (m *marker) wrap(n *html.Node, tag string, block bool, at place) {
	switch {
	case tag == "a" && !at.link:
		m.link(n, block, at)
		return
	case tag == "table" && !at.flat:
		m.table(n, at)
		return
	case tag == "hr" && !at.flat:
		m.emit("<hr>")
		return
	}
	name := ""
	if kept[tag] {
		name = tag
	} else if block {
		name = "div"
	}
	switch {
	case at.flat && !keptInline[name]:
		m.flat(n, block, at)
	case name == "":
		m.children(n, at)
	default:
		m.emit("<" + name + details(n, name) + ">")
		m.children(n, place{pre: at.pre || name == "pre", flat: at.flat, link: at.link})
		m.emit("</" + name + ">")
	}
}

func (m *marker) flat(n *html.Node, block bool, at place) {
	if block {
		m.emit(" ")
	}
	m.children(n, at)
	if block {
		m.emit(" ")
	}
}

func details(n *html.Node, tag string) string {
	if tag == "ol" {
		return number(n, "start")
	}
	if tag != "code" && tag != "pre" {
		return ""
	}
	class, _ := attribute(n, "class")
	found := language.FindStringSubmatch(class)
	if found == nil && tag == "pre" {
		class, _ = attribute(n.Parent, "class")
		found = language.FindStringSubmatch(class)
	}
	if found == nil {
		return ""
	}
	return ` class="language-` + found[1] + `"`
}

func (m *marker) link(n *html.Node, block bool, at place) {
	href, is := attribute(n, "href")
	to, _ := m.page.resolve(href)
	if !is || !webLink.MatchString(to) {
		m.wrap(n, "span", block, place{pre: at.pre, flat: at.flat, link: true})
		return
	}
	if shares.MatchString(to) {
		return
	}
	m.emit(`<a href="` + escapes.Replace(m.shown(to)) + `">`)
	from := m.out.Len()
	m.children(n, place{pre: at.pre, flat: true, link: true})
	m.doubt = m.doubt || blank(tagged.ReplaceAllString(m.out.String()[from:], "")) // it has its name, if it has one
	m.emit("</a>")
}

func (m *marker) table(n *html.Node, at place) {
	layout := laysOut(n)
	m.emit(either(layout, "<div>", "<table>"))
	for row := range n.Descendants() {
		if row.DataAtom != atom.Tr || tableOf(row) != n {
			continue
		}
		if m.page.unseen(row) {
			continue
		}
		m.emit(either(layout, "<div>", "<tr>"))
		for c := range row.ChildNodes() {
			if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
				m.cell(c, layout, at)
			}
		}
		m.emit(either(layout, "</div>", "</tr>"))
	}
	m.emit(either(layout, "</div>", "</table>"))
}

func (m *marker) cell(n *html.Node, layout bool, at place) {
	switch {
	case m.page.unseen(n):
	case layout:
		m.children(n, at)
		m.emit(" ")
	default:
		m.emit("<" + n.Data + number(n, "colspan") + number(n, "rowspan") + ">")
		m.children(n, place{pre: at.pre, flat: true, link: at.link})
		m.emit("</" + n.Data + ">")
	}
}

func either(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

func tableOf(n *html.Node) *html.Node {
	for at := range n.Ancestors() {
		if at.DataAtom == atom.Table {
			return at
		}
	}
	return nil
}

func laysOut(table *html.Node) bool {
	blocks := false
	for n := range table.Descendants() {
		switch n.DataAtom {
		case atom.Th, atom.Caption, atom.Thead:
			return false
		case atom.Table, atom.Ul, atom.Ol, atom.Pre, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Form:
			blocks = true
		}
	}
	return blocks
}

func number(n *html.Node, name string) string {
	text, _ := attribute(n, name)
	value, err := strconv.Atoi(leading.FindString(strings.TrimLeft(text, spaces)))
	if err != nil || value <= 0 || value > 1000 {
		return ""
	}
	return " " + name + `="` + strconv.Itoa(value) + `"`
}

func (m *marker) children(n *html.Node, at place) {
	for child := range n.ChildNodes() {
		switch {
		case child.Type == html.ElementNode:
			m.visit(child, at)
		case child.Type == html.TextNode && !blank(child.Data):
			m.emit(escapes.Replace(child.Data))
		case child.Type == html.TextNode:
			m.emit(either(at.pre, child.Data, " "))
		}
	}
}

// around reports whether an element holds what is on every page of a site.
func around(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Footer, atom.Aside:
		return true
	}
	role, given := attribute(n, "role")
	switch strings.ToLower(role) {
	case "navigation", "contentinfo", "complementary", "banner", "menu", "menubar":
		return true
	}
	return n.DataAtom == atom.Header && !given && !sectioned(n)
}

var sections = wordSet("article aside main nav section complementary navigation")

func sectioned(n *html.Node) bool {
	for at := range n.Ancestors() {
		role, _ := attribute(at, "role")
		if sections[at.Data] || sections[strings.ToLower(role)] {
			return true
		}
	}
	return false
}
