package snapshot

import (
	"context"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// known finds a secret, also with the spaces that a line adds.
func known(secret string) func(string) [][2]int {
	return func(text string) (all [][2]int) {
		for at := range text {
			for end := at + 1; end <= len(text); end++ {
				if bare := strings.ReplaceAll(text[at:end], " ", ""); bare == secret && text[at] != ' ' {
					all = append(all, [2]int{at, end})
					break
				}
			}
		}
		return all
	}
}

func TestSecretsCannotBeFoundOrShown(t *testing.T) {
	p := &Page{Title: "key canary-7", Nodes: []*action.Node{
		{Role: "text", Name: "Your key is canary-7, keep it"},
		{Role: "textbox", Name: "Key", Value: "canary-7", States: map[string]any{"description": "canary-7", "focused": true}, Children: []*action.Node{{Role: "button", Name: "Copy canary-7"}}},
		{Role: "text", Name: "split: can"}, {Role: "link", Name: "ary-7"}, {Role: "text", Name: "end"},
	}}
	p.Conceal(Concealer{known("canary-7"), "[redacted]"})
	for _, word := range []string{"canary", "ary-", "can"} {
		if found, n := p.Find(context.Background(), Query{Text: word, Limit: 9}); n > 0 {
			t.Errorf("%s is found in %+v", word, found)
		}
	}
	got, n := p.Find(context.Background(), Query{Text: "your key", Limit: 9, Context: 10})
	if n != 1 || !strings.Contains(got[0].Text, "[redac") {
		t.Errorf("beside it there is %+v", got)
	}
	if p.Title != "key [redacted]" || p.Nodes[1].Value != "[redacted]" || p.Nodes[1].States["focused"] != true || p.Nodes[4].Name != "end" {
		t.Errorf("it is %q, %+v, %+v", p.Title, p.Nodes[1], p.Nodes[4])
	}
}
