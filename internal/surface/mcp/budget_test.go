package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
)

// The budget of a snapshot applies to the whole answer, including a long title
// and address.
func TestAnAnswerWithASnapshotIsWithinTheBudgetOfTokens(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	tree := &injected.Tree{URL: "https://shop.example/" + strings.Repeat("a-long-way/", 20), Title: strings.Repeat("A title that goes on ", 9), Hidden: 7}
	for i := range 3000 {
		tree.Nodes = append(tree.Nodes, &injected.Node{Text: fmt.Sprintf("Line %d says something that nobody needs to know.", i)})
	}
	page := snapshot.Merge(&snapshot.Frame{Document: "A", Tree: tree}, new(snapshot.Refs))
	d := &fakeGate{answer: func(_ context.Context, c action.Call) (action.Result, error) {
		a := c.Args.(*action.TakeSnapshot)
		part := page.Part(snapshot.Options{MaxTokens: a.MaxTokens, Offset: a.Offset})
		return action.Result{Session: "s", Data: &action.Snapshot{Text: part.Text, URL: tree.URL, Title: tree.Title, Hidden: tree.Hidden, NextOffset: part.Next}}, nil
	}}
	c := connect(t, surface(t, d), nil)
	for _, most := range []int{700, 1000, 6000, 24_000} {
		for _, offset := range []int{0, 4007} {
			got := text(t, use(t, c, "browser_snapshot", map[string]any{"max_tokens": most, "offset": offset}))
			n, err := codec.Count(got)
			if err != nil || n > most || n < most/3 {
				t.Errorf("of %d tokens %d are used, from %d on: %v", most, n, offset, err)
			}
		}
	}
}
