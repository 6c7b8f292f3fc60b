package action_test

import (
	"testing"
	"unicode"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestTyped(t *testing.T) {
	for text, want := range map[string]struct {
		typed string
		left  int
	}{
		"plain\ttext\n":                 {"plain\ttext\n", 0},
		"a\r\nb\rc":                     {"a\nb\nc", 0},
		"\x1b[1;31mFAIL\x1b[0m 3 tests": {"FAIL 3 tests", 2},
		"\x1b]8;;https://a.example\x1b\\a\x1b]8;;\x07": {"a", 2},
		"\u009b2Kdone\x00\x7f":                         {"done", 3},
		"an open \x1b]8;;string stays":                 {"an open ]8;;string stays", 1},
		"\x1b(Bx\x1b":                                  {"x", 2},
		"né 👩\u200d🚀":                                  {"né 👩\u200d🚀", 0},
	} {
		if typed, left := action.Typed(text); typed != want.typed || left != want.left {
			t.Errorf("%q is typed %q without %d, want %q without %d", text, typed, left, want.typed, want.left)
		}
	}
}

func FuzzTyped(f *testing.F) {
	f.Add("\x1b[1;31mFAIL\x1b[0m\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		typed, _ := action.Typed(text)
		for _, r := range typed {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				t.Fatalf("%q has %q left", typed, r)
			}
		}
		if again, left := action.Typed(typed); again != typed || left != 0 {
			t.Fatalf("%q is typed %q again", typed, again)
		}
	})
}
