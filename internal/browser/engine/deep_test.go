package engine_test

import (
	"fmt"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// TestADeepPageIsRead: scripts nest elements deeper than the browser's parser
// does, and deeper than the stack of a script lets each be visited.
func TestADeepPageIsRead(t *testing.T) {
	tr := start(t)
	for _, kinds := range []string{"'div'", "'ul', 'li'", "'blockquote'", "'table', 'tbody', 'tr', 'td'", "'my-box'", "'section', 'article', 'label', 'b', 'span'"} {
		tr.visit(fmt.Sprintf(`<body><h1>Top</h1><script>
			const kinds = [%s];
			let at = document.body;
			for (let i = 0; i < 1000; i++) {
				const inner = document.createElement(kinds[i %% kinds.length]);
				at.append(inner);
				at = inner.localName === 'my-box' ? inner.attachShadow({mode: 'open'}) : inner;
			}
			at.append('Bottom');
		</script>`, kinds))
		wants(t, tr.shows(&action.TakeSnapshot{}).Text, `heading "Top"`)
		for verb, args := range map[string]any{
			"page.markdown": &action.Markdown{}, "page.extract": &action.Extract{}, "page.links": &action.None{}, "page.find": &action.Find{Text: "Top"},
			"page.click": &action.Click{Locator: action.Locator{Role: "heading", Name: "Top"}},
		} {
			if _, err := tr.do(verb, args); err != nil {
				t.Errorf("%s in %s: %v", verb, kinds, err)
			}
		}
	}
}
