package scan

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLettersTypedOneByOneAreJoined(t *testing.T) {
	var tails TypedTexts
	here := Target{"s1", "d1", "n1"}
	for _, letter := range github {
		text := tails.Join(here, string(letter))
		if len(kindsIn(Text{Value: text})) > 0 {
			if text != github {
				t.Errorf("found after %d letters", len(text))
			}
			return
		}
		tails.Keep(here, text)
	}
	t.Error("not found")
}

func TestTypedTextsOfElementsAndSessionsAreSeparate(t *testing.T) {
	var tails TypedTexts
	tails.Keep(Target{"s1", "d1", "n1"}, "a")
	for _, other := range []Target{{"s2", "d1", "n1"}, {"s1", "d2", "n1"}, {"s1", "d1", "n2"}} {
		if got := tails.Join(other, "b"); got != "b" {
			t.Errorf("%v holds %q", other, got)
		}
	}
	tails.Keep(Target{"s2", "d1", "n1"}, "c")
	tails.Forget("s1")
	if a, c := tails.Join(Target{"s1", "d1", "n1"}, ""), tails.Join(Target{"s2", "d1", "n1"}, ""); a != "" || c != "c" {
		t.Errorf("after forgetting s1 there are %q and %q", a, c)
	}
}

func TestTypedTextsAreBounded(t *testing.T) {
	var tails TypedTexts
	for i := range 3 * maxTargets {
		at := Target{"s", "d", fmt.Sprint(i)}
		tails.Keep(at, strings.Repeat("ü", maxTail))
		if i == 0 {
			if got := tails.Join(at, ""); len(got) > maxTail || !utf8.ValidString(got) {
				t.Errorf("keeps %d bytes, whole characters %t", len(got), utf8.ValidString(got))
			}
		}
		tails.Keep(Target{"s", "d", "busy"}, "x")
	}
	if len(tails.kept) > maxTargets {
		t.Errorf("%d elements are kept", len(tails.kept))
	}
	if got := tails.Join(Target{"s", "d", "busy"}, ""); got != "x" {
		t.Error("an element that is typed into all the time was forgotten")
	}
}
