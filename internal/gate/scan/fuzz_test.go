package scan

import (
	"strings"
	"testing"
)

// The scan of any text ends, and finds a separate credential whatever is around it.
func FuzzFind(f *testing.F) {
	for _, text := range ordinaryTexts() {
		f.Add(text.Label, text.Value)
	}
	for _, c := range typed {
		f.Add(c.label, c.text)
	}
	f.Add("token", strings.Repeat("%25", 100))
	f.Fuzz(func(t *testing.T, label, text string) {
		new(Scanner).Find(Text{Field: "text", Label: label, File: label, Value: text})
		if kinds := kindsIn(Text{Value: text + "\n" + github + "\n" + text}); len(kinds) == 0 {
			t.Errorf("a token between two of these texts is not found")
		}
	})
}

// TestTheScanOfALongTextEnds uses texts of which a scan that reads parts of them
// again and again would take longer than any test may.
func TestTheScanOfALongTextEnds(t *testing.T) {
	size := 1 << 20
	if testing.Short() {
		size = 1 << 18
	}
	for _, piece := range []string{"a", "4", "%25", "key=", "-----BEGIN ", "://", "a@", "4-", "eyJ", "=\"", "\n"} {
		text := strings.Repeat(piece, size/len(piece))
		new(Scanner).Find(Text{Field: "text", Label: text[:1000], File: text[:1000], Value: text})
	}
}

func TestNoTextPanics(t *testing.T) {
	for _, text := range []string{"", "%", "%%%", "\x00", "\xff\xfe", "://", "@", "1", "key=", "-----BEGIN", strings.Repeat("key=", 9), "4.", "4-", "4 "} {
		new(Scanner).Find(Text{Label: text, File: text, Value: text})
	}
}
