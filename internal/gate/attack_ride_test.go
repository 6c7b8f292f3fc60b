package gate_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// own is the deletion that people approve.
const own = `<button id=b onclick="fetch('/own/5/delete', {method: 'POST'}).catch(() => {})">Remove own</button>`

// agreeing approves that deletion and nothing else.
func agreeing(q action.Question) bool {
	for _, r := range q.Requests {
		if !strings.Contains(r.URL, "/own/") {
			return false
		}
	}
	return q.Request != nil && strings.Contains(q.Request.URL, "/own/") || q.Request == nil && q.Element != nil && strings.Contains(q.Element.Name, "own")
}

const sendsForeign = `fetch("SHOP/items/ID/delete", {method: "POST", mode: "no-cors", credentials: "include"})`

// framed embeds a document of another origin in the page whose act was approved.
func framed(address string) string {
	return `<iframe src="` + address + `" style="width:9px;height:9px"></iframe>`
}

// later repeats something after the act was approved.
const later = `const later = (f, each) => setTimeout(() => setInterval(f, each), 700);`

// always keeps sending.
const always = `<script>` + later + `later(() => ` + sendsForeign + `.catch(() => {}), 150)</script>`

// TestAnApprovalCoversNoOtherRequests checks that requests which a page, a frame
// or another window sends during an approved act do not count as part of it.
func TestAnApprovalCoversNoOtherRequests(t *testing.T) {
	press := []step{clicks("#b")}
	page := map[string]attackerPage{"/frame": {body: always}}
	tries := []try{
		{name: "a frame of another site", host: shopHost, body: own + framed("ATTACKER/frame"), more: page, steps: press},
		{name: "a frame of the same site", host: shopHost, body: own + framed("USERS/frame"), more: page, steps: press},
		{name: "a frame in a sandbox", host: shopHost, body: own + `<iframe sandbox=allow-scripts srcdoc='` + strings.ReplaceAll(always, "'", "&#39;") + `'></iframe>`, steps: press},
		{name: "a sandboxed frame of the same host", host: shopHost, body: own + `<iframe sandbox=allow-scripts src=/frame></iframe>`, more: page, steps: press},
		{name: "a frame in a frame", host: shopHost, body: own + framed("USERS/outer"), more: map[string]attackerPage{"/outer": {body: framed("ATTACKER/frame")}, "/frame": {body: always}}, steps: press},
		{name: "a form of a frame for the tab", host: shopHost, body: own + framed("ATTACKER/form"), steps: press,
			more: map[string]attackerPage{"/form": {body: `<form id=f method=post target=_top action="SHOP/items/ID/delete"></form><script>` + later + `later(() => f.submit(), 400)</script>`}}},
		{name: "a form of a frame for itself", host: shopHost, body: own + framed("ATTACKER/form2"), steps: press,
			more: map[string]attackerPage{"/form2": {body: `<form id=f method=post action="SHOP/items/ID/delete"></form><script>` + later + `later(() => f.submit(), 400)</script>`}}},
		{name: "the same page, another item", host: shopHost, body: own + `<script>` + later + `later(() => fetch("/items/ID/delete", {method: "POST"}).catch(() => {}), 150)</script>`, steps: press},
		{name: "the same page, all items", host: shopHost, body: own + `<script>` + later + `later(() => fetch("/own/5/delete/../../../items/ID/delete?all=1", {method: "POST"}).catch(() => {}), 150)</script>`, steps: press},
		{name: "the same page to another host of the site", host: userHost, body: own + always, steps: press},
		{name: "the same page to another site", host: attackerHost, body: own + always, steps: press},
		{name: "the same page, another kind of harm", host: shopHost, body: own + `<script>` + later + `later(() => fetch("/messages/ID/send", {method: "POST"}).catch(() => {}), 150)</script>`, steps: press},
		{name: "the same page, paying", host: shopHost, body: own + `<script>` + later + `later(() => fetch("/transfer/ID", {method: "POST", body: "amount=9&to=x"}).catch(() => {}), 150)</script>`, steps: press},
		{name: "a worker of another site", host: shopHost, body: own + framed("ATTACKER/work"), steps: press,
			more: map[string]attackerPage{"/work": {body: `<script>new Worker("/work.js")</script>`}, "/work.js": {kind: "text/javascript", body: later + `later(() => ` + sendsForeign + `.catch(() => {}), 150)`}}},
		{name: "a shared worker of another site", host: shopHost, body: own + framed("ATTACKER/shared"), steps: press,
			more: map[string]attackerPage{"/shared": {body: `<script>new SharedWorker("/shared.js").port.start()</script>`}, "/shared.js": {kind: "text/javascript", body: later + `later(() => ` + sendsForeign + `.catch(() => {}), 150)`}}},
		{name: "a beacon of a frame", host: shopHost, body: own + framed("ATTACKER/beacon"), steps: press, more: map[string]attackerPage{"/beacon": {body: `<script>` + later + `later(() => navigator.sendBeacon("SHOP/items/ID/delete"), 150)</script>`}}},
		{name: "an image of a frame", host: shopHost, body: own + framed("ATTACKER/image"), steps: press, more: map[string]attackerPage{"/image": {body: `<script>` + later + `later(() => { new Image().src = "SHOP/items/ID/delete?" + Math.random() }, 150)</script>`}}},
		{name: "a redirect of the allowed request to another host", host: userHost, steps: press, body: strings.ReplaceAll(own, "/own/5/", "/own/moved/"),
			more: map[string]attackerPage{"/own/moved/delete": {any: true, status: http.StatusTemporaryRedirect, header: headers("Location", "SHOP/items/ID/delete")}}},
		{name: "a link to another host after the allowed request", host: attackerHost, steps: []step{clicks("#b"), clicks("#c")}, body: own + `<button id=c onclick='` + sendsForeign + `'>Next page</button>`},
		{name: "the act after the allowed one", host: shopHost, steps: []step{clicks("#b"), clicks("#c")}, body: own + `<button id=c onclick='` + sendsForeign + `'>Next page</button>`},
		{name: "pointing after the allowed act", host: shopHost, steps: []step{clicks("#b"), {"page.hover", &action.Hover{Locator: named("#c")}}}, body: own + `<button id=c onmouseover='` + sendsForeign + `'>Next page</button>`},
		{name: "a key after the allowed act", host: shopHost, steps: []step{clicks("#b"), {"page.press", &action.Press{Locator: named("#c"), Key: "ArrowDown"}}}, body: own + `<input id=c aria-label=Search onkeydown='` + sendsForeign + `'>`},
	}
	for i := range tries {
		tries[i].slow = 1300 * time.Millisecond
	}
	attempt(t, tries, setting{trusted: true, at: policy.AskAtWire, yes: agreeing})
}
