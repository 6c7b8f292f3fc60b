package bench

import (
	"bytes"
	"fmt"
	raster "image"
	"image/color"
	"image/png"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/corpus"
)

// realPages are those of package realpages that are compared: news sites, a
// blog and an encyclopedia.
var realPages = []string{
	"ars-1", "bbc-1", "buzzfeed-1", "cnn", "guardian-1", "lemonde-1", "medium-1", "mozilla-1", "nytimes-1",
	"salon-1", "theverge", "wapo-1", "wikipedia",
}

// What is pressed changes two nodes, and both can be read.
const counting = `<output id="sum">0</output><p role="status" id="last">Nothing added</p><script>
const add = document.getElementById('add'); let n = 0;
add.onclick = () => { n++; document.getElementById('sum').textContent = n; document.getElementById('last').textContent = 'Added number ' + n; };
</script>`

const mcpSmall = `<!doctype html><title>Small</title><h1>Small page</h1><p>A paragraph of text, and <a href="#there">a link</a>.</p>
<label>Name <input id="name"></label><label>Town <input id="town"></label><label>Note <textarea id="note"></textarea></label>
<label><input type="checkbox" id="box"> Remember</label><button id="add" type="button">Add one</button>` + counting

const mcpLate = `<!doctype html><title>Late</title><h1>Late page</h1><button id="start" type="button">Start</button><div id="place"></div><script>
document.getElementById('start').onclick = () => { setTimeout(() => {
  const b = document.createElement('button'); b.textContent = 'Ready ' + Date.now(); document.getElementById('place').replaceChildren(b); }, 300); };
</script>`

func mcpTable(rows int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><title>Table</title><h1>Orders</h1><button id="add" type="button">Add one</button> <label>Name <input id="name"></label>` + counting + `<table>`)
	for i := range rows {
		fmt.Fprintf(&b, `<tr><td><input type="checkbox" aria-label="Select %[1]d"><td>Order %[1]d<td>Customer %[1]d<td><a href="/o/%[1]d">Open</a><td><button type="button">Edit</button>`, i)
	}
	b.WriteString(`</table>`)
	return b.String()
}

// mcpNews is a front page: 60 teasers, a dozen pictures, a style sheet and two
// scripts.
func mcpNews() string {
	var b strings.Builder
	b.WriteString(`<!doctype html><title>News</title><link rel="stylesheet" href="/news.css"><script src="/news-1.js" defer></script><script src="/news-2.js" defer></script><header><h1>The Morning Paper</h1><nav>`)
	for _, name := range []string{"World", "Business", "Science", "Sport", "Culture"} {
		fmt.Fprintf(&b, `<a href="/news/%[1]s">%[1]s</a> `, name)
	}
	b.WriteString(`</nav></header><main>`)
	for i := range 60 {
		fmt.Fprintf(&b, `<article class="teaser t%d"><h2><a href="/news/%d">What happened on day %d, and what follows from it</a></h2>`, i%7, i, i)
		if i%5 == 0 {
			fmt.Fprintf(&b, `<img src="/news-%d.png" width="320" height="180" alt="Picture of day %d">`, i, i)
		}
		b.WriteString(strings.Repeat(`<p>People who were there say that it was quiet at first, and that nobody expected what came then.</p>`, 3) + `<p class="by">By Ann Writer, <time>2026-11-21</time></p></article>`)
	}
	b.WriteString(`</main><footer><a href="/imprint">Imprint</a></footer>`)
	return b.String()
}

func newsPart(path string) ([]byte, string) {
	switch {
	case strings.HasSuffix(path, ".css"):
		var b strings.Builder
		for i := range 400 {
			fmt.Fprintf(&b, ".t%d {margin: %dpx; padding: 4px; border-bottom: 1px solid #ddd}\n", i, i%9)
		}
		return []byte(b.String()), "text/css"
	case strings.HasSuffix(path, ".js"):
		return []byte(`for (const e of document.querySelectorAll('article')) e.dataset.seen = e.innerText.length;` + strings.Repeat("/* as long as such scripts are */\n", 2000)), "text/javascript"
	}
	picture := raster.NewRGBA(raster.Rect(0, 0, 320, 180))
	for i := range 320 * 180 {
		picture.Set(i%320, i/320, color.RGBA{uint8(i), uint8(i / 320), uint8(i % 251), 255})
	}
	var b bytes.Buffer
	_ = png.Encode(&b, picture)
	return b.Bytes(), "image/png"
}

// control is a button that tells the server when it was pressed.
const control = `<button type="button" onclick="fetch('/pressed/%[1]s')">Press %[1]s</button>`

// framed is a page of seven controls that a document's own tree does not hold:
// in frames of the same origin, of another, in one without an address and in
// one within another; in open and closed shadow roots, one of them in a frame.
func framed(own, other string) string {
	return `<!doctype html><title>Frames</title><h1>Seven controls</h1>
<iframe title="same" src="/part/one"></iframe>
<iframe title="srcdoc" srcdoc="` + strings.ReplaceAll(fmt.Sprintf(control, "two"), `"`, "&quot;") + `"></iframe>
<iframe title="other" src="` + other + `/part/three"></iframe>
<iframe title="outer" src="` + other + `/outer?` + own + `/part/four"></iframe>
<div id="open"></div><div id="closed"></div>
<iframe title="shadow" src="` + other + `/shadow"></iframe>
<script>
document.getElementById('open').attachShadow({mode: 'open'}).innerHTML = ` + "`" + fmt.Sprintf(control, "five") + "`" + `;
document.getElementById('closed').attachShadow({mode: 'closed'}).innerHTML = ` + "`" + fmt.Sprintf(control, "six") + "`" + `;
</script>`
}

var controls = []string{"one", "two", "three", "four", "five", "six", "seven"}

// mcpSite serves every page of the comparison under two origins.
type mcpSite struct {
	own, other string // http://localhost:… and http://127.0.0.1:…
	work       *workshop
	real       map[string][]byte
	mu         sync.Mutex
	pressed    map[string]chan struct{}
}

func newMCPSite(b *testing.B) *mcpSite {
	b.Helper()
	s := &mcpSite{work: newWorkshop(), real: readRealPages(b), pressed: map[string]chan struct{}{}}
	own, other := httptest.NewServer(s), httptest.NewServer(s)
	b.Cleanup(func() {
		for _, server := range []*httptest.Server{own, other} {
			server.CloseClientConnections()
			server.Close()
		}
	})
	_, port, err := net.SplitHostPort(own.Listener.Addr().String())
	must(b, err)
	s.own, s.other = "http://localhost:"+port, other.URL
	return s
}

// readRealPages returns the pages by name.
func readRealPages(b *testing.B) map[string][]byte {
	b.Helper()
	pages, err := corpus.All()
	must(b, err)
	all := map[string][]byte{}
	for _, p := range pages {
		all[p.Name] = p.HTML
	}
	return all
}

func (s *mcpSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	pages := map[string]func() string{
		"small": func() string { return mcpSmall }, "late": func() string { return mcpLate },
		"table": func() string { return mcpTable(500) }, "50k": func() string { return mixed(50_000) }, "news": mcpNews,
		"choice": func() string { return mcpChoice }, "keys": func() string { return mcpKeys }, "hints": func() string { return mcpHints },
		"submit": func() string { return mcpSubmit }, "controlled": func() string { return mcpControlled },
		"delegated": func() string { return mcpDelegated }, "suggest": func() string { return mcpSuggest },
		"embedding": func() string { return embedding(s.own, s.other) },
		"panel":     func() string { return panel(rest) },
		"frames":    func() string { return framed(s.own, s.other) },
		"part":      func() string { return "<!doctype html>" + fmt.Sprintf(control, rest) },
		"outer":     func() string { return `<!doctype html><iframe title="inner" src="` + r.URL.RawQuery + `"></iframe>` },
		"shadow": func() string {
			return `<!doctype html><div id="host"></div><script>document.getElementById('host').attachShadow({mode: 'closed'}).innerHTML = ` + "`" + fmt.Sprintf(control, "seven") + "`</script>"
		},
	}
	page, known := pages[head]
	switch {
	case known && (rest == "" || head == "part" || head == "panel"):
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page())
	case head == "work":
		s.work.ServeHTTP(w, r)
	case head == "suggestions":
		suggestions(w, r)
	case head == "sent":
		w.WriteHeader(http.StatusNoContent)
	case head == "pressed":
		s.press(rest)
	case head == "real":
		s.serveReal(w, rest)
	case strings.HasPrefix(head, "news"):
		content, kind := newsPart(head)
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(content)
	default:
		http.NotFound(w, r)
	}
}

// button is closed when the control was pressed since they were forgotten.
func (s *mcpSite) button(name string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pressed[name] == nil {
		s.pressed[name] = make(chan struct{})
	}
	return s.pressed[name]
}

func (s *mcpSite) press(name string) {
	heard := s.button(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-heard:
	default:
		close(heard)
	}
}

// forget makes all controls unpressed.
func (s *mcpSite) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pressed = map[string]chan struct{}{}
}

// serveReal serves a saved page as it is, without what it would load and run.
func (s *mcpSite) serveReal(w http.ResponseWriter, name string) {
	content, known := s.real[name]
	if !known {
		http.Error(w, "no such page", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:")
	_, _ = w.Write(content)
}
