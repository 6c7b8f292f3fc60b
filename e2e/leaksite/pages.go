package leaksite

import (
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
)

// Shot is where /still shows a text, in pixels of the viewport.
const (
	ShotX, ShotY, ShotWidth, ShotHeight = 40, 40, 700, 40
	FieldY                              = 120 // a password field of the same size, with the text typed
)

var pages = parsed(map[string]string{
	"home": `<title>Home {{.Beacon}}</title><h1>Home</h1><p>{{.Who}} {{.Beacon}}</p>`,
	// places has the same text, unescaped, in every position that HTML has.
	"places": `<html lang="{{.One}}"><title>Places {{.Line}}</title>
<meta name=description content="{{.Line}}"><meta property="og:title" content="{{.Line}}"><link rel=alternate title="{{.Line}}" href="/feed?{{.One}}">
<script type="application/json">{"all": {{.Line}}}</script><script>const inline = {{.Line}}; console.log("inline", inline)</script><style>.gen::before {content: attr(data-t)}</style>
<h1>{{.Line}}</h1><p>{{.Line}}</p>
<form action="/submit/{{.One}}"><input type=hidden name=csrf value="{{.One}}"><input aria-label=shown value="{{.Line}}"><input aria-label=empty placeholder="{{.Line}}">
<input type=password aria-label=secret value="{{.One}}"><textarea aria-label=area>{{.Line}}</textarea><select aria-label=choice><option value="{{.One}}">{{.Line}}</option></select>
<button name="{{.One}}" value="{{.One}}">{{.Line}}</button><input type=submit value="{{.Line}}"><label for=l>{{.Line}}</label><input id=l list=d><datalist id=d><option value="{{.Line}}"></datalist>
<fieldset><legend>{{.Line}}</legend><progress aria-label="{{.Line}}"></progress><output>{{.Line}}</output></fieldset></form>
<a href="/x/{{.One}}?q={{.One}}#{{.One}}">{{.Line}}</a><a href="mailto:{{.One}}@x.example" title="{{.Line}}">mail</a>
<img alt="{{.Line}}" src="/img.png?{{.One}}"><button aria-label="{{.Line}}">a</button><div role=button tabindex=0 aria-description="{{.Line}}" data-t="{{.Line}}" class=gen>b</div>
<table><caption>{{.Line}}</caption><tr><th>{{.Line}}<td>{{.Line}}</table><ul><li>{{.Line}}</ul><dl><dt>{{.Line}}<dd>{{.Line}}</dl><pre>{{.Line}}</pre><blockquote cite="/{{.One}}">{{.Line}}</blockquote>
<details open><summary>{{.Line}}</summary>{{.Line}}</details><noscript>{{.Line}}</noscript><template>{{.Line}}</template><svg><title>{{.Line}}</title><text y=20>{{.Line}}</text></svg>
<iframe title="{{.Line}}" srcdoc="&lt;p&gt;{{.Line}}&lt;/p&gt;"></iframe><object data="/missing/{{.One}}">{{.Line}}</object><abbr title="{{.Line}}">abbr</abbr><p hidden>{{.Line}}</p>
<script src=/places.js></script>`,
	"mirror": `<title>Mirror</title><style>.generated::before {content: attr(data-text)}</style><body><script>const BEACON = {{.Beacon}}</script><script src=/forms.js></script><script src=/mirror.js></script>`,
	"still": `<title>Still</title><style>body {margin: 0; background: #fff} * {position: absolute; left: 40px; width: 700px; height: 40px; box-sizing: border-box; font: 20px monospace; white-space: nowrap; overflow: hidden; border: 0; padding: 0}
html, body {left: 0; width: 100%; height: 100%} head, head * {display: none}</style><body><div style="top: 40px">{{.One}}</div><input type=password aria-label=secret style="top: 120px" value="{{.One}}">
<input aria-label=shown style="top: 200px" value="{{.One}}"><div style="top: 280px" id=deep></div><script>document.getElementById("deep").attachShadow({mode: "closed"}).textContent = {{.One}}</script>`,
	"shown": `<title>Shown {{.Beacon}}</title><p>{{.Line}}</p><button aria-expanded=false>Show more</button>`,
	"popup": `<title>Popup {{.One}}</title><p>{{.Line}}</p>`,
	"choice": `<title>Choice</title><label>Colour <select id=colour><option>{{.Beacon}}</option><option value="{{.One}}">{{.Line}}</option></select></label>
<div style="position: relative"><button id=under type=button aria-expanded=false>Show more</button><div id="{{.One}}" class="{{.One}}" aria-label="{{.Line}}" style="position: absolute; inset: 0; background: #eee">{{.Line}}</div></div>`,
	// login copies what is typed into it to everything that can be read.
	"login": `<title>Login</title><form action="/login" method=get><label>Search <input id=search type=search></label><label>User <input id=user autocomplete=username></label>
<label>Password <input id=pass type=password autocomplete=current-password></label><label>Code <input id=code autocomplete=one-time-code></label></form><p id=said>{{.Beacon}}</p>
<script>for (const field of document.querySelectorAll("input")) field.oninput = () => {
  const typed = field.value;
  document.title = "Typed " + typed; console.log("typed", typed); said.textContent = typed + " " + btoa(unescape(encodeURIComponent(typed))) + " " + {{.Beacon}};
  field.setAttribute("aria-label", typed); history.replaceState(0, "", "#" + encodeURIComponent(typed)); fetch("/typed?field=" + field.id, {method: "POST", body: typed});
}</script>`,
	"asked": `<title>Asked</title><meta name=token content="{{.One}}"><h1>Ledger</h1><form action="/submit/{{.One}}"><input type=hidden id=csrf name=csrf value="{{.One}}">
<input id=plain aria-label=Search type=search value="{{.One}}"><input id=pass type=password aria-label=Password value="{{.One}}"></form>
<script type="text/plain" id=inline>{{.One}}</script><div id=data data-token="{{.One}}" class="t-{{.One}}">status</div><p id=gone hidden>{{.One}}</p><a id=link href="/go/{{.One}}">Go</a><img id=img alt=picture src="/img.png?{{.One}}">
<p id=seen>{{.One}} {{.Beacon}}</p><section aria-label="{{.One}}"><h2>{{.Beacon}} {{.One}} row</h2><button type=button>Delete</button></section>`,
})

func parsed(texts map[string]string) *template.Template {
	all := template.New("")
	for name, text := range texts {
		template.Must(all.New(name).Parse("<!doctype html>" + text))
	}
	return all
}

// shows writes a page with all secrets in a line, one of them (the beacon, or
// what kind= names), and the beacon.
func (s *Site) shows(w http.ResponseWriter, r *http.Request, name string) {
	known, one := s.known(r), r.URL.Query().Get("kind")
	known[Beacon] = s.beacon
	if one == "" {
		one = Session
	}
	if title := r.URL.Query().Get("title"); title != "" {
		known[one] = title
	}
	_ = pages.ExecuteTemplate(w, name, map[string]string{
		"Line": s.line(r), "One": known[one], "Beacon": s.beacon, "Who": fmt.Sprintf("signed in by %q", slices.Sorted(maps.Keys(s.sent(r)))),
	})
}

func (s *Site) home(w http.ResponseWriter, r *http.Request)   { s.shows(w, r, "home") }
func (s *Site) places(w http.ResponseWriter, r *http.Request) { s.shows(w, r, "places") }
func (s *Site) mirror(w http.ResponseWriter, r *http.Request) { s.shows(w, r, "mirror") }
func (s *Site) still(w http.ResponseWriter, r *http.Request)  { s.shows(w, r, "still") }
func (s *Site) shown(w http.ResponseWriter, r *http.Request)  { s.shows(w, r, "shown") }
func (s *Site) popup(w http.ResponseWriter, r *http.Request)  { s.shows(w, r, "popup") }
func (s *Site) choice(w http.ResponseWriter, r *http.Request) { s.shows(w, r, "choice") }
func (s *Site) login(w http.ResponseWriter, r *http.Request)  { s.shows(w, r, "login") }
func (s *Site) asked(w http.ResponseWriter, r *http.Request)  { s.shows(w, r, "asked") }

// header shows a secret in headers of the document and in its address.
func (s *Site) header(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Echo", s.sent(r)[Bearer])
	w.Header().Set("Link", "</x?"+s.sent(r)[Plain]+">; rel=preload; as=image")
	s.shows(w, r, "shown")
}
