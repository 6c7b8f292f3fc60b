package session_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// asGate makes a call of input as the gate does: as the verb of the page that it equals,
// if it equals one.
func (r *rig) asGate(who action.Caller, verb, key string, args any) error {
	r.t.Helper()
	page, equals, err := r.PageAct(r.t.Context(), action.Call{ID: "c1", Verb: verb, Caller: who, Session: key, Args: args})
	if err != nil {
		return err
	}
	if equals {
		verb, args = page.Verb, page.Args
	}
	return errOf(r.call(r.t.Context(), who, verb, key, args))
}

// TestAgentsGiveNoInputToTheDisplay tries every verb of mouse and keyboard on the page and
// beside it.
func TestAgentsGiveNoInputToTheDisplay(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	page := r.page(s.Box)
	page.set(func(t *tab) { t.below, t.focused = "link", "e7" })
	tried := map[string]bool{}
	for _, c := range []struct {
		verb   string
		args   any
		beside bool
	}{
		{"desktop.mouse_move", new(at(100, 187)), false},
		{"desktop.mouse_move", new(at(100, 86)), true},
		{"desktop.mouse_click", &action.MouseClick{MouseMove: at(100, 187)}, false},
		{"desktop.mouse_click", &action.MouseClick{MouseMove: at(100, 187), Button: "right"}, false},
		{"desktop.mouse_click", &action.MouseClick{MouseMove: at(100, 60)}, true},
		{"desktop.mouse_click", &action.MouseClick{MouseMove: at(100, 0), Button: "middle"}, true},
		{"desktop.mouse_drag", &action.MouseDrag{StartX: 100, StartY: 187, EndX: 5, EndY: 88}, false},
		{"desktop.mouse_drag", &action.MouseDrag{StartX: 100, StartY: 187, EndX: 5, EndY: 8}, true},
		{"desktop.mouse_drag", &action.MouseDrag{StartX: 100, StartY: 7, EndX: 5, EndY: 88}, true},
		{"desktop.mouse_scroll", &action.MouseScroll{MouseMove: at(100, 187), DeltaY: 1}, false},
		{"desktop.mouse_scroll", &action.MouseScroll{DeltaY: 1}, true},
		{"desktop.mouse_down", &action.MouseButton{X: new(100), Y: new(187)}, false},
		{"desktop.mouse_up", &action.MouseButton{X: new(100), Y: new(60)}, true},
		{"desktop.mouse_up", &action.MouseButton{}, false}, // where it was pressed
		{"desktop.mouse_down", &action.MouseButton{X: new(100), Y: new(60)}, true},
		{"desktop.mouse_down", &action.MouseButton{X: new(100), Y: new(60), Button: "middle"}, true},
		{"desktop.key_type", &action.KeyType{Text: "https://denied.example\n"}, false},
		{"desktop.key_press", &action.KeyPress{Key: "Enter"}, false},
		{"desktop.key_press", &action.KeyPress{Key: "l", Modifiers: action.KeyModifiers{Ctrl: true}}, true},
		{"desktop.key_down", &action.KeyHold{Key: "Control"}, false},
		{"desktop.key_down", &action.KeyHold{Key: "l"}, true},
		{"desktop.key_up", &action.KeyHold{Key: "l"}, false},
		{"desktop.key_down", &action.KeyHold{Key: "a"}, false},
		{"desktop.key_up", &action.KeyHold{Key: "a"}, false},
		{"desktop.key_up", &action.KeyHold{Key: "Control"}, false},
		{"desktop.key_down", &action.KeyHold{Key: "F6"}, true},
	} {
		tried[c.verb] = true
		switch err := r.asGate(alice, c.verb, s.ID, c.args); {
		case c.beside && (fault.CodeOf(err) != fault.DeniedByPolicy || !strings.Contains(fault.From(err).Hint, "page.")):
			t.Errorf("%s %+v: %v", c.verb, c.args, err)
		case !c.beside && err != nil:
			t.Errorf("%s %+v: %v", c.verb, c.args, err)
		}
		if sent, _ := r.engine.Input(s.Box); len(sent) > 0 {
			t.Fatalf("%s %+v: the display got %v", c.verb, c.args, sent)
		}
	}
	for _, v := range action.Verbs {
		if strings.HasPrefix(v.Name, "desktop.") && v.Counts && !tried[v.Name] {
			t.Errorf("%s was not tried", v.Name)
		}
	}
	want := []string{
		"t1 left at 100, 100 down []", "t1 left at 100, 100 up []",
		"t1 Control down []", "t1 l up [Control]", "t1 a down [Control]", "t1 a up [Control]", "t1 Control up []",
	}
	page.set(func(p *tab) {
		if !slices.Equal(p.strokes, want) {
			t.Errorf("the page got %s", cmp.Diff(want, p.strokes))
		}
	})
}

// TestWhatAnAgentHoldsIsReleased checks that a person gets a page in which nothing is
// pressed.
func TestWhatAnAgentHoldsIsReleased(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	page := r.page(s.Box)
	page.set(func(t *tab) { t.below = "link" })
	must(t, r.asGate(alice, "desktop.key_down", s.ID, &action.KeyHold{Key: "Ctrl"}))
	must(t, r.asGate(alice, "desktop.key_down", s.ID, &action.KeyHold{Key: "Shift"}))
	must(t, r.asGate(alice, "desktop.mouse_down", s.ID, &action.MouseButton{X: new(100), Y: new(187), Button: "middle"}))
	page.set(func(t *tab) { t.strokes = nil })
	r.hands(admin, "session.take", s.ID, &action.Hands{})
	want := []string{" middle at -1, -1 up []", " Shift up [Control]", " Control up []"}
	page.set(func(p *tab) {
		if !slices.Equal(p.strokes, want) {
			t.Errorf("the page got %s", cmp.Diff(want, p.strokes))
		}
		p.strokes = nil
	})
	r.hands(admin, "session.hand_back", s.ID, &action.HandBack{})
	page.set(func(p *tab) {
		if len(p.strokes) > 0 {
			t.Errorf("after that the page got %v", p.strokes)
		}
	})
}

func TestKeysOfAgentsAreForPages(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	for keys, refused := range map[string]string{
		"a A z 0 / + ß 漢 Shift+a Enter Shift+Enter Control+Enter Tab Shift+Tab Escape Backspace Control+Backspace Delete Shift+Delete": "",
		"Control+Delete Insert Control+Insert Shift+Insert Home End Control+Home Control+Shift+End PageUp Shift+PageDown":              "",
		"ArrowLeft Control+ArrowRight Control+Shift+ArrowLeft Alt+ArrowDown Alt+ArrowUp Control+Space Space F2 F4 F8 F9":               "",
		"Control+a Control+c Control+x Control+v Control+z Control+y Control+b Control+i Control+Shift+z Control+Shift+v Control+Z":    "",
		"Shift Control Alt Meta Ctrl+a Return Del Esc": "",

		"Control+l Control+L Ctrl+l Alt+d Alt+D F6 Shift+F6 Control+k Control+e Alt+Home":                               "page.",
		"Control+t Control+n Control+Shift+n Control+N Control+Shift+t":                                                 "tab.open",
		"Control+w Control+F4 Control+Shift+w Alt+F4":                                                                   "tab.close",
		"Control+Tab Control+Shift+Tab Shift+Control+Tab Control+PageUp Control+PageDown Control+1 Control+8 Control+9": "tab.activate",
		"F5 Control+r Control+Shift+r Shift+F5 Control+F5":                                                              "page.reload",
		"Alt+ArrowLeft Alt+ArrowRight Alt+Left":                                                                         "page.back",
		"Control+f F3 Control+g Shift+F3":                                                                               "page.find",
		"Control+p Control+s":                                                                                           "page.pdf",
		"F12 Control+Shift+i Control+Shift+j":                                                                           "page.console",
		"Control+o Control+j Control+h Control+d Control+u Control+Shift+c Control+Shift+a Alt+f Alt+e Alt+Shift+t F10 Shift+F10": "page verbs",
		"F11 F1 F7 Shift+Escape Control+Shift+Delete Control+Shift+b Control+Shift+o Control+Shift+m ContextMenu Alt+Space":       "page verbs",
		"Control++ Control+- Control+0 Meta+a Meta+ArrowLeft Control+Alt+a Control+Alt+ArrowDown Control+Meta+c Alt+Tab Alt+a":    "page verbs",
		"Control+Escape Alt+Escape PrintScreen Control+Shift+Escape Control+q Control+Shift+q Control+Shift+x Control+F6":         "page verbs",
	} {
		for _, key := range strings.Fields(keys) {
			held, pressed := action.SplitKeys(key)
			args := &action.KeyPress{Key: pressed, Modifiers: action.KeyModifiers{
				Ctrl: slices.Contains(held, "Control"), Shift: slices.Contains(held, "Shift"), Alt: slices.Contains(held, "Alt"), Cmd: slices.Contains(held, "Meta"),
			}}
			for _, how := range []any{args, &action.KeyPress{Key: key}} {
				_, equals, err := r.PageAct(t.Context(), action.Call{Verb: "desktop.key_press", Caller: alice, Session: s.ID, Args: how})
				switch {
				case refused == "" && (err != nil || !equals):
					t.Errorf("%s: %v", key, err)
				case refused != "" && (equals || fault.CodeOf(err) != fault.DeniedByPolicy || !strings.Contains(fault.From(err).Hint, refused)):
					t.Errorf("%s: %v (%s)", key, err, hintOf(fault.From(err)))
				}
			}
			_, equals, err := r.PageAct(t.Context(), action.Call{Verb: "desktop.key_press", Caller: admin, Session: s.ID, Args: args})
			if must(t, err); !equals {
				t.Errorf("%s of an operator is no verb of the page", key)
			}
		}
	}
	for _, unknown := range []string{"Hyper", "ab", "BrowserBack", "F13", "Control+Hyper", "Hyper+a"} {
		_, equals, err := r.PageAct(t.Context(), action.Call{Verb: "desktop.key_press", Caller: alice, Session: s.ID, Args: &action.KeyPress{Key: unknown}})
		if equals || fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: %v", unknown, err)
		}
	}
}
