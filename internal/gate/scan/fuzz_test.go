package scan

import (
	"strings"
	"testing"
	"time"
)

// The scan of any text ends soon, and finds a separate credential whatever is around it.
func FuzzFind(f *testing.F) {
	for _, text := range ordinaryTexts() {
		f.Add(text.Label, text.Value)
	}
	for _, c := range typed {
		f.Add(c.label, c.text)
	}
	f.Add("token", strings.Repeat("%25", 100))
	f.Fuzz(func(t *testing.T, label, text string) {
		began := time.Now()
		new(Scanner).Find(Text{Field: "text", Label: label, File: label, Value: text})
		if took := time.Since(began); took > time.Second+time.Duration(len(text))*10*time.Microsecond {
			t.Errorf("%d bytes took %v", len(text), took)
		}
		if kinds := kindsIn(Text{Value: text + "\n" + github + "\n" + text}); len(kinds) == 0 {
			t.Errorf("a token between two of these texts is not found")
		}
	})
}

func TestNoTextPanics(t *testing.T) {
	for _, text := range []string{"", "%", "%%%", "\x00", "\xff\xfe", "://", "@", "1", "key=", "-----BEGIN", strings.Repeat("key=", 9), "4.", "4-", "4 "} {
		new(Scanner).Find(Text{Label: text, File: text, Value: text})
	}
}
