package e2e

// Layers that stop a way out.
const (
	byEngine  = "page engine"   // asks the proxy about each document before it is requested
	byProxy   = "egress proxy"  // host is on no list
	byBrowser = "browser"       // its flags, policy and defaults: it does not even ask
	byBox     = "box"           // no interface, no route, no such socket
	byGate    = "gate"          // the verb or the protocol's method is refused
	byNothing = "not a way out" // it is let through, and ends where it may
)

// controls are where a way arrives if it is allowed, which proves that it was
// tried.
const (
	everywhere = "proxy" // at an allowed host, through the proxy
	unwalled   = "naked" // at its host in a browser without walls only
	never      = ""      // this browser does not do it, or not like this
)

// way is one way out that a page tries.
type way struct {
	name    string
	what    string
	stop    string
	control string
	page    string // HTML; {http} and the like are places at the canary
	quiet   bool   // the browser does not tell which page asked
	alone   bool   // it takes the whole tab
}

// documents lead to another document.
var documents = []way{
	{name: "redirect-301", what: "redirect 301", page: `<iframe src="/go?code=301&to={http}/"></iframe>`},
	{name: "redirect-302", what: "redirect 302", page: `<iframe src="/go?code=302&to={http}/"></iframe>`},
	{name: "redirect-303", what: "redirect 303", page: `<iframe src="/go?code=303&to={http}/"></iframe>`},
	{name: "redirect-307", what: "redirect 307", page: `<iframe src="/go?code=307&to={http}/"></iframe>`},
	{name: "redirect-308", what: "redirect 308", page: `<iframe src="/go?code=308&to={http}/"></iframe>`},
	{name: "redirect-tls", what: "redirect to https", page: `<iframe src="/go?code=302&to={https}/"></iframe>`},
	{name: "redirect-twice", what: "redirect over a second redirect", page: `<iframe src="/go?code=302&to=/go?code=302%26to={http}/"></iframe>`},
	{name: "refresh-header", what: "`Refresh` header", page: `<iframe src="/go?code=200&refresh={http}/"></iframe>`},
	{name: "meta-refresh", what: "`<meta http-equiv=refresh>`", page: `<meta http-equiv=refresh content="0;url={http}/">`},
	{name: "location", what: "`location = …`", page: `<script>location = "{http}/"</script>`},
	{name: "location-replace", what: "`location.replace`", page: `<script>location.replace("{http}/")</script>`},
	{name: "javascript-url", what: "`javascript:` address that navigates", page: `<script>location = "javascript:void(location='{http}/')"</script>`},
	{name: "form-get", what: "form, GET", page: `<form action="{http}/"></form><script>document.forms[0].submit()</script>`},
	{name: "form-post", what: "form, POST", page: `<form method=post action="{http}/"><input name=a value=b></form><script>document.forms[0].submit()</script>`},
	{name: "form-redirect", what: "form, redirected 307 with its body", page: `<form method=post action="/go?code=307&to={http}/"><input name=a value=b></form><script>document.forms[0].submit()</script>`},
	{name: "link", what: "link, clicked by a script", page: `<a href="{http}/">x</a><script>document.links[0].click()</script>`},
	{name: "download-link", what: "link with `download`", page: `<a download href="{http}/">x</a><script>document.links[0].click()</script>`},
	{name: "history", what: "history: back to a page that redirects", page: `<script>location = "/turn?to={http}/"</script>`, alone: true},
	{name: "iframe", what: "`<iframe>`", page: `<iframe src="{http}/"></iframe>`},
	{name: "iframe-in-iframe", what: "frame in a frame", page: `<iframe srcdoc='<iframe src="{http}/"></iframe>'></iframe>`},
	{name: "iframe-sandbox", what: "frame in a sandbox of its own", page: `<iframe sandbox="allow-scripts" srcdoc='<script>location = "{http}/"</script>'></iframe>`, quiet: true},
	{name: "frameset", what: "`<frameset>`", page: `<script>document.write('<frameset><frame src="{http}/"></frameset>')</script>`},
	{name: "object", what: "`<object>`", page: `<object data="{http}/" type="text/html"></object>`},
	{name: "embed", what: "`<embed>`", page: `<embed src="{http}/" type="text/html">`},
	{name: "pdf-frame", what: "frame of a PDF document", page: `<iframe src="{http}/x.pdf"></iframe>`},
	{name: "blob-page", what: "`blob:` document that frames it", page: `<script>f = document.createElement("iframe"); f.src = URL.createObjectURL(new Blob(['<iframe src="{http}/"></iframe>'], {type: "text/html"})); document.documentElement.append(f)</script>`},
	{name: "written-page", what: "`document.write` into a frame", page: `<iframe></iframe><script>d = frames[0].document; d.write('<iframe src="{http}/"></iframe>'); d.close()</script>`},
}

// parts are what a document loads.
var parts = []way{
	{name: "img", what: "`<img>`", page: `<img src="{http}/">`},
	{name: "img-tls", what: "`<img>` over https", page: `<img src="{https}/">`},
	{name: "img-redirect", what: "`<img>` that is redirected", page: `<img src="/go?code=302&to={http}/">`},
	{name: "img-srcset", what: "`srcset`", page: `<img srcset="{http}/ 1x">`},
	{name: "picture", what: "`<picture>`", page: `<picture><source srcset="{http}/"><img></picture>`},
	{name: "input-image", what: "`<input type=image>`", page: `<input type=image src="{http}/">`},
	{name: "body-background", what: "`background` attribute", page: `<body background="{http}/">`},
	{name: "css", what: "style sheet", page: `<link rel=stylesheet href="{http}/">`},
	{name: "css-import", what: "`@import`", page: `<style>@import "{http}/"</style>`},
	{name: "css-background", what: "`background-image`", page: `<style>html { background: url("{http}/") }</style>`},
	{name: "css-font", what: "`@font-face`", page: `<style>@font-face { font-family: f; src: url("{http}/") } p { font-family: f }</style><p>x`},
	{name: "css-cursor", what: "`cursor`", page: `<style>html { cursor: url("{http}/"), auto }</style>`},
	{name: "css-list", what: "`list-style-image`", page: `<style>li { list-style-image: url("{http}/") }</style><ul><li>x</ul>`},
	{name: "css-mask", what: "`mask`", page: `<style>p { mask-image: url("{http}/") }</style><p>x`},
	{name: "css-border", what: "`border-image`", page: `<style>p { border: 1px solid; border-image: url("{http}/") 1 }</style><p>x`},
	{name: "css-content", what: "`content: url()`", page: `<style>p::before { content: url("{http}/") }</style><p>x`},
	{name: "css-image-set", what: "`image-set()`", page: `<style>p { background: image-set("{http}/" 1x) }</style><p>x`},
	{name: "css-shape", what: "`shape-outside`", page: `<style>p { float: left; shape-outside: url("{http}/") }</style><p>x`},
	{name: "svg-image", what: "SVG `<image>`", page: `<svg><image href="{http}/" width=9 height=9></svg>`},
	{name: "svg-xlink", what: "SVG `xlink:href`", page: `<svg xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="{http}/" width=9 height=9></svg>`},
	{name: "pdf", what: "PDF viewer", page: `<embed src="{http}/x.pdf" type="application/pdf">`, stop: byBrowser, control: unwalled},
	{name: "svg-use", what: "SVG `<use>`", page: `<svg><use href="{http}/#a"></svg>`, stop: byBrowser, control: never},
	{name: "svg-feimage", what: "SVG `<feImage>`", page: `<svg><filter id=f><feImage href="{http}/"/></filter><rect filter="url(#f)" width=9 height=9 /></svg>`},
	{name: "video", what: "`<video>`", page: `<video src="{http}/" muted></video><script>document.querySelector("video").play().catch(() => {})</script>`},
	{name: "poster", what: "`poster`", page: `<video poster="{http}/"></video>`},
	{name: "audio", what: "`<audio>`", page: `<audio src="{http}/" preload=auto></audio>`},
	{name: "track", what: "`<track>`", page: `<video crossorigin><track default src="{http}/"></video><script>document.querySelector("track").track.mode = "showing"</script>`},
	{name: "script", what: "`<script>`", page: `<script src="{http}/"></script>`},
	{name: "module", what: "module script", page: `<script type=module src="{http}/"></script>`},
	{name: "import", what: "`import()`", page: `<script>import("{http}/").catch(() => {})</script>`},
	{name: "import-map", what: "import map", page: `<script type=importmap>{"imports": {"x": "{http}/"}}</script><script type=module>import "x"</script>`},
	{name: "modulepreload", what: "`modulepreload`", page: `<link rel=modulepreload href="{http}/">`},
	{name: "preload", what: "`preload`", page: `<link rel=preload as=image href="{http}/">`},
	{name: "preload-header", what: "`Link` header", page: `<iframe src="/go?code=200&link={http}/"></iframe>`},
	{name: "prefetch", what: "`prefetch`", page: `<link rel=prefetch href="{http}/">`},
	{name: "wasm", what: "WebAssembly, streamed", page: `<script>WebAssembly.instantiateStreaming(fetch("{http}/")).catch(() => {})</script>`},
	{name: "fetch", what: "`fetch`", page: `<script>fetch("{http}/").catch(() => {})</script>`},
	{name: "fetch-tls", what: "`fetch` over https", page: `<script>fetch("{https}/").catch(() => {})</script>`},
	{name: "fetch-no-cors", what: "`fetch`, no-cors", page: `<script>fetch("{http}/", {mode: "no-cors"}).catch(() => {})</script>`},
	{name: "fetch-keepalive", what: "`fetch`, keepalive", page: `<script>fetch("{http}/", {mode: "no-cors", keepalive: true, method: "POST", body: "x"}).catch(() => {})</script>`},
	{name: "fetch-preflight", what: "preflight of `fetch`", page: `<script>fetch("{http}/", {method: "PUT", headers: {"X-A": "b"}}).catch(() => {})</script>`},
	{name: "fetch-redirect", what: "`fetch` that is redirected", page: `<script>fetch("/go?code=307&to={http}/", {mode: "no-cors"}).catch(() => {})</script>`},
	{name: "fetch-later", what: "`fetchLater`", page: `<iframe srcdoc='<script>try { fetchLater("{http}/", {activateAfter: 0}) } catch {}</script>'></iframe>`, stop: byBrowser, control: never},
	{name: "xhr", what: "`XMLHttpRequest`", page: `<script>x = new XMLHttpRequest; x.open("GET", "{http}/"); x.send()</script>`},
	{name: "beacon", what: "`sendBeacon`", page: `<script>navigator.sendBeacon("{http}/", "x")</script>`},
	{name: "beacon-unload", what: "`sendBeacon` of a frame that goes", page: `<iframe srcdoc='<script>addEventListener("pagehide", () => navigator.sendBeacon("{http}/", "x"))</script>'></iframe><script>frames[0].addEventListener("load", () => document.querySelector("iframe").remove())</script>`, quiet: true},
	{name: "ping", what: "`ping` of a link", page: `<a href="#x" ping="{http}/">x</a><script>document.links[0].click()</script>`, stop: byBrowser, control: unwalled},
	{name: "event-source", what: "`EventSource`", page: `<script>new EventSource("{http}/")</script>`},
	{name: "websocket", what: "WebSocket", page: `<script>new WebSocket("{ws}/")</script>`},
	{name: "websocket-tls", what: "WebSocket over TLS", page: `<script>new WebSocket("{wss}/")</script>`},
	{name: "worker", what: "`fetch` of a worker", page: `<script>new Worker(URL.createObjectURL(new Blob(['fetch("{http}/").catch(() => {})'])))</script>`},
	{name: "worker-import", what: "`importScripts`", page: `<script>new Worker(URL.createObjectURL(new Blob(['importScripts("{http}/")'])))</script>`},
	{name: "worker-socket", what: "WebSocket of a worker", page: `<script>new Worker(URL.createObjectURL(new Blob(['new WebSocket("{ws}/")'])))</script>`, quiet: true},
	{name: "nested-worker", what: "worker of a worker", page: `<script>new Worker(URL.createObjectURL(new Blob(["new Worker(URL.createObjectURL(new Blob(['fetch(\"{http}/\").catch(() => {})'])))"])))</script>`},
	{name: "shared-worker", what: "shared worker", page: `<script>new SharedWorker("/worker.js?to={http}/")</script>`},
	{name: "service-worker", what: "service worker's own `fetch`", page: `<script>navigator.serviceWorker.register("/worker.js?to={http}/", {scope: "/scope/{name}"})</script>`},
	{name: "audio-worklet", what: "audio worklet", page: `<script>new AudioContext().audioWorklet.addModule("{http}/").catch(() => {})</script>`},
	{name: "paint-worklet", what: "paint worklet", page: `<script>CSS.paintWorklet.addModule("{http}/").catch(() => {})</script>`},
	{name: "csp-report", what: "CSP `report-uri`", page: `<iframe src="/go?code=200&csp={http}/"></iframe>`},
	{name: "reporting", what: "`Reporting-Endpoints`", page: `<iframe src="/go?code=200&reporting={https}/"></iframe>`, stop: byBrowser, control: never},
	{name: "nel", what: "network error logging (NEL)", page: `<iframe src="/go?code=404&nel={https}/"></iframe>`, stop: byBrowser, control: never},
	{name: "preconnect", what: "`preconnect`", page: `<link rel=preconnect href="{https}/">`, quiet: true, stop: byBrowser, control: never},
	{name: "dns-prefetch", what: "`dns-prefetch`", page: `<link rel=dns-prefetch href="{http}/">`, stop: byBrowser, control: never},
	{name: "speculation-prefetch", what: "speculation rules: prefetch", page: `<script type=speculationrules>{"prefetch": [{"urls": ["{https}/"], "eagerness": "immediate"}]}</script>`, stop: byBrowser, control: never},
	{name: "speculation-prerender", what: "speculation rules: prerender", page: `<script type=speculationrules>{"prerender": [{"urls": ["{http}/"], "eagerness": "immediate"}]}</script>`, stop: byBrowser, control: never},
	{name: "manifest", what: "manifest", page: `<link rel=manifest href="{http}/">`, stop: byBrowser, control: never},
	{name: "favicon", what: "favicon", page: `<link rel=icon href="{http}/">`, stop: byBrowser, control: never},
	{name: "webrtc-stun", what: "WebRTC: STUN over UDP", page: peer(`stun:127.0.0.1:{udp}`), stop: byBrowser, control: unwalled},
	{name: "webrtc-turn-udp", what: "WebRTC: TURN over UDP", page: peer(`turn:127.0.0.1:{udp}?transport=udp`), stop: byBrowser, control: unwalled},
	{name: "webrtc-turn-tcp", what: "WebRTC: TURN over TCP", page: peer(`turn:{host}:{tcp}?transport=tcp`), stop: byBrowser, control: unwalled},
	{name: "webrtc-turn-tls", what: "WebRTC: TURN over TLS", page: peer(`turns:{host}:{tlsport}?transport=tcp`), stop: byBrowser, control: unwalled},
	{name: "webrtc-peer", what: "WebRTC: candidate of the other side", page: candidate, stop: byBrowser, control: unwalled},
	{name: "webtransport", what: "WebTransport (QUIC)", page: `<script>new WebTransport("https://{host}:{udp}/").ready.catch(() => {})</script>`, stop: byBrowser, control: unwalled},
	{name: "alt-svc", what: "`Alt-Svc` to QUIC", page: `<img src="/go?code=404&alt={host}:{udp}"><img src="/go?code=404&alt={host}:{udp}&again">`, stop: byBrowser, control: never},
	{name: "payment", what: "payment method manifest", page: `<script>new PaymentRequest([{supportedMethods: "{https}/"}], {total: {label: "x", amount: {currency: "EUR", value: "1"}}}).canMakePayment().catch(() => {})</script>`, quiet: true},
	{name: "webauthn", what: "WebAuthn related origins", page: `<script>navigator.credentials.get({publicKey: {challenge: new Uint8Array(9), rpId: "{host}"}}).catch(() => {})</script>`, stop: byProxy, control: never, quiet: true},
	{name: "fedcm", what: "federated sign-in (FedCM)", page: `<script>try { navigator.credentials.get({identity: {providers: [{configURL: "{https}/", clientId: "x"}]}}).catch(() => {}) } catch {}</script>`, stop: byBrowser, control: never},
	{name: "attribution", what: "attribution reporting", page: `<img attributionsrc="{https}/">`, stop: byBrowser, control: never},
	{name: "topics", what: "topics", page: `<script>try { fetch("{https}/", {browsingTopics: true}).catch(() => {}) } catch {}</script>`},
	{name: "interest-group", what: "interest groups", page: `<script>try { navigator.joinAdInterestGroup({owner: "{https}", name: "x", lifetimeMs: 1e6}).catch(() => {}) } catch {}</script>`, stop: byBrowser, control: never},
	{name: "file", what: "`file:`", page: `<iframe src="file:///etc/passwd"></iframe><script>fetch("file://{host}/x").catch(() => {})</script>`, stop: byBrowser, control: never},
	{name: "data-page", what: "`data:` document that loads it", page: `<iframe src='data:text/html,<img src="{http}/">'></iframe>`, stop: byBrowser, control: unwalled},
	{name: "view-source", what: "`view-source:`", page: `<iframe src="view-source:{http}/"></iframe>`, stop: byBrowser, control: never},
	{name: "chrome-scheme", what: "`chrome:`", page: `<iframe src="chrome://net-export/?{host}"></iframe>`, stop: byBrowser, control: never},
	{name: "filesystem", what: "`filesystem:`", page: `<iframe src="filesystem:{http}/temporary/x"></iframe>`, stop: byBrowser, control: never},
	{name: "ftp", what: "`ftp:`", page: `<iframe src="ftp://{host}:{port}/"></iframe>`, stop: byBrowser, control: never},
	{name: "intent", what: "`intent:`", page: `<iframe src="intent://{host}:{port}/#Intent;scheme=http;end"></iframe>`, stop: byBrowser, control: never},
	{name: "mailto", what: "`mailto:`", page: `<iframe src="mailto:x@{host}"></iframe>`, stop: byBrowser, control: never},
	{name: "extension", what: "`chrome-extension:`", page: `<script>fetch("chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/{host}").catch(() => {})</script>`, stop: byBrowser, control: never},
	{name: "print", what: "`print()` of what it loads", page: `<style>@media print { html { background: url("{http}/") } }</style><script>setTimeout(() => print(), 9)</script>`, stop: byBrowser, control: never, alone: true},
}

// peer is a page whose WebRTC asks a server for its own address.
func peer(server string) string {
	return `<script>p = new RTCPeerConnection({iceServers: [{urls: "` + server + `", username: "u", credential: "c"}]})
p.createDataChannel("x"); p.createOffer().then(o => p.setLocalDescription(o))</script>`
}

// candidate is a page whose WebRTC gets an address to connect to.
const candidate = `<script>p = new RTCPeerConnection(); q = new RTCPeerConnection(); p.createDataChannel("x")
p.onicecandidate = e => e.candidate && q.addIceCandidate(e.candidate).catch(() => {})
p.createOffer().then(o => p.setLocalDescription(o)).then(() => q.setRemoteDescription(p.localDescription))
.then(() => q.createAnswer()).then(a => q.setLocalDescription(a)).then(() => p.setRemoteDescription(q.localDescription))
.then(() => p.addIceCandidate({candidate: "candidate:1 1 udp 2122260223 127.0.0.1 {udp} typ host", sdpMid: "0", sdpMLineIndex: 0})).catch(() => {})</script>`

// pageWays returns all of them, including those that are in no list.
func pageWays() []way {
	all := make([]way, 0, len(documents)+len(parts))
	for _, w := range documents {
		w.stop, w.control = byEngine, everywhere
		all = append(all, w)
	}
	for _, w := range parts {
		if w.stop == "" {
			w.stop, w.control = byProxy, everywhere
		}
		all = append(all, w)
	}
	return all
}
