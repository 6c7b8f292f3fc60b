package engine_test

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/corpus"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// Bounds of the words of articles in markdown, over all pages together: how many
// of those written are of the article, and how many of the article are written.
const (
	leastPrecision = 0.9
	leastRecall    = 0.99
	leastWords     = 150 // of an article that counts
	leastShown     = 0.5 // of its words, on the page as it was saved
)

var (
	aWord   = regexp.MustCompile(`[\p{L}\p{N}]+`)
	address = regexp.MustCompile(`\]\([^)\s]*\)`)
)

// shares says how many of the words of markdown are of an article, and how many of
// the article's are in it.
func shares(article map[string]int, words int, markdown string) (precision, recall float64) {
	written, count := bag(address.ReplaceAllString(markdown, "] "))
	both := 0
	for w, n := range article {
		both += min(n, written[w])
	}
	return float64(both) / float64(max(count, 1)), float64(both) / float64(words)
}

func bag(text string) (words map[string]int, count int) {
	words = map[string]int{}
	for _, w := range aWord.FindAllString(strings.ToLower(text), -1) {
		words[w]++
		count++
	}
	return words, count
}

// textOfHTML is the text of HTML.
func textOfHTML(t *testing.T, source []byte) string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(string(source)))
	must(t, err)
	var b strings.Builder
	for n := range doc.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data + " ")
		}
	}
	return b.String()
}

// TestMarkdownOfAnArticleIsTheArticle compares the markdown of real articles with
// what those who saved the pages took out as the article. The library that finds
// articles is tested by its makers on the same pages, so that the figure is of
// pages it knows.
func TestMarkdownOfAnArticleIsTheArticle(t *testing.T) {
	t.Parallel()
	pages, err := corpus.All()
	must(t, err)
	var precisions, recalls []float64
	found := 0
	step := *every * testenv.Step(4)
	for i, p := range pages {
		article, words := bag(textOfHTML(t, p.Article))
		if i%step != 0 || words < leastWords {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			tr := start(t, func(o *engine.Options) { o.Width, o.Height = 1280, 720 })
			tr.must("page.goto", &action.Goto{URL: saved(t, p.HTML), WaitUntil: "domcontentloaded"})
			got := tr.must("page.markdown", &action.Markdown{}).Data.(*action.Marked)
			full := tr.must("page.markdown", &action.Markdown{Full: true}).Data.(*action.Marked)
			if _, shown := shares(article, words, full.Markdown); shown < leastShown {
				t.Skipf("the page shows %.3f of its article without its server", shown)
			}
			precision, recall := shares(article, words, got.Markdown)
			precisions, recalls = append(precisions, precision), append(recalls, recall)
			if got.Article {
				found++
			}
			t.Logf("precision %.3f, recall %.3f, article %v, %d words", precision, recall, got.Article, words)
		})
	}
	precision, recall := mean(precisions), mean(recalls)
	t.Logf("%d articles, %d found as such: precision %.3f, recall %.3f", len(recalls), found, precision, recall)
	if precision < leastPrecision || recall < leastRecall {
		t.Errorf("precision %.3f, recall %.3f", precision, recall)
	}
}

func mean(figures []float64) float64 {
	sum := 0.0
	for _, f := range figures {
		sum += f
	}
	return sum / float64(max(len(figures), 1))
}
