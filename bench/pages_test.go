package bench

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const small = `<!doctype html><title>Small</title><h1>Small page</h1>
<p>A paragraph of text, and <a href="#there">a link</a>.</p>
<label>Name <input id="name"></label><label>Note <textarea id="note"></textarea></label>
<label><input type="checkbox" id="box"> Remember</label>
<button id="count" type="button" onclick="this.dataset.n = 1 + +(this.dataset.n || 0)">Count</button>`

// restful has something for each operation.
const restful = small + `<select id="pick"><option>a<option>b</select><ul><li><a href="/one">One</a><li><a href="/two">Two</a></ul><div style="height:3000px"></div>`

func table(rows int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><title>Table</title><h1>Orders</h1><button id="count" type="button">Count</button><table>`)
	for i := range rows {
		fmt.Fprintf(&b, `<tr><td><input type="checkbox" aria-label="Select %[1]d"><td>Order %[1]d<td>Customer %[1]d<td><a href="/o/%[1]d">Open</a><td><button type="button">Edit</button>`, i)
	}
	b.WriteString(`</table>`)
	return b.String()
}

const mixedStyle = `<style>body {margin: 0; font: 14px sans-serif} header {position: sticky; top: 0; background: #fff; z-index: 2} nav a {padding: 4px}
.card {border: 1px solid #ccc; margin: 8px; padding: 8px; background: #fafafa; border-radius: 4px} .row {display: flex; gap: 8px} .grow {flex: 1} .badge {background: #036; color: #fff}
.menu {display: none} .clip {overflow: hidden; height: 40px} .sr {position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%)}</style>`

// section is a piece of a page as applications have them: 100 nodes, elements
// and texts.
const section = `<section class=card aria-label="Project %[1]d"><div class=row><div class=grow><h3>Project %[1]d</h3><p>Opened by <a href="/u/%[1]d">Person %[1]d</a> on <time>2026-01-02</time>, <span class=badge>open</span></p></div>
<div><button type=button>Edit</button> <button type=button aria-label="Delete %[1]d"><i class=icon-trash></i></button><ul class=menu><li>Copy<li>Move</ul></div></div>
<p>Some longer text that says what this project is about, with <b>bold</b> and <em>other</em> words, <code>code</code>, and <a href="/p/%[1]d?tab=2">a link</a> to follow.</p>
<div class=clip><p>Line one of the notes</p><p>Line two of the notes</p><p>Line three of the notes</p></div>
<form><label>Title <input name=t%[1]d value="Project %[1]d"></label> <label><input type=checkbox> Watch</label> <select name=s%[1]d><option>New<option selected>Open<option>Done</select></form>
<table><tr><th>Task<th>Owner<th>State<tr><td>First<td>Ann<td><span class=badge>done</span><tr><td>Second<td>Bob<td>open</table>
<ul><li><a href="/a/%[1]d">Attachment one.pdf</a> <small>12 kB</small><li><a href="/b/%[1]d">Attachment two.pdf</a> <small>40 kB</small></ul><span class=sr>End of project %[1]d</span></section>
`

// mixed is a page of so many nodes, as applications have them.
func mixed(nodes int) string {
	const each = 100 // nodes of a section
	var b strings.Builder
	b.WriteString(`<!doctype html><title>Mixed</title>` + mixedStyle + `<header><nav><a href="/">Home</a><a href="/p">Projects</a><a href="/s">Settings</a></nav>
<button id="count" type="button" onclick="this.dataset.n = 1 + +(this.dataset.n || 0)">Count</button> <label>Name <input id="name"></label></header><main>`)
	for i := range nodes / each {
		fmt.Fprintf(&b, section, i)
	}
	b.WriteString(`</main><footer>Imprint</footer>`)
	return b.String()
}

// site serves the pages.
func site(b *testing.B) string {
	b.Helper()
	mux := http.NewServeMux()
	for path, page := range map[string]string{"/small": small, "/table": table(500), "/rest": restful, "/5k": mixed(5_000), "/50k": mixed(50_000)} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, page)
		})
	}
	server := httptest.NewServer(mux)
	b.Cleanup(server.Close)
	return server.URL
}
