package engine_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestMarkdownKeepsTheWordsOfPicturesAndLinks(t *testing.T) {
	const pixel = `data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=`
	const size = ` width=40 height=40 src="` + pixel + `"`
	for name, c := range map[string]struct{ html, want, full string }{
		"an image":                   {`<p>Before <img alt="A [black] cat"` + size + `> after</p>`, `Before ![A \[black\] cat] after`, ""},
		"one that only decorates":    {`<p>Text<img alt=""` + size + `><img` + size + `></p>`, "Text", ""},
		"a link that is an image":    {`<p><a href="https://a.example/"><img alt="Home"` + size + `></a></p>`, "[Home](https://a.example/)", ""},
		"an image beside words":      {`<p><a href="https://a.example/"><img alt="Logo"` + size + `>Home</a></p>`, "[Home](https://a.example/)", ""},
		"an icon that has a name":    {`<p>Text <a href="https://a.example/" aria-label="Settings"><i style="display:inline-block;width:20px;height:20px;background:red"></i></a></p>`, "Text [Settings](https://a.example/)", ""},
		"a link without any words":   {`<p>Text<a href="https://a.example/"><i style="display:inline-block;width:20px;height:20px;background:red"></i></a></p>`, "Text", ""},
		"links to share by":          {`<p>Text</p><p><a href="https://www.facebook.com/sharer/sharer.php?u=x">Facebook</a><a href="https://twitter.com/intent/tweet?u=x">Tweet</a></p>`, "Text", "Text\n\n[Facebook](https://www.facebook.com/sharer/sharer.php?u=x)[Tweet](https://twitter.com/intent/tweet?u=x)"},
		"a row that is named for it": {`<p>Text</p><div class="post social-share"><span>Share</span><a href="https://a.example/f">f</a></div>`, "Text", "Text\n\nShare[f](https://a.example/f)"},
		"words about sharing":        {`<div class="share"><p>Share your work <a href="https://a.example/f">here</a>.</p></div>`, "Share your work [here](https://a.example/f).", ""},
		"a menu":                     {`<ul role="menu"><li role="menuitem">File</li></ul><p>Text</p>`, "Text", "- File\n\nText"},
	} {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.visit("<!doctype html>" + c.html)
			if got := tr.must("page.markdown", &action.Markdown{}).Data.(*action.Marked).Markdown; got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if got := tr.must("page.markdown", &action.Markdown{Full: true}).Data.(*action.Marked).Markdown; c.full != "" && got != c.full {
				t.Errorf("full: got  %q\nwant %q", got, c.full)
			}
		})
	}
}
