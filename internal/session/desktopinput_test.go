package session_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func at(x, y int) action.MouseMove { return action.MouseMove{X: x, Y: y} }

func spot(x, y float64) action.Locator { return action.Locator{X: &x, Y: &y} }

func TestInputInAPageIsAVerbOfThePage(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	move := at(100, 187)
	for _, c := range []struct {
		verb    string
		args    any
		focused string
		page    string // empty: there is none
		want    any
	}{
		{"desktop.mouse_move", &move, "", "page.hover", &action.Hover{Locator: spot(100, 100)}},
		{"desktop.mouse_click", &action.MouseClick{MouseMove: move, Button: "right", ClickCount: 2}, "", "page.click", &action.Click{Locator: spot(100, 100), Button: "right", ClickCount: 2}},
		{"desktop.mouse_drag", &action.MouseDrag{StartX: 100, StartY: 187, EndX: 5, EndY: 88}, "", "page.drag", &action.Drag{From: spot(100, 100), To: spot(5, 1)}},
		{"desktop.mouse_scroll", &action.MouseScroll{MouseMove: move, DeltaX: -1, DeltaY: 2}, "", "page.scroll", &action.Scroll{X: -120, Y: 240, AtX: new(100.0), AtY: new(100.0)}},
		{"desktop.key_press", &action.KeyPress{Key: "z", Modifiers: action.KeyModifiers{Ctrl: true, Shift: true}}, "", "page.press", &action.Press{Key: "Control+Shift+z"}},
		{"desktop.key_type", &action.KeyType{Text: "Ada", DelayMs: 5}, "e7", "page.type", &action.Type{Locator: action.Locator{Ref: "e7"}, Input: "Ada", Delay: 5}},
		{"desktop.key_type", &action.KeyType{Text: "A"}, "", "page.press", &action.Press{Key: "A"}},
		{"desktop.mouse_down", &action.MouseButton{X: new(100), Y: new(187)}, "", "", nil},
		{"desktop.key_down", &action.KeyHold{Key: "a"}, "e7", "", nil},
		{"page.click", &action.Click{}, "", "", nil},
	} {
		r.page(s.Box).set(func(t *tab) { t.focused = c.focused })
		for _, who := range []action.Caller{alice, admin} {
			call := action.Call{Verb: c.verb, Caller: who, Session: s.ID, Args: c.args}
			page, equals, err := r.PageAct(t.Context(), call)
			must(t, err)
			if equals != (c.page != "") || equals && (page.Verb != c.page || page.Session != s.ID || !cmp.Equal(page.Args, c.want)) {
				t.Errorf("%s by %s is %v %s %+v", c.verb, who.Role, equals, page.Verb, page.Args)
			}
		}
	}
	_, _, err := r.PageAct(t.Context(), action.Call{Verb: "desktop.key_type", Caller: alice, Session: s.ID, Args: &action.KeyType{Text: "two letters"}})
	wants(t, fault.NotActionable, err, "click a field")
	_, _, err = r.PageAct(t.Context(), action.Call{Verb: "desktop.key_type", Caller: bob, Session: s.ID, Args: &action.KeyType{Text: "x"}})
	wants(t, fault.SessionNotFound, err)
	r.hands(admin, "session.take", s.ID, &action.Hands{})
	_, equals, err := r.PageAct(t.Context(), action.Call{Verb: "desktop.mouse_click", Caller: admin, Session: s.ID, Args: &action.MouseClick{MouseMove: move}})
	if must(t, err); equals {
		t.Error("what the holder clicks is a verb of the page")
	}
	_, _, err = r.PageAct(t.Context(), action.Call{Verb: "desktop.mouse_click", Caller: alice, Session: s.ID, Args: &action.MouseClick{MouseMove: move}})
	wants(t, fault.SessionPaused, err)
	_, _, err = r.PageAct(t.Context(), action.Call{Verb: "desktop.mouse_click", Caller: ben, Session: s.ID, Args: &action.MouseClick{MouseMove: move}})
	wants(t, fault.SessionPaused, err)
}

// TestInputToTheDisplayIsAdmittedOnlyWhereItWasJudged checks which input pages are
// told to accept.
func TestInputToTheDisplayIsAdmittedOnlyWhereItWasJudged(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	page := r.page(s.Box)
	admits := func() (n, now int) {
		page.set(func(t *tab) { n, now = t.admits, t.admitted })
		return n, now
	}
	result, err := r.call(t.Context(), admin, "desktop.mouse_click", s.ID, &action.MouseClick{MouseMove: at(100, 20)})
	must(t, err)
	if got := result.Data.(*action.DesktopPointer); got.X != 100 || got.Y != 20 || got.Window == "" {
		t.Errorf("the pointer is at %+v", got)
	}
	if n, _ := admits(); n != 0 {
		t.Error("pages accept a click beside them")
	}
	_, err = r.call(t.Context(), admin, "desktop.mouse_click", s.ID, &action.MouseClick{MouseMove: at(100, 200)})
	wants(t, fault.PageChanged, err) // it equals a verb of the page
	page.set(func(t *tab) { t.below = "link" })
	for i, who := range []action.Caller{admin, alice} {
		down := action.Call{ID: "c1", Verb: "desktop.mouse_down", Caller: who, Session: s.ID, Args: &action.MouseButton{X: new(100), Y: new(200)}}
		facts, pin, err := r.Look(t.Context(), down)
		must(t, err)
		if facts.Element == nil || facts.Session.ID != s.ID || facts.Destination.Host == "" || pin.Node != "link" {
			t.Errorf("the look found %+v, pinned %+v", facts, pin)
		}
		page.set(func(t *tab) { t.below = "another" })
		before, _ := r.engine.Input(s.Box)
		_, err = r.Do(t.Context(), down, pin)
		wants(t, fault.PageChanged, err)
		if after, _ := r.engine.Input(s.Box); len(after) != len(before) {
			t.Errorf("the display got %v", after[len(before):])
		}
		page.set(func(t *tab) {
			if t.below = "link"; len(t.strokes) > 0 {
				r.t.Errorf("the page got %v", t.strokes)
			}
		})
		must(t, errOf(r.Do(t.Context(), down, pin)))
		if n, now := admits(); n != i+1 || now != 0 {
			t.Errorf("pages were told %d times, %d hold", n, now)
		}
	}
	must(t, errOf(r.call(t.Context(), admin, "desktop.key_down", s.ID, &action.KeyHold{Key: "Shift"})))
	if got := r.show(admin, s.ID).Actions; got != 6 { // also what was refused at the last moment
		t.Errorf("%d actions are counted", got)
	}
	_, releases := r.engine.Input(s.Box)
	r.hands(admin, "session.take", s.ID, &action.Hands{})
	if _, now := r.engine.Input(s.Box); releases != 0 || now != 1 {
		t.Errorf("%d releases before a person took it, %d after", releases, now)
	}
}

func TestTheHolderUsesTheDisplay(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	r.hands(admin, "session.take", s.ID, &action.Hands{})
	for _, c := range []struct {
		verb string
		args any
		want string
	}{
		{"desktop.mouse_move", new(at(5, 300)), "[{move 5 300 0 0 0 0  0}]"},
		{"desktop.mouse_click", &action.MouseClick{MouseMove: at(5, 300), Button: "right"}, "[{buttonDown 5 300 3 0 0 0  0} {buttonUp 5 300 3 0 0 0  0}]"},
		{"desktop.mouse_click", &action.MouseClick{ClickCount: 2}, "[{buttonDown 0 0 1 0 0 0  0} {buttonUp 0 0 1 0 0 0  0} {buttonDown 0 0 1 0 0 0  0} {buttonUp 0 0 1 0 0 0  0}]"},
		{"desktop.mouse_down", &action.MouseButton{X: new(7), Y: new(8)}, "[{buttonDown 7 8 1 0 0 0  0}]"},
		{"desktop.mouse_up", &action.MouseButton{}, "[{buttonUp 7 8 1 0 0 0  0}]"}, // where the pointer is
		{"desktop.mouse_scroll", &action.MouseScroll{MouseMove: at(5, 6), DeltaX: 1, DeltaY: -2}, "[{scroll 5 6 0 1 -2 0  0}]"},
		{"desktop.key_press", &action.KeyPress{Key: "Enter", Modifiers: action.KeyModifiers{Ctrl: true}}, "[{keyDown 0 0 0 0 0 65507  0} {keyDown 0 0 0 0 0 65293  0} {keyUp 0 0 0 0 0 65293  0} {keyUp 0 0 0 0 0 65507  0}]"},
		{"desktop.key_type", &action.KeyType{Text: "a\r\nb"}, "[{text 0 0 0 0 0 0 a\nb 0}]"},
		{"desktop.key_type", &action.KeyType{Text: "ab", DelayMs: 1}, "[{text 0 0 0 0 0 0 a 0} {text 0 0 0 0 0 0 b 0}]"},
		{"desktop.key_down", &action.KeyHold{Key: "ß"}, "[{keyDown 0 0 0 0 0 223  0}]"},
		{"desktop.key_up", &action.KeyHold{Key: "漢"}, "[{keyUp 0 0 0 0 0 16805666  0}]"},
	} {
		before, _ := r.engine.Input(s.Box)
		must(t, errOf(r.call(t.Context(), admin, c.verb, s.ID, c.args)))
		after, _ := r.engine.Input(s.Box)
		if got := fmt.Sprint(after[len(before):]); got != c.want {
			t.Errorf("%s: %s, want %s", c.verb, got, c.want)
		}
	}
	before, _ := r.engine.Input(s.Box)
	must(t, errOf(r.call(t.Context(), admin, "desktop.mouse_drag", s.ID, &action.MouseDrag{StartX: 10, StartY: 20, EndX: 30, EndY: 40})))
	after, _ := r.engine.Input(s.Box)
	drag := after[len(before):]
	if drag[0] != (action.PersonInput{Kind: "buttonDown", X: 10, Y: 20, Button: 1}) || drag[len(drag)-1] != (action.PersonInput{Kind: "buttonUp", X: 30, Y: 40, Button: 1}) || !slices.Contains(drag, action.PersonInput{Kind: "move", X: 20, Y: 30}) {
		t.Errorf("the drag is %v", drag)
	}
	for _, wrong := range []string{"Hyper", "", "\x00", "ab"} {
		_, err := r.call(t.Context(), admin, "desktop.key_press", s.ID, &action.KeyPress{Key: wrong})
		wants(t, fault.InvalidRequest, err)
	}
	admitted := 0
	r.page(s.Box).set(func(t *tab) { admitted = t.admitted })
	if admitted != 0 {
		t.Error("pages go on to accept input")
	}
	_, err := r.call(t.Context(), alice, "desktop.mouse_click", s.ID, &action.MouseClick{})
	wants(t, fault.SessionPaused, err)
	r.hands(admin, "session.hand_back", s.ID, &action.HandBack{})
	if _, releases := r.engine.Input(s.Box); releases != 1 {
		t.Errorf("%d releases after the hand-back", releases)
	}
}
