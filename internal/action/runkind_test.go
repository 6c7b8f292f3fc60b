package action_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Actions of a run may have the names of the verbs and tools that do the same.
func TestActionsOfARunTakeTheNamesOfTools(t *testing.T) {
	for given, want := range map[string]string{
		`{"type":"browser_click","ref":"e1"}`:                      "left_click",
		`{"type":"page.type","selector":"#a","value":"x"}`:         "form_input",
		`{"type":"goto","url":"https://a.example/"}`:               "navigate",
		`{"type":"browser_wait_for","text":"Ready"}`:               "wait",
		`{"type":"left_click","ref":"e1"}`:                         "left_click",
		`{"type":"browser_navigate_back"}`:                         "go_back",
		`{"type":"snapshot"}`:                                      "read_page",
		`{"type":"browser_take_screenshot","name":"a"}`:            "screenshot",
		`{"type":"find","text":"a"}`:                               "search_text",
		`{"type":"browser_select_option","ref":"e1","options":[]}`: "form_input",
	} {
		var a action.RunAction
		if err := action.Decode([]byte(given), &a); err != nil || a.Type != want {
			t.Errorf("%s: %q, %v", given, a.Type, err)
		}
	}
	for given, want := range map[string]string{
		`{"action":"click","ref":"e1"}`:        "action is called type here",
		`{"type":"left_clik","ref":"e1"}`:      "did you mean left_click?",
		`{"type":"fly"}`:                       "give one of navigate,",
		`{"type":"browser_click","url":"x"}`:   "url does not go with left_click",
		`{"type":"left_click","target":"e1"}`:  "target does not go with left_click",
		`{"type":"navigate","action":"click"}`: "action does not go with navigate",
	} {
		var a action.RunAction
		err := action.Decode([]byte(given), &a)
		if f := fault.From(err); err == nil || !strings.Contains(f.Message+" "+f.Hint, want) {
			t.Errorf("%s: %v, want %q", given, err, want)
		}
	}
}
