package gate_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// payNow has paid when the browser has handled the event.
const payNow = `<script>const paid = () => { const x = new XMLHttpRequest(); x.open("POST", "/effect", false); x.send() }</script>
	<button id=pay style="width:200px;height:60px" onclick="paid()" onmouseup="paid()" onkeydown="paid()">Pay €900 now</button>`

// TestInputThatPaysIsAskedAbout types, presses and clicks as an agent on a
// trusted host, where each call alone is harmless, in pages that redirect the
// input to a button that pays. Nothing may be paid. A call on the same button
// that a person approves does pay.
func TestInputThatPaysIsAskedAbout(t *testing.T) {
	w := newSiteRig(t)
	const search = `<input id=q type=search aria-label=Search>`
	const steal = `<script>let once = true; const steal = () => { if (once) { once = false; pay.focus() } }</script>`
	for name, c := range map[string]struct {
		html  string
		calls []way
	}{
		"Tab and Enter":               {search + payNow, []way{{verb: "page.type", args: &action.Type{Locator: named("#q"), Input: "\t", Submit: true}}}},
		"text, Tab and Enter":         {search + payNow, []way{{verb: "page.type", args: &action.Type{Locator: named("#q"), Input: "x\t", Submit: true}}}},
		"Tabs":                        {search + `<a href="#">Help</a>` + payNow, []way{{verb: "page.type", args: &action.Type{Locator: named("#q"), Input: "\t\t\n"}}}},
		"Tab, then Enter by itself":   {search + payNow, []way{{verb: "page.type", args: &action.Type{Locator: named("#q"), Input: "\t"}}, {verb: "page.press", args: &action.Press{Key: "Enter"}}}},
		"Tab, then the space bar":     {search + payNow, []way{{verb: "page.press", args: &action.Press{Locator: named("#q"), Key: "Tab"}}, {verb: "page.press", args: &action.Press{Key: "Space"}}}},
		"Shift+Tab, then Enter":       {payNow + search, []way{{verb: "page.press", args: &action.Press{Locator: named("#q"), Key: "Shift+Tab"}}, {verb: "page.press", args: &action.Press{Key: "Enter"}}}},
		"a focus moved by text":       {search + payNow + steal + `<script>q.oninput = steal</script>`, []way{{verb: "page.type", args: &action.Type{Locator: named("#q"), Input: "x", Submit: true}}}},
		"a focus moved by a key":      {search + payNow + steal + `<script>q.onkeydown = steal</script>`, []way{{verb: "page.type", args: &action.Type{Locator: named("#q"), Input: "x", Submit: true}}}},
		"a focus moved by a key up":   {search + payNow + steal + `<script>q.onkeyup = steal</script>`, []way{{verb: "page.type", args: &action.Type{Locator: named("#q"), Input: "xy", Submit: true, Delay: 5}}}},
		"a button that Enter gets":    {`<form action="/effect" method=post>` + search + `<button id=s>Search</button></form><script>q.oninput = () => { s.textContent = 'Pay €900 now' }</script>`, []way{{verb: "page.type", args: &action.Type{Locator: named("#q"), Input: "x", Submit: true}}}},
		"a frame under the pointer":   {`<iframe id=f style="display:none;position:fixed;inset:0" srcdoc='` + payNow + `'></iframe><button id=x onmouseenter="f.style.display='block'">Next page</button>`, []way{{verb: "page.click", args: &action.Click{Locator: named("#x")}}}},
		"another at the second click": {`<button id=x>Next page</button><div hidden id=h>` + payNow + `</div><script>x.onclick = () => x.replaceWith(pay)</script>`, []way{{verb: "page.click", args: &action.Click{Locator: named("#x"), ClickCount: 2}}}},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			at := &trial{siteRig: w, t: t}
			at.show(c.html)
			for _, call := range c.calls {
				result, err := w.as(agent, call.verb, call.args)
				if err == nil && result.Pending != nil {
					continue // asked about
				}
				if code := fault.CodeOf(err); err != nil && code != fault.PageChanged && code != fault.DeniedByPolicy {
					t.Errorf("%s: %v", call.verb, err)
				}
			}
			if n := w.done.Load(); n != 0 {
				t.Errorf("paid %d times", n)
			}
		})
	}
	at := &trial{siteRig: w, t: t}
	at.show(payNow)
	at.answered(way{verb: "page.press", args: &action.Press{Locator: named("#pay"), Key: "Enter"}, risk: action.High}) // proves that the test detects it
}
