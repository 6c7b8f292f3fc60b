package injected_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

func TestANumberNeverMovesToAnotherElement(t *testing.T) {
	const list = `<ul id=u><li><button>one</button><li><button>two</button><li><button>three</button></ul>`
	for name, change := range map[string]string{
		"reordered": `u.prepend(u.lastElementChild)`,
		"replaced":  `u.children[1].outerHTML = '<li><button>two</button>'`,
		"renamed":   `u.querySelectorAll('button')[1].textContent = 'zwei'`,
		"removed":   `u.children[0].remove()`,
		"rewritten": `u.innerHTML = u.innerHTML`,
		"moved":     `document.body.append(u.children[1].firstChild)`,
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, list)
			p.page(`window.known = [...document.querySelectorAll('button')]`)
			before := p.find(injected.Query{Selector: "button"}).Nodes
			p.page(change)
			for i, node := range before {
				facts, err := p.frame.Facts(p.ctx, node)
				must(t, err)
				connected := p.page(`known[` + string(rune('0'+i)) + `].isConnected`).(bool)
				if facts.Gone == connected {
					t.Errorf("element %d is gone: %v, and connected: %v", i, facts.Gone, connected)
				}
				if connected && facts.Name != p.page(`known[`+string(rune('0'+i))+`].textContent`) {
					t.Errorf("number %d stands for %q", node, facts.Name)
				}
			}
			for _, now := range p.find(injected.Query{Selector: "button"}).Nodes {
				if now > 3 {
					continue
				}
				if facts, err := p.frame.Facts(p.ctx, now); err != nil || facts.Gone {
					t.Errorf("number %d was handed out for an element that is gone", now)
				}
			}
		})
	}
}

func TestTheWorldSurvivesAHostilePage(t *testing.T) {
	p := open(t, `<a id=__glovebox></a><form id=f name=body action=/real method=post><input name=children value=1><input name=parentNode><input name=action value=/fake>
<input name=elements><input name=getAttribute><input name=nodeType><input name=firstChild><input name=tagName><input name=isConnected><input name=ownerDocument>
<input name=getBoundingClientRect><button id=b>Pay</button></form><img name=querySelectorAll><img name=getElementById><form name=documentElement></form><img name=title>
<img name=scrollingElement><img name=elementFromPoint><img name=activeElement><img name=baseURI>
<script>Element.prototype.getAttribute = () => 'forged'; document.querySelectorAll = () => []; window.__glovebox = {run: () => '{"forged":1}'};
Object.defineProperty(Node.prototype, 'firstChild', {get: () => null}); JSON.stringify = () => '"forged"'; window.getComputedStyle = () => { throw 1 }; Array.prototype.map = () => ['forged'];</script>`)
	f := p.find(injected.Query{Role: "button", Name: "Pay"})
	if f.Matches != 1 || f.Facts.FormMethod != "post" || f.Facts.FormAction[len(f.Facts.FormAction)-5:] != "/real" || !f.Facts.Submits {
		t.Fatalf("found %+v with %+v", f, f.Facts)
	}
	r, err := p.frame.Ready(p.ctx, injected.Pinned{Node: f.Node, Print: f.Facts.Print, Kind: injected.ForClick})
	must(t, err)
	if !r.OK {
		t.Errorf("not ready: %+v", r)
	}
	tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
	must(t, err)
	if len(tree.Nodes) == 0 {
		t.Error("the snapshot is empty")
	}
	if _, err := p.frame.Text(p.ctx); err != nil {
		t.Error(err)
	}
	if p.page(`typeof window.__glovebox.run`) != "function" || p.page(`Object.keys(window).includes('numbers')`) != false {
		t.Error("the world is visible to the page")
	}
}
