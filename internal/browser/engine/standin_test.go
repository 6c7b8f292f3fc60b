package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// TestWhatIsDrawnByItsLabelIsShownAndChecked has the ways in which style sheets hide
// a checkbox and draw another one.
func TestWhatIsDrawnByItsLabelIsShownAndChecked(t *testing.T) {
	for name, html := range map[string]string{
		"not displayed":            `<input type=checkbox id=x style="display:none"><label for=x>Agree</label>`,
		"inside its label":         `<label style="cursor:pointer"><input type=checkbox id=x hidden><i></i>Agree</label>`,
		"in a box not displayed":   `<div style="display:none"><input type=checkbox id=x></div><label for=x><span>Agree</span></label>`,
		"invisible":                `<label><input type=checkbox id=x style="visibility:hidden">Agree</label>`,
		"off screen":               `<label><input type=checkbox id=x style="position:absolute;left:-9999px">Agree</label>`,
		"far above":                `<div style="height:3000px"></div><label><input type=checkbox id=x style="position:absolute;top:-9999px">Agree</label>`,
		"clipped to a pixel":       `<label><input type=checkbox id=x style="position:absolute;width:1px;height:1px;clip-path:inset(50%);overflow:hidden">Agree</label>`,
		"behind what draws it":     `<div style="position:relative"><input type=checkbox id=x style="position:absolute;z-index:-1;opacity:0"><label for=x>Agree</label></div>`,
		"a switch":                 `<label><input type=checkbox role=switch id=x style="opacity:0;width:0;height:0"><span style="display:inline-block;width:40px;height:20px;background:#ccc"></span> Agree</label>`,
		"over what draws it":       `<label><span style="position:relative;display:inline-block;width:40px;height:40px"><input type=checkbox id=x style="position:absolute;opacity:0;width:100%;height:100%;left:0;top:0;margin:0"><svg width=20 height=20></svg></span><span>Agree</span></label>`,
		"covered by what draws it": `<span style="position:relative;display:inline-block;width:30px;height:30px"><input type=checkbox id=x style="position:absolute;opacity:0;width:30px;height:30px;margin:0"><ins style="position:absolute;inset:0;background:#ccc"></ins></span><label for=x>Agree</label>`,
		"a card":                   `<label style="display:block;width:200px;border:1px solid"><input type=radio name=r id=x style="display:none"><h4>Agree</h4></label>`,
		"a label without any text": `<input type=checkbox id=x aria-label=Agree style="display:none"><label for=x style="display:inline-block;width:40px;height:20px;background:#ccc"></label>`,
		"two labels":               `<input type=checkbox id=x aria-label=Agree style="display:none"><label for=x style="display:none">Gone</label><label for=x>Agree</label><label for=x>Agree</label>`,
	} {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.visit(html)
			role := map[string]string{"a switch": "switch", "a card": "radio"}[name]
			if role == "" {
				role = "checkbox"
			}
			shot := tr.sees(bot)
			wants(t, shot, role+` "Agree`)
			if name != "far above" {
				wants(t, tr.must("page.snapshot", &action.TakeSnapshot{Viewport: true}).Data.(*action.Snapshot).Text, role+` "Agree`)
			}
			if found := tr.must("page.find", &action.Find{Role: role}).Data.(*action.Matches); found.Total != 1 || found.Matches[0].Ref == "" {
				t.Errorf("found %+v", found)
			}
			tr.must("page.check", &action.SetChecked{Locator: action.Locator{Role: role, Name: "Agree"}})
			if tr.eval(`String(x.checked)`) != "true" {
				t.Error("it is not checked")
			}
			wants(t, tr.sees(bot), "checked")
		})
	}
}

func TestAClickOnALabelTellsTheChange(t *testing.T) {
	tr := start(t)
	tr.visit(`<input type=checkbox id=a style="display:none"><label for=a>Newsletter</label><input type=radio name=r id=b hidden checked><label for=b>Monthly</label>
		<input type=radio name=r id=c hidden><label for=c>Yearly</label><input type=checkbox id=d hidden disabled><label for=d>Locked</label>`)
	wants(t, tr.sees(bot), `checkbox "Newsletter" [e1]`+"\n", `radio "Monthly" [e2] checked`, `radio "Yearly" [e3]`+"\n", `checkbox "Locked" disabled`)
	r := tr.must("page.click", &action.Click{Locator: action.Locator{Text: "Newsletter"}})
	if got := r.Data.(*action.Acted); got.Element.Role != "checkbox" {
		t.Errorf("clicked %+v", got.Element)
	}
	wants(t, tr.sees(bot), `checkbox "Newsletter" [e1] checked`)
	tr.must("page.click", &action.Click{Locator: action.Locator{Ref: "e3"}})
	wants(t, tr.sees(bot), `radio "Monthly" [e2]`+"\n", `radio "Yearly" [e3] checked`)
}

// TestAHiddenControlThatNothingDrawsIsNotReached: no label, or none that a person
// sees.
func TestAHiddenControlThatNothingDrawsIsNotReached(t *testing.T) {
	for name, html := range map[string]string{
		"no label":            `<input type=checkbox id=x aria-label=Agree style="display:none">`,
		"text without label":  `<input type=checkbox id=x aria-label=Agree style="position:absolute;left:-9999px">Agree`,
		"a hidden label":      `<input type=checkbox id=x style="display:none"><label for=x style="display:none">Agree</label>`,
		"a transparent label": `<input type=checkbox id=x style="display:none"><label for=x style="opacity:0">Agree</label>`,
		"a label off screen":  `<input type=checkbox id=x style="position:absolute;left:-9999px"><label for=x style="position:absolute;left:-9999px">Agree</label>`,
		"a label of another":  `<input type=checkbox id=x aria-label=Agree style="display:none"><label>Agree <input></label>`,
	} {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.visit(html + `<p>Text</p>`)
			wants(t, tr.sees(bot), "!checkbox")
			timing := action.Timing{Timeout: 300}
			if _, err := tr.do("page.check", &action.SetChecked{Locator: selector("#x"), Timing: timing}); err == nil || tr.eval(`String(x.checked)`) != "false" {
				t.Errorf("it was checked: %v", err)
			}
		})
	}
	tr := start(t)
	tr.visit(`<title></title><label for=x>Agree</label><input type=checkbox id=x style="display:none"><div style="position:fixed;inset:0;background:#fff" onclick="document.title='cover'">Cover</div>`)
	tr.refuse(fault.NotActionable, "page.check", &action.SetChecked{Locator: selector("#x"), Timing: action.Timing{Timeout: 300}})
	tr.wantTitle("")
}

// A drawn select: the field is in a box that shows the choice and opens the list.
const drawnSelect = `<title></title><style>input{opacity:0;width:1px;border:0;padding:0}</style><label id=l>Fruit</label>
	<div id=c style="position:relative;border:1px solid;width:200px;height:30px"><div>Select...</div>INPUT</div><ul id=m role=listbox hidden><li role=option>Apple<li role=option>Pear</ul>
	<script>c.addEventListener('mousedown', () => { m.hidden = false }); m.onclick = e => { c.firstElementChild.textContent = e.target.textContent; m.hidden = true; document.title = e.target.textContent }</script>`

func TestASelectThatAPageDrawsIsShownAndOpened(t *testing.T) {
	for name, input := range map[string]string{
		"moved and transparent": `<input role=combobox readonly aria-labelledby=l style="position:absolute;left:-100px;transform:scale(.01)">`,
		"of one pixel":          `<div><input role=combobox aria-labelledby=l></div>`,
		"without a width":       `<div><input role=combobox aria-labelledby=l style="width:0"></div>`,
		"with a hidden value":   `<input role=combobox aria-labelledby=l><input type=hidden name=fruit value=1>`,
		"beside a clear sign":   `<input role=combobox aria-labelledby=l><span role=button aria-label="Clear" style="position:absolute;right:0" onmousedown="document.title='cleared'">x</span>`,
	} {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.visit(strings.Replace(drawnSelect, "INPUT", input, 1))
			wants(t, tr.sees(bot), `combobox "Fruit" [e`)
			tr.click(action.Locator{Role: "combobox", Name: "Fruit"})
			tr.click(action.Locator{Role: "option", Name: "Pear"})
			tr.wantTitle("Pear")
		})
	}
}

// TestABoxAroundAHiddenFieldIsJudgedAndNotEveryBoxStandsForIt: what the box says is
// judged as a name of the field. A box that does something by itself, or contains
// other fields, does not stand for it.
func TestABoxAroundAHiddenFieldIsJudgedAndNotEveryBoxStandsForIt(t *testing.T) {
	const hidden = `<input id=x role=combobox aria-label=Fruit style="opacity:0;width:1px;border:0;padding:0">`
	tr := start(t)
	tr.visit(`<div style="border:1px solid;width:200px"><div>Delete account</div>` + hidden + `</div>`)
	facts, _, err := tr.Look(tr.ctx, "page.click", &action.Click{Locator: selector("#x")})
	must(t, err)
	if facts.Element.Name != "Fruit" || facts.Element.Also != "Delete account" {
		t.Errorf("judged as %+v", facts.Element)
	}
	tr.visit(`<title></title><div style="border:1px solid;width:200px" onpointerover="this.firstElementChild.textContent='Delete account'"><div>Apple</div>` + hidden + `</div>
		<script>document.addEventListener('mousedown', () => { document.title = 'pressed' })</script>`)
	tr.refuse(fault.PageChanged, "page.click", &action.Click{Locator: selector("#x")})
	tr.wantTitle("")
	for name, html := range map[string]string{
		"a button":           `<div role=button style="border:1px solid;width:200px" onmousedown="document.title='pressed'">Delete` + hidden + `</div>`,
		"a handler":          `<div style="border:1px solid;width:200px" onmousedown="document.title='pressed'">Delete` + hidden + `</div>`,
		"a link":             `<a href="#pressed" style="display:block;border:1px solid;width:200px">Delete` + hidden + `</a>`,
		"nothing drawn":      `<div>Text ` + hidden + `</div>`,
		"another field":      `<div style="border:1px solid;width:200px"><input style="opacity:1;width:50px">` + hidden + `</div>`,
		"the whole page":     hidden,
		"beside a drawn one": `<div style="border:1px solid;width:200px"><span role=combobox tabindex=0 aria-label=Seen>Apple</span>` + hidden + `</div>`,
		"a select":           `<div style="border:1px solid;width:200px">Apple<select aria-label=Fruit style="position:absolute;width:1px;height:1px;clip-path:inset(50%)"><option>A</select></div>`,
		"a large box":        `<div style="border:1px solid;height:400px">` + hidden + `</div>`,
		"an invisible box":   `<div style="border:1px solid;width:200px;opacity:0">Text` + hidden + `</div>`,
	} {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.visit(`<title></title><style>body{border:1px solid}</style>` + html)
			wants(t, tr.sees(bot), `!combobox "Fruit"`)
		})
	}
}
