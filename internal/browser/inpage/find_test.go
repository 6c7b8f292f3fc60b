package inpage_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/inpage"
)

func TestFind(t *testing.T) {
	p := open(t, `<title>t</title><form action="/save" method=post><label>Email <input id=e name=mail autocomplete=email></label>
<button id=b>Save all</button><button id=c>Save</button><a href="/x?token=abc" id=l>Read</a></form>`)
	f := p.find(inpage.Query{Selector: "#e"})
	t.Logf("%+v %+v", f, f.Facts)
	f = p.find(inpage.Query{Role: "button", Name: "save"})
	t.Logf("%+v %+v", f, f.Facts)
	f = p.find(inpage.Query{Text: "Read"})
	t.Logf("%+v %+v", f, f.Facts)
	_, err := p.frame.Find(p.ctx, inpage.Query{Selector: "#["})
	t.Log(err)
	r, err := p.frame.Ready(p.ctx, inpage.Pinned{Node: p.node("#b"), Kind: "click"})
	t.Logf("%+v %v", r, err)
}
