package engine_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestType(t *testing.T) {
	tr := start(t)
	tr.visit(`<input id=i value=old oninput="n++" onchange="c++"><textarea id=t></textarea><div id=e contenteditable></div><input id=r readonly>
		<script>let n = 0, c = 0; setInterval(() => document.title = [i.value, t.value, e.innerText, n > 0, c > 0].map(encodeURIComponent).join('|'), 10)</script>`)
	shows := func(values ...string) {
		t.Helper()
		for i, v := range values {
			values[i] = strings.ReplaceAll(url.QueryEscape(v), "+", "%20")
		}
		want := strings.Join(values, "|")
		for range 200 { // the page reports each 10 ms
			if tr.title() == want {
				return
			}
		}
		tr.wantTitle(want)
	}
	tr.must("page.type", &action.Type{Locator: selector("#i"), Input: " né\u200d👩‍🚀"})
	shows("old né\u200d👩‍🚀", "", "", "true", "true")
	tr.must("page.type", &action.Type{Locator: selector("#i"), Input: "new", Clear: true})
	shows("new", "", "", "true", "true")
	tr.must("page.type", &action.Type{Locator: selector("#t"), Input: "a\r\nb\t"})
	tr.must("page.type", &action.Type{Locator: selector("#e"), Input: "Slow", Delay: 1})
	shows("new", "a\nb\t", "Slow", "true", "true")
	tr.refuse(fault.InvalidRequest, "page.type", &action.Type{Locator: selector("#i"), Input: "a\x1bb"})
	f := tr.refuse(fault.NotActionable, "page.type", &action.Type{Locator: selector("#r"), Input: "x", Timing: action.Timing{Timeout: 200}})
	if f.Details["reason"] != "not editable" {
		t.Errorf("%v with %v", f, f.Details)
	}
}

func TestTypingThatSubmitsItsFormOnChangeShowsTheNewPage(t *testing.T) {
	tr := start(t)
	s := tr.visit(`<form action=/next><input id=i onchange="this.form.submit()"></form>`)
	r := tr.must("page.type", &action.Type{Locator: selector("#i"), Input: "x"})
	if !r.Data.(*action.Acted).NewPage || !strings.HasPrefix(r.Page.URL, s.URL+"/next") {
		t.Errorf("%+v on %+v", r.Data, r.Page)
	}
}

func TestPress(t *testing.T) {
	tr := start(t)
	tr.visit(`<input id=i value=abc onkeydown="log(event)"><script>const keys = [];
		function log(e) { keys.push((e.ctrlKey ? '^' : '') + (e.shiftKey ? '+' : '') + e.key + '/' + e.code + '/' + e.keyCode); document.title = keys.join(' ') }</script>`)
	i := selector("#i")
	for _, k := range []string{"Control+a", "é", "Shift+b", "ArrowLeft", "Enter", "+", "Control++", "F5", "?"} {
		tr.must("page.press", &action.Press{Locator: i, Key: k})
	}
	tr.wantTitle("^Control/ControlLeft/17 ^a/KeyA/65 é//0 +Shift/ShiftLeft/16 +B/KeyB/66 ArrowLeft/ArrowLeft/37 Enter/Enter/13 ++/Equal/187 ^Control/ControlLeft/17 ^++/Equal/187 F5/F5/116 +?/Slash/191")
	tr.must("page.press", &action.Press{Key: "Home"})
	r := tr.must("page.snapshot", &action.TakeSnapshot{}).Data.(*action.Snapshot)
	if !strings.Contains(r.Text, `value="é+?B"`) {
		t.Errorf("the field holds %s", r.Text)
	}
	for _, k := range []string{"Nonsense", "Control+", "Hyper+a", "ab", "\x01"} {
		tr.refuse(fault.InvalidRequest, "page.press", &action.Press{Locator: i, Key: k})
	}
}

func TestPressRefusesWhenTheFocusMoved(t *testing.T) {
	tr := start(t)
	tr.visit(`<input id=a autofocus><input id=b><i id=x onclick="b.focus()" onmousedown="return false">move</i>`)
	tr.must("page.click", &action.Click{Locator: selector("#a")})
	args := &action.Press{Key: "x"}
	_, pin, err := tr.Look(tr.ctx, "page.press", args)
	must(t, err)
	tr.must("page.click", &action.Click{Locator: selector("#x")})
	_, err = tr.Do(tr.ctx, "page.press", args, pin)
	expect(t, fault.PageChanged, err)
}

func TestSelect(t *testing.T) {
	tr := start(t)
	tr.visit(`<select id=one onchange="document.title='c'+this.value"><option value=1>First<option value=2>Second<option disabled value=3>Third</select>
		<select id=many multiple><option>a<option>b<option>c</select><input id=not>`)
	r := tr.must("page.select", &action.Select{Locator: selector("#one"), Values: []string{"Second"}}).Data.(*action.Acted)
	if len(r.Selected) != 1 || r.Selected[0] != "2" || strings.Join(r.Labels, "") != "Second" {
		t.Errorf("selected %q, %q", r.Selected, r.Labels)
	}
	tr.wantTitle("c2")
	r = tr.must("page.select", &action.Select{Locator: selector("#many"), Values: []string{"a", "c"}}).Data.(*action.Acted)
	if strings.Join(r.Selected, "") != "ac" {
		t.Errorf("selected %q", r.Selected)
	}
	f := tr.refuse(fault.InvalidRequest, "page.select", &action.Select{Locator: selector("#one"), Values: []string{"Fourth"}})
	if !strings.Contains(f.Message, "First, Second") {
		t.Errorf("%v lists no options", f)
	}
	tr.refuse(fault.InvalidRequest, "page.select", &action.Select{Locator: selector("#one"), Values: []string{"1", "2"}})
	tr.refuse(fault.NotActionable, "page.select", &action.Select{Locator: selector("#one"), Values: []string{"3"}})
	tr.refuse(fault.NotActionable, "page.select", &action.Select{Locator: selector("#not"), Values: []string{"3"}, Timing: action.Timing{Timeout: 200}})
	tr.refuse(fault.InvalidRequest, "page.select", &action.Select{Locator: selector("#one")})
}

func TestHoverAndScroll(t *testing.T) {
	tr := start(t)
	tr.visit(`<style>body {height: 4000px; margin: 0}</style><p id=p onmouseover="document.title='over'">Hover</p>
		<div id=d style="height:50px;width:50px;overflow:auto"><div style="height:900px;width:900px"></div></div><p id=far style="position:absolute;top:3000px">Far</p>`)
	tr.must("page.hover", &action.Hover{Locator: selector("#p")})
	tr.wantTitle("over")
	at := func(a action.Scroll, x, y float64) {
		t.Helper()
		if s := tr.must("page.scroll", &a).Data.(*action.Scrolled); s.X != x || s.Y != y {
			t.Errorf("scrolled to %+v, want %v, %v", s, x, y)
		}
	}
	at(action.Scroll{Y: 500}, 0, 500)
	at(action.Scroll{Y: -100}, 0, 400)
	at(action.Scroll{Locator: selector("#d"), X: 10, Y: 20}, 10, 20)
	if s := tr.must("page.scroll", &action.Scroll{Locator: selector("#far")}).Data.(*action.Scrolled); s.Y < 2500 || s.Y > 3000 {
		t.Errorf("scrolled into view at %+v", s)
	}
}

func TestWaitFor(t *testing.T) {
	tr := start(t)
	s := tr.visit(`<p id=p>Loading</p><i id=i>here</i><script>setTimeout(() => { p.textContent = 'Done'; i.remove(); history.pushState(0, '', '/later') }, 150)</script>`)
	for name, a := range map[string]*action.WaitFor{
		"body":     {},
		"text":     {Locator: action.Locator{Text: "Done"}},
		"gone":     {TextGone: "Loading"},
		"detached": {Locator: selector("#i"), State: "detached"},
		"hidden":   {Locator: selector("#i"), State: "hidden"},
		"visible":  {Locator: action.Locator{Role: "paragraph"}, State: "visible"},
		"url":      {URL: "/later"},
		"idle":     {NetworkIdle: true},
		"all":      {Locator: selector("#p"), TextGone: "Loading", URL: "/later"},
	} {
		tr.must("page.goto", &action.Goto{URL: s.URL})
		if w := tr.must("page.wait_for", a).Data.(*action.Waited); !w.Found {
			t.Errorf("%s was not found", name)
		}
	}
	tr.must("page.wait_for", &action.WaitFor{Locator: action.Locator{Text: "Done"}}) // the last of these may not have waited for it
	short := 150
	for name, a := range map[string]*action.WaitFor{
		"selector": {Locator: selector("#none"), Timeout: &short},
		"attached": {Locator: selector("#p"), State: "detached", Timeout: &short},
		"text":     {TextGone: "Done", Timeout: &short},
		"url":      {URL: "nowhere", Timeout: &short},
	} {
		if w := tr.must("page.wait_for", a).Data.(*action.Waited); w.Found {
			t.Errorf("%s was found", name)
		}
	}
	tr.refuse(fault.InvalidSelector, "page.wait_for", &action.WaitFor{Locator: selector("b[")})
	tr.refuse(fault.InvalidRequest, "page.wait_for", &action.WaitFor{State: "gone"})
}
