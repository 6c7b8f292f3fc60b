package extract

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	mostElements = 30_000 // of a page in which an article is looked for
	articleShare = 0.4    // of the page's text that an article has; what has less is one part of a page among others
	leastShare   = 0.15   // the same of a page that says it is an article
)

// Article makes markdown of the article of a page, from HTML as inpage.Markup
// writes it with hints. It reports false where the page is not one article with
// things around it; declared says that it calls itself one.
func Article(markup string, declared bool) (text string, found bool, err error) {
	doc, err := html.Parse(strings.NewReader(markup))
	if err != nil {
		return "", false, fmt.Errorf("cannot read the page: %w", err)
	}
	heading, whole := firstHeading(doc), letters(doc)
	node := articleOf(doc)
	share := articleShare
	if declared {
		share = leastShare
	}
	if node == nil || float64(letters(node)) < share*float64(whole) {
		return "", false, nil
	}
	var b strings.Builder
	if !strings.Contains(squeezed(node), heading) {
		b.WriteString("<h1>" + untrusted.HTML(heading) + "</h1>")
	}
	if err := html.Render(&b, node); err != nil {
		return "", false, fmt.Errorf("cannot write the article: %w", err)
	}
	text, err = Markdown(b.String())
	return text, err == nil, err
}

// articleOf looks for the article of a page, and changes doc by that; nil where
// there is none. A page that the library cannot read has none.
func articleOf(doc *html.Node) (node *html.Node) {
	defer func() {
		if recover() != nil {
			node = nil
		}
	}()
	p := readability.NewParser()
	p.KeepClasses, p.DisableJSONLD, p.MaxElemsToParse = true, true, mostElements
	if !p.CheckDocument(doc) {
		return nil
	}
	article, err := p.ParseAndMutate(doc, &url.URL{})
	if err != nil {
		return nil
	}
	return article.Node
}

// firstHeading is the text of the page's headline, which the library takes for
// its title and leaves out; "" for none.
func firstHeading(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.DataAtom != atom.H1 {
			continue
		}
		if text := squeezed(n); text != "" {
			return text
		}
	}
	return ""
}

// letters counts the characters of the text below a node.
func letters(n *html.Node) (count int) { return utf8.RuneCountInString(squeezed(n)) }

// squeezed is the text of a node, with one space between words.
func squeezed(n *html.Node) string {
	var b strings.Builder
	if n.Type == html.TextNode {
		b.WriteString(n.Data)
	}
	for below := range n.Descendants() {
		if below.Type == html.TextNode {
			b.WriteString(below.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
