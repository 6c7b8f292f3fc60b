package engine_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

var refNumber = regexp.MustCompile(`\[e\d+\]`)

func TestASentenceWithLinksIsOneLine(t *testing.T) {
	tr := start(t)
	tr.visit(`<title>Guide</title><p>See the <a href="#guide" onclick="heard = 'guide'"><b>guide</b></a> for <em>more</em>, or <a href="#ada">Ada</a>.</p><p>Next</p>
		<p><a href="#eve">Eve</a> wrote <span style="display:none">not </span>this<br>and that.</p>
		<div>Words</div><a href="#own">Own</a>
		<div><a href="#a">One</a> | <a href="#b">Two</a></div>
		<p>Boxes <a href="#box" style="display:inline-block">Box</a> and <button>Go</button> now</p>`)
	text := tr.sees(bot)
	_, got, _ := strings.Cut(refNumber.ReplaceAllString(text, "[e]"), "\n")
	want := ` text "See the" link "guide" [e] "for more, or" link "Ada" [e] "."
 text "Next"
 text link "Eve" [e] "wrote this and that."
 text "Words"
 link "Own" [e]
 link "One" [e]
 text "|"
 link "Two" [e]
 text "Boxes"
 link "Box" [e]
 text "and"
 button "Go" [e]
 text "now"
`
	if got, _, _ = strings.Cut(got, "…"); got != want {
		t.Errorf("shown:\n%s", got)
	}
	tr.must("page.click", &action.Click{Locator: action.Locator{Ref: refNumber.FindString(text)[1:3]}})
	tr.wantEval(`heard`, "guide")
}
