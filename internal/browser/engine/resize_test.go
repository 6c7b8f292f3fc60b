package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func (tr *trial) value(script string) any {
	tr.t.Helper()
	return tr.must("page.execute", &action.Execute{Expression: script}).Data.(*action.Executed).Result
}

func TestResizeIsForEveryTab(t *testing.T) {
	tr := start(t)
	tr.visit(`<title>a</title>`)
	if r := tr.must("page.resize", &action.Resize{Width: 390, Height: 844}).Data.(*action.Resized); !r.OK || r.Width != 390 || r.Height != 844 {
		t.Errorf("%+v", r)
	}
	size := "innerWidth+' '+innerHeight"
	if got := tr.value(size); got != "390 844" {
		t.Errorf("the tab is %v", got)
	}
	tr.must("tab.open", &action.OpenTab{})
	tr.visit(`<title>b</title>`)
	if got := tr.value(size); got != "390 844" {
		t.Errorf("the next tab is %v", got)
	}
}

func TestChecksOnlyWhatIsNotYetAsWanted(t *testing.T) {
	tr := start(t)
	tr.visit(`<script>let clicks = 0; addEventListener('click', e => { if (e.target.matches('input,[role]')) clicks++ })</script>
		<label>Terms <input id=c type=checkbox></label><input id=m type=checkbox aria-label=Some><script>m.indeterminate=true</script>
		<input id=r type=radio name=r aria-label=Post><input id=s type=radio name=r aria-label=Express>
		<div id=w role=switch aria-checked=true tabindex=0 onclick="this.ariaChecked=String(this.ariaChecked!=='true')">Dark</div><button id=b>Save</button>`)
	state := `[c.checked,m.checked,r.checked,s.checked,w.ariaChecked,clicks].join()`
	set := func(id string, to bool) {
		t.Helper()
		tr.must("page.click", &action.Click{Locator: selector("#" + id), Checked: &to})
	}
	for _, id := range []string{"c", "m", "s", "w"} {
		set(id, true)
	}
	if got := tr.value(state); got != "true,true,false,true,true,3" {
		t.Errorf("checked: %v", got)
	}
	for _, id := range []string{"c", "s", "w"} {
		set(id, id == "s") // which is so already
	}
	set("r", false)
	if got := tr.value(state); got != "false,true,false,true,false,5" {
		t.Errorf("unchecked: %v", got)
	}
	if f := tr.refuse(fault.NotActionable, "page.click", &action.Click{Locator: selector("#s"), Checked: new(false)}); !strings.Contains(f.Hint, "another") {
		t.Errorf("%+v", f)
	}
	tr.refuse(fault.NotActionable, "page.click", &action.Click{Locator: selector("#b"), Checked: new(true)})
}
