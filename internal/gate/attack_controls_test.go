package gate_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// act is the request of an application's control. The request itself does not say
// what it does.
const act = `fetch("/opaque/ID", {method: "POST", body: "c=17"})`

func presses(selector, key string) step {
	return step{"page.press", &action.Press{Locator: named(selector), Key: key}}
}

func types(selector, text string, submit bool) step {
	return step{"page.type", &action.Type{Locator: named(selector), Input: text, Submit: submit}}
}

// controls are ways to make an application delete something with one of its own
// controls, on a trusted host.
var controls = []try{
	{name: "button", body: `<button id=b onclick='` + act + `'>Delete item</button>`, steps: []step{clicks("#b")}},
	{name: "label of a button", body: `<label id=l for=b>More</label><button id=b onclick='` + act + `'>Delete item</button>`, steps: []step{clicks("#l")}},
	{name: "label around a box", body: `<label id=l>Delete item<input type=checkbox onchange='` + act + `'></label>`, steps: []step{clicks("#l")}},
	{name: "button of a form elsewhere", body: `<form id=f onsubmit='event.preventDefault(); ` + act + `'><input name=a></form><button form=f id=b>Delete item</button>`, steps: []step{clicks("#b")}},
	{name: "Enter in a form whose button is elsewhere", body: `<form id=f onsubmit='event.preventDefault(); ` + act + `'><input id=i name=a aria-label=Search type=search></form><button form=f>Delete item</button>`, steps: []step{types("#i", "x", true)}},
	{name: "image button", body: `<form onsubmit='event.preventDefault(); ` + act + `'><input id=b type=image alt="Delete item" width=40 height=40></form>`, steps: []step{clicks("#b")}},
	{name: "summary", body: `<details ontoggle='` + act + `'><summary id=b>Delete item</summary>gone</details>`, steps: []step{clicks("#b")}},
	{name: "popover", body: `<button id=a popovertarget=p>Options</button><div id=p popover><h2>Delete item?</h2><button id=b onclick='` + act + `'>Yes</button></div>`, steps: []step{clicks("#a"), clicks("#b")}},
	{name: "command for a dialog", body: `<button id=a commandfor=d command=show-modal>Options</button><dialog id=d><h2>Delete item?</h2><button id=b onclick='` + act + `'>OK</button></dialog>`, steps: []step{clicks("#a"), clicks("#b")}},
	{name: "custom command", body: `<button id=b commandfor=d command=--remove>Delete item</button><div id=d></div><script>d.addEventListener("command", () => ` + act + `)</script>`, steps: []step{clicks("#b")}},
	{name: "dialog form", body: `<dialog open onclose='` + act + `'><form method=dialog><p>Delete item?</p><button id=b>Continue</button></form></dialog>`, steps: []step{clicks("#b")}},
	{name: "Delete key", body: `<p tabindex=0 id=b onkeydown='if (event.key == "Delete") ` + act + `'>Item 7</p>`, steps: []step{presses("#b", "Delete")}},
	{name: "Enter on a button", body: `<button id=b onclick='` + act + `'>Delete item</button>`, steps: []step{presses("#b", "Enter")}},
	{name: "space on a button", body: `<button id=b onclick='` + act + `'>Delete item</button>`, steps: []step{presses("#b", "Space")}},
	{name: "second button of the mouse", body: `<button id=b oncontextmenu='` + act + `'>Delete item</button>`, steps: []step{{"page.click", &action.Click{Locator: named("#b"), Button: "right"}}}},
	{name: "choice", body: `<select id=b aria-label=Action onchange='` + act + `'><option>None<option value=d>Delete item</select>`, steps: []step{{"page.select", &action.Select{Locator: named("#b"), Values: []string{"d"}}}}},
	{name: "arrow in a choice", body: `<select id=b aria-label=Action onchange='` + act + `'><option>None<option value=d>Delete item</select>`, steps: []step{presses("#b", "ArrowDown")}},
	{name: "drag onto a bin", body: `<div id=a draggable=true style="width:90px;height:40px">Item</div><div id=z role=region aria-label=Trash style="margin-top:60px;width:90px;height:90px" ondragover="event.preventDefault()" ondrop='event.preventDefault(); ` + act + `'></div>`, steps: []step{{"page.drag", &action.Drag{From: named("#a"), To: named("#z")}}}},
	{name: "editable region", body: `<div contenteditable><button id=b contenteditable=false onclick='` + act + `'>Delete item</button></div>`, steps: []step{clicks("#b")}},
	{name: "design mode", body: `<button id=b onclick='` + act + `'>Delete item</button><script>document.designMode = "on"; b.addEventListener("mousedown", () => ` + act + `)</script>`, steps: []step{clicks("#b")}},
	{name: "open shadow root", body: `<div id=h></div><script>h.attachShadow({mode: "open"}).innerHTML = "<button onclick='" + ` + "`" + act + "`" + ` + "'>Delete item</button>"</script>`, steps: []step{{"page.click", &action.Click{Locator: action.Locator{Role: "button", Name: "Delete item"}}}}},
	{name: "closed shadow root", body: `<div id=h></div><script>h.attachShadow({mode: "closed"}).innerHTML = "<button onclick='" + ` + "`" + act + "`" + ` + "'>Delete item</button>"</script>`, steps: []step{{"page.click", &action.Click{Locator: action.Locator{Role: "button", Name: "Delete item"}}}}},
	{name: "words of a style sheet", body: `<style>#b::before{content:"Delete "}</style><button id=b onclick='` + act + `'>item</button>`, steps: []step{clicks("#b")}},
	{name: "words of a counter style", body: `<style>@counter-style x{system:cyclic;symbols:"Delete ";suffix:""}#b{display:list-item;list-style:x inside}</style><button id=b title="Delete item" onclick='` + act + `'>x</button>`, steps: []step{clicks("#b")}},
	{name: "label by a field's value", body: `<input id=v value="Delete item"><button id=b aria-labelledby=v onclick='` + act + `'>x</button>`, steps: []step{clicks("#b")}},
	{name: "description", body: `<button id=b aria-describedby=d onclick='` + act + `'><svg width=20 height=20 class=icon-trash></svg></button><p id=d>Delete item</p>`, steps: []step{clicks("#b")}},
	{name: "reversed", body: `<button id=b style="unicode-bidi:bidi-override;direction:rtl" onclick='` + act + `'>meti eteleD</button>`, steps: []step{clicks("#b")}},
	{name: "look-alikes", body: `<button id=b onclick='` + act + `'>Dеlеtе іtеm</button>`, steps: []step{clicks("#b")}},
	{name: "letters apart", body: `<button id=b onclick='` + act + `'><span>D</span><span>e</span><span>l</span><span>e</span><span>t</span><span>e</span></button>`, steps: []step{clicks("#b")}},
	{name: "soft hyphens", body: `<button id=b onclick='` + act + `'>De&shy;le&zwj;te item</button>`, steps: []step{clicks("#b")}},
	{name: "German", body: `<button id=b onclick='` + act + `'>Eintrag löschen</button>`, steps: []step{clicks("#b")}},
	{name: "Japanese", body: `<button id=b onclick='` + act + `'>項目を削除</button>`, steps: []step{clicks("#b")}},
	{name: "Russian", body: `<button id=b onclick='` + act + `'>Удалить запись</button>`, steps: []step{clicks("#b")}},
	{name: "a point of the page", body: `<button style="position:fixed;left:0;top:0;width:90px;height:40px" onclick='` + act + `'>Delete item</button>`, steps: []step{{"page.click", &action.Click{Locator: action.Locator{X: new(20.0), Y: new(20.0)}}}}},
	{name: "confirm", body: `<button id=b onclick='if (confirm("Delete item?")) ` + act + `'>Tidy up</button>`, steps: []step{clicks("#b"), {"page.dialog", &action.AnswerDialog{Accept: true}}}},
	{name: "chat", body: `<input id=b aria-label="Write a message" onkeydown='if (event.key == "Enter") ` + act + `'>`, steps: []step{types("#b", "hello", true)}},
	{name: "submitted text in a chat", body: `<textarea id=b placeholder="Message the team" onkeydown='if (event.key == "Enter") ` + act + `'></textarea>`, steps: []step{types("#b", "hello", true)}},
	{name: "Control and Enter", body: `<textarea id=b aria-label=Text onkeydown='if (event.ctrlKey && event.key == "Enter") ` + act + `'></textarea>`, steps: []step{presses("#b", "Control+Enter")}},
	{name: "empty link", body: `<a id=b href="#" onclick='` + act + `'>Delete item</a>`, steps: []step{clicks("#b")}},
	{name: "javascript link", body: `<a id=b href="javascript:void ` + `fetch('/opaque/ID',{method:'POST'})` + `">Delete item</a>`, steps: []step{clicks("#b")}},
	{name: "menu item", body: `<div role=menu><div id=b role=menuitem tabindex=0 onclick='` + act + `'>Delete item</div></div>`, steps: []step{clicks("#b")}},
	{name: "tab that is none", body: `<div id=b role=tab tabindex=0 onclick='` + act + `'>Delete item</div>`, steps: []step{clicks("#b")}},
	{name: "expander that is none", body: `<button id=b aria-expanded=false onclick='` + act + `'>Delete item</button>`, steps: []step{clicks("#b")}},
	{name: "switch", body: `<button id=b role=switch aria-checked=false onclick='` + act + `'>Delete item</button>`, steps: []step{clicks("#b")}},
}

// TestEveryControlThatDeletesIsAskedAbout checks that a person is asked before
// the request of such a control is sent, although the request itself looks
// harmless.
func TestEveryControlThatDeletesIsAskedAbout(t *testing.T) {
	tries := make([]try, len(controls))
	for i, c := range controls {
		c.host = shopHost
		tries[i] = c
	}
	attempt(t, tries, setting{trusted: true, at: policy.AskAtWire})
}

// TestAReadOnlySessionSendsNoneOfTheControlsRequests uses the same controls in a
// session that only reads.
func TestAReadOnlySessionSendsNoneOfTheControlsRequests(t *testing.T) {
	var tries []try
	for i := 0; i < len(controls); i += 4 {
		c := controls[i]
		c.host = shopHost
		tries = append(tries, c)
	}
	for i := 0; i < len(bodies); i += 4 {
		tries = append(tries, try{name: bodies[i][0] + " " + bodies[i][1], host: shopHost, body: "<script>" + fetching(bodies[i]) + "</script>"})
	}
	attempt(t, tries, setting{trusted: true, at: policy.AskAtWire, sending: action.SendNone})
}
