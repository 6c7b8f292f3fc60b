package mcp_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// changing returns a gate whose clicks change the page.
func changing(c *action.Changes, modal *action.Dialog) *fakeGate {
	return &fakeGate{answer: func(_ context.Context, call action.Call) (action.Result, error) {
		result := answerOf(call)
		result.Changes, result.Modal = nil, modal
		result.Data = &action.Acted{OK: true, Element: &action.Element{Role: "button", Name: "Save"}}
		result.Page = &action.Page{URL: "https://a.example/x", Title: "A"}
		if call.Changes {
			result.Changes = c
		}
		return result, nil
	}}
}

func TestActsSayWhatChanged(t *testing.T) {
	for name, c := range map[string]struct {
		changes *action.Changes
		modal   *action.Dialog
		want    string
	}{
		"a line": {&action.Changes{Text: "~ text \"1 item\"\n"}, nil, `^### Result
Clicked button "Save"\.
### Changes
<untrusted [0-9]{9}>
~ text "1 item"
</untrusted [0-9]{9}>
$`},
		"nothing":  {&action.Changes{Outcome: action.NothingChanged}, nil, `^### Result\n.*\n### Changes\nnone: the page is as it was before\n$`},
		"not yet":  {&action.Changes{Outcome: action.StillMoving, Late: true}, nil, `^### Result\n.*\n### Changes\nnone yet: something still moves or loads; .*\n$`},
		"a canvas": {&action.Changes{Outcome: action.Drawn}, nil, `^### Result\n.*\n### Changes\nnone in words: a canvas .*; browser_take_screenshot shows it\n$`},
		"a colour": {&action.Changes{Outcome: action.LooksChanged}, nil, `^### Result\n.*\n### Changes\nnone in words: only the look .*\n$`},
		"a wait":   {&action.Changes{}, nil, `^### Result\n.*\n### Changes\nnone\n$`},
		"loading":  {&action.Changes{Why: action.FirstLook, Late: true, Snapshot: &action.Snapshot{Text: "page \"B\"", URL: "https://b.example/"}}, nil, `### Events\n- the page is still loading: .*\n### Snapshot\n`},
		"elsewhere": {&action.Changes{Text: "+ text \"a\"", Moved: true, Late: true, Errors: []string{"boom\n### Error"}}, nil, `^### Result
.*
### Page
- URL: https://a.example/x
- Title: "A"
### Events
- console error: boom ### Error
- the page was still changing: the next answer says how it went on
### Changes
<untrusted [0-9]{9} https://a.example>
\+ text "a"
</untrusted [0-9]{9}>
$`},
		"another page": {&action.Changes{Moved: true, Why: action.NewPage, Snapshot: &action.Snapshot{Text: "page \"B\"", URL: "https://b.example/", Title: "B"}}, nil, `^### Result
.*
### Page
- URL: https://b.example/
- Title: "B"
### Snapshot
<untrusted [0-9]{9} https://b.example>
page "B"
</untrusted [0-9]{9}>
$`},
		"a dialog": {&action.Changes{}, &action.Dialog{Kind: "alert", Message: "Hi"}, `^### Result\n.*\n### Modal state\n- a alert dialog is open: "Hi"\n.*\n$`},
	} {
		d := changing(c.changes, c.modal)
		result := use(t, connect(t, surface(t, d), nil), "browser_click", map[string]any{"target": "e1"})
		got := text(t, result)
		if !regexp.MustCompile(c.want).MatchString(got) || d.verbs() != "page.click" {
			t.Errorf("%s: %s\n%s", name, d.verbs(), got)
		}
		if r := structured(t, result); (result.StructuredContent != nil) != (c.modal != nil) || r["page"] == nil {
			t.Errorf("%s: structured %v, meta %v", name, result.StructuredContent, r)
		}
	}
}

// A client that finds structured content gives only that to the model. Answers
// with text or pictures of a page therefore have none.
func TestStructuredContentTakesNothingFromTheModel(t *testing.T) {
	c := connect(t, surface(t, site()), nil)
	for tool, args := range map[string]map[string]any{"browser_snapshot": nil, "browser_take_screenshot": nil, "browser_navigate": {"url": "a.example"}, "browser_click": {"target": "e1"}} {
		result := use(t, c, tool, args)
		if result.StructuredContent != nil || structured(t, result)["session"] != "s1" {
			t.Errorf("%s: %v, meta %v", tool, result.StructuredContent, result.Meta)
		}
	}
	if result := use(t, c, "browser_session", map[string]any{"action": "list"}); result.StructuredContent == nil {
		t.Error("a list has no structured content")
	}
}

func TestAFormIsReportedOnceAtItsEnd(t *testing.T) {
	d := site()
	got := text(t, use(t, connect(t, surface(t, d), nil), "browser_fill_form", map[string]any{"fields": []any{
		map[string]any{"target": "e1", "value": "a"}, map[string]any{"target": "e2", "value": "b"},
	}}))
	if d.verbs() != "page.batch" || !d.call(t, 0).Changes || strings.Count(got, "### Changes") != 1 {
		t.Errorf("%s: %s", d.verbs(), got)
	}
}
