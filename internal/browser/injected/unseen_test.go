package injected_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

const gif = `src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"`

// TestNoReadingShowsWhatAPersonCannotSee reads pages as a snapshot, as text and as markdown.
func TestNoReadingShowsWhatAPersonCannotSee(t *testing.T) {
	p := blank(t)
	for _, html := range []string{
		`<div style="background:#fff;isolation:isolate"><div style="background:#eee"><p style="position:relative;z-index:-1">WALNUT</p></div></div>`,
		`<div style="position:relative;z-index:0;background:#fff"><section style="background:#eee;padding:9px"><b style="position:absolute;z-index:-1">WALNUT</b><p>Shown</p><p>Shown</p></section></div>`,
		`<div style="position:relative"><p>WALNUT</p><div style="position:absolute;inset:0;background:#fff"></div></div>`,
		`<article><p>Shown</p><div style="position:relative"><p>WALNUT</p><div style="position:absolute;inset:0;background:#fff;pointer-events:none"></div></div></article>`,
		`<svg width=50 height=50><title>x</title><desc>WALNUT</desc><circle r=5 /></svg>`,
		`<svg width=50 height=50><circle r=5 /><text y=20>Shown<title>WALNUT</title></text></svg>`,
		`<svg width=50 height=50><g><desc>WALNUT</desc><text y=20>Shown</text></g></svg>`,
		`<select aria-label=y><option>Shown<option hidden>WALNUT</select>`,
		`<select aria-label=y><option>Shown<optgroup hidden label=WALNUT><option>WALNUT</optgroup></select>`,
		`<select aria-label=y size=4><option>Shown<option style="display:none">WALNUT</select>`,
		`<p>Shown<img alt=WALNUT width=1 height=1 ` + gif + `></p>`,
		`<p>Shown<img alt=WALNUT width=90 height=30 style="opacity:0" ` + gif + `></p>`,
		`<p>Shown<img alt=WALNUT width=90 height=30 style="position:absolute;left:-9999px" ` + gif + `></p>`,
		`<p>Shown<img alt=WALNUT width=90 height=30 style="position:absolute;clip:rect(0,0,0,0)" ` + gif + `></p>`,
		`<div style="width:1px;height:1px;overflow:hidden"><img alt=WALNUT width=90 height=30 ` + gif + `></div>`,
		`<h2>Shown<img alt=WALNUT width=1 height=1 ` + gif + `></h2>`,
		`<a href="/x">Shown<img alt=WALNUT width=1 height=1 ` + gif + `></a>`,
	} {
		p.show(html)
		tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
		must(t, err)
		text, err := p.frame.Text(p.ctx)
		must(t, err)
		markup, err := p.frame.Markup(p.ctx, injected.MarkupOptions{Full: true, Images: true})
		must(t, err)
		for name, said := range map[string]string{"snapshot": flatten(t, tree), "text": text.Text, "markdown": markup.HTML} {
			if strings.Contains(said, "WALNUT") {
				t.Errorf("the %s of %s shows it: %s", name, html, said)
			}
		}
	}
}
