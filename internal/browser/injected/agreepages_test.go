package injected_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/corpus"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// still serves a page whose scripts and resources are blocked, and returns its
// address.
func still(t *testing.T, html []byte) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		_, _ = w.Write(html)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// tally counts how often we and Chromium agree.
type tally struct {
	compared, roles, names int
	differ                 map[string]int // by what differs, an example of each
}

func (a *tally) take(n *injected.Node, ax axNode) {
	a.compared++
	role := ax.Role.Value
	if other, found := sameRole[role]; found {
		role = other
	}
	if role == n.Role || n.Role == "generic" {
		a.roles++ // what only listens has whatever role it has
	} else {
		a.differ[fmt.Sprintf("role %s, Chromium %s: %.60q", n.Role, ax.Role.Value, n.Name)]++
	}
	name := squeezed(ax.Name.Value)
	if ours := squeezed(n.Name); ours == name || n.Role == "generic" {
		a.names++
	} else {
		a.differ[fmt.Sprintf("%s %.80q, Chromium %.80q", n.Role, ours, name)]++
	}
}

func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }

// Names and roles of controls on real pages are those of Chromium's own tree.
// Of 5,548 controls of 22 pages, 99.98 % of the roles and 99.71 % of the names
// were the same. The differences are intended: letters as written and not as
// CSS transforms them, no unprintable characters, no text that a person cannot
// see, editable elements are textboxes, and a player is not named after its
// state.
func TestNamesOnRealPagesAgreeWithChromium(t *testing.T) {
	pages, err := corpus.All()
	must(t, err)
	a := &tally{differ: map[string]int{}}
	step := testenv.Step(4)
	for i := 0; i < len(pages); i += 4 * step {
		p := blank(t)
		p.visit(still(t, pages[i].HTML))
		tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{NoURLs: true})
		must(t, err)
		theirs, backends := p.accessibility(), p.backends(tree)
		each(tree.Nodes, func(n *injected.Node) {
			if n.Number == 0 || n.Frame {
				return
			}
			if ax, known := theirs[backends[n.Number]]; known && !ax.Ignored {
				a.take(n, ax)
			}
		})
	}
	t.Logf("%d controls: %.2f %% roles, %.2f %% names", a.compared, percent(a.roles, a.compared), percent(a.names, a.compared))
	for what, times := range a.differ {
		t.Logf("%d × %s", times, what)
	}
	if a.compared < 1600/step || percent(a.roles, a.compared) < 99.9 || percent(a.names, a.compared) < 99.5 {
		t.Error("too few are the same")
	}
}

// backends returns the DOM domain's ids of numbered elements. Both sides list
// the elements of a document in the same order.
func (p *tab) backends(tree *injected.Tree) map[int]int64 {
	p.t.Helper()
	var numbers []int
	each(tree.Nodes, func(n *injected.Node) {
		if n.Number != 0 {
			numbers = append(numbers, n.Number)
		}
	})
	list, err := json.Marshal(numbers)
	must(p.t, err)
	var places struct{ Result struct{ Value []int } }
	expression := "(() => { const all = new Map([...document.querySelectorAll('*')].map((e, i) => [e, i])); return " + string(list) + ".map(n => all.get(__glovebox.element(n)) ?? -1) })()"
	must(p.t, p.Call(p.ctx, "Runtime.evaluate", map[string]any{"expression": expression, "uniqueContextId": p.frame.Unique, "returnByValue": true}, &places))
	order := p.elements()
	out := map[int]int64{}
	for i, at := range places.Result.Value {
		if at >= 0 {
			out[numbers[i]] = order[at]
		}
	}
	return out
}

// elements returns the ids of all elements in document order.
func (p *tab) elements() []int64 {
	p.t.Helper()
	type node struct {
		Backend  int64 `json:"backendNodeId"`
		NodeType int
		Children []node
	}
	var doc struct{ Root node }
	must(p.t, p.Call(p.ctx, "DOM.getDocument", map[string]any{"depth": -1}, &doc))
	var order []int64
	var visit func(node)
	visit = func(n node) {
		if n.NodeType == 1 {
			order = append(order, n.Backend)
		}
		for _, child := range n.Children {
			visit(child)
		}
	}
	visit(doc.Root)
	return order
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(max(whole, 1)) }

func each(nodes []*injected.Node, visit func(*injected.Node)) {
	for _, n := range nodes {
		visit(n)
		each(n.Children, visit)
	}
}
