package gate_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// readers are ways in which a document causes a GET request.
var readers = map[string]string{
	"img":             `<img src="URL">`,
	"srcset":          `<img srcset="URL 1x">`,
	"picture":         `<picture><source srcset="URL"><img></picture>`,
	"lazy image":      `<img loading=lazy src="URL">`,
	"input image":     `<input type=image src="URL">`,
	"video":           `<video src="URL" preload=auto></video>`,
	"poster":          `<video poster="URL"></video>`,
	"audio":           `<audio src="URL" preload=auto></audio>`,
	"track":           `<video src="/v" ><track default src="URL"></video><script>document.querySelector('video').textTracks[0].mode='showing'</script>`,
	"object":          `<object data="URL"></object>`,
	"embed":           `<embed src="URL">`,
	"iframe":          `<iframe src="URL"></iframe>`,
	"style sheet":     `<link rel=stylesheet href="URL">`,
	"preload image":   `<link rel=preload as=image href="URL">`,
	"preload script":  `<link rel=preload as=script href="URL">`,
	"preload fetch":   `<link rel=preload as=fetch crossorigin href="URL">`,
	"prefetch":        `<link rel=prefetch href="URL">`,
	"module preload":  `<link rel=modulepreload href="URL">`,
	"icon":            `<link rel=icon href="URL">`,
	"script":          `<script src="URL"></script>`,
	"module":          `<script type=module src="URL"></script>`,
	"import":          `<script>import("URL").catch(() => {})</script>`,
	"@import":         `<style>@import "URL";</style>`,
	"background":      `<p style="background:url('URL')">x`,
	"cursor":          `<style>body{cursor:url('URL'),auto}</style>`,
	"content":         `<style>p::before{content:url('URL')}</style><p>x`,
	"list":            `<ul style="list-style-image:url('URL')"><li>x</ul>`,
	"mask":            `<p style="mask-image:url('URL')">x`,
	"font":            `<style>@font-face{font-family:a;src:url('URL')}p{font-family:a}</style><p>x`,
	"svg image":       `<svg><image href="URL" width=9 height=9 /></svg>`,
	"svg use":         `<svg><use href="URL#a" /></svg>`,
	"svg feImage":     `<svg width=9 height=9><filter id=f><feImage href="URL"/></filter><rect width=9 height=9 filter="url(#f)"/></svg>`,
	"event source":    `<script>new EventSource("URL")</script>`,
	"fetch":           `<script>fetch("URL")</script>`,
	"fetch no-cors":   `<script>fetch("URL", {mode: "no-cors", credentials: "include"})</script>`,
	"xhr":             `<script>(x => { x.open("GET", "URL"); x.send() })(new XMLHttpRequest())</script>`,
	"sync xhr":        `<script>(x => { x.open("GET", "URL", false); x.send() })(new XMLHttpRequest())</script>`,
	"location":        `<script>onload = () => setTimeout(() => location = "URL")</script>`,
	"meta refresh":    `<meta http-equiv=refresh content="0;url=URL">`,
	"form get":        `<form action="URL"><input name=a value=b></form><script>onload = () => setTimeout(() => document.forms[0].submit())</script>`,
	"frame in srcdoc": `<iframe srcdoc="<img src='URL'>"></iframe>`,
	"sandboxed frame": `<iframe sandbox=allow-scripts srcdoc="<img src='URL'>"></iframe>`,
	"speculation":     `<script type=speculationrules>{"prefetch":[{"source":"list","urls":["URL"],"eagerness":"immediate"}]}</script>`,
	"prerender":       `<script type=speculationrules>{"prerender":[{"source":"list","urls":["URL"],"eagerness":"immediate"}]}</script>`,
	"Image()":         `<script>new Image().src = "URL"</script>`,
	"FontFace":        `<script>new FontFace("a", "url('URL')").load().catch(() => {})</script>`,
	"worklet":         `<script>CSS.paintWorklet.addModule("URL").catch(() => {})</script>`,
	"cache":           `<script>caches.open("a").then(c => c.add("URL"))</script>`,
	"document.write":  `<script>document.write("<img src='URL'>")</script>`,
	"closed shadow":   `<div id=h></div><script>h.attachShadow({mode: "closed"}).innerHTML = "<img src='URL'>"</script>`,
}

// TestGETsOfADocumentToActingAddressesAreAskedAbout checks that each of these
// requests is held if its address performs an action.
func TestGETsOfADocumentToActingAddressesAreAskedAbout(t *testing.T) {
	var tries []try
	for _, name := range slices.Sorted(maps.Keys(readers)) {
		tries = append(tries, try{name: name, host: shopHost, body: withURL(readers[name], "SHOP/items/ID/delete")})
	}
	tries = append(tries,
		try{name: "Link header", host: shopHost, head: headers("Link", "</items/ID/delete>; rel=preload; as=image")},
		try{name: "Refresh header", host: shopHost, head: headers("Refresh", "0; url=/items/ID/delete")},
		try{name: "download", host: shopHost, body: `<a id=b download href=/items/ID/delete>File</a>`, steps: []step{clicks("#b")}},
		try{name: "dictionary", host: shopHost, body: `<link rel=compression-dictionary href=/items/ID/delete>`, slow: 3 * time.Second},
		try{name: "image that redirects", host: attackerHost, body: `<img src=/go.png>`, more: map[string]attackerPage{"/go.png": {status: http.StatusFound, header: headers("Location", "SHOP/items/ID/delete")}}},
		try{name: "frame that redirects", host: attackerHost, body: `<iframe src=/go.html></iframe>`, more: map[string]attackerPage{"/go.html": {status: http.StatusTemporaryRedirect, header: headers("Location", "SHOP/items/ID/delete")}}},
		try{name: "fetch that redirects", host: shopHost, body: `<script>fetch("/go")</script>`, more: map[string]attackerPage{"/go": {status: http.StatusPermanentRedirect, header: headers("Location", "SHOP/items/ID/delete")}}},
		try{name: "post that redirects", host: shopHost, body: `<script>fetch("/go2", {method: "POST"})</script>`, more: map[string]attackerPage{"/go2": {status: http.StatusTemporaryRedirect, header: headers("Location", "SHOP/items/ID/delete"), any: true}}},
	)
	attempt(t, tries, setting{trusted: true, at: policy.AskAtWire})
}

// TestRequestsOfTheBrowserProcessAreNotSent checks requests that the browser
// process sends for a page itself, which cannot be held: they must not be sent at
// all.
func TestRequestsOfTheBrowserProcessAreNotSent(t *testing.T) {
	const worker = "navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready)"
	fed := map[string]attackerPage{
		"/fedcm.json":               {kind: "application/json", body: `{"accounts_endpoint":"/items/ID/delete","client_metadata_endpoint":"/cm","id_assertion_endpoint":"/items/ID/delete","login_url":"/login"}`},
		"/.well-known/web-identity": {kind: "application/json", body: `{"provider_urls":["SHOP/fedcm.json"]}`},
	}
	attempt(t, []try{
		{name: "reports", host: shopHost, slow: 4 * time.Second, head: headers("Reporting-Endpoints", `default="SHOP/items/ID/delete"`, "Content-Security-Policy", "img-src 'none'; report-to default"), body: `<img src=/x>`},
		{name: "signing in by an account elsewhere", host: shopHost, slow: 2 * time.Second, more: fed, steps: []step{clicks("#b")},
			body: `<button id=b onclick="navigator.credentials.get({identity:{providers:[{configURL:'SHOP/fedcm.json',clientId:'1'}]}})">Next page</button>`},
		{name: "fetching in the background", host: shopHost, slow: 5 * time.Second, more: map[string]attackerPage{"/sw.js": {kind: "text/javascript", body: "1"}},
			body: "<script>" + worker + ".then(r => r.backgroundFetch.fetch('a', [new Request('/items/ID/delete', {method: 'POST', body: 'x'})], {title: 'x'}))</script>"},
		{name: "rules of what to load ahead", host: shopHost, slow: 2 * time.Second, head: headers("Speculation-Rules", `"/rules.json"`),
			more: map[string]attackerPage{"/rules.json": {kind: "application/speculationrules+json", body: `{"prefetch":[{"source":"list","urls":["/items/ID/delete"],"eagerness":"immediate"}]}`}}},
		{name: "rules of what to render ahead", host: shopHost, slow: 2 * time.Second, body: withURL(readers["prerender"], "SHOP/items/ID/delete")},
	}, setting{trusted: true, at: policy.AskAtWire, tls: true})
}

func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i+1 < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

func withURL(html, address string) string { return strings.ReplaceAll(html, "URL", address) }
