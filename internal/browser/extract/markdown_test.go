package extract_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/browser/extract"
)

func TestMarkdownKeepsStructure(t *testing.T) {
	cases := map[string]struct{ html, want string }{
		"headings and text": {`<h1>A &amp; B</h1><p>One <strong>two</strong> <em>three</em> <del>four</del>.</p>`, "# A & B\n\nOne **two** *three* ~~four~~."},
		"link":              {`<p>See <a href="https://a.example/x?y=1&amp;z=2">the page</a>.</p>`, "See [the page](https://a.example/x?y=1&z=2)."},
		"nested lists": {
			`<ul><li>One<ul><li>One a</li><li>One b<ol><li>First</li><li>Second</li></ol></li></ul></li><li>Two</li></ul>`,
			"- One\n  \n  - One a\n  - One b\n    \n    1. First\n    2. Second\n- Two",
		},
		"list that starts late": {`<ol start="3"><li>Three</li><li>Four</li></ol>`, "3. Three\n4. Four"},
		"code":                  {`<p>Run <code>go test</code>:</p><pre><code class="language-go">if a &lt; b {&#10;&#10;&#10;&#10;	go()&#10;}</code></pre>`, "Run `go test`:\n\n```go\nif a < b {\n\n\n\n\tgo()\n}\n```"},
		"table": {
			`<table><tr><th>Item</th><th>Price</th></tr><tr><td>Pen | red</td><td>1.20</td></tr></table>`,
			"| Item | Price |\n|---|---|\n| Pen \\| red | 1.20 |",
		},
		"table without a head":          {`<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>`, "| a | b |\n|---|---|\n| c | d |"},
		"quote":                         {`<blockquote><p>Said</p></blockquote>`, "> Said"},
		"text that looks like markdown": {`<p># not a heading</p><p>1. not a list</p>`, "\\# not a heading\n\n1\\. not a list"},
		"image":                         {`<p><img src="https://a.example/i.png" alt="A cat"></p>`, "![A cat](https://a.example/i.png)"},
		"empty":                         {"", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := extract.Markdown(c.html)
			if err != nil || got != c.want {
				t.Errorf("got %q, %v\nwant %q", got, err, c.want)
			}
		})
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"<p>a</p>", "<ul><li><ul><li>", "<table><tr><td colspan=3 rowspan=900>x<td>", "<pre><code>```</code></pre>", "<a href='https://a.example/)'>](", "\x00<b>", strings.Repeat("<div>", 200),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, html string) {
		got, err := extract.Markdown(html)
		if err == nil && utf8.ValidString(html) && !utf8.ValidString(got) {
			t.Errorf("%q is not UTF-8", got)
		}
	})
}
