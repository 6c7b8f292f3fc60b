package inpage_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/inpage"
)

const (
	smallScript = `document.body.innerHTML = '<h1>Small</h1><form><label>Name <input></label><button>Save</button></form><p>Some text <a href=/x>link</a></p>'`
	tableScript = `{let h = '<table><tr><th>a<th>b<th>c<th>d<th>e'; for (let i = 0; i < 500; i++) h += '<tr><td>' + i + '<td>Customer ' + i + '<td>open<td><a href="/o/' + i + '">Open</a><td><button>Delete</button>'; document.body.innerHTML = h}`
	largeScript = `{let h = ''; for (let i = 0; i < 8334; i++) h += '<div class=a><span>Item ' + i + '</span> <a href="/i/' + i + '">link</a></div>'; document.body.innerHTML = h}`
)

func BenchmarkSnapshot(b *testing.B) {
	for name, script := range map[string]string{"small": smallScript, "table500": tableScript, "nodes50k": largeScript} {
		b.Run(name, func(b *testing.B) {
			p := open(b, "")
			p.page(script)
			for b.Loop() {
				if _, err := p.frame.Snapshot(p.ctx, inpage.Walk{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPierceFirst(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		p := open(b, "")
		p.page(largeScript)
		b.StartTimer()
		if _, err := p.frame.Pierce(p.ctx); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFindAndReady(b *testing.B) {
	for name, script := range map[string]string{"small": smallScript, "table500": tableScript + `;document.body.insertAdjacentHTML('beforeend', '<button>Save</button>')`} {
		b.Run(name, func(b *testing.B) {
			p := open(b, "")
			p.page(script)
			for b.Loop() {
				found, err := p.frame.Find(p.ctx, inpage.Query{Role: "button", Name: "Save"})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := p.frame.Ready(p.ctx, inpage.Pinned{Node: found.Node, Print: found.Facts.Print, Kind: inpage.ForClick}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBareWalk is the floor: reading little of each element, and no
// judging of it.
func BenchmarkBareWalk(b *testing.B) {
	const walk = `(() => {
  const out = [];
  for (const e of document.querySelectorAll('body *')) {
    const style = getComputedStyle(e), rect = e.getBoundingClientRect();
    if (style.display === 'none' || style.visibility !== 'visible' || rect.width === 0) continue;
    out.push({role: e.getAttribute('role') ?? e.localName, name: e.firstChild?.data ?? '', pointer: style.cursor === 'pointer'});
  }
  return JSON.stringify(out);
})()`
	for name, script := range map[string]string{"small": smallScript, "table500": tableScript, "nodes50k": largeScript} {
		b.Run(name, func(b *testing.B) {
			p := blank(b)
			p.page(script)
			for b.Loop() {
				p.page(walk)
			}
		})
	}
}
