package injected_test

import (
	"math"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
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
				if _, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{}); err != nil {
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
				found, err := p.frame.Find(p.ctx, injected.Query{Role: "button", Name: "Save"})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := p.frame.Ready(p.ctx, injected.Pinned{Node: found.Node, Print: found.Facts.Print, Kind: injected.ForClick}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSight compares what a report reads with a snapshot and a complete
// reading. One cell changes each time, or the table is redrawn. It measures the
// processor time of the page's main thread, the minimum of all readings.
func BenchmarkSight(b *testing.B) {
	for way, q := range map[string]injected.SnapshotOptions{"whole": {NoURLs: true}, "snapshot": {NoURLs: true, Fold: true}, "sight": {NoURLs: true, Fold: true, News: true}, "redrawn": {NoURLs: true, Fold: true, News: true}} {
		b.Run(way, func(b *testing.B) {
			p := open(b, "")
			p.page(tableScript)
			must(b, p.Call(p.ctx, "Performance.enable", map[string]any{"timeDomain": "threadTicks"}, nil))
			least, number := math.Inf(1), 0
			for b.Loop() {
				if way == "redrawn" {
					p.page(`{const table = document.querySelector('table'); table.innerHTML = table.innerHTML}`)
				}
				p.page(`{const all = document.querySelectorAll('td'); all[all.length >> 1].textContent = Math.random()}`)
				if number++; q.News {
					q.Sight, q.Since = number, number-1
				}
				before := p.busy()
				if _, err := p.frame.Snapshot(p.ctx, q); err != nil {
					b.Fatal(err)
				}
				least = min(least, p.busy()-before)
			}
			b.ReportMetric(least*1000, "least-cpu-ms")
		})
	}
}

// busy returns how many seconds the page's main thread has worked.
func (p *tab) busy() float64 {
	p.t.Helper()
	var r struct {
		Metrics []struct {
			Name  string
			Value float64
		}
	}
	must(p.t, p.Call(p.ctx, "Performance.getMetrics", nil, &r))
	for _, m := range r.Metrics {
		if m.Name == "TaskDuration" {
			return m.Value
		}
	}
	return 0
}

// BenchmarkBareWalk is the lower bound: it reads little of each element and
// judges nothing.
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
