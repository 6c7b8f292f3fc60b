package injected_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

const casesAtOnce = 60 // on one page: each is some calls, and pages that are too long are slow

// tellNames defines functions that return the names, and the other names, of
// all numbered elements.
const tellNames = `
const numberedIn = root => [...root.querySelectorAll('[data-n]')].flatMap(element => shadowOf(element) === null ? [element] : [element, ...numberedIn(shadowOf(element))]);
globalThis.__names = () => {
  renew();
  return Object.fromEntries(numberedIn(document).map(element => [element.getAttribute('data-n'), [nameOf(element), roleOf(element), element.localName]]));
};
globalThis.__others = () => {
  renew();
  return numberedIn(document).map(element => element.getAttribute('data-n') + ' ' + otherNames(element, nameOf(element)) + ' ' + bareNameOf(element));
};})();`

// putCases writes each case into its own box and numbers the elements,
// including those in shadow roots.
const putCases = `(cases => {
  document.body.replaceChildren();
  let number = 0;
  const visit = (root, at) => {
    for (const element of root.querySelectorAll('*')) {
      element.setAttribute('data-n', at + ':' + ++number);
      if (element.shadowRoot) visit(element.shadowRoot, at);
    }
  };
  cases.forEach((html, at) => {
    const box = document.body.appendChild(document.createElement('div'));
    box.setHTMLUnsafe(html);
    visit(box, at);
  });
})`

// namings is a page whose names are read by us and by Chromium.
type namings struct {
	*tab
	world int64
}

func newNamings(t *testing.T) *namings {
	t.Helper()
	n := &namings{tab: blank(t)}
	n.visit(still(t, []byte(`<!doctype html><title>Names</title><body>`)))
	var made struct{ ExecutionContextID int64 }
	must(t, n.Call(n.ctx, "Page.createIsolatedWorld", map[string]any{"frameId": n.main, "worldName": "names"}, &made))
	n.world = made.ExecutionContextID
	n.eval(strings.TrimSuffix(injected.Source(), "})();\n")+tellNames, nil)
	return n
}

// eval runs a script in the world with our script.
func (n *namings) eval(script string, value any) {
	n.t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	must(n.t, n.Call(n.ctx, "Runtime.evaluate", map[string]any{"expression": script, "contextId": n.world, "returnByValue": true}, &got))
	if got.ExceptionDetails != nil {
		n.t.Fatal(got.ExceptionDetails.Exception.Description)
	}
	if value != nil {
		must(n.t, json.Unmarshal(got.Result.Value, value))
	}
}

// naming is one element with our name and Chromium's.
type naming struct {
	html, tag, role, ours, theirs string
	orphan                        bool // has another role in Chromium
}

// name returns the names of all elements of the cases that Chromium's tree
// contains.
func (n *namings) name(cases []string) []naming {
	n.t.Helper()
	list, err := json.Marshal(cases)
	must(n.t, err)
	n.page(putCases + "(" + string(list) + ")")
	var ours map[string][3]string
	n.eval("__names()", &ours)
	theirs, numbered := n.accessibility(), n.numbered()
	var all []naming
	for number, backend := range numbered {
		ax, known := theirs[backend]
		mine, told := ours[number]
		if !known || ax.Ignored || !told || mine[2] == "style" {
			continue
		}
		var at, nth int
		_, err := fmt.Sscanf(number, "%d:%d", &at, &nth)
		must(n.t, err)
		all = append(all, naming{cases[at], mine[2], mine[1], squeezed(mine[0]), squeezed(ax.Name.Value), roleIn(ax) != mine[1]})
	}
	return all
}

// roleIn returns Chromium's role by our name.
func roleIn(ax axNode) string {
	if other, found := sameRole[ax.Role.Value]; found {
		return other
	}
	return ax.Role.Value
}

// numbered returns the backend node ids of the numbered elements.
func (n *namings) numbered() map[string]int64 {
	n.t.Helper()
	type node struct {
		Backend     int64 `json:"backendNodeId"`
		Attributes  []string
		Children    []node
		ShadowRoots []node
	}
	var doc struct{ Root node }
	must(n.t, n.Call(n.ctx, "DOM.getDocument", map[string]any{"depth": -1, "pierce": true}, &doc))
	ids := map[string]int64{}
	var visit func(node)
	visit = func(at node) {
		for i := 0; i+1 < len(at.Attributes); i += 2 {
			if at.Attributes[i] == "data-n" {
				ids[at.Attributes[i+1]] = at.Backend
			}
		}
		for _, child := range append(at.Children, at.ShadowRoots...) {
			visit(child)
		}
	}
	visit(doc.Root)
	return ids
}

// The elements of several thousand small documents have the names that Chromium
// gives them, except for the listed differences.
func TestNamesAreThoseOfChromium(t *testing.T) {
	written, err := os.ReadFile("testdata/names.txt")
	must(t, err)
	generated, step := nameCases(), testenv.Step(4)
	var cases []string
	for i := 0; i < len(generated); i += step {
		cases = append(cases, generated[i])
	}
	for line := range strings.Lines(string(written)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			cases = append(cases, line)
		}
	}
	a := agreement{meant: map[string]int{}}
	n := newNamings(t)
	for some := range slices.Chunk(cases, casesAtOnce) {
		for i := range some {
			some[i] = strings.ReplaceAll(some[i], "@", fmt.Sprint(i))
		}
		a.take(t, n.name(some))
	}
	a.report(t, step)
}

// agreement counts the equal names, and the others by reason.
type agreement struct {
	same, compared int
	meant          map[string]int
}

func (a *agreement) take(t *testing.T, all []naming) {
	t.Helper()
	for _, e := range all {
		a.compared++
		if e.ours == e.theirs {
			a.same++
		} else if why := meantToDiffer(e); why != "" {
			a.meant[why]++
		} else {
			t.Errorf("%s (%s) is named %q here and %q in Chromium: %s", e.tag, e.role, e.ours, e.theirs, e.html)
		}
	}
}

// report checks the counts of every step-th generated case.
func (a *agreement) report(t *testing.T, step int) {
	t.Helper()
	t.Logf("%d of %d names are the same", a.same, a.compared)
	for _, m := range meant {
		t.Logf("%d differ: %s", a.meant[m.why], m.why)
		if a.meant[m.why] == 0 && step == 1 {
			t.Errorf("nothing differs any more because %s", m.why)
		}
	}
	if a.compared < 20000/step || percent(a.same, a.compared) < 97 {
		t.Error("too few are the same")
	}
}
