package htmlonly

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// inspect reports whether every node is one that leaves the text alone, and
// notes where styles are.
func (p *Page) inspect(n *html.Node, depth int) bool {
	if depth > mostDepth {
		return false
	}
	switch n.Type {
	case html.DoctypeNode:
		p.standard = n.Data == "html" && len(n.Attr) == 0
	case html.TextNode:
		if !clear(n.Data) || !p.wide(n) {
			return false
		}
	case html.ElementNode:
		if !p.element(n) {
			return false
		}
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if !p.inspect(child, depth+1) {
			return false
		}
	}
	return true
}

// wide reports whether a text surely has some width: one of marks alone may
// have none.
func (p *Page) wide(n *html.Node) bool {
	if blank(n.Data) || n.Parent.Namespace == "" && tags[n.Parent.Data] == silent {
		return true
	}
	if n.Parent.Namespace != "" {
		return false // text in a picture
	}
	return strings.ContainsFunc(n.Data, func(r rune) bool {
		return r < 0x250 && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r > ' ' && r <= '~' || strings.ContainsRune("«»“”„–—…•→←×©®", r) ||
			unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) && unicode.IsLetter(r)
	})
}

func (p *Page) element(n *html.Node) bool {
	if n.Namespace != "" {
		return n.Namespace == "svg" && !inLink(n) && (n.Data == "svg" || svgTags[strings.ToLower(n.Data)]) && attributes(n, svgAttributes)
	}
	if _, known := tags[n.Data]; !known || !attributes(n, htmlAttributes) {
		return false
	}
	switch n.DataAtom {
	case atom.Input:
		kind, _ := attribute(n, "type")
		return !strings.EqualFold(kind, "checkbox") // the box of a task is read
	case atom.Body:
		p.body = n
	case atom.Script:
		return dataBlock(n)
	case atom.Meta:
		return plainMeta(n)
	case atom.Style:
		return p.ownSheet(n)
	case atom.Link:
		return p.link(n)
	case atom.Mark:
		p.ground = append(p.ground, colour{255, 255, 0})
	case atom.Button:
		p.ground = append(p.ground, colour{239, 239, 239})
	}
	if text, is := attribute(n, "style"); is {
		p.inline = append(p.inline, styled{n, text})
	}
	return true
}

// inLink reports whether a drawing may be all that a link says.
func inLink(n *html.Node) bool {
	for at := n.Parent; at != nil; at = at.Parent {
		if at.DataAtom == atom.A {
			return true
		}
	}
	return false
}

// htmlAttributes change neither what is shown nor how; svgAttributes neither.
var (
	htmlAttributes = regexp.MustCompile(`^(href|id|class|name|title|alt|src|srcset|sizes|lang|hreflang|rel|rev|target|type|value|action|method|enctype|for|colspan|rowspan|scope|headers|` +
		`datetime|cite|loading|decoding|fetchpriority|crossorigin|integrity|referrerpolicy|media|content|charset|property|http-equiv|start|reversed|placeholder|checked|selected|required|disabled|` +
		`readonly|multiple|min|max|step|pattern|maxlength|minlength|autocomplete|spellcheck|tabindex|accesskey|summary|valign|cellpadding|cellspacing|border|style|hidden|role|dir|download|` +
		`data-[\w.-]+|aria-[a-z]+|item(scope|prop|type|id|ref)|on(click|submit|change|input|key(up|down|press)|mouse(over|out|down|up|enter|leave|move))|xmlns|prefix|version|about|typeof|resource|vocab|coords|shape|usemap|abbr|span|label|rows|cols|width|height)$`)
	svgAttributes = regexp.MustCompile(`^(xmlns|xmlns:xlink|xlink:href|href|xlink|id|class|viewbox|viewBox|width|height|fill|stroke(-[a-z]+)?|d|x|y|x1|y1|x2|y2|r|rx|ry|cx|cy|points|offset|stop-color|fill-rule|clip-rule|aria-[a-z]+|role|focusable|version|data-[\w-]+|preserveAspectRatio)$`)
	knownRoles    = wordSet("main navigation banner contentinfo complementary search article list listitem img link button note")
)

func attributes(n *html.Node, known *regexp.Regexp) bool {
	for _, a := range n.Attr {
		if !known.MatchString(a.Key) && !known.MatchString(a.Namespace+":"+a.Key) {
			return false
		}
		value := strings.ToLower(a.Val)
		switch a.Key {
		case "role":
			if !knownRoles[value] {
				return false
			}
		case "dir":
			if value != "ltr" {
				return false
			}
		case "hidden":
			if value == "until-found" {
				return false
			}
		case "width", "height":
			if n.Namespace == "" && n.DataAtom != atom.Img {
				return false
			}
		case "srcset", "sizes", "value", "content", "class", "id", "name":
		default:
			if !clear(a.Val) {
				return false
			}
		}
	}
	return true
}

func attribute(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val, true
		}
	}
	return "", false
}

// dataBlock reports whether a script is none: data that no browser runs.
func dataBlock(n *html.Node) bool {
	kind, _ := attribute(n, "type")
	kind = strings.ToLower(kind)
	return kind == "application/ld+json" || kind == "application/json"
}

// plainMeta reports whether a meta tag neither goes elsewhere nor says how the
// page is to be loaded or drawn.
func plainMeta(n *html.Node) bool {
	name, _ := attribute(n, "name")
	if name = strings.ToLower(name); name == "color-scheme" {
		return false
	}
	directive, is := attribute(n, "http-equiv")
	switch strings.ToLower(directive) {
	case "content-type", "content-language", "x-ua-compatible":
		return true
	}
	return !is
}

func (p *Page) ownSheet(n *html.Node) bool {
	p.styled = true
	if media, _ := attribute(n, "media"); !everywhere(media) {
		return false
	}
	if kind, is := attribute(n, "type"); is && kind != "text/css" && kind != "" {
		return false
	}
	if n.FirstChild != nil {
		p.sheets = append(p.sheets, n.FirstChild.Data)
	}
	return true
}

func everywhere(media string) bool {
	media = strings.ToLower(strings.TrimSpace(media))
	return media == "" || media == "all" || media == "screen"
}

// link notes a style sheet. Other links load nothing that changes the text.
func (p *Page) link(n *html.Node) bool {
	rel, _ := attribute(n, "rel")
	words := wordSet(strings.ToLower(rel))
	if !words["stylesheet"] {
		return true
	}
	media, _ := attribute(n, "media")
	if strings.ToLower(strings.TrimSpace(media)) == "print" {
		return true
	}
	href, is := attribute(n, "href")
	if !is || words["alternate"] || !everywhere(media) || hasTitle(n) {
		return false
	}
	to, err := p.base.Parse(href)
	if err != nil {
		return false
	}
	p.linked, p.styled = append(p.linked, to.Href(true)), true
	return len(p.linked) <= mostSheets
}

func hasTitle(n *html.Node) bool {
	_, is := attribute(n, "title")
	_, integrity := attribute(n, "integrity")
	return is || integrity
}
