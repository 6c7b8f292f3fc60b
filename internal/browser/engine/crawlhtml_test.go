package engine_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
)

// shelf serves one page at a time, and a style sheet; it notes who asks.
type shelf struct {
	mu    sync.Mutex
	body  string
	kind  string
	asked int
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/style.css" {
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprint(w, "body{margin:0 2em;font:inherit} p{line-height:1.5} .secret{display:none} nav a{padding:4px} a:hover{color:#c00}\n@media print{p{display:none}}")
		return
	}
	if strings.HasPrefix(r.URL.Path, "/page") {
		s.asked++
	}
	w.Header().Set("Content-Type", s.kind)
	fmt.Fprint(w, s.body)
}

func (s *shelf) put(body, kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.body, s.kind, s.asked = body, kind, 0
}

// both reads a page in both ways. plain says whether the browser was left out.
func (s *shelf) both(t testing.TB, tr *trial, base, body, kind, extract string) (auto, always *action.CrawlVisit, plain bool) {
	t.Helper()
	way := http.DefaultTransport.(*http.Transport).Clone()
	defer way.CloseIdleConnections()
	s.put(body, kind)
	a := tr.Crawl(engine.CrawlOptions{Extract: extract, Way: way})
	defer func() { _ = a.Close(tr.ctx) }()
	auto, err := a.Visit(tr.ctx, base+"/page", patience)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	plain = s.asked == 1
	s.mu.Unlock()
	b := tr.Crawl(engine.CrawlOptions{Extract: extract})
	defer func() { _ = b.Close(tr.ctx) }()
	if always, err = b.Visit(tr.ctx, base+"/page", patience); err != nil {
		t.Fatal(err)
	}
	return auto, always, plain
}

const doctype = "<!doctype html><title>A  title &amp; more</title>"

// TestPagesReadTheSameWithoutTheBrowser holds both ways against each other:
// what is read without the browser, and what must not be.
func TestPagesReadTheSameWithoutTheBrowser(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	for name, c := range map[string]struct {
		body  string
		kind  string
		plain bool
	}{
		"text":               {doctype + `<h1>One &lt;two&gt;</h1><p>Some <b>bold</b>, <i>slanted</i> words.<p>More<br>lines<hr>end`, "", true},
		"no doctype":         {`<title>x</title><p>One<p>Two<table><tr><td>a<td>b</table>`, "", true},
		"style sheet":        {doctype + `<link rel=stylesheet href=/style.css><nav><a href=/a>A</a></nav><p>seen<p class=secret>hidden</p>`, "", true},
		"own style":          {doctype + `<style>.no{display:none} p{color:#333}</style><p>seen<p class=no>hidden<p>seen`, "", true},
		"hidden attribute":   {doctype + `<p>seen<p hidden>hidden<div hidden><p>hidden</div>`, "", true},
		"inline none":        {doctype + `<p>seen<p style="display:none">hidden<p style="DISPLAY: none !important">hidden`, "", true},
		"aria-hidden":        {doctype + `<p>seen<p aria-hidden=true>decoration`, "", true},
		"lists and tables":   {doctype + `<ol start=3><li>a<li>b<ul><li>c</ul></ol><table><tr><th>x<th>y<tr><td colspan=2>1 <p>2</table>`, "", true},
		"layout table":       {doctype + `<table><tr><td><h2>Side</h2><ul><li>x</ul><td>words</table>`, "", true},
		"code":               {doctype + "<pre><code class=\"x language-go\">if a < b {\n\n\tgo()\n}</code></pre><p><code>x</code>", "", true},
		"links":              {doctype + `<a href=/a>A</a> <a href="b?token=abcdef0123456789abcdef0123456789">B</a> <a href="#x">C</a> <a href="mailto:a@b.example">m</a> <a href="//other.example/">o</a> <a>none</a>`, "", true},
		"links to share by":  {doctype + `<p>text <a href="https://twitter.com/intent/tweet?u=x">Tweet</a> <a href="https://reddit.com/r/x">more</a>`, "", true},
		"a menu":             {doctype + `<ul role=menu><li role=menuitem>File</ul><p>text`, "", false},
		"link around blocks": {doctype + `<a href=/x><h2>Head</h2><p>Body</p></a> <a href="javascript:void(0)"><p>js</p></a>`, "", true},
		"form":               {doctype + `<form action=/go><label>Name <input name=n value=secret type=password></label><input type=hidden value=token><textarea>typed</textarea><select><option>one<option selected>two</select><button>Go</button></form>`, "", true},
		"canonical, robots":  {doctype + `<link rel=canonical href="/other"><meta name=robots content="noindex, nofollow"><a href=/a>a</a>`, "", true},
		"entities":           {doctype + `<p>&eacute;&nbsp;&#8212;&hellip; &amp;lt; &copy; &notit; &#x41;`, "", true},
		"bad HTML":           {doctype + `<p>a<div>b</p>c</div><b>d<p>e</b>f<table>g<tr>h<td>i</table></span>j`, "", true},
		"header and footer":  {doctype + `<header>top <b>x</b></header><main><header>inner</header><p>text</main><footer>bottom</footer><aside>side</aside>`, "", true},
		"JSON-LD":            {doctype + `<script type="application/ld+json">{"a":"b"}</script><p>words<noscript>no script</noscript>`, "", true},
		"latin-1":            {doctype + "<p>caf\xe9 \x80", "text/html; charset=iso-8859-1", true},
		"declared in meta":   {"<!doctype html><meta charset=utf-8><title>é</title><p>Ünï", "text/html", true},

		"definitions":        {doctype + `<dl><dt>k<dd>v</dl>`, "", false},
		"caption":            {doctype + `<table><caption>T</caption><tr><th>x<tr><td>y</table>`, "", false},
		"task":               {doctype + `<ul><li><input type=checkbox checked> done</ul>`, "", false},
		"drawing in a link":  {doctype + `<a href=/x><svg aria-label=Home><path d="M0 0h9v9z"/></svg></a>`, "", false},
		"fence of a parent":  {doctype + "<div class=language-go><pre><code>go()</code></pre></div>", "", true},
		"script":             {doctype + `<p id=p>old</p><script>p.textContent = "new"</script>`, "", false},
		"handler":            {doctype + `<p id=p>old</p><img src=x onerror="p.textContent='new'">`, "", false},
		"white on white":     {doctype + `<p>seen<p style="color:#fff">hidden`, "", false},
		"faint":              {doctype + `<p>seen<p style="opacity:0">hidden`, "", false},
		"moved away":         {doctype + `<style>.x{position:absolute;left:-9999px}</style><p>seen<p class=x>hidden`, "", false},
		"tiny":               {doctype + `<p>seen<p style="font-size:1px">hidden`, "", false},
		"tiny by steps":      {doctype + `<style>i{font-size:50%}</style><p>seen<i><i><i><i>hidden</i></i></i></i>`, "", false},
		"not visible":        {doctype + `<style>.x{visibility:hidden}</style><p>seen<p class=x>hidden`, "", false},
		"in any case":        {`<title>q</title><style>.X{display:none}</style><p>seen<p class=x>hidden`, "", false},
		"escaped selector":   {doctype + `<style>.\78 {display:none}</style><p>seen<p class=x>hidden`, "", false},
		"import":             {doctype + `<style>@import "/style.css";</style><p>seen<p class=secret>hidden`, "", false},
		"layer":              {doctype + `<style>@layer a{.x{display:none}}</style><p>seen<p class=x>hidden`, "", false},
		"nested":             {doctype + `<style>div{.x{display:none}}</style><p>seen<div><p class=x>hidden</div>`, "", false},
		"media":              {doctype + `<style>@media (min-width:1px){.x{display:none}}</style><p>seen<p class=x>hidden`, "", false},
		"negation":           {doctype + `<style>p:not(.y){display:none}</style><p class=y>seen<p>hidden`, "", false},
		"collapsed":          {doctype + `<p>seen<div style="height:0;overflow:hidden">hidden</div>`, "", false},
		"frame":              {doctype + `<p>seen<iframe srcdoc="<p>inner"></iframe>`, "", false},
		"refresh":            {doctype + `<meta http-equiv=refresh content="0;url=/style.css"><p>x`, "", false},
		"details":            {doctype + `<details><summary>s</summary>folded</details>`, "", false},
		"custom element":     {doctype + `<my-thing>words</my-thing>`, "", false},
		"zero width":         {doctype + "<p>a\u200bb\u00adc", "", false},
		"undeclared charset": {doctype + "<p>caf\xc3\xa9", "text/html", false},
		"right to left":      {doctype + `<p dir=rtl>words`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			for _, extract := range []string{"markdown", "text"} {
				auto, always, plain := s.both(t, tr, server.URL, c.body, cmp.Or(c.kind, "text/html; charset=utf-8"), extract)
				if diff := gocmp.Diff(always, auto); diff != "" {
					t.Errorf("%s without the browser (-always +auto):\n%s", extract, diff)
				}
				if plain != c.plain {
					t.Errorf("%s was read without the browser: %v, want %v", extract, plain, c.plain)
				}
			}
		})
	}
}

// TestWhatMarkdownLeavesToTheBrowser: whether a picture is seen, and what a link
// without words is called.
func TestWhatMarkdownLeavesToTheBrowser(t *testing.T) {
	s := &shelf{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	tr := start(t)
	for _, body := range []string{`<p>text<img alt=pic src=/i.png width=20 height=20>`, `<p>text<a href=/x title=Home></a>`, `<p>text<div class="post share"><a href=/x>f</a></div>`} {
		auto, always, plain := s.both(t, tr, server.URL, doctype+body, "text/html; charset=utf-8", "markdown")
		if diff := gocmp.Diff(always, auto); diff != "" || plain {
			t.Errorf("%s: without the browser %v (-always +auto):\n%s", body, plain, diff)
		}
	}
}

// TestGeneratedPagesReadTheSameWithoutTheBrowser holds both ways against each
// other over pages made of pieces: the browser is the oracle.
func TestGeneratedPagesReadTheSameWithoutTheBrowser(t *testing.T) {
	s := &shelf{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	rapid.Check(t, func(r *rapid.T) {
		body := doctype + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 40).Draw(r, "pieces"), "")
		extract := rapid.SampledFrom([]string{"markdown", "text"}).Draw(r, "extract")
		auto, always, _ := s.both(t, start(t), server.URL, body, "text/html; charset=utf-8", extract)
		if diff := gocmp.Diff(always, auto); diff != "" {
			r.Fatalf("%s\nwithout the browser (-always +auto):\n%s", body, diff)
		}
	})
}

// pieces of HTML and style sheets, that fit together well or badly.
var pieces = strings.Split(`<p>|</p>|<div>|</div>|<b>|</b>|<i>|</i>|<a href=/x>|<a href="?q=1&amp;r">|</a>|<ul>|</ul>|<ol start=4>|</ol>|<li>|<table>|</table>|<tr>|<td>|<th>|<td colspan=2>|<caption>|</table>|`+
	`words |.|, | &amp; |&lt;b>|é|<br>|<hr>|<h2>|</h2>|<h3 class=a>|</h3>|<pre>|</pre>|<code>|</code>|<span class=a>|<span class=b>|</span>|<p hidden>|<p class=a>|<p class=b>|<p style="display:none">|<p style="color:#eee">|`+
	`<style>.a{display:none}</style>|<style>.b{padding:4px;background:#eee}</style>|<style>p,li{margin:2px;font-size:90%}</style>|<style>p{display:block}</style>|<style>.b{font-size:.5em}</style>|<style>h3{color:#ffe}</style>|`+
	`<nav>|</nav>|<header>|</header>|<article>|</article>|<footer>|</footer>|<aside>|<section role=navigation>|</section>|<form>|</form>|<input value=typed>|<textarea>t</textarea>|<select><option>o</select>|<button>|</button>|`+
	`<img alt=pic src=/i.png>|<blockquote>|</blockquote>|<dl>|<dt>|<dd>|</dl>|<small>|</small>|<sub>|</sub>|<label>|</label>|<fieldset>|<legend>|</fieldset>|<center>|</center>|<mark>|</mark>|<del>|</del>|<q>|</q>|&nbsp;|<wbr>|<svg><path d="M0 0"/></svg>|<p aria-hidden=true>|<script type="application/json">{}</script>|<noscript>n</noscript>`, "|")
