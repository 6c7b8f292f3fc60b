package gate_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// TestAnApprovalCoversWhatWasShown presses elements whose pages send more than what
// people approve: after an approved request, or in place of the element's own.
func TestAnApprovalCoversWhatWasShown(t *testing.T) {
	wires := map[bool]*wireRig{false: newWire(t, atWire), true: newWire(t, policy.Config{Enabled: true, AskAt: policy.AskAtAct})}
	const send = `(path, body) => fetch(path, {method: 'POST', headers: {'Content-Type': 'application/x-www-form-urlencoded'}, body})`
	for name, c := range map[string]struct {
		html   string
		yes    []bool // the answers of people, one after the other
		tries  string // the requests that arrive, in any order
		before bool   // people are asked before the act first
	}{
		"another amount after the approved payment":          {`<button id=b onclick="send('/pay', 'amount=10&to=Ann').then(() => send('/pay', 'amount=9999&to=eve'))">Pay 10 EUR to Ann</button>`, []bool{true, false}, "POST /pay", false},
		"a form that a script changes":                       {`<form method=post action=/pay onsubmit="amount.value = 9999"><input type=hidden name=to value=Ann><input type=hidden name=amount value=10 id=amount><button id=b>Pay 10 EUR to Ann</button></form>`, []bool{true, false}, "", true},
		"a changed form that is asked about when it is sent": {`<form method=post action=/pay onsubmit="amount.value = 9999"><input type=hidden name=to value=Ann><input type=hidden name=amount value=10 id=amount><button id=b>Pay 10 EUR to Ann</button></form>`, []bool{false}, "", false},
		"a form as it is":                                    {`<form method=post action=/pay><input type=hidden name=to value=Ann><input type=hidden name=amount value=10><button id=b>Pay 10 EUR to Ann</button></form>`, []bool{true}, "POST /pay", true},
		"a form that is asked about when it is sent":         {`<form method=post action=/pay><input type=hidden name=to value=Ann><input type=hidden name=amount value=10><button id=b>Pay 10 EUR to Ann</button></form>`, []bool{true}, "POST /pay", false},
		"a script sends the form's fields twice":             {`<form method=post action=/pay onsubmit="event.preventDefault(); send('/pay', 'to=Ann&amount=10').then(() => send('/pay', 'to=Ann&amount=10'))"><input type=hidden name=to value=Ann><input type=hidden name=amount value=10><button id=b>Pay 10 EUR to Ann</button></form>`, []bool{true, false}, "POST /pay", true},
		"another item after the approved one":                {`<button id=b onclick="fetch('/rows/1', {method: 'DELETE'}).then(() => fetch('/repos/5', {method: 'DELETE'}))">Delete row 1</button>`, []bool{true, false}, "DELETE /rows/1", false},
		"the same item again":                                {`<button id=b onclick="fetch('/rows/1', {method: 'DELETE'}).then(() => fetch('/rows/1', {method: 'DELETE'}))">Delete row 1</button>`, []bool{true, false}, "DELETE /rows/1", false},
		"everybody after one person":                         {`<button id=b onclick="send('/messages', 'to=Ann&text=hi').then(() => send('/messages', 'to=all&text=hi'))">Send to Ann</button>`, []bool{true, false}, "POST /messages", false},
		"an opaque request after the approved one":           {`<button id=b onclick="fetch('/rows/1', {method: 'DELETE'}).then(() => send('/rpc', 'm=17'))">Delete row 1</button>`, []bool{true, false}, "DELETE /rows/1", false},
		"what the page reads after it":                       {`<button id=b onclick="fetch('/rows/1', {method: 'DELETE'}).then(() => fetch('/rows?page=2'))">Delete row 1</button>`, []bool{true}, "DELETE /rows/1", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := wires[c.before]
			w.mu.Lock()
			w.done = nil
			w.mu.Unlock()
			id := "b" + strings.NewReplacer(" ", "-", "'", "").Replace(name) // an equal call would wait for the answers to the one before
			w.as(operator, "page.execute", &action.Execute{Expression: `window.send = ` + send + `; document.body.innerHTML = ` + strconv.Quote(strings.Replace(c.html, "id=b", "id="+id, 1))}, 0)
			answered := w.answers(c.yes...)
			_, _ = w.testGate.Call(t.Context(), action.Call{Verb: "page.click", Caller: agent, Args: &action.Click{Locator: named("#" + id)}, Wait: time.Minute})
			for range c.yes {
				answered()
			}
			testwait.For(t, "the requests", func() bool { return w.did() == c.tries })
			if q := w.asked(); len(q) != 0 {
				t.Errorf("asked again: %+v", q)
			}
			w.as(operator, "page.goto", &action.Goto{URL: w.site.URL + "/"}, 0)
		})
	}
}
