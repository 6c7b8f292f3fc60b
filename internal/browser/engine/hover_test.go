package engine_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

func TestWhatBecomesSomethingElseUnderThePointerIsNotPressed(t *testing.T) {
	withWindows(t)
	const acts = ` onpointerdown="did()" onmousedown="did()" onmouseup="did()" onclick="did()"`
	const page = `<title>kept</title><style>button,a,div,label{width:99px;height:40px;display:block}</style><script>
		const did = () => document.title = 'done'
		for (const kind of ['pointerdown', 'mousedown', 'click', 'submit']) document.addEventListener(kind, did)
		</script>`
	for name, html := range map[string]string{
		"another name":          `<button id=x onmouseenter="this.textContent='Unfollow'"` + acts + `>Following</button>`,
		"a name by style":       `<style>#x b{display:none} #x:hover b{display:inline} #x:hover i{display:none}</style><button id=x` + acts + `><i>Following</i><b>Unfollow</b></button>`,
		"a submit":              `<form><button id=x type=button onmouseenter="this.type='submit'"` + acts + `>Next</button></form>`,
		"another address":       `<a id=x href="#a" onmouseenter="this.href='/delete'"` + acts + `>Next</a>`,
		"another form":          `<form id=f action="/a"><button id=x onmouseenter="f.action='/delete'"` + acts + `>Next</button></form>`,
		"what lies over it":     `<button id=x` + acts + ` onmouseenter="o.style.display='block'">Next</button><div id=o style="display:none;position:fixed;inset:0;width:auto;height:auto"` + acts + `>Delete</div>`,
		"a control inside it":   `<div id=x role=button onmouseenter="this.innerHTML='Next<button style=position:absolute;left:0;top:0;width:120px;height:90px onclick=did()>Delete</button>'"` + acts + `>Next</div>`,
		"it is gone":            `<button id=x onmouseenter="this.replaceWith(Object.assign(document.createElement('button'),{textContent:'Delete',onclick:did}))"` + acts + `>Next</button>`,
		"another's label":       `<label id=x for=a onmouseenter="this.htmlFor='b'"` + acts + `>News</label><input id=a type=checkbox aria-label=News><input id=b type=checkbox aria-label="Delete all" onchange="did()">`,
		"by a move on the page": `<script>addEventListener('mousemove',()=>x.setAttribute('aria-label','Unfollow'))</script><button id=x` + acts + `>Following</button>`,
	} {
		if !testenv.Tried(name, 2) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.visit(page + html)
			tr.refuse(fault.PageChanged, "page.click", &action.Click{Locator: selector("#x")})
			tr.wantTitle("kept")
		})
	}
}

func TestAPressIsRefusedOnceOnly(t *testing.T) {
	tr := start(t)
	tr.visit(`<title>kept</title><button id=x onmouseenter="this.textContent='Unfollow'" onclick="document.title='unfollowed'">Following</button>`)
	tr.refuse(fault.PageChanged, "page.click", &action.Click{Locator: selector("#x")})
	tr.must("page.click", &action.Click{Locator: selector("#x")}) // judged as what it is now
	tr.wantTitle("unfollowed")
}

func TestWhatOnlyLooksOtherUnderThePointerIsPressed(t *testing.T) {
	for name, html := range map[string]string{
		"colour":             `<style>#x:hover{background:red;transform:scale(1.1)}</style><button id=x onclick="done()">Next</button>`,
		"a tooltip":          `<button id=x onmouseenter="this.title='Goes on';t.hidden=false" onclick="done()">Next</button><div id=t role=tooltip hidden>Goes on</div>`,
		"pressed twice":      `<button id=x onclick="this.textContent='Followed'" ondblclick="done()">Follow</button>`,
		"changes when it is": `<button id=x onpointerdown="this.textContent='Wait'" onclick="done()">Next</button>`,
	} {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.visit(`<title>kept</title><script>const done = () => document.title = 'done'</script>` + html)
			a := &action.Click{Locator: selector("#x")}
			if name == "pressed twice" {
				a.ClickCount = 2
			}
			tr.must("page.click", a)
			tr.wantTitle("done")
		})
	}
}

// TestAHoverIsAMoveOfThePointerAlone checks that the page sees the move before the call
// answers, and nothing of the key that makes the browser pass it on.
func TestAHoverIsAMoveOfThePointerAlone(t *testing.T) {
	tr := start(t)
	tr.visit(`<title>none</title><input id=i autofocus accesskey=" "><textarea id=a></textarea><p contenteditable id=e>text</p><button id=x onmouseenter="document.title += ' over'">Next</button>
		<script>for (const kind of ['keydown', 'keypress', 'keyup', 'beforeinput', 'input', 'textInput', 'click', 'scroll', 'wheel']) addEventListener(kind, () => document.title += ' ' + kind, true)</script>`)
	for _, focus := range []string{"i", "a", "e", "x"} {
		tr.must("page.execute", &action.Execute{Expression: "document.title = 'none', document.getElementById('" + focus + "').focus(), scrollTo(0, 0)"})
		tr.must("page.hover", &action.Hover{Locator: selector("#e")})
		tr.must("page.hover", &action.Hover{Locator: selector("#x")})
		tr.wantTitle("none over")
	}
	tr.wantEval("document.getElementById('i').value + document.getElementById('a').value + document.getElementById('e').textContent", "text")
}
