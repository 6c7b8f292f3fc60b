package gate_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// ownForm is the form that people approve, ownLink the link.
const (
	ownForm = `<form id=own method=post action=/own/5/delete><button id=b>Remove own</button></form>`
	ownLink = `<button id=b onclick="location = '/own/5/delete'">Remove own</button>`
)

// agreeingOnce approves the own deletion, and nothing that has the number of an attack.
func agreeingOnce(q action.Question) bool {
	return agreeing(q) && !tryNumber.MatchString(fmt.Sprint(q.Request, q.Requests))
}

const (
	sendsOpaque = `fetch("SHOP/opaque/ID", {method: "POST", mode: "no-cors", credentials: "include"}).catch(() => {})`
	opaqueForm  = `<form id=f method=post action="SHOP/opaque/ID"></form>`
)

// answerOwn is what the server answers to the own form.
func answerOwn(body string) map[string]attackerPage {
	return map[string]attackerPage{"/own/5/delete": {any: true, body: "<!doctype html><title>Next</title>" + body}}
}

func answerOwnBy(status int, header ...string) map[string]attackerPage {
	return map[string]attackerPage{"/own/5/delete": {any: true, status: status, header: headers(header...)}}
}

// TestAnApprovedDocumentCoversNothingElse approves the document of a form or a link, and
// nothing else: neither what the old page nor what the new page sends then.
func TestAnApprovedDocumentCoversNothingElse(t *testing.T) {
	press := []step{clicks("#b")}
	with := func(pages map[string]attackerPage, at string, p attackerPage) map[string]attackerPage {
		pages[at] = p
		return pages
	}
	named := `fetch("/items/ID/delete", {method: "POST"}).catch(() => {})`
	tries := []try{
		{name: "a new page's request", body: ownForm, more: answerOwn(`<script>` + sendsOpaque + `</script>`)},
		{name: "a new page's request, later", body: ownForm, more: answerOwn(`<script>setTimeout(() => ` + sendsOpaque + `, 900)</script>`)},
		{name: "a new page's XHR", body: ownForm, more: answerOwn(`<script>x = new XMLHttpRequest(); x.open("POST", "/opaque/ID"); x.send("a")</script>`)},
		{name: "a new page's beacon", body: ownForm, more: answerOwn(`<script>navigator.sendBeacon("/opaque/ID", "a")</script>`)},
		{name: "a new page's ping", body: ownForm, more: answerOwn(`<a id=a href="#x" ping="/opaque/ID">x</a><script>a.click()</script>`)},
		{name: "a new page's form", body: ownForm, more: answerOwn(opaqueForm + `<script>onload = () => setTimeout(() => f.submit())</script>`)},
		{name: "a new page's form for a frame", body: ownForm, more: answerOwn(`<iframe name=i></iframe>` + opaqueForm + `<script>f.target = "i"; onload = () => setTimeout(() => f.submit())</script>`)},
		{name: "a new page's worker", body: ownForm, more: with(answerOwn(`<script>new Worker("/w.js")</script>`), "/w.js", attackerPage{kind: "text/javascript", body: sendsOpaque})},
		{name: "a new page's frame of the same host", body: ownForm, more: with(answerOwn(`<iframe src=/in></iframe>`), "/in", attackerPage{body: `<script>` + sendsOpaque + `</script>`})},
		{name: "a new page's frame of another site", body: ownForm, more: with(answerOwn(framed("ATTACKER/in")), "/in", attackerPage{body: `<script>` + sendsOpaque + `</script>`})},
		{name: "a new page's harm", body: ownForm, more: answerOwn(`<script>` + named + `</script>`)},
		{name: "a new page's image", body: ownForm, more: answerOwn(`<img src=/items/ID/delete>`)},
		{name: "a new page after a link", body: ownLink, more: answerOwn(`<script>` + sendsOpaque + `</script>`)},
		{name: "a new page's form after a link", body: ownLink, more: answerOwn(opaqueForm + `<script>onload = () => setTimeout(() => f.submit())</script>`)},
		{name: "the old page at its end", body: ownForm + `<script>onpagehide = () => fetch("/opaque/ID", {method: "POST", keepalive: true})</script>`, more: answerOwn("")},
		{name: "the old page's beacon at its end", body: ownForm + `<script>onpagehide = () => navigator.sendBeacon("/opaque/ID", "a")</script>`, more: answerOwn("")},
		{name: "the old page's harm at its end", body: ownForm + `<script>onpagehide = () => navigator.sendBeacon("/items/ID/delete")</script>`, more: answerOwn("")},
		{name: "the old page, which stays", body: ownForm + `<script>` + later + `later(() => ` + sendsOpaque + `, 150)</script>`, more: answerOwnBy(http.StatusNoContent)},
		{name: "the old page beside a download", body: ownForm + `<script>` + later + `later(() => ` + sendsOpaque + `, 150)</script>`, more: answerOwnBy(http.StatusOK, "Content-Disposition", "attachment; filename=a.bin")},
		{name: "the old page beside a new tab", body: `<form method=post target=_blank action=/own/5/delete><button id=b>Remove own</button></form><script>` + later + `later(() => ` + sendsOpaque + `, 150)</script>`, more: answerOwn("")},
		{name: "a named window that is sent on", body: `<form method=post target=w action=/own/5/delete><button id=b>Remove own</button></form>` + opaqueForm + `<script>f.target = "w"; ` + later + `later(() => f.submit(), 400)</script>`, more: answerOwn("")},
		{name: "a window that the new page opens", body: ownForm, more: with(answerOwn(`<script>open("/in")</script>`), "/in", attackerPage{body: `<script>` + sendsOpaque + `</script>`})},
		{name: "a redirect that keeps the method", body: ownForm, more: answerOwnBy(http.StatusTemporaryRedirect, "Location", "/items/ID/delete")},
		{name: "a permanent redirect that keeps the method", body: ownForm, more: answerOwnBy(http.StatusPermanentRedirect, "Location", "/items/ID/delete")},
		{name: "a redirect to where nothing is said", body: ownForm, more: answerOwnBy(http.StatusTemporaryRedirect, "Location", "SHOP/opaque/ID")},
		{name: "a redirect to another host", host: userHost, body: ownForm, more: answerOwnBy(http.StatusTemporaryRedirect, "Location", "SHOP/opaque/ID")},
		{name: "a redirect to an address that acts", body: ownForm, more: answerOwnBy(http.StatusSeeOther, "Location", "/items/ID/delete")},
		{name: "another form while one is held", body: ownForm + `<form id=f method=post action=/items/ID/delete></form><script>own.onsubmit = () => { setTimeout(() => f.submit(), 100) }</script>`, more: answerOwn("")},
		{name: "another form in another tab while one is held", body: ownForm + `<form id=f target=_blank method=post action=/items/ID/delete></form><script>own.onsubmit = () => { f.submit() }</script>`, more: answerOwn("")},
		{name: "another address at the submission", body: ownForm + `<script>own.onsubmit = () => { own.action = "/items/ID/delete" }</script>`},
		{name: "other fields at the submission", body: ownForm + `<script>own.onformdata = e => { e.formData.append("id", "ID") }</script>`},
		{name: "the button's own address", body: `<form method=post action=/own/5/delete><button id=b formaction=/items/ID/delete>Remove own</button></form>`},
		{name: "a button beside its form", body: `<form id=x method=post action=/items/ID/delete></form><button id=b form=x>Remove own</button>`},
		{name: "a request during the question", body: ownForm + `<script>own.onsubmit = () => { setTimeout(() => ` + sendsOpaque + `, 400) }</script>`, more: answerOwn("")},
		{name: "a confirmation of something else", body: ownLink, more: answerOwn(`<form id=f method=post><input name=ids value=ID></form><script>onload = () => setTimeout(() => f.submit())</script>`)},
		{name: "a confirmation of something more", body: ownLink, more: answerOwn(`<form id=f method=post><input name=confirm value=yes><input name=also value="all, ID"></form><script>onload = () => setTimeout(() => f.submit())</script>`)},
		{name: "a confirmation in the address", body: ownLink, more: answerOwn(`<form id=f method=post action="/own/5/delete?id=ID"></form><script>onload = () => setTimeout(() => f.submit())</script>`)},
		{name: "a confirmation of what only read", body: `<button id=b onclick="location = '/opaque/own/5'">Remove own</button>`, more: map[string]attackerPage{"/opaque/own/5": {body: `<title>Own</title><form id=f method=post><input name=n value=ID></form><script>onload = () => setTimeout(() => f.submit())</script>`}}},
		{name: "a confirmation by a frame of another site", body: ownLink, more: with(answerOwn(framed("ATTACKER/in")), "/in", attackerPage{body: `<form id=f method=post action="SHOP/own/5/delete"><input name=n value=ID></form><script>onload = () => setTimeout(() => f.submit())</script>`})},
		{name: "the page before, in the history", body: `<form id=own method=post action=/own/5/delete><button id=b>Remove own</button></form><script>onpageshow = () => { if (performance.getEntriesByType("navigation")[0].type == "back_forward") ` + sendsOpaque + ` }</script>`, more: answerOwn(`<script>setTimeout(() => history.back(), 300)</script>`)},
		{name: "a service worker's request", body: ownForm, more: map[string]attackerPage{"/own/5/delete": {any: true, body: `<title>Next</title><script>navigator.serviceWorker.register("/s.js")</script>`}, "/s.js": {kind: "text/javascript", body: sendsOpaque}}},
	}
	f := newAttackRig(t, setting{trusted: true, at: policy.AskAtWire, yes: agreeingOnce}, false)
	for i := range tries {
		if testing.Short() && i%4 != 0 {
			continue
		}
		tr := &tries[i]
		if tr.host == "" {
			tr.host = shopHost
		}
		tr.steps, tr.slow = press, 1500*time.Millisecond
		f.make(tr, numberOf(i))
		t.Logf("%s: did %q refused %q", tr.name, f.server.did(numberOf(i)), f.refused(numberOf(i)))
		if did := f.server.did(numberOf(i)); did != "" {
			t.Errorf("%s: had its effect without an approval: %s", tr.name, did)
		}
	}
}
