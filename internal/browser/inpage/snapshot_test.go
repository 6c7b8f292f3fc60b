package inpage_test

import (
	"encoding/json"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/inpage"
)

func TestTmpDump(t *testing.T) {
	p := open(t, `<title>Sign in</title><body><nav><ul><li><a href="/a?token=abcdef">Home</a></li><li><a href=/b>About</a></li></ul></nav>
<main><h1>Sign <b>in</b></h1><form><label>Email <input id=e name=mail autocomplete=email value="a@b"></label>
<p>New here? <b>Ask</b> your <a href=/x>administrator</a>.</p>
<label for=pw>Password</label><input id=pw type=password value=hunter2>
<fieldset><legend>Colour</legend><label><input type=radio name=c checked>Red</label><label><input type=radio name=c>Blue</label></fieldset>
<select><option>One<option selected>Two</select>
<button>Save</button><button disabled>Nope</button><div onclick="1">Click me</div><div style="cursor:pointer"><h3>Card</h3><span>text</span></div></form>
<table><caption>Cap</caption><thead><tr><th>A<th>B<tbody><tr><td>1<td><a href=#>2</a></table>
<p style="opacity:0">HIDDEN</p><p style="position:absolute;left:-9999px">OFF</p><details><summary>More</summary>secret</details>
<button aria-label="Close"><svg></svg></button><img alt="A cat" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" width=20 height=20><iframe title=fr src="about:blank"></iframe>
<textarea>note</textarea><div contenteditable>Edit me</div></main>`)
	tree, err := p.frame.Snapshot(p.ctx, inpage.Walk{})
	must(t, err)
	j, _ := json.MarshalIndent(tree, "", " ")
	t.Logf("%s", j)
	txt, err := p.frame.Text(p.ctx)
	t.Logf("%+v %v", txt, err)
	n, err := p.frame.Pierce(p.ctx)
	t.Log(n, err)
}
