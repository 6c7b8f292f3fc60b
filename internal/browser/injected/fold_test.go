package injected_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

const many = 60 // alike siblings

func rows(before, each, after string) string {
	return before + strings.Repeat(each, many) + after
}

// unread returns how many elements a tree left unread, and counts nodes of a
// role.
func unread(nodes []*injected.Node, role string) (more, read int) {
	for _, n := range nodes {
		if n.Role == role {
			read++
		}
		m, r := unread(n.Children, role)
		more, read = more+n.More+m, read+r
	}
	return more, read
}

func TestRunsOfAlikeSiblingsAreFolded(t *testing.T) {
	p := blank(t)
	for _, c := range []struct {
		name, html, role string
		read, more       int
	}{
		{"rows", rows(`<table><tr><th>a<th>b`, `<tr><td>x<td><button>Edit</button>`, `</table>`), "row", 11, 50},
		{"rows in bodies", rows(`<table><thead><tr><th>a</thead><tbody>`, `<tr><td>x`, `</tbody><tbody>`+strings.Repeat(`<tr><td>y`, 25)+`</tbody></table>`), "row", 21, 65},
		{"bodies", rows(`<table>`, `<tbody><tr><td>x<td>y<tr><td>z<td>a</tbody>`, `</table>`), "row", 20, 100},
		{"items", rows(`<ul>`, `<li>x`, `</ul>`), "listitem", 10, 50},
		{"options", rows(`<select>`, `<option>x`, `</select>`), "option", 10, 50},
		{"links", rows(`<nav>`, `<a href=x>link</a> `, `</nav>`), "link", 10, 50},
		{"cards", rows(`<main>`, `<div class="card card-7"><div><a href=x>x</a></div><p>text</p></div>`, `</main>`), "link", 10, 50},
		{"rows by role", rows(`<div role=grid>`, `<div role=row><div role=gridcell>x</div><div role=gridcell>y</div></div>`, `</div>`), "row", 10, 50},
		{"pages", rows(`<nav>`, `<a href=x>7</a> `, `<a href=x>Next</a></nav>`), "link", 11, 50},
		{"few rows", `<table>` + strings.Repeat(`<tr><td>x`, 20) + `</table>`, "row", 10, 10},
		{"days", `<div>` + strings.Repeat(`<button>7</button>`, 42) + `</div>`, "button", 42, 0},
		{"too few", `<ul>` + strings.Repeat(`<li>x <b>y</b><i>z</i>`, 19) + `</ul>`, "listitem", 19, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.show(c.html)
			tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{Fold: true})
			must(t, err)
			if more, read := unread(tree.Nodes, c.role); more != c.more || read != c.read {
				t.Errorf("%d were read and %d counted, want %d and %d: %s", read, more, c.read, c.more, flatten(t, tree))
			}
			whole, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
			must(t, err)
			if more, read := unread(whole.Nodes, c.role); more != 0 || read != c.read+c.more {
				t.Errorf("unfolded %d were read and %d counted", read, more)
			}
		})
	}
}

func TestWhatIsNotAlikeIsRead(t *testing.T) {
	p := blank(t)
	half := strings.Repeat(`<tr><td>x<td><input type=checkbox aria-label=c>`, 25)
	for name, row := range map[string]string{
		"current":   `<tr aria-current=true><td>ODD<td><input type=checkbox aria-label=c>`,
		"selected":  `<tr aria-selected=true><td>ODD<td><input type=checkbox aria-label=c>`,
		"checked":   `<tr><td>ODD<td><input type=checkbox aria-label=c checked>`,
		"class":     `<tr class=bad><td>ODD<td><input type=checkbox aria-label=c>`,
		"heading":   `<tr><td><h3>ODD</h3><td><input type=checkbox aria-label=c>`,
		"alert":     `<tr><td>ODD<td><input type=checkbox aria-label=c><span role=alert>late</span>`,
		"dialog":    `<tr><td>ODD<td><input type=checkbox aria-label=c><dialog open>late</dialog>`,
		"invalid":   `<tr><td>ODD<td><input type=checkbox aria-label=c aria-invalid=true>`,
		"disabled":  `<tr><td>ODD<td><input type=checkbox aria-label=c disabled>`,
		"focused":   `<tr><td>ODD<td><input type=checkbox aria-label=c autofocus id=focus>`,
		"more":      `<tr><td>ODD<td><input type=checkbox aria-label=c><button>Undo</button>`,
		"not shown": `<tr><td>ODD<td><input type=checkbox aria-label=c style="display:none">`,
	} {
		t.Run(name, func(t *testing.T) {
			p.show(`<table>` + half + row + half + `</table>`)
			p.page(`document.querySelector('#focus')?.focus()`)
			tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{Fold: true})
			must(t, err)
			if more, read := unread(tree.Nodes, "row"); more != 40 || read != 11 {
				t.Errorf("%d were read and %d counted", read, more)
			}
			if out := flatten(t, tree); !strings.Contains(out, "ODD") {
				t.Errorf("%s is missing from %s", row, out)
			}
		})
	}
}

func TestProseIsNeverFolded(t *testing.T) {
	p := blank(t)
	long := strings.Repeat("word ", 30)
	for name, html := range map[string]string{
		"paragraphs":     rows(``, `<p>text <a href=x>link</a></p>`, ``),
		"headings":       rows(``, `<h2><a href=x>link</a></h2>`, ``),
		"links in text":  rows(`<p>`, `text <a href=x>link</a> `, `</p>`),
		"boxes of text":  rows(``, `<div>text</div>`, ``),
		"boxes of prose": rows(``, `<div>`+long+`<a href=x>link</a></div>`, ``),
	} {
		t.Run(name, func(t *testing.T) {
			p.show(html)
			tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{Fold: true})
			must(t, err)
			if more, _ := unread(tree.Nodes, ""); more != 0 {
				t.Errorf("%d were left unread", more)
			}
		})
	}
}

func TestTheLinesOfAFormAreNeverFolded(t *testing.T) {
	p := blank(t)
	for name, html := range map[string]string{
		"fields":    rows(`<form>`, `<div><label>Name <input></label><small>hint</small></div>`, `</form>`),
		"rows":      rows(`<table>`, `<tr><td>Name<td><input>`, `</table>`),
		"lists":     rows(`<ul>`, `<li><label>Name <select><option>a</select></label>`, `</ul>`),
		"questions": rows(`<table>`, `<tr><td>How?<td><input type=radio><td><input type=radio>`, `</table>`),
		"choices":   rows(`<ul>`, `<li><label><input type=checkbox> Topic</label>`, `</ul>`),
		"editors":   rows(``, `<div><b>Name</b><span contenteditable>x</span></div>`, ``),
	} {
		t.Run(name, func(t *testing.T) {
			p.show(html)
			tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{Fold: true})
			must(t, err)
			if more, _ := unread(tree.Nodes, ""); more != 0 {
				t.Errorf("%d were left unread", more)
			}
		})
	}
}

func TestHiddenSiblingsNeitherCountNorStandForOthers(t *testing.T) {
	p := open(t, `<ul>`+strings.Repeat(`<li style="display:none">SECRET`, 60)+`</ul><ol>`+
		strings.Repeat(`<li>x`, 60)+strings.Repeat(`<li hidden>SECRET`, 60)+`</ol>
		<style>.far li {position:absolute; left:-9999px} .far li:nth-child(n+46) {position:static}</style>
		<ul class=far>`+strings.Repeat(`<li>SECRET`, 45)+strings.Repeat(`<li>SHOWN`, 15)+`</ul>`)
	tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{Fold: true})
	must(t, err)
	out := flatten(t, tree)
	if more, read := unread(tree.Nodes, "listitem"); more != 50+5 || read != 10+10 {
		t.Errorf("%d were read and %d counted: %s", read, more, out)
	}
	if strings.Contains(out, "SECRET") || !strings.Contains(out, "SHOWN") {
		t.Errorf("the snapshot is %s", out)
	}
}

func TestAFoldedRunIsReadWholeByItsReference(t *testing.T) {
	p := blank(t)
	for name, html := range map[string]string{
		"table":    rows(`<table><tbody>`, `<tr><td>x<td>y`, `</tbody></table>`),
		"document": rows(`<div>`, `<div><a href=x>link</a></div>`, `</div>`),
		"list":     rows(`<select>`, `<option>x`, `</select>`),
		"off":      rows(`<select disabled>`, `<option>x`, `</select>`),
	} {
		t.Run(name, func(t *testing.T) {
			p.show(html)
			tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{Fold: true})
			must(t, err)
			ref := tree.Container
			for _, n := range tree.Nodes {
				if more, _ := unread(n.Children, ""); more > 0 {
					ref = n.Container
				}
			}
			whole, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{Fold: true, Root: ref})
			must(t, err)
			if more, _ := unread(whole.Nodes, ""); ref == 0 || more != 0 || len(whole.Nodes) == 0 {
				t.Errorf("narrowed to %d, %d are left unread: %s", ref, more, flatten(t, whole))
			}
		})
	}
}

func TestShadowRootsTellWhatIsAlike(t *testing.T) {
	p := open(t, `<style>my-row {display: block}</style><main></main>`)
	p.page(`for (let i = 0; i < 40; i++) {
		const row = document.createElement('my-row');
		row.attachShadow({mode: 'open'}).innerHTML = i === 30 ? '<p>ODD <button>Undo</button></p>' : '<p>row <a href=x>link</a></p>';
		document.querySelector('main').append(row);
	}`)
	tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{Fold: true})
	must(t, err)
	out := flatten(t, tree)
	if more, read := unread(tree.Nodes, "link"); more != 29 || read != 10 || !strings.Contains(out, "ODD") {
		t.Errorf("%d were read and %d counted: %s", read, more, out)
	}
}

func TestRunsInRunsAreBounded(t *testing.T) {
	p := open(t, `<main></main>`)
	p.page(`{let at = document.querySelector('main'); for (let i = 0; i < 100; i++) {
		at.insertAdjacentHTML('beforeend', '<div><a href=x>link</a><b></b></div>'.repeat(25));
		at = at.lastElementChild;
	}}`)
	folded, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{Fold: true})
	must(t, err)
	whole, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
	must(t, err)
	more, read := unread(folded.Nodes, "link")
	_, all := unread(whole.Nodes, "link")
	if read+more != all || more == 0 {
		t.Errorf("%d were read and %d counted of %d", read, more, all)
	}
}
