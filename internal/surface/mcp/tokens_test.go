package mcp_test

import (
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// A report of changes of two nodes takes at most 60 tokens of the vocabulary
// o200k, including headings and marks.
func TestTwoChangedNodesAreSixtyTokens(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"~ text \"3 items\" (was \"2 items\")\n~ button \"Remove\" [e14] (was \"Add\")\n",
		"in row \"Ada Lovelace\":\n~ checkbox \"Watch\" [e7] checked\n+ text \"Watching\"\n",
	} {
		got := textOf(t, changing(&action.Changes{Text: text}, nil))
		if n, err := codec.Count(got); err != nil || n > 60 {
			t.Errorf("%d tokens, %v:\n%s", n, err, got)
		} else {
			t.Logf("%d tokens:\n%s", n, got)
		}
	}
}

func textOf(t *testing.T, d *fakeGate) string {
	t.Helper()
	return text(t, use(t, connect(t, surface(t, d), nil), "browser_click", map[string]any{"target": "e1"}))
}
