package injected_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

func TestOddPagesAreRead(t *testing.T) {
	p := blank(t)
	for name, c := range map[string]struct{ script, want string }{
		"deep":         {`{let e = document.body; for (let i = 0; i < 1500; i++) { const d = document.createElement('div'); e.append(d); e = d } e.textContent = 'bottom'; document.body.append('END')}`, "END"},
		"deep slots":   {`{let e = document.body; for (let i = 0; i < 200; i++) { const d = document.createElement('div'); e.append(d); e = d.attachShadow({mode: 'open'}) } e.innerHTML = 'IN'}`, "IN"},
		"huge name":    {`document.body.innerHTML = '<button aria-label="' + 'x'.repeat(1e6) + '">y</button>END'`, "END"},
		"huge text":    {`document.body.innerHTML = '<p>' + 'x'.repeat(3e6) + '</p>END'`, "END"},
		"cycle":        {`document.body.innerHTML = '<div id=a aria-labelledby=b role=group>A</div><div id=b aria-labelledby=a role=group>B</div>END'`, "END"},
		"self":         {`document.body.innerHTML = '<button id=a aria-labelledby=a>Me</button>'`, `"Me"`},
		"no body":      {`document.body.remove()`, `"nodes":`},
		"no root":      {`document.documentElement.remove()`, `"nodes":`},
		"many options": {`document.write('<body><select>' + '<option>x'.repeat(5000) + '</select>END')`, "END"},
		"lone half":    {`document.body.innerHTML = '<button>a\uD800b</button>'`, `"a`},
		"frameset":     {`document.documentElement.innerHTML = '<frameset cols="50%,50%"><frame name=a src="about:blank"><frame src="about:blank"></frameset>'`, `"iframe"`},
	} {
		t.Run(name, func(t *testing.T) {
			p.show("")
			p.page(c.script)
			tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
			must(t, err)
			if out := flatten(t, tree); !strings.Contains(out, c.want) {
				t.Errorf("%s is not in %.300s", c.want, out)
			} else if len(out) > 9<<20 {
				t.Errorf("%d bytes", len(out))
			}
			if _, err := p.frame.Text(p.ctx); err != nil {
				t.Error(err)
			}
			if _, err := p.frame.Find(p.ctx, injected.Query{Text: "nothing like it"}); err != nil {
				t.Error(err)
			}
			p.page(`if (!document.documentElement) document.append(document.createElement('html')); if (!document.body) document.documentElement.append(document.createElement('body')); if (document.body.localName !== 'body') document.documentElement.innerHTML = '<body></body>'`)
		})
	}
}

func TestASnapshotCanBeNarrowedAndBounded(t *testing.T) {
	p := open(t, `<main><section aria-label=One id=one><button>In one</button></section><section aria-label=Two><button>In two</button></section></main>`)
	tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{Root: p.node("#one")})
	must(t, err)
	if out := flatten(t, tree); strings.Contains(out, "In two") || !strings.Contains(out, "In one") {
		t.Errorf("narrowed to %s", out)
	}
	tree, err = p.frame.Snapshot(p.ctx, injected.SnapshotOptions{Depth: 2})
	must(t, err)
	if out := flatten(t, tree); strings.Contains(out, "In one") || !strings.Contains(out, "One") {
		t.Errorf("two levels are %s", out)
	}
	node := p.node("#one")
	p.page(`one.remove()`)
	tree, err = p.frame.Snapshot(p.ctx, injected.SnapshotOptions{Root: node})
	must(t, err)
	if !tree.Gone {
		t.Errorf("a removed root gives %+v", tree)
	}
}

// TestWhatIsPressedInAnItemHasItsText uses labels of tree items that contain
// other items: the centre of an item belongs to another item.
func TestWhatIsPressedInAnItemHasItsText(t *testing.T) {
	p := open(t, `<ul role=tree><li role=treeitem aria-expanded=true><span onclick=1>Plants</span><ul role=group><li role=treeitem><span onclick=1>Moss<i style="display:none"> hidden</i></span><b onclick=1></b></li></ul></li></ul>`)
	tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
	must(t, err)
	var pressed []string
	var visit func([]*injected.Node)
	visit = func(nodes []*injected.Node) {
		for _, n := range nodes {
			if n.Role == "generic" && n.Number != 0 {
				pressed = append(pressed, n.Name)
			}
			visit(n.Children)
		}
	}
	visit(tree.Nodes)
	if !slices.Equal(pressed, []string{"Plants", "Moss"}) {
		t.Errorf("pressed are %q in %s", pressed, flatten(t, tree))
	}
}

func TestWhatCanBeActedOnHasANumber(t *testing.T) {
	p := open(t, `<style>.p{cursor:pointer}</style><div onclick=1>LISTENS</div><div class=p><span>POINTS</span></div><span tabindex=0>TABS</span><div role=button>ROLE</div>
<p tabindex=-1>NOT1</p><button disabled>NOT2</button><a>NOT3</a><p>NOT4</p><label>NOT5 <input aria-label=FIELD></label><div contenteditable>EDITS</div><label class=p>FILE<input type=file hidden></label>
<div style="cursor:grab">GRABS</div><div><section aria-label=HOLDS><div draggable=true>DRAGS</div></section><section aria-label=EMPTY>x</section></div><p draggable=false>NOT6</p><section aria-label=NOT7>x</section>`)
	tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
	must(t, err)
	numbered := map[string]bool{}
	var visit func([]*injected.Node)
	visit = func(nodes []*injected.Node) {
		for _, n := range nodes {
			numbered[n.Name+n.Text+n.Value] = n.Number != 0
			visit(n.Children)
		}
	}
	visit(tree.Nodes)
	for name, want := range map[string]bool{"LISTENS": true, "POINTS": true, "TABS": true, "ROLE": true, "FIELD": true, "EDITS": true, "GRABS": true, "DRAGS": true, "HOLDS": true, "EMPTY": true, "NOT6": false, "NOT7": false, "NOT1": false, "NOT2": false, "NOT3": false, "NOT4": false} {
		if got, there := numbered[name]; !there || got != want {
			t.Errorf("%s: numbered %v, there %v in %s", name, got, there, flatten(t, tree))
		}
	}
}
