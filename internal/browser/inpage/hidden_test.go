package inpage_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/inpage"
)

// hidden are ways to put text where a machine reads it and a person does not.
var hidden = []string{
	`<p style="display:none">SECRET</p>`,
	`<p style="visibility:hidden">SECRET</p>`,
	`<p style="visibility:collapse">SECRET</p>`,
	`<p style="opacity:0">SECRET</p>`,
	`<div style="opacity:.2"><div style="opacity:.2"><p style="opacity:.1">SECRET</p></div></div>`,
	`<p hidden>SECRET</p>`,
	`<p aria-hidden=true>SECRET</p>`,
	`<p style="position:absolute;left:-9999px">SECRET</p>`,
	`<p style="position:absolute;top:-9999px">SECRET</p>`,
	`<p style="position:fixed;left:200vw">SECRET</p>`,
	`<p style="text-indent:-9999px;overflow:hidden">SECRET</p>`,
	`<p style="margin-left:-9999px;width:200px">SECRET</p>`,
	`<p style="transform:translateX(-9999px)">SECRET</p>`,
	`<p style="transform:scale(0)">SECRET</p>`,
	`<p style="font-size:0">SECRET</p>`,
	`<p style="font-size:1px">SECRET</p>`,
	`<p style="color:transparent">SECRET</p>`,
	`<p style="color:#fff">SECRET</p>`,
	`<div style="background:#123456"><p style="color:#123457">SECRET</p></div>`,
	`<p style="-webkit-text-fill-color:transparent">SECRET</p>`,
	`<p style="height:0;overflow:hidden">SECRET</p>`,
	`<p style="width:1px;height:1px;overflow:hidden;position:absolute">SECRET</p>`,
	`<p style="max-height:0;overflow:hidden;margin:10px">SECRET<br></p>`,
	`<p style="clip:rect(0,0,0,0);position:absolute">SECRET</p>`,
	`<p style="clip-path:inset(50%)">SECRET</p>`,
	`<p style="clip-path:circle(0)">SECRET</p>`,
	`<p style="clip-path:polygon(0 0,0 0,0 0)">SECRET</p>`,
	`<p style="filter:opacity(0)">SECRET</p>`,
	`<p style="mask-image:linear-gradient(transparent,transparent)">SECRET</p>`,
	`<p style="content-visibility:hidden">SECRET</p>`,
	`<p style="-webkit-text-security:disc">SECRET</p>`,
	`<details><summary>More</summary>SECRET<p>SECRET</p></details>`,
	`<div style="overflow:hidden;height:20px;position:relative"><p style="position:absolute;top:100px">SECRET</p></div>`,
	`<div style="overflow:hidden;width:100px;position:relative;margin-left:300px"><p style="position:absolute;left:-150px;width:90px">SECRET</p></div>`,
	`<template>SECRET</template><noscript>SECRET</noscript><script type=text/plain>SECRET</script><!-- SECRET -->`,
	`<dialog>SECRET</dialog>`,
	`<h2 style="opacity:0">SECRET</h2>`,
	`<a href=# style="opacity:0">SECRET</a>`,
	`<button style="position:absolute;left:-9999px">SECRET</button>`,
	`<ul style="font-size:0"><li>SECRET</li></ul>`,
	`<table style="opacity:0"><tr><td>SECRET</td></tr></table>`,
	`<h2>Shown <span style="opacity:0">SECRET</span></h2>`,
	`<button>Shown <span style="position:absolute;left:-9999px">SECRET</span></button>`,
	`<a href=#>Shown <span style="font-size:0">SECRET</span></a>`,
	`<svg width=50 height=50><title>x</title><desc>SECRET</desc><circle r=5 /></svg>`,
	`<input type=hidden value=SECRET>`,
	`<p style="transform:rotateY(90deg)">SECRET</p>`,
	`<div style="display:flex;width:0;overflow:hidden"><span>SECRET</span></div>`,
	`<p style="color:rgba(0,0,0,.01)">SECRET</p>`,
	`<p style="position:absolute;top:0;left:0;letter-spacing:-50px;overflow:hidden;width:0">SECRET</p>`,
}

func TestHiddenTextIsLeftOut(t *testing.T) {
	p := blank(t)
	for i, html := range hidden {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			p.show(`<p>before</p>` + html + `<p>after</p>`)
			tree, err := p.frame.Snapshot(p.ctx, inpage.Walk{})
			must(t, err)
			text, err := p.frame.Text(p.ctx)
			must(t, err)
			out := flatten(t, tree)
			if strings.Contains(out, "SECRET") {
				t.Errorf("the snapshot shows %s as %s", html, out)
			}
			if strings.Contains(text.Text, "SECRET") && !strings.Contains(html, "aria-hidden") { // which people do see
				t.Errorf("the text shows %s", html)
			}
			if !strings.Contains(out, "before") || !strings.Contains(out, "after") {
				t.Errorf("the rest of the page is missing: %s", out)
			}
		})
	}
}

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
			tree, err := p.frame.Snapshot(p.ctx, inpage.Walk{})
			must(t, err)
			if out := flatten(t, tree); !strings.Contains(out, "SHOWN") {
				t.Errorf("%s is missing from %s", html, out)
			}
		})
	}
}

func TestHiddenTextIsCounted(t *testing.T) {
	p := open(t, `<p>a</p><p style="opacity:0">b</p><p style="font-size:0">c</p><div style="display:none">d<p>e</p></div>`)
	tree, err := p.frame.Snapshot(p.ctx, inpage.Walk{})
	must(t, err)
	if tree.Hidden != 3 {
		t.Errorf("%d pieces were counted, want 3", tree.Hidden)
	}
}

func TestInvisibleCharactersAreStripped(t *testing.T) {
	p := blank(t)
	p.show("<p>a\u200bb\U000E0041\U000E0042c\u202Ed\u2066e\uFEFFf</p><button>\uF101 Save\u00AD</button><input value='x\u200by' aria-label='l\U000E0061'><img alt='i\u2060j' width=9 height=9><p>👩\u200d💻</p>")
	tree, err := p.frame.Snapshot(p.ctx, inpage.Walk{})
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

func flatten(t *testing.T, tree *inpage.Tree) string {
	t.Helper()
	data, err := json.Marshal(tree)
	must(t, err)
	return string(data)
}
