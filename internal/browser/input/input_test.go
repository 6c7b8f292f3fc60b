package input

import (
	"encoding/json"
	"strings"
	"testing"
)

// sent writes events in a line: the type, and the key, text or point.
func sent(events []Event) string {
	var words []string
	for _, e := range events {
		switch p := e.Params.(type) {
		case keyEvent:
			words = append(words, p.Type+" "+p.Key)
		case mouse:
			words = append(words, p.Type)
		case map[string]string:
			words = append(words, "insert "+p["text"])
		case map[string]any:
			words = append(words, p["type"].(string))
		}
	}
	return strings.Join(words, ", ")
}

func TestAChordHoldsItsModifiers(t *testing.T) {
	for chord, want := range map[string]string{
		"Enter":     "keyDown Enter, keyUp Enter",
		"Ctrl+a":    "rawKeyDown Control, rawKeyDown a, keyUp a, keyUp Control",
		"Shift+a":   "rawKeyDown Shift, keyDown A, keyUp A, keyUp Shift",
		"Control++": "rawKeyDown Control, rawKeyDown +, keyUp +, keyUp Control",
		"+":         "keyDown +, keyUp +",
	} {
		held, k, err := Chord(chord)
		if err != nil {
			t.Errorf("%s: %v", chord, err)
		} else if got := sent(k.Events(held)); got != want {
			t.Errorf("%s sends %q, want %q", chord, got, want)
		}
	}
	if _, _, err := Chord("Hyper+a"); err == nil {
		t.Error("takes an unknown modifier")
	}
}

func TestTextThatNoKeyTypesIsInserted(t *testing.T) {
	var got []string
	for _, group := range TypingPlan("aéb\n\tc", true) {
		got = append(got, sent(group))
	}
	want := "keyDown a, keyUp a | insert é | keyDown b, keyUp b | insert \n\t | keyDown c, keyUp c"
	if strings.Join(got, " | ") != want {
		t.Errorf("sends %q, want %q", got, want)
	}
	if plan := TypingPlan(strings.Repeat("a", mostKeys+1), true); len(plan) != 1 || len(plan[0]) != 1 {
		t.Errorf("a long text is sent as %d groups", len(plan))
	}
}

func TestADoubleClickPressesTwice(t *testing.T) {
	want := "mouseMoved, mousePressed, mouseReleased, mousePressed, mouseReleased"
	if got := sent(Click(1, 2, "left", 2, 0)); got != want {
		t.Errorf("sends %q, want %q", got, want)
	}
}

func TestADragLeavesNoButtonPressed(t *testing.T) {
	var d Drag
	d.Press(10, 10)
	d.Lift()
	if got := sent(d.Cancel()); got != "mouseMoved, mouseReleased" || d.X != -1 {
		t.Errorf("cancels with %q at %v", got, d.X)
	}
	d = Drag{}
	d.Press(10, 10)
	d.Lift()
	d.Data = json.RawMessage(`{}`)
	if path := d.Path(100, 100, true); len(path) != 2 || sent(path[0]) != "dragEnter, dragOver" || sent(path[1]) != "dragOver" {
		t.Errorf("moves at once by %v", path)
	}
	if got := sent([]Event{d.Drop(100, 100)}); got != "drop" {
		t.Errorf("drops with %q", got)
	}
	if rest := d.Cancel(); rest != nil {
		t.Errorf("sends %v after the drop", rest)
	}
}

func TestKeysThatOnlyChangeTheTextOfAField(t *testing.T) {
	for key, want := range map[string]bool{
		"a": true, "A": true, "Shift+a": true, " ": true, "ä": true, "Backspace": true, "Delete": true,
		"Enter": false, "Tab": false, "Escape": false, "ArrowDown": false, "F5": false, "Control+a": false, "Alt+x": false, "nothing": false,
	} {
		if got := Writes(key); got != want {
			t.Errorf("%q: %v, want %v", key, got, want)
		}
	}
}

func TestTextThatNoPageSeesAsKeysIsInsertedAtOnce(t *testing.T) {
	var got []string
	for _, group := range TypingPlan("ab c\n", false) {
		got = append(got, sent(group))
	}
	if want := "insert ab c\n"; strings.Join(got, " | ") != want {
		t.Errorf("sends %q, want %q", got, want)
	}
}
