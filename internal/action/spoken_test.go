package action_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestHintsSpeakToWhoReadsThem(t *testing.T) {
	for hint, want := range map[string]struct{ agents, people string }{
		"take a page.snapshot, or use page.find": {"take a browser_snapshot, or use browser_find", "take a glovebox snapshot, or use glovebox find"},
		"leave this to browser_request_human":    {"leave this to browser_request_human", "leave this to glovebox session take"},
		"use browser_fill_form or page.batch":    {"use browser_fill_form or browser_batch", "use glovebox type or glovebox batch"},
		"take a new snapshot and look again":     {"call browser_snapshot and look again", "run glovebox snapshot and look again"},
		"wait, then take a screenshot":           {"wait, then call browser_take_screenshot", "wait, then run glovebox screenshot"},
		"run glovebox doctor":                    {"tell your user that a person has to do this: run glovebox doctor", "run glovebox doctor"},
		"sudo systemctl start docker":            {"tell your user that a person has to do this: sudo systemctl start docker", "sudo systemctl start docker"},
		"an operator runs glovebox vault check":  {"an operator runs glovebox vault check", "an operator runs glovebox vault check"},
		"set security.network and www.page.org":  {"set security.network and www.page.org", "set security.network and www.page.org"},
	} {
		if agents, people := action.ForAgents(hint), action.ForPeople(hint); agents != want.agents || people != want.people {
			t.Errorf("%q: to agents %q, to people %q", hint, agents, people)
		}
	}
}

func TestToolsAreFoundByTheirNames(t *testing.T) {
	for name, want := range map[string]string{"browser_click": "page.click", "click": "page.click", "browser_read": "page.extract", "browser_nothing": ""} {
		verb, known := action.OfTool(name)
		if known != (want != "") || known && verb.Name != want {
			t.Errorf("%s is %+v", name, verb)
		}
	}
	got := string(action.OfToolArgs([]byte(`{"element":"the button","target":"#save","clear_first":true,"session":"s"}`)))
	if got != `{"clear":true,"selector":"#save"}` {
		t.Errorf("got %s", got)
	}
}
