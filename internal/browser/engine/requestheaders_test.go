package engine_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials"
)

func headed(origin, domain string) credentials.Set {
	return credentials.Set{Domain: domain, Origin: origin, Version: "1", Headers: keep(map[string]string{
		"Authorization": "Bearer canary-header", "X-Api-Key": "canary-key",
	})}
}

func carries(r *http.Request) bool {
	return r.Header.Get("Authorization") == "Bearer canary-header" && r.Header.Get("X-Api-Key") == "canary-key"
}

func carriesSome(r *http.Request) bool { return strings.Contains(fmt.Sprint(r.Header), "canary") }

// TestHeadersGoToTheirOriginAlone, with what its own top document asks for.
func TestHeadersGoToTheirOriginAlone(t *testing.T) {
	other, others := noting(t, map[string]string{"/": "<title>other</title>"})
	pages := map[string]string{"/a.js": "1", "/fetched": "1", "/img.png": "", "/back": "1", "/frame": "<img src=/framed.png>", "/framed.png": ""}
	s, seen := noting(t, pages)
	pages["/away"], pages["/around"] = "-> "+other.URL+"/", "-> /fetched"
	pages["/"] = `<title>in</title><script src=/a.js></script><img src=/img.png><iframe src=/frame></iframe><script>
		document.done = Promise.allSettled([fetch("/fetched"), fetch("/around"), fetch("/away", {mode: "no-cors"}), fetch("` + other.URL + `/direct", {mode: "no-cors"}),
		fetch("/own", {headers: {Authorization: "its own"}}), new Promise(done => { const x = new XMLHttpRequest; x.onload = done; x.open("POST", "/posted"); x.send("x") })])</script>`
	var tr *trial
	tr = start(t, ready(&tr, headed(s.URL, "127.0.0.1")))
	r := tr.must("page.goto", &action.Goto{URL: s.URL})
	tr.eval("document.done.then(() => 1)")
	for _, path := range []string{"/", "/a.js", "/img.png", "/fetched", "/around", "/away", "/posted"} {
		found := seen.to(path)
		if len(found) == 0 {
			t.Errorf("%s was not asked for", path)
		}
		for _, request := range found {
			if !carries(request) {
				t.Errorf("%s was asked for without the headers: %v", path, request.Header)
			}
		}
	}
	for _, path := range []string{"/frame", "/framed.png"} {
		for _, request := range seen.to(path) {
			if carriesSome(request) {
				t.Errorf("%s was asked for by a frame, with the headers", path)
			}
		}
	}
	for _, request := range seen.to("/own") {
		if request.Header.Get("Authorization") != "its own" || request.Header.Get("X-Api-Key") != "canary-key" {
			t.Errorf("the page's own header became %v", request.Header)
		}
	}
	for _, path := range []string{"/", "/direct"} {
		if len(others.to(path)) == 0 {
			t.Errorf("the other origin was not asked for %s", path)
		}
		for _, request := range others.to(path) {
			if carriesSome(request) {
				t.Errorf("another origin was sent %v", request.Header)
			}
		}
	}
	if strings.Contains(fmt.Sprint(r.Notes), "canary") || !strings.Contains(fmt.Sprint(r.Notes), "2 headers") {
		t.Errorf("notes %q", r.Notes)
	}
}

// TestAnotherSitesPageGetsNoHeadersSent, whatever it asks of the origin, also
// when its own server sends the request on there.
func TestAnotherSitesPageGetsNoHeadersSent(t *testing.T) {
	pages := map[string]string{"/": "<title>in</title>", "/x": "1", "/framed": "1", "/form": "<title>form</title>", "/link": "<title>link</title>"}
	s, seen := noting(t, pages)
	far := elsewhere(s)
	pages["/bounce"] = "-> " + s.URL + "/bounced"
	pages["/evil"] = `<title>evil</title><img src="` + s.URL + `/img"><iframe src="` + s.URL + `/framed"></iframe><script src="` + s.URL + `/script"></script><script>
		document.done = Promise.allSettled([fetch("` + s.URL + `/x", {mode: "no-cors"}), fetch("/bounce", {mode: "no-cors"}), navigator.sendBeacon("` + s.URL + `/beacon")])</script>
		<form method=post action="` + s.URL + `/form"><button>send</button></form><a href="` + s.URL + `/link">link</a>`
	var tr *trial
	tr = start(t, ready(&tr, headed(s.URL, "127.0.0.1")))
	tr.must("page.goto", &action.Goto{URL: s.URL})
	tr.must("page.goto", &action.Goto{URL: far + "/evil"})
	tr.eval("document.done.then(() => 1)")
	tr.must("page.click", &action.Click{Locator: named("button", "send")})
	for _, path := range []string{"/img", "/framed", "/script", "/x", "/bounced", "/form"} {
		found := seen.to(path)
		if len(found) == 0 {
			t.Errorf("%s was not asked for", path)
		}
		for _, request := range found {
			if carriesSome(request) {
				t.Errorf("%s was asked for with %v", path, request.Header)
			}
		}
	}
	tr.must("page.goto", &action.Goto{URL: far + "/evil"})
	tr.must("page.click", &action.Click{Locator: action.Locator{Text: "link"}})
	for _, request := range seen.to("/link") {
		if !carries(request) {
			t.Errorf("a page that a link led to was asked for with %v", request.Header)
		}
	}
}

// TestHeadersEndAtARedirectElsewhere and are there again when it comes back.
func TestHeadersEndAtARedirectElsewhere(t *testing.T) {
	pages := map[string]string{"/end": "<title>end</title>"}
	s, seen := noting(t, pages)
	farPages := map[string]string{"/middle": "-> " + s.URL + "/end"}
	far, fars := noting(t, farPages)
	pages["/start"] = "-> " + far.URL + "/middle"
	var tr *trial
	tr = start(t, ready(&tr, headed(s.URL, "127.0.0.1")))
	tr.must("page.goto", &action.Goto{URL: s.URL + "/start"})
	tr.wantTitle("end")
	for _, r := range append(seen.to("/start"), seen.to("/end")...) {
		if !carries(r) {
			t.Errorf("%s was asked for with %v", r.URL.Path, r.Header)
		}
	}
	if n := len(fars.to("/middle")); n != 1 || carriesSome(fars.to("/middle")[0]) {
		t.Errorf("between them %d requests: %v", n, fars.to("/middle")[0].Header)
	}
}

// TestWhatWorkersAndSocketsSendHasNoHeaders, as the documentation says.
func TestWhatWorkersAndSocketsSendHasNoHeaders(t *testing.T) {
	pages := map[string]string{
		"/worker.js":  `fetch("/by-worker").then(() => postMessage(1))`,
		"/service.js": `self.onfetch = e => { if (e.request.url.endsWith("/through")) e.respondWith(fetch("/by-service").then(() => fetch(e.request))) }; self.onactivate = e => e.waitUntil(clients.claim())`,
		"/through":    "1", "/by-service": "1", "/by-worker": "1",
	}
	pages["/"] = `<title>in</title><script>
		const claimed = new Promise(done => navigator.serviceWorker.oncontrollerchange = done);
		const worker = new Promise(done => { new Worker("/worker.js").onmessage = done });
		const socket = new Promise(done => { const s = new WebSocket(location.origin.replace("http", "ws") + "/socket"); s.onerror = s.onclose = done });
		document.done = navigator.serviceWorker.register("/service.js").then(() => claimed).then(() => fetch("/through")).then(() => Promise.all([worker, socket]))
	</script>`
	s, seen := noting(t, pages)
	var tr *trial
	tr = start(t, ready(&tr, headed(s.URL, "127.0.0.1")))
	tr.must("page.goto", &action.Goto{URL: s.URL})
	tr.eval("document.done.then(() => 1)")
	for _, path := range []string{"/by-worker", "/by-service", "/through", "/socket"} {
		found := seen.to(path)
		if len(found) == 0 {
			t.Errorf("%s was not asked for", path)
		}
		for _, request := range found {
			if carriesSome(request) {
				t.Errorf("%s was asked for with %v", path, request.Header)
			}
		}
	}
}
