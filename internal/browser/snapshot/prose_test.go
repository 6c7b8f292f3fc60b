package snapshot_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
)

func TestPartsOfProseContainEachCharacterOnceWithinTheBudget(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.StringN(0, 300, 900), 0, 60).Draw(rt, "paragraphs"), rapid.SampledFrom([]string{"", " ", "\n\n"}).Draw(rt, "between"))
		o := snapshot.Options{}
		var whole strings.Builder
		for {
			o.MaxTokens = rapid.IntRange(500, 3000).Draw(rt, "max_tokens")
			part := snapshot.Prose(text, "Title", "https://a.example/", o)
			if n := counted(rt, part.Text); n > part.Tokens || part.Tokens > o.MaxTokens {
				rt.Fatalf("a part of %d tokens is said to have %d of %d", n, part.Tokens, o.MaxTokens)
			}
			if part.Next == 0 {
				whole.WriteString(part.Text)
				break
			}
			if part.Next <= o.Offset || !strings.HasPrefix(text[o.Offset:], strings.TrimRight(part.Text[:strings.LastIndex(part.Text, "\n… ")], "\n")) {
				rt.Fatalf("from %d to %d there is %q", o.Offset, part.Next, part.Text)
			}
			whole.WriteString(text[o.Offset:part.Next])
			o.Offset = part.Next
		}
		if whole.String() != text {
			rt.Errorf("the parts together are %q, not %q", whole.String(), text)
		}
	})
}

func TestAnOffsetInsideACharacterStartsAtTheNextOne(t *testing.T) {
	for offset := range 12 {
		part := snapshot.Prose("日本語abc", "", "", snapshot.Options{Offset: offset})
		if !utf8.ValidString(part.Text) || !strings.HasSuffix("日本語abc", part.Text) {
			t.Errorf("from %d on it is %q", offset, part.Text)
		}
	}
}
