package injected_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

const over = `position:absolute;inset:0;background:#fff`

// covered lists ways to cover a text.
var covered = []string{
	`<div style="position:relative"><p>SECRET</p><div style="` + over + `"></div></div>`,
	`<div style="position:relative"><p>SECRET</p><div style="pointer-events:none;` + over + `"></div></div>`,
	`<div style="position:relative"><div style="z-index:1;` + over + `"></div><p>SECRET</p></div>`,
	`<div style="background:#eee"><p style="position:relative;z-index:-1">SECRET</p></div>`,
	`<div style="position:relative"><p>SECRET</p><div style="position:absolute;inset:0"><div style="background:#fff;height:100%"></div></div></div>`,
	`<div style="position:relative"><p>SECRET</p><div style="position:absolute;inset:0;background:linear-gradient(#fff,#eee)"></div></div>`,
	`<div style="height:2000px"></div><div style="position:relative"><p>SECRET</p><div style="` + over + `"></div></div>`,
	`<div style="display:grid"><p style="grid-area:1/1">SECRET</p><div style="grid-area:1/1;background:#fff"></div></div>`,
	`<p>SECRET</p><div style="margin-top:-60px;height:80px;transform:translateX(0);background:#fff"></div>`,
	`<p style="margin:0;height:20px">SECRET</p><div style="position:relative;top:-30px;height:60px;background:#fff" aria-hidden=true></div>`,
	`<div style="position:relative"><a href=#>SECRET</a><div style="` + over + `"></div></div>`,
	`<div style="position:relative"><button>SECRET</button><div style="` + over + `"></div></div>`,
	`<div style="position:relative"><h2>SECRET</h2><div style="` + over + `"><p>Shown instead</p></div></div>`,
	`<div style="position:relative;width:90px"><p>SECRET SECRET SECRET</p><div style="` + over + `"></div></div>`,
	`<div style="height:40px;overflow:auto;position:relative"><div style="position:relative"><p>SECRET</p><div style="` + over + `"></div></div><div style="height:900px"></div></div>`,
	`<div style="position:relative"><div style="height:60px;overflow:auto"><div style="height:500px"></div><p>SECRET</p></div><div style="` + over + `"></div></div>`,
	`<div style="position:relative"><p>SECRET</p><div><template shadowrootmode=open><div style="` + over + `"></div></template></div></div>`,
	`<h2 style="position:relative">Shown <span style="position:relative">SECRET<i style="` + over + `"></i></span></h2>`,
}

func TestCoveredTextIsLeftOut(t *testing.T) {
	p := blank(t)
	for i, html := range covered {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			p.show(`<p>before</p>` + html + `<div style="height:60px"></div><p>after</p>`)
			tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
			must(t, err)
			text, err := p.frame.Text(p.ctx)
			must(t, err)
			out := flatten(t, tree)
			if strings.Contains(out, "SECRET") || strings.Contains(text.Text, "SECRET") {
				t.Errorf("%s is shown as %s and %s", html, out, text.Text)
			}
			if tree.Hidden == 0 {
				t.Errorf("%s is not counted", html)
			}
			if !strings.Contains(out, "before") || !strings.Contains(out, "after") {
				t.Errorf("the rest of the page is missing: %s", out)
			}
			all, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{IncludeHidden: true})
			must(t, err)
			if !strings.Contains(flatten(t, all), "SECRET") && !strings.Contains(html, "aria-hidden") {
				t.Errorf("%s is missing where hidden text was asked for", html)
			}
		})
	}
}

func TestTheWholeDocumentUnderAFixedCoverIsLeftOut(t *testing.T) {
	p := blank(t)
	p.show(`<p>SECRET</p><div style="height:3000px"></div><p>SECRET</p><div style="position:fixed;inset:0;background:#fff"><p>SHOWN</p></div>`)
	tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
	must(t, err)
	if out := flatten(t, tree); strings.Contains(out, "SECRET") || !strings.Contains(out, "SHOWN") {
		t.Errorf("the snapshot is %s", out)
	}
}

func TestTextUnderAnOpaqueDialogIsLeftOut(t *testing.T) {
	p := blank(t)
	p.show(`<p style="position:absolute;top:200px;left:200px;z-index:9999">SECRET</p><dialog style="position:fixed;inset:0;margin:0;width:900px;height:500px">SHOWN</dialog>`)
	p.page(`document.querySelector('dialog').showModal()`)
	tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
	must(t, err)
	if out := flatten(t, tree); strings.Contains(out, "SECRET") || !strings.Contains(out, "SHOWN") {
		t.Errorf("the snapshot is %s", out)
	}
}

func TestWhatOnlySeemsCoveredIsShown(t *testing.T) {
	p := blank(t)
	for i, html := range []string{
		`<div style="position:relative"><p>SHOWN</p><div style="position:absolute;inset:0;background:rgba(0,0,0,.5)"></div></div>`,
		`<p>SHOWN</p><div style="position:fixed;inset:0;background:#000;opacity:.6"></div>`,
		`<p>SHOWN</p><div style="position:fixed;inset:0;background:#000;visibility:hidden"></div>`,
		`<p>SHOWN</p><div style="position:fixed;inset:0;z-index:-1;background:#fff"></div>`,
		`<div style="position:relative"><p style="font-size:40px;margin:0">SHOWN</p><div style="position:absolute;inset:0 0 60% 0;background:#fff"></div></div>`,
		`<div style="position:fixed;top:0;left:0;right:0;height:60px;background:#fff;z-index:9"></div><p style="position:absolute;top:10px">SHOWN</p><div style="height:3000px"></div>`,
		`<div style="height:80px;overflow:auto"><div style="position:sticky;top:0;height:60px;background:#fff"></div><p style="margin-top:-50px">SHOWN</p><div style="height:900px"></div></div>`,
		`<div style="height:3000px"></div><p>SHOWN</p>`,
		`<div style="position:relative"><div style="` + over + `"></div><p style="position:relative">SHOWN</p></div>`,
		`<div style="position:relative;background:#fff;z-index:3"><p>SHOWN</p></div>`,
		`<div style="position:relative;z-index:0;background:#fff"><p style="position:relative;z-index:-1">SHOWN</p></div>`,
		`<div style="position:relative"><label style="position:absolute;top:3px;left:4px;pointer-events:none;z-index:1">SHOWN</label><input style="background:#fff;width:200px;height:30px"></div>`,
		`<label>SHOWN <input style="background:#fff"></label>`,
		`<div style="position:relative;width:300px;height:90px"><img style="position:absolute;inset:0;background:#333;width:100%;height:100%"><p style="position:absolute;bottom:0;color:#fff">SHOWN</p></div>`,
		`<button style="position:relative">SHOWN<span style="position:absolute;inset:0;background:rgba(255,0,0,.2)"></span></button>`,
		`<button style="position:relative"><span>SHOWN</span><span style="position:absolute;inset:0"></span></button>`,
		`<div style="position:relative"><p>SHOWN</p><div style="clip-path:circle(5px at 0 0);` + over + `"></div></div>`,
		`<div style="position:relative;height:50px"><p>SHOWN</p><div style="position:absolute;top:0;left:0;width:300px;height:1px;overflow:hidden"><div style="position:absolute;width:300px;height:60px;background:#fff"></div></div></div>`,
		`<div style="position:relative;width:200px;height:200px"><p style="margin:0">SHOWN</p><div style="border-radius:50%;` + over + `"></div></div>`,
		`<div style="position:relative;width:300px"><p style="margin:0">SHOWN</p><div style="transform:rotate(45deg);top:90px;` + over + `"></div></div>`,
		`<div style="position:relative"><p>SHOWN</p><div style="mix-blend-mode:multiply;` + over + `"></div></div>`,
		`<div style="position:relative"><p>SHOWN</p><canvas style="position:absolute;inset:0"></canvas></div>`,
		`<div style="position:relative"><p>SHOWN</p><iframe style="position:absolute;inset:0;border:0"></iframe></div>`,
		`<div style="position:relative"><p>SHOWN</p><video style="position:absolute;inset:0"></video></div>`,
		`<ul style="background:#fff"><li style="position:relative;background:#eee">SHOWN</li></ul>`,
		`<div style="float:left;width:400px;height:60px;background:#eee;margin-right:-400px"></div><p>SHOWN</p>`,
		`<p style="margin:0">SHOWN</p><div style="margin-top:-20px;height:40px;background:#fff"></div>`,
		`<div style="transform:translateX(0)"><p style="position:relative;z-index:2">SHOWN</p></div><div style="position:absolute;top:0;left:0;width:400px;height:9px;background:#fff"></div>`,
		`<div popover=manual id=pop>SHOWN</div><div style="position:fixed;inset:0;z-index:2147483647;background:#fff"></div>`,
		`<div style="position:relative;display:inline-block"><select style="position:absolute;inset:0"><option>SHOWN</select><div style="position:relative;pointer-events:none;background:#fff;width:100px">SHOWN</div></div>`,
		`<label style="position:relative"><input type=checkbox style="position:absolute;opacity:0"><span style="position:relative;display:inline-block;width:20px;height:20px;background:#fff"></span>SHOWN</label>`,
		`<div style="display:flex"><span style="background:#eee">SHOWN</span><span style="background:#fff">other</span></div>`,
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			p.show(html)
			p.page(`document.querySelector('#pop')?.showPopover()`)
			tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
			must(t, err)
			if out := flatten(t, tree); !strings.Contains(out, "SHOWN") {
				t.Errorf("%s is missing from %s", html, out)
			}
		})
	}
}

func TestManyTextsOnOneAnotherAreBounded(t *testing.T) {
	p := blank(t)
	p.show(`<p>SHOWN</p>`)
	p.page(`document.body.insertAdjacentHTML('beforeend', Array.from({length: 3000}, (_, i) =>
		'<p style="position:absolute;top:90px;left:0;width:300px;background:#eee">word ' + i + '</p>').join(''))`)
	tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
	must(t, err)
	if out := flatten(t, tree); !strings.Contains(out, "SHOWN") || !strings.Contains(out, `"word 2999"`) || tree.Hidden < 500 {
		t.Errorf("%d texts were left out of %d bytes", tree.Hidden, len(out))
	}
}
