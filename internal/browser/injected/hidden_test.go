package injected_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

func TestWhatAPersonSeesIsShown(t *testing.T) {
	p := blank(t)
	for i, html := range []string{
		`<p style="opacity:.5">SHOWN</p>`,
		`<div style="height:50px;overflow:auto"><div style="height:900px"></div><p>SHOWN</p></div>`,
		`<div style="height:3000px"></div><p>SHOWN</p>`,
		`<p style="width:60px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap">SHOWN and much more than fits</p>`,
		`<div style="display:contents"><span>SHOWN</span></div>`,
		`<div style="visibility:hidden">x<span style="visibility:visible">SHOWN</span></div>`,
		`<div style="height:0"><p>SHOWN</p></div>`,
		`<p style="background:linear-gradient(red,blue);-webkit-background-clip:text;color:transparent">SHOWN</p>`,
		`<p style="color:#fff;background:#000">SHOWN</p>`,
		`<div style="position:relative"><img style="background:#333" width=300 height=100><p style="position:absolute;top:0;color:#fff">SHOWN</p></div>`,
		`<div style="background:url(x) #fff"><p style="color:#fff">SHOWN</p></div>`,
		`<div style="overflow:hidden;height:5px"><p style="position:fixed;top:50px">SHOWN</p></div>`,
		`<div style="overflow:hidden;height:5px"><p style="position:absolute;top:50px">SHOWN</p></div>`,
		`<details open><summary>x</summary><p>SHOWN</p></details>`,
		`<table><tr><td>SHOWN</table>`,
		`<p style="color:#fff;text-shadow:0 0 2px #000">SHOWN</p>`,
		`<button aria-label="SHOWN"><svg width=9 height=9></svg></button>`,
		`<button style="width:30px;height:30px"><span style="position:absolute;clip:rect(0,0,0,0)">SHOWN</span></button>`,
		`<label style="position:absolute;left:-9999px" for=f>SHOWN</label><input id=f>`,
		`<svg width=100 height=40><text y=20>SHOWN</text></svg>`,
		`<a href=# style="display:block;text-indent:-9999px;overflow:hidden;width:90px;height:30px">SHOWN</a>`,
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			p.show(html)
			tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
			must(t, err)
			if out := flatten(t, tree); !strings.Contains(out, "SHOWN") {
				t.Errorf("%s is missing from %s", html, out)
			}
		})
	}
}

func TestHiddenTextIsCounted(t *testing.T) {
	p := open(t, `<p>a</p><p style="opacity:0">b</p><p style="font-size:0">c</p><div style="display:none">d<p>e</p></div>`)
	tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
	must(t, err)
	if tree.Hidden != 3 {
		t.Errorf("%d pieces were counted, want 3", tree.Hidden)
	}
}

func TestInvisibleCharactersAreStripped(t *testing.T) {
	p := blank(t)
	p.show("<p>a\u200bb\U000E0041\U000E0042c\u202Ed\u2066e\uFEFFf</p><button>\uF101 Save\u00AD</button><input value='x\u200by' aria-label='l\U000E0061'><img alt='i\u2060j' width=9 height=9><p>👩\u200d💻</p>")
	tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
	must(t, err)
	out := flatten(t, tree)
	for _, want := range []string{`"abcdef"`, `"Save"`, `"xy"`, `"ij"`, "👩\u200d💻"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not in %s", want, out)
		}
	}
}

// show replaces the body of the page.
func (p *tab) show(html string) {
	p.t.Helper()
	if p.frame.Session == nil {
		p.frame = p.world(p.main)
	}
	text, err := json.Marshal(html)
	must(p.t, err)
	p.page(`document.body.setHTMLUnsafe(` + string(text) + `)`)
}

func flatten(t *testing.T, tree *injected.Tree) string {
	t.Helper()
	data, err := json.Marshal(tree)
	must(t, err)
	return string(data)
}
