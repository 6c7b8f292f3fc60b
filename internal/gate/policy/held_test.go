package policy_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// TestAHeldButtonIsJudgedAsAClickAndMediumAtLeast checks that no button or key that is
// pressed and released by two calls is judged lower than a click or a press.
func TestAHeldButtonIsJudgedAsAClickAndMediumAtLeast(t *testing.T) {
	p, err := policy.New(policy.Config{Enabled: true, Trusted: []string{"app.example.com"}})
	if err != nil {
		t.Fatal(err)
	}
	page := action.Page{URL: "https://app.example.com/"}
	tab, remove := &action.Element{Role: "tab", Name: "History"}, &action.Element{Role: "button", Tag: "button", Name: "Delete account"}
	secret := &action.Element{Role: "textbox", Tag: "input", Type: "password", Editable: true, Protected: true}
	for name, c := range map[string]struct {
		verb     string
		args     any
		element  *action.Element
		risk     action.Risk
		decision policy.Decision
	}{
		"beside the page":      {"desktop.mouse_down", &action.MouseButton{}, nil, action.Medium, policy.Allow},
		"on a tab":             {"desktop.mouse_down", &action.MouseButton{}, tab, action.Medium, policy.Allow},
		"on what deletes":      {"desktop.mouse_down", &action.MouseButton{}, remove, action.High, policy.Ask},
		"released over it":     {"desktop.mouse_up", &action.MouseButton{}, remove, action.High, policy.Ask},
		"Enter on it":          {"desktop.key_down", &action.KeyHold{Key: "Enter"}, remove, action.High, policy.Ask},
		"space on it":          {"desktop.key_up", &action.KeyHold{Key: " "}, remove, action.High, policy.Ask},
		"a letter of a secret": {"desktop.key_down", &action.KeyHold{Key: "x"}, secret, action.Critical, policy.Deny},
		"Tab":                  {"desktop.key_down", &action.KeyHold{Key: "Tab"}, tab, action.Medium, policy.Allow},
	} {
		verb, _ := action.Lookup(c.verb)
		call := action.Call{Verb: c.verb, Caller: action.Caller{Actor: "a", Scope: "s", Role: action.Agent}, Args: c.args}
		v := p.Decide(call, verb, action.Facts{Page: page, Element: c.element})
		if v.Risk < c.risk || v.Decision != c.decision {
			t.Errorf("%s: %v %v by %s, want %v %v", name, v.Decision, v.Risk, v.Rule, c.decision, c.risk)
		}
	}
}

// TestAgentsDoNotUseTheDisplayOfASessionWithCredentials checks each verb that gives
// input to the display or shows what nothing redacts.
func TestAgentsDoNotUseTheDisplayOfASessionWithCredentials(t *testing.T) {
	p, err := policy.New(policy.Config{Enabled: true, Trusted: []string{"app.example.com"}})
	if err != nil {
		t.Fatal(err)
	}
	facts := action.Facts{Page: action.Page{URL: "https://app.example.com/"}, Session: action.SessionFacts{Credentialed: true}}
	for _, name := range []string{
		"desktop.screenshot", "desktop.screenshot_region", "desktop.clipboard", "desktop.clipboard_set", "desktop.mouse_move", "desktop.mouse_click",
		"desktop.mouse_down", "desktop.mouse_up", "desktop.mouse_drag", "desktop.mouse_scroll", "desktop.key_type", "desktop.key_press", "desktop.key_down", "desktop.key_up",
	} {
		verb, _ := action.Lookup(name)
		v := p.Decide(action.Call{Verb: name, Caller: action.Caller{Actor: "a", Scope: "s", Role: action.Agent}, Args: verb.NewArgs()}, verb, facts)
		if v.Decision != policy.Deny || v.Rule != action.WithheldRule || v.Hint == "" {
			t.Errorf("%s: %v by %s", name, v.Decision, v.Rule)
		}
	}
}
