package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func (tr *trial) shows(a *action.TakeSnapshot) *action.Snapshot {
	tr.t.Helper()
	return tr.must("page.snapshot", a).Data.(*action.Snapshot)
}

// wants holds what a text must have, and what it must not, after a "!".
func wants(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if not, unwanted := strings.CutPrefix(word, "!"); unwanted == strings.Contains(text, not) {
			t.Errorf("%q is wrong in\n%s", word, text)
		}
	}
}

func TestTheVisiblePartIsShownAlone(t *testing.T) {
	tr := start(t)
	tr.visit(`<title>V</title><style>body{margin:0} .tall{height:2000px} .box{height:60px;overflow:auto} .box div{height:40px}</style>
		<h1>Top</h1><button>Here</button><p>Words above</p>
		<div class=box><div><a href="#a">First</a></div><div>second</div><div><a href="#b">Third</a> below the edge</div></div>
		<iframe srcdoc="<button>Framed</button><div style='height:900px'></div><button>Deep</button>" style="height:100px"></iframe>
		<div class=tall></div><h2>Far</h2><input aria-label="Mail"><select aria-label="Size"><option>S<option>M</select><p>Words <b>below</b></p>
		<div style="position:fixed;bottom:0"><button>Fixed</button></div>`)
	view := tr.shows(&action.TakeSnapshot{Viewport: true}).Text
	wants(t, view, `heading "Top"`, `button "Here"`, `text "Words above"`, `link "First"`, "second", `button "Framed"`, `button "Fixed"`, "more out of view",
		"!Third", "!below", "!Deep", "!Far", "!Mail", "!Size")
	tr.must("page.scroll", &action.Scroll{Locator: selector("h2")})
	wants(t, tr.shows(&action.TakeSnapshot{Viewport: true}).Text, `heading "Far"`, `textbox "Mail"`, `combobox "Size"`, "Words below", `button "Fixed"`, "!Here", "!First")
	wants(t, tr.shows(&action.TakeSnapshot{}).Text, "Here", "Third", "Deep", "Far", "Mail", "Fixed", "!out of view")
}

func long(paragraphs int) string {
	var b strings.Builder
	b.WriteString("<title>Long</title><nav>")
	for i := range 40 {
		fmt.Fprintf(&b, "<a href='/%d'>Section %d</a> ", i, i)
	}
	b.WriteString("<input type=search aria-label=Search></nav><main><h1>Story</h1>")
	for i := range paragraphs {
		fmt.Fprintf(&b, "<p>Paragraph %d begins. %s</p>", i, strings.Repeat("It goes on with more words. ", 20))
	}
	return b.String() + "<button>Order</button></main>"
}

func TestALongPageIsShortAndTellsHowToSeeTheRest(t *testing.T) {
	tr := start(t)
	tr.visit(long(50))
	shot := tr.shows(&action.TakeSnapshot{})
	wants(t, shot.Text, "Paragraph 0 begins", "Paragraph 49 begins", `searchbox "Search"`, `button "Order"`, "… shortened:", " more; ref=e")
	if shot.Tokens > 3000 || shot.NextOffset != 0 {
		t.Errorf("it takes %d tokens, and goes on at %d", shot.Tokens, shot.NextOffset)
	}
	_, ref, _ := strings.Cut(shot.Text, " more; ref=")
	ref, _, _ = strings.Cut(ref, "\n")
	wants(t, tr.shows(&action.TakeSnapshot{Ref: ref}).Text, "Section 0", "Section 39")
	whole := tr.shows(&action.TakeSnapshot{MaxTokens: 24_000})
	if n := strings.Count(whole.Text, "It goes on"); n != 1000 {
		t.Errorf("of 1000 sentences %d are there", n)
	}
}

func TestAPageThatDoesNotFitIsPaged(t *testing.T) {
	tr := start(t)
	tr.visit(long(400))
	for _, format := range []string{"text", "markdown"} {
		var all strings.Builder
		a := &action.TakeSnapshot{Format: format, MaxTokens: 2000}
		for parts := 0; ; parts++ {
			shot := tr.shows(a)
			if shot.Tokens > 2000 || parts > 200 {
				t.Fatalf("part %d takes %d tokens", parts, shot.Tokens)
			}
			all.WriteString(shot.Text)
			if shot.NextOffset == 0 {
				break
			}
			wants(t, shot.Text, fmt.Sprintf("… %d more tokens; offset=%d\n", shot.MoreTokens, shot.NextOffset))
			a.Offset = shot.NextOffset
		}
		for i := range 400 {
			if n := strings.Count(all.String(), fmt.Sprintf("Paragraph %d begins", i)); n != 1 {
				t.Errorf("%s: paragraph %d is there %d times", format, i, n)
			}
		}
	}
}

func TestOnlyControlsAreShownWhereThatIsAsked(t *testing.T) {
	tr := start(t)
	tr.visit(long(3) + `<h2>Pay</h2><p>Prose</p><form><label>Card <input autocomplete=cc-number value=4111111111111111></label></form>`)
	wants(t, tr.shows(&action.TakeSnapshot{Interactive: true}).Text,
		"navigation", `link "Section 0" [e`, `button "Order" [e`, `heading "Pay"`, `textbox "Card" [e`, "(protected)", "!Paragraph", "!Prose", "!4111")
}

func TestSnapshotsOfMarkdownTakeNothingElse(t *testing.T) {
	tr := start(t)
	tr.visit(`<p>x <a href=/y>y</a></p><main>z</main>`)
	for _, a := range []action.TakeSnapshot{{Ref: "e1"}, {Depth: 2}, {Interactive: true}, {Viewport: true}, {URLs: true}} {
		a.Format = "markdown"
		tr.refuse(fault.InvalidRequest, "page.snapshot", &a)
	}
	if text := tr.shows(&action.TakeSnapshot{Format: "markdown"}).Text; !strings.Contains(text, "z") {
		t.Errorf("it is %q", text)
	}
}
