package injected_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// Content that is not text is named by its kind, in the words of Chromium's own
// tree.
func TestWhatIsNoTextIsSaidAsSuch(t *testing.T) {
	p := blank(t)
	for html, want := range map[string]string{
		`<canvas width=90 height=90></canvas>`:                                                                                       `{"r":"canvas"`,
		`<canvas width=90 height=90 aria-label=Chart></canvas>`:                                                                      `{"r":"canvas","n":"Chart"`,
		`<svg width=90 height=90 role=img aria-label=Map></svg>`:                                                                     `{"r":"img","n":"Map"`,
		`<svg width=90 height=90><title>Drawing</title><circle r=9 /></svg>`:                                                         `{"r":"img","n":"Drawing"`,
		`<svg width=190 height=190><circle r=90 /></svg>`:                                                                            `{"r":"img"`,
		`<svg width=90 height=90><a href="#x"><text y=20>Go</text></a></svg>`:                                                        `{"r":"link","n":"Go"`,
		`<svg width=90 height=90><g role=button tabindex=0 aria-label=Zoom><circle r=50 /></g></svg>`:                                `{"r":"button","n":"Zoom"`,
		`<svg width=90 height=90><rect width=50 height=50 onclick="0"><title>Area</title></rect></svg>`:                              `"n":"Area"`,
		`<math><mi>x</mi><mo>=</mo><mn>1</mn></math>`:                                                                                `{"r":"math","n":"x = 1"`,
		`<p>so <math><mi>x</mi></math> is</p>`:                                                                                       `{"r":"math","n":"x"`,
		`<video width=90 height=90></video>`:                                                                                         `{"r":"video"`,
		`<video controls width=300 height=90 aria-label=Clip></video>`:                                                               `{"r":"video","n":"Clip","i":`,
		`<audio controls></audio>`:                                                                                                   `{"r":"audio","i":`,
		`<object data="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7" width=90 height=90></object>`: `{"r":"object"`,
		`<embed src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7" width=90 height=90>`:            `{"r":"object"`,
	} {
		p.show(`<p>before</p>` + html + `<p>after</p>`)
		tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
		must(t, err)
		if out := flatten(t, tree); !strings.Contains(out, want) {
			t.Errorf("%s is %s, want %s", html, out, want)
		}
	}
	for _, html := range []string{`<canvas width=2 height=2></canvas>`, `<svg width=16 height=16><circle r=9 /></svg>`, `<canvas hidden width=90 height=90></canvas>`,
		`<button>x<svg width=190 height=190><circle r=90 /></svg></button>`, `<video style="opacity:0" width=90 height=90></video>`} {
		p.show(html)
		tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
		must(t, err)
		if out := flatten(t, tree); strings.Contains(out, `"canvas"`) || strings.Contains(out, `"img"`) || strings.Contains(out, `"video"`) {
			t.Errorf("%s is %s", html, out)
		}
	}
}
