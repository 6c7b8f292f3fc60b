package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
)

func TestControlsWithoutANameSayWhatTheyAreJudgedBy(t *testing.T) {
	tr := start(t)
	tr.visit(`<button onclick="document.title='gone'"><i class="fa fa-trash"></i></button><button id=send-forward></button><button>Save</button><button></button>
		<a href=/profile><svg width=20 height=20></svg></a><span style="cursor:pointer" data-testid=close-panel onclick="1"><svg width=20 height=20></svg></span><input id=q>`)
	shot := tr.sees(bot)
	wants(t, shot, `button [e1] derived="fa-trash"`, `button [e2] derived="send-forward"`, `button "Save" [e3]`+"\n", "button [e4]\n", `link [e5] derived="profile"`, `derived="close-panel"`, `!derived="q"`)
	tr.must("page.click", &action.Click{Locator: action.Locator{Ref: "e1"}})
	tr.wantTitle("gone")
}

func TestGenericElementsAreFoundAsTheyAreShown(t *testing.T) {
	tr := start(t)
	tr.visit(`<div><div>Around</div><div style="cursor:pointer" onclick="document.title='one'">First <b>thing</b></div><div style="cursor:pointer" onclick="document.title='two'">Second thing</div></div>`)
	wants(t, tr.sees(bot), `generic "First thing" [e1]`, `generic "Second thing" [e2]`)
	tr.must("page.click", &action.Click{Locator: action.Locator{Role: "generic", Name: "Second thing"}})
	tr.wantTitle("two")
	if got := tr.click(action.Locator{Role: "generic"}); got.Matches != 2 || got.Element.Ref != "e1" {
		t.Errorf("%+v %+v", got, got.Element)
	}
}

func TestAnIndexOfTwentyAndMoreIsFound(t *testing.T) {
	var html strings.Builder
	for i := range 60 {
		fmt.Fprintf(&html, `<button onclick="document.title='%d'">Open</button> `, i)
	}
	for name, credentialed := range map[string]bool{"plain": false, "with credentials": true} {
		t.Run(name, func(t *testing.T) {
			tr := start(t, func(o *engine.Options) { o.Credentialed = func() bool { return credentialed } })
			tr.visit(html.String())
			at := 45
			tr.must("page.click", &action.Click{Locator: action.Locator{Role: "button", Name: "Open", Index: &at}})
			tr.wantTitle("45")
		})
	}
}

func TestLinesOfPreformattedTextAndValuesAreKept(t *testing.T) {
	tr := start(t)
	tr.visit("<pre>a:\n  b:  1\n\n  c</pre><pre><span>if</span> x\n  <span>go</span></pre><p>One\n two</p><textarea aria-label=Note>first\n  second  line</textarea><p style='white-space:pre-wrap'>x   y</p>")
	wants(t, tr.sees(bot), `text "a:\n  b:  1\n\n  c"`, `text "if x\n  go"`, `text "One two"`, `value="first\n  second  line"`, `text "x   y"`)
	text := tr.must("page.extract", &action.Extract{}).Data.(*action.Extracted).Text
	wants(t, text, "a:\n  b:  1\n\n  c\n", "if x\n  go\n", "One two\n", "x   y")
}
