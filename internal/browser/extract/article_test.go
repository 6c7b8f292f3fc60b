package extract_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/browser/extract"
)

// story returns some paragraphs of an article.
func story(paragraphs int) string {
	var b strings.Builder
	for i := range paragraphs {
		fmt.Fprintf(&b, "<p>Paragraph %d says, at the length that paragraphs of an article have, what happened on the day before; who was there, what they said, and what others think of it since then, with commas.</p>", i)
	}
	return b.String()
}

func TestAnArticleIsWrittenWithoutWhatStandsAroundIt(t *testing.T) {
	page := `<div class="menu"><ul><li><a href="https://a.example/1">Sport</a></li><li><a href="https://a.example/2">Weather</a></li></ul></div>` +
		`<div class="content"><h1>What happened</h1><article class="story">` + story(12) + `<p><x-image>A cat on a roof</x-image></p><pre><code class="language-go">go()</code></pre></article></div>` +
		`<div class="sidebar related"><a href="https://a.example/3">Read this too</a></div>`
	text, found, err := extract.Article(page, false)
	if err != nil || !found {
		t.Fatalf("no article: %v", err)
	}
	for _, want := range []string{"# What happened\n", "Paragraph 0 says", "Paragraph 11 says", "![A cat on a roof]", "```go\ngo()"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	for _, around := range []string{"Weather", "Read this too"} {
		if strings.Contains(text, around) {
			t.Errorf("%q is in\n%s", around, text)
		}
	}
}

func TestPagesThatAreNoArticlesAreWhole(t *testing.T) {
	var cards, rows strings.Builder
	for i := range 40 {
		fmt.Fprintf(&cards, `<div class="card"><h3>Product %d</h3><p>Light, and made to last.</p><p>%d.00 EUR</p><button>Buy</button></div>`, i, i)
		fmt.Fprintf(&rows, `<tr><td><a href="https://a.example/%d">Order %d</a></td><td>paid</td></tr>`, i, i)
	}
	comments := ""
	for i := range 30 {
		comments += fmt.Sprintf(`<div class="comment"><p>Comment %d is about something else, and as long as what people write when they are sure of a thing, which they often are, and longer still.</p></div>`, i)
	}
	for name, page := range map[string]string{
		"a list of products": cards.String(), "a table": "<table>" + rows.String() + "</table>", "a form": "<form><p>Name</p><button>Send</button></form>", "nothing": "",
		"a question with long answers": `<div class="question">` + story(5) + "</div>" + comments + comments,
	} {
		if text, found, err := extract.Article(page, false); found || err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

func FuzzArticle(f *testing.F) {
	f.Add("<article>"+story(5)+"</article>", true)
	f.Add(strings.Repeat("<div>", 300)+"<p>x", false)
	f.Add(`<div class="a"><p>`+strings.Repeat("a, ", 300)+"<br><br>b</p></div>", true)
	f.Fuzz(func(t *testing.T, page string, declared bool) {
		text, found, err := extract.Article(page, declared)
		if found && err == nil && utf8.ValidString(page) && !utf8.ValidString(text) {
			t.Errorf("%q is not UTF-8", text)
		}
	})
}
