package injected_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

type axNode struct {
	Ignored bool
	Role    struct{ Value string }
	Name    struct{ Value string }
	Backend int64 `json:"backendDOMNodeId"`
}

type domNode struct {
	Backend    int64 `json:"backendNodeId"`
	Attributes []string
	Children   []domNode
}

// sameRole maps ARIA roles to Chromium's internal names where these differ or
// do not exist.
var sameRole = map[string]string{
	"image": "img", "Iframe": "iframe", "DisclosureTriangle": "button", "LabelText": "generic", "Legend": "generic",
	"Figcaption": "caption", "Details": "group", "Canvas": "canvas", "Video": "video", "Audio": "audio",
	"MenuListPopup": "generic", "Date": "textbox", "sectionheader": "generic", "sectionfooter": "generic",
	"DescriptionList": "list", "none": "presentation", "Abbr": "generic", "Section": "generic",
}

func TestRolesAndNamesAgreeWithChromium(t *testing.T) {
	html, err := os.ReadFile("testdata/agree.html")
	must(t, err)
	p := open(t, string(html))
	theirs := p.accessibility()
	ids := p.ids()
	compared := 0
	for id, backend := range ids {
		ax, known := theirs[backend]
		if !known || ax.Ignored {
			continue
		}
		compared++
		f := p.find(injected.Query{Selector: "#" + id})
		role := ax.Role.Value
		if other, found := sameRole[role]; found {
			role = other
		}
		if f.Facts.Role != role {
			t.Errorf("#%s is %q here and %q in Chromium", id, f.Facts.Role, ax.Role.Value)
		}
		if role == "video" || role == "audio" {
			continue // named by whether it can be played
		}
		if name := strings.Join(strings.Fields(ax.Name.Value), " "); f.Facts.Name != name {
			t.Errorf("#%s (%s) is named %q here and %q in Chromium", id, role, f.Facts.Name, name)
		}
	}
	if compared < 100 {
		t.Errorf("only %d elements were compared", compared)
	}
}

// accessibility returns Chromium's own tree by backend node id.
func (p *tab) accessibility() map[int64]axNode {
	p.t.Helper()
	var tree struct{ Nodes []axNode }
	must(p.t, p.Call(p.ctx, "Accessibility.getFullAXTree", nil, &tree))
	all := map[int64]axNode{}
	for _, n := range tree.Nodes {
		if _, found := all[n.Backend]; !found {
			all[n.Backend] = n
		}
	}
	return all
}

// ids returns the backend node ids of all elements with an id attribute.
func (p *tab) ids() map[string]int64 {
	p.t.Helper()
	var doc struct{ Root domNode }
	must(p.t, p.Call(p.ctx, "DOM.getDocument", map[string]any{"depth": -1}, &doc))
	ids := map[string]int64{}
	var visit func(domNode)
	visit = func(n domNode) {
		for i := 0; i+1 < len(n.Attributes); i += 2 {
			if n.Attributes[i] == "id" {
				ids[n.Attributes[i+1]] = n.Backend
			}
		}
		for _, child := range n.Children {
			visit(child)
		}
	}
	visit(doc.Root)
	if len(ids) == 0 {
		p.t.Fatal(fmt.Errorf("the document has no ids"))
	}
	return ids
}
