package action_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestCombinationsAreSplitIntoHeldAndPressedKeys(t *testing.T) {
	for combination, want := range map[string]string{
		"Enter": "|Enter", "Ctrl+Return": "Control|Enter", "Cmd+Shift+Del": "Meta,Shift|Delete", "Space": "| ",
		"+": "|+", "++": "|+", "Control++": "Control|+", "Shift+": "Shift|", "a": "|a", "": "|",
		"ctrl+a": "Control|a", "CTRL+A": "Control|A", "shift+Tab": "Shift|Tab", "ctrl + Enter": "Control|Enter", "pagedown": "|PageDown", "f5": "|F5",
		" ": "| ", "Shift+ ": "Shift| ", "é": "|é", "nokey": "|nokey",
	} {
		held, pressed := action.SplitKeys(combination)
		if got := strings.Join(held, ",") + "|" + pressed; got != want {
			t.Errorf("%q is %q, want %q", combination, got, want)
		}
	}
}
