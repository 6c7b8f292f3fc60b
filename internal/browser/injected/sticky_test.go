package injected_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// Bars that stay in place while their surroundings scroll.
func TestPagesWithBarsThatStayAreRead(t *testing.T) {
	p := blank(t)
	for _, html := range []string{
		`<div style="height:200px;overflow:auto"><div style="position:sticky;top:0;background:#eee"><button>Save</button></div><div style="height:900px">Long</div></div>`,
		`<div style="height:200px;overflow:auto;position:sticky;top:0;background:#eee"><button>Save</button><div style="height:900px">Long</div></div>`,
		`<div style="height:200px;overflow:auto;position:fixed;top:0;background:#eee"><button>Save</button><div style="height:900px">Long</div></div><div style="height:9000px">Long</div>`,
		`<div style="height:200px;overflow:auto"><table><thead style="position:sticky;top:0;background:#eee"><tr><th><button>Save</button></th></tr></thead><tr><td style="height:900px">Long</td></tr></table></div>`,
		`<div style="height:200px;overflow:auto"><div style="position:sticky;top:0;overflow:auto;height:50px;background:#eee"><button>Save</button><div style="height:100px"></div></div><div style="height:900px">Long</div></div>`,
	} {
		p.show(html)
		tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
		must(t, err)
		if out := flatten(t, tree); !strings.Contains(out, "Save") || !strings.Contains(out, "Long") || tree.Cut {
			t.Errorf("%s is shown as %s", html, out)
		}
	}
}

// A walk ends however a page positions its elements.
func TestAWalkEndsHoweverElementsArePlaced(t *testing.T) {
	p := blank(t)
	rapid.Check(t, func(rt *rapid.T) {
		p.show(placed(rt, 0))
		tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
		must(t, err)
		if tree.Cut {
			rt.Error("the walk was cut")
		}
		_, err = p.frame.Text(p.ctx)
		must(t, err)
	})
}

// placed returns an element with descendants, each positioned at random.
func placed(t *rapid.T, depth int) string {
	pick := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	style := strings.Join([]string{
		"position:" + pick("position", "static", "relative", "absolute", "fixed", "sticky"),
		pick("overflow", "", "overflow:auto", "overflow:scroll", "overflow:hidden", "overflow:clip"),
		pick("height", "", "height:40px", "height:900px", "height:0"),
		pick("top", "", "top:0", "top:-20px", "bottom:0", "inset:0"),
		pick("ground", "", "background:#eee", "background:#fff"),
		pick("more", "", "", "transform:translateX(0)", "display:contents", "contain:strict", "opacity:.5", "z-index:1", "display:grid", "float:left", "will-change:transform"),
	}, ";")
	inside := "text"
	if depth < 4 {
		inside = ""
		for range rapid.IntRange(1, 3).Draw(t, "children") {
			inside += placed(t, depth+1)
		}
	}
	if rapid.IntRange(0, 9).Draw(t, "shadow") == 0 {
		inside = "<template shadowrootmode=open>" + inside + "</template>"
	}
	return fmt.Sprintf(`<%s style="%s">%s</div>`, pick("tag", "div", "div", "div tabindex=0", "div role=button"), style, inside)
}
