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
	maxElements   = 30_000 // of a page in which an article is searched
	articleShare  = 0.4    // of the page's text that an article has at least; a smaller part is one of several on the page
	declaredShare = 0.15   // the same, on a page that says that it is an article
)

// Article converts the article of a page to markdown. markup is HTML as
// injected.Frame.Markup returns it with hints. declared says whether the page
// declares that it is an article. found is false if the page is not one article
// with other content around it.
func Article(markup string, declared bool) (text string, found bool, err error) {
	doc, err := html.Parse(strings.NewReader(markup))
	if err != nil {
		return "", false, fmt.Errorf("cannot read the page: %w", err)
	}
	heading, whole := firstHeading(doc), countLetters(doc)
	node := findArticle(doc)
	share := articleShare
	if declared {
		share = declaredShare
	}
	if node == nil || float64(countLetters(node)) < share*float64(whole) {
		return "", false, nil
	}
	var b strings.Builder
	if !strings.Contains(nodeText(node), heading) {
		b.WriteString("<h1>" + untrusted.HTML(heading) + "</h1>")
	}
	if err := html.Render(&b, node); err != nil {
		return "", false, fmt.Errorf("cannot write the article: %w", err)
	}
	text, err = Markdown(b.String())
	return text, err == nil, err
}

// findArticle returns the article of a page, nil if there is none or the library
// cannot read the page. It changes doc.
func findArticle(doc *html.Node) (node *html.Node) {
	defer func() {
		if recover() != nil {
			node = nil
		}
	}()
	p := readability.NewParser()
	p.KeepClasses, p.DisableJSONLD, p.MaxElemsToParse = true, true, maxElements
	if !p.CheckDocument(doc) {
		return nil
	}
	article, err := p.ParseAndMutate(doc, &url.URL{})
	if err != nil {
		return nil
	}
	return article.Node
}

// firstHeading returns the text of the page's first headline, "" if there is none.
// The library takes it for the title and leaves it out of the article.
func firstHeading(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.DataAtom != atom.H1 {
			continue
		}
		if text := nodeText(n); text != "" {
			return text
		}
	}
	return ""
}

// countLetters returns how many characters the text of a node has.
func countLetters(n *html.Node) int { return utf8.RuneCountInString(nodeText(n)) }

// nodeText returns the text of a node, with one space between words.
func nodeText(n *html.Node) string {
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
