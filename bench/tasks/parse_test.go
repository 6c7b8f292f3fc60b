package tasks

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/bench/tasks/sites"
)

// The same page as each server writes it.
var written = map[string]string{
	"Glovebox": `page "Shop" http://localhost/
 heading "Basket \"new\"" level=1
 textbox "Name" [e3] value="a: \"b\"" required
 row
  cell "Ada"
  button "Open" [e5] expanded=false
 text "Rest: here."`,
	"Playwright": `- generic [active] [ref=e1]:
  - heading "Basket \"new\"" [level=1] [ref=e2]
  - textbox "Name" [ref=e3]: "a: \"b\""
  - row [ref=e4]:
    - cell "Ada" [ref=e6]
    - 'button "Open" [ref=e5]'
  - link "x" [ref=f1e7] [cursor=pointer]:
    - /url: /x
  - paragraph [ref=e8]: "Rest: here."`,
	"agent-browser": `- heading "Basket \"new\"" [level=1, ref=e1]
- textbox "Name" [required, ref=e3]: a: "b"
- cell "Ada" [ref=e4]
- button "Open" [expanded=false, ref=e5]
- StaticText "Rest: here."`,
	"chrome-devtools-mcp": `uid=1_0 RootWebArea "Shop" url="http://localhost/"
  uid=1_1 heading "Basket "new"" level="1"
  uid=e3 textbox "Name" value="a: \"b\""
  uid=1_2 "Ada"
  uid=e5 button "Open" expandable
  uid=1_3 "Rest: here."`,
}

func TestAPageIsReadFromEachServersOwnText(t *testing.T) {
	for server, text := range written {
		p := parse(text)
		if name := p.Field("Name"); name.Ref != "e3" || name.Value != `a: "b"` {
			t.Errorf("%s: the field is %+v", server, name)
		}
		if button := p.After("Ada").Press("Open"); button.Ref != "e5" {
			t.Errorf("%s: the button is %+v", server, button)
		}
		if !p.Has("Rest: here.") || p.Match(`Rest: (\w+)`) != "here" {
			t.Errorf("%s: the text is %q", server, p.Text())
		}
		if none := p.Press("Close"); none.Ref != "" || none.want == "" {
			t.Errorf("%s: what is not there is %+v", server, none)
		}
	}
}

func TestTheLinksOfRunningTextAreNodes(t *testing.T) {
	p := parse(` text "See the \"old\"" link "guide" [e5] current=page "or" (+12) link "list" [e7] link "more" [e9] "at last."` + "\n text link \"Ada\" [e11] \"wrote.\"")
	for name, ref := range map[string]string{"guide": "e5", "list": "e7", "more": "e9", "Ada": "e11"} {
		if got := p.Press(name); got.Ref != ref || got.Role != "link" {
			t.Errorf("%s is %+v", name, got)
		}
	}
	if got := strings.ReplaceAll(p.Text(), "\n", "|"); got != `See the "old"|guide|or|list|more|at last.|Ada|wrote.` {
		t.Errorf("the words are %s", got)
	}
}

func TestATextIsPressedByWhatItIsIn(t *testing.T) {
	p := parse("- listitem [ref=e7]:\n  - text: Ada\n- text: Eve")
	if in := p.Words("Ada"); in.Ref != "e7" {
		t.Errorf("the text is pressed at %+v", in)
	}
	if alone := p.Words("Eve"); alone.Ref != "" {
		t.Errorf("a text in nothing is pressed at %+v", alone)
	}
}

func TestChangesAreLaidOverThePageThatWasKnown(t *testing.T) {
	before := `button "Save" [e1]
textbox "Name" [e2]
text "Old"
text "2 items"
table
 row
  cell "Ada"
  button "Open" [e3]
 row
  cell "Eve"
  button "Open" [e4]
link "More" [e5]`
	after := parse(before).changed(`~ button "Saved" [e1] disabled (was "Save")
~ text "3 items" (was "2 items")
~ link "More" [e9] (was [e5])
- text "Old"
- row "Ada"
in status:
+ status
+  text "Done"`)
	want := "Saved Name 3 items Eve Open More Done"
	if got := strings.Join(strings.Fields(after.Text()), " "); got != want || after.Press("Saved").Ref != "e1" || after.Press("More").Ref != "e9" || after.Press("Open").Ref != "e4" {
		t.Errorf("the page is %q, not %q: %+v", got, want, after)
	}
}

func TestWhatStandsBesideAMatchIsFoundAfterIt(t *testing.T) {
	p := parse(unfolded(`cell "Ada" (beside link "Details" [e4], checkbox "Pick" [e5]) (in heading "Rooms" > table)`))
	if link := p.After("Ada").Press("Details"); link.Ref != "e4" {
		t.Errorf("the link is %+v in %+v", link, p)
	}
}

func TestEverySiteHasAPolicy(t *testing.T) {
	for _, site := range sites.All() {
		if policies()[site.Name] == nil {
			t.Errorf("nothing does %s", site.Name)
		}
	}
	for name := range policies() {
		if _, known := sites.Named(name); !known {
			t.Errorf("%s has no site", name)
		}
	}
	if len(policies()) < 48 {
		t.Errorf("%d policies", len(policies()))
	}
}
