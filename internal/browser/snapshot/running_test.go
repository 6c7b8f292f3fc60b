package snapshot_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
)

// sentence is running text with links in it.
func sentence(words string, number int) []*node {
	return []*node{
		{Text: "See the"}, {Role: "link", Name: words, Number: number, Joined: true, URL: "https://a.example/" + words},
		{Text: "and the", Joined: true}, {Role: "link", Name: "other " + words, Number: number + 1, Joined: true, URL: "https://a.example/"}, {Text: ".", Joined: true},
	}
}

func TestRunningTextIsOneLineWithItsLinksInPlace(t *testing.T) {
	for name, c := range map[string]struct {
		nodes []*node
		want  string
	}{
		"a sentence":           {sentence("guide", 1), " text \"See the\" link \"guide\" [e1] \"and the\" link \"other guide\" [e2] \".\"\n"},
		"two paragraphs":       {[]*node{{Text: "One"}, {Text: "Two"}, {Role: "link", Name: "x", Number: 1, Joined: true}}, " text \"One\"\n text \"Two\" link \"x\" [e1]\n"},
		"a link that begins":   {[]*node{{Role: "link", Name: "Ada", Number: 1}, {Text: "wrote this", Joined: true}}, " text link \"Ada\" [e1] \"wrote this\"\n"},
		"a link of its own":    {[]*node{{Text: "Words"}, {Role: "link", Name: "x", Number: 1}}, " text \"Words\"\n link \"x\" [e1]\n"},
		"a menu":               {[]*node{{Role: "link", Name: "a", Number: 1}, {Text: "|", Joined: true}, {Role: "link", Name: "b", Number: 2, Joined: true}}, " link \"a\" [e1]\n text \"|\"\n link \"b\" [e2]\n"},
		"a picture in a link":  {[]*node{{Text: "See"}, {Role: "link", Name: "x", Number: 1, Joined: true, Children: []*node{{Role: "img", Name: "y"}}}}, " text \"See\"\n link \"x\" [e1]\n  img \"y\"\n"},
		"a button among words": {[]*node{{Text: "Press"}, {Role: "button", Name: "Go", Number: 1}, {Text: "now"}}, " text \"Press\"\n button \"Go\" [e1]\n text \"now\"\n"},
	} {
		page := snapshot.Merge(frame("A", c.nodes...), new(snapshot.Refs))
		if got := page.Text(snapshot.Options{}); !strings.HasSuffix(got, "/login\n"+c.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	page := snapshot.Merge(frame("A", sentence("guide", 1)...), new(snapshot.Refs))
	if got := page.Text(snapshot.Options{URLs: true}); !strings.Contains(got, ` link "guide" [e1] https://a.example/guide "and the"`) {
		t.Errorf("with addresses: %s", got)
	}
	if got := page.Text(snapshot.Options{Interactive: true}); strings.Contains(got, "See") || strings.Count(got, "\n link ") != 2 {
		t.Errorf("interactive: %s", got)
	}
}

// TestRunningTextCostsLess checks that a sentence costs fewer tokens in one line
// than in one line for each piece.
func TestRunningTextCostsLess(t *testing.T) {
	together, apart := frame("A"), frame("A")
	for i := range 20 {
		for _, n := range sentence(fmt.Sprint("guide", i), 10*i+1) {
			alone := *n
			alone.Joined = false
			together.Tree.Nodes, apart.Tree.Nodes = append(together.Tree.Nodes, n), append(apart.Tree.Nodes, &alone)
		}
	}
	one, each := snapshot.Merge(together, new(snapshot.Refs)).Text(snapshot.Options{}), snapshot.Merge(apart, new(snapshot.Refs)).Text(snapshot.Options{})
	if n, many := counted(t, one), counted(t, each); n >= many || strings.Count(one, "[e") != 40 {
		t.Errorf("%d tokens, in lines of their own %d: %s", n, many, one)
	}
}
