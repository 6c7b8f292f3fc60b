package engine_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
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
	if r.URL.Path == "/other" {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Other</title><style>p{display:none;color:red}</style><p>other<h1>words</h1>")
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

// both reads a page fetched and rendered. plain tells that the server was asked once:
// the page was not rendered after it was fetched.
func (s *shelf) both(t testing.TB, tr *trial, base, body, kind, extract string) (auto, always *action.CrawlVisit, plain bool) {
	t.Helper()
	way := http.DefaultTransport.(*http.Transport).Clone()
	defer way.CloseIdleConnections()
	s.put(body, kind)
	a := tr.Crawl(engine.CrawlOptions{Extract: extract, Way: way})
	defer func() { _ = a.Close(tr.ctx) }()
	auto, err := a.Visit(tr.ctx, base+"/page", ample)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = a.Visit(tr.ctx, base+"/other", ample); err != nil {
		t.Fatal(err)
	}
	again, err := a.Visit(tr.ctx, base+"/page", ample) // in the document of the one before, if it can be
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(auto, again); diff != "" {
		t.Errorf("%s read again (-first +second):\n%s", body, diff)
	}
	s.mu.Lock()
	plain = s.asked == 2
	s.mu.Unlock()
	b := tr.Crawl(engine.CrawlOptions{Extract: extract})
	defer func() { _ = b.Close(tr.ctx) }()
	if always, err = b.Visit(tr.ctx, base+"/page", ample); err != nil {
		t.Fatal(err)
	}
	return auto, always, plain
}

const doctype = "<!doctype html><title>A  title &amp; more</title>"

// TestFetchedPagesReadTheSameAsRenderedOnes compares both ways, and which pages are
// rendered after they were fetched.
func TestFetchedPagesReadTheSameAsRenderedOnes(t *testing.T) {
	s := &shelf{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	tr := start(t)
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
		"a menu":             {doctype + `<ul role=menu><li role=menuitem>File</ul><p>text`, "", true},
		"link around blocks": {doctype + `<a href=/x><h2>Head</h2><p>Body</p></a> <a href="javascript:void(0)"><p>js</p></a>`, "", true},
		"form":               {doctype + `<form action=/go><label>Name <input name=n value=secret type=password></label><input type=hidden value=token><textarea>typed</textarea><select><option>one<option selected>two</select><button>Go</button></form>`, "", true},
		"canonical, robots":  {doctype + `<link rel=canonical href="/other"><meta name=robots content="noindex, nofollow"><a href=/a>a</a>`, "", true},
		"entities":           {doctype + `<p>&eacute;&nbsp;&#8212;&hellip; &amp;lt; &copy; &notit; &#x41;`, "", true},
		"bad HTML":           {doctype + `<p>a<div>b</p>c</div><b>d<p>e</b>f<table>g<tr>h<td>i</table></span>j`, "", true},
		"header and footer":  {doctype + `<header>top <b>x</b></header><main><header>inner</header><p>text</main><footer>bottom</footer><aside>side</aside>`, "", true},
		"JSON-LD":            {doctype + `<script type="application/ld+json">{"a":"b"}</script><p>words<noscript>no script</noscript>`, "", true},
		"latin-1":            {doctype + "<p>caf\xe9 \x80", "text/html; charset=iso-8859-1", true},
		"declared in meta":   {"<!doctype html><meta charset=utf-8><title>é</title><p>Ünï", "text/html", true},

		// What takes layout or Chromium's own parser to know: the offline tab has both.
		"definitions":        {doctype + `<dl><dt>k<dd>v</dl>`, "", true},
		"caption":            {doctype + `<table><caption>T</caption><tr><th>x<tr><td>y</table>`, "", true},
		"task":               {doctype + `<ul><li><input type=checkbox checked> done</ul>`, "", true},
		"drawing in a link":  {doctype + `<a href=/x><svg aria-label=Home><path d="M0 0h9v9z"/></svg></a>`, "", true},
		"fence of a parent":  {doctype + "<div class=language-go><pre><code>go()</code></pre></div>", "", true},
		"white on white":     {doctype + `<p>seen<p style="color:#fff">hidden`, "", true},
		"faint":              {doctype + `<p>seen<p style="opacity:0">hidden`, "", true},
		"moved away":         {doctype + `<style>.x{position:absolute;left:-9999px}</style><p>seen<p class=x>hidden`, "", true},
		"tiny":               {doctype + `<p>seen<p style="font-size:1px">hidden`, "", true},
		"tiny by steps":      {doctype + `<style>i{font-size:50%}</style><p>seen<i><i><i><i>hidden</i></i></i></i>`, "", true},
		"not visible":        {doctype + `<style>.x{visibility:hidden}</style><p>seen<p class=x>hidden`, "", true},
		"in any case":        {`<title>q</title><style>.X{display:none}</style><p>seen<p class=x>hidden`, "", true},
		"escaped selector":   {doctype + `<style>.\78 {display:none}</style><p>seen<p class=x>hidden`, "", true},
		"import":             {doctype + `<style>@import "/style.css";</style><p>seen<p class=secret>hidden`, "", true},
		"layer":              {doctype + `<style>@layer a{.x{display:none}}</style><p>seen<p class=x>hidden`, "", true},
		"nested":             {doctype + `<style>div{.x{display:none}}</style><p>seen<div><p class=x>hidden</div>`, "", true},
		"media":              {doctype + `<style>@media (min-width:1px){.x{display:none}}</style><p>seen<p class=x>hidden`, "", true},
		"negation":           {doctype + `<style>p:not(.y){display:none}</style><p class=y>seen<p>hidden`, "", true},
		"collapsed":          {doctype + `<p>seen<div style="height:0;overflow:hidden">hidden</div>`, "", true},
		"details":            {doctype + `<details><summary>s</summary>folded</details>`, "", true},
		"custom element":     {doctype + `<my-thing>words</my-thing>`, "", true},
		"zero width":         {doctype + "<p>a\u200bb\u00adc", "", true},
		"undeclared charset": {doctype + "<p>caf\xc3\xa9", "text/html", true},
		"right to left":      {doctype + `<p dir=rtl>words`, "", true},
		"base address":       {doctype + `<base href="/deep/er/"><a href=x>x</a>`, "", true},
		"noscript":           {doctype + `<noscript><style>p{display:none}</style><a href=/n>n</a></noscript><p>seen`, "", true},
		"policy of the page": {doctype + `<meta http-equiv=Content-Security-Policy content="style-src 'none'"><style>.x{display:none}</style><p class=x>seen`, "", true},
		"shadow root":        {doctype + `<div><template shadowrootmode=open><p>inner</template></div>`, "", false},
		"other handlers":     {doctype + `<p onclick="x()" onkeydown=y()>words`, "", true},

		// What only a live page shows: these are rendered.
		"script":  {doctype + `<p id=p>old</p><script>p.textContent = "new"</script>`, "", false},
		"handler": {doctype + `<p id=p>old</p><img src=x onerror="p.textContent='new'">`, "", false},
		"frame":   {doctype + `<p>seen<iframe srcdoc="<p>inner"></iframe>`, "", false},
		"refresh": {doctype + `<meta http-equiv=refresh content="0;url=/style.css"><p>x`, "", false},
	} {
		if !testenv.Tried(name, 40) {
			continue
		}
		extracts := []string{"markdown"}
		if len(name)%3 == 0 { // what is read of a page is the same for both
			extracts = append(extracts, "text")
		}
		for _, extract := range extracts {
			auto, always, plain := s.both(t, tr, server.URL, c.body, cmp.Or(c.kind, "text/html; charset=utf-8"), extract)
			if diff := gocmp.Diff(always, auto); diff != "" {
				t.Errorf("%s: %s of the fetched page (-always +auto):\n%s", name, extract, diff)
			}
			if plain != c.plain {
				t.Errorf("%s: %s was requested once: %v, want %v", name, extract, plain, c.plain)
			}
		}
	}
}

// TestPicturesAndLinksWithoutWordsAreNotRequestedTwice: whether a picture is seen, and
// what a link without words is called, needs layout, and the offline tab has it.
func TestPicturesAndLinksWithoutWordsAreNotRequestedTwice(t *testing.T) {
	s := &shelf{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	tr := start(t)
	for _, body := range []string{`<p>text<img alt=pic src=/i.png width=20 height=20>`, `<p>text<a href=/x title=Home></a>`, `<p>text<div class="post share"><a href=/x>f</a></div>`} {
		auto, always, plain := s.both(t, tr, server.URL, doctype+body, "text/html; charset=utf-8", "markdown")
		if diff := gocmp.Diff(always, auto); diff != "" || !plain {
			t.Errorf("%s: requested once %v (-always +auto):\n%s", body, plain, diff)
		}
	}
}

// TestGeneratedFetchedPagesReadTheSameAsRenderedOnes compares both ways for pages
// that are made of random pieces.
func TestGeneratedFetchedPagesReadTheSameAsRenderedOnes(t *testing.T) {
	s := &shelf{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	rapid.Check(t, func(r *rapid.T) {
		body := doctype + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 40).Draw(r, "pieces"), "")
		extract := rapid.SampledFrom([]string{"markdown", "text"}).Draw(r, "extract")
		auto, always, _ := s.both(t, start(t), server.URL, body, "text/html; charset=utf-8", extract)
		if diff := gocmp.Diff(always, auto); diff != "" {
			r.Fatalf("%s\nfetched (-always +auto):\n%s", body, diff)
		}
	})
}

// pieces of HTML and style sheets, that fit together well or badly.
var pieces = strings.Split(`<p>|</p>|<div>|</div>|<b>|</b>|<i>|</i>|<a href=/x>|<a href="?q=1&amp;r">|</a>|<ul>|</ul>|<ol start=4>|</ol>|<li>|<table>|</table>|<tr>|<td>|<th>|<td colspan=2>|<caption>|</table>|`+
	`words |.|, | &amp; |&lt;b>|é|<br>|<hr>|<h2>|</h2>|<h3 class=a>|</h3>|<pre>|</pre>|<code>|</code>|<span class=a>|<span class=b>|</span>|<p hidden>|<p class=a>|<p class=b>|<p style="display:none">|<p style="color:#eee">|`+
	`<style>.a{display:none}</style>|<style>.b{padding:4px;background:#eee}</style>|<style>p,li{margin:2px;font-size:90%}</style>|<style>p{display:block}</style>|<style>.b{font-size:.5em}</style>|<style>h3{color:#ffe}</style>|`+
	`<nav>|</nav>|<header>|</header>|<article>|</article>|<footer>|</footer>|<aside>|<section role=navigation>|</section>|<form>|</form>|<input value=typed>|<textarea>t</textarea>|<select><option>o</select>|<button>|</button>|`+
	`<img alt=pic src=/i.png>|<blockquote>|</blockquote>|<dl>|<dt>|<dd>|</dl>|<small>|</small>|<sub>|</sub>|<label>|</label>|<fieldset>|<legend>|</fieldset>|<center>|</center>|<mark>|</mark>|<del>|</del>|<q>|</q>|&nbsp;|<wbr>|<svg><path d="M0 0"/></svg>|<p aria-hidden=true>|<script type="application/json">{}</script>|<noscript>n</noscript>`, "|")

// fetchedSite serves pages that ask for much, and notes every request.
type fetchedSite struct {
	mu    sync.Mutex
	asked []string
	pages map[string]string
}

func (s *fetchedSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.Path)
	body := s.pages[r.URL.Path]
	s.mu.Unlock()
	kind := "text/html; charset=utf-8"
	if strings.HasSuffix(r.URL.Path, ".css") {
		kind = "text/css"
	}
	w.Header().Set("Content-Type", kind)
	fmt.Fprint(w, body)
}

func (s *fetchedSite) put(path, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = doctype + body
}

func (s *fetchedSite) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(s.asked))
}

func fetching(t testing.TB, tr *trial) engine.Crawler {
	t.Helper()
	way := http.DefaultTransport.(*http.Transport).Clone()
	c := tr.Crawl(engine.CrawlOptions{Way: way})
	t.Cleanup(func() {
		_ = c.Close(context.WithoutCancel(tr.ctx))
		way.CloseIdleConnections()
	})
	return c
}

// TestAFetchedPageRequestsNothingButItsStyleSheets counts what the server is asked
// for: the page and its style sheets, once each.
func TestAFetchedPageRequestsNothingButItsStyleSheets(t *testing.T) {
	s := &fetchedSite{pages: map[string]string{
		"/page": doctype + `<link rel=stylesheet href=/a.css><link rel=preload as=image href=/p.png><link rel=prefetch href=/next><link rel=icon href=/icon.png><link rel=manifest href=/m.json>` +
			`<style>@import "/b.css"; @font-face{font-family:f;src:url(/f.woff)} p{font-family:f;background:url(/bg.png)}</style>` +
			`<p>seen<p class=a>hidden<p class=b>hidden<img src=/i.png srcset="/j.png 2x"><video src=/v.mp4 poster=/v.png></video><a href=/x ping=/ping>x</a><form action=/send><input name=q autofocus></form>`,
		"/a.css": ".a{display:none}", "/b.css": ".b{opacity:0}",
	}}
	server := listen(t, s)
	tr := start(t)
	c := fetching(t, tr)
	for range 2 {
		v := tr.read(c, server.URL+"/page")
		if !strings.HasPrefix(v.Page.Content, "seen") || strings.Contains(v.Page.Content, "hidden") {
			t.Errorf("read %q", v.Page.Content)
		}
	}
	if got, want := s.requests(), []string{"/a.css", "/b.css", "/page", "/page"}; !slices.Equal(got, want) {
		t.Errorf("requested %q, want %q", got, want)
	}
	if tabs := tr.must("tab.list", &action.None{}).Data.(*action.TabListing).Tabs; len(tabs) != 1 {
		t.Errorf("the tabs are %+v", tabs)
	}
	if got := tr.must("page.network", &action.ReadNetwork{}).Data.(*action.NetworkListing).Requests; len(got) != 0 {
		t.Errorf("among the requests are %+v", got)
	}
}

// TestNoScriptOfAFetchedPageRuns lays out pages with scripts of each kind, and
// refuses to render them afterwards: nothing may reach the server.
func TestNoScriptOfAFetchedPageRuns(t *testing.T) {
	s := &fetchedSite{pages: map[string]string{}}
	server := listen(t, s)
	tr := start(t, func(o *engine.Options) {
		var asked sync.Map
		o.Guard = func(url string) error {
			if _, again := asked.LoadOrStore(url, true); again {
				return fault.New(fault.BlockedDomain, "not rendered").Hinted("fetch it")
			}
			return nil
		}
	})
	for name, body := range map[string]string{
		"inline":   `<script>fetch("/ran")</script>`,
		"file":     `<script src=/ran.js></script>`,
		"module":   `<script type=module>import("/ran")</script>`,
		"handler":  `<img src=x onerror='fetch("/ran")'><body onload='fetch("/ran")'>`,
		"focus":    `<input autofocus onfocus='fetch("/ran")'>`,
		"frame":    `<iframe srcdoc="<script>fetch('/ran')</script>"></iframe><iframe src=/ran></iframe><object data=/ran></object><embed src=/ran>`,
		"address":  `<iframe src="javascript:fetch('/ran')"></iframe>`,
		"refresh":  `<meta http-equiv=refresh content="0;url=/ran">`,
		"rules":    `<script type=speculationrules>{"prefetch":[{"urls":["/ran"],"eagerness":"immediate"}]}</script>`,
		"policy":   `<meta http-equiv=Content-Security-Policy content="script-src 'unsafe-inline'"><script>fetch("/ran")</script>`,
		"closed":   `<div><template shadowrootmode=closed><script>fetch("/ran")</script></template></div>`,
		"animated": `<style>@keyframes k{to{color:red}} p{animation:k 1ms}</style><p onanimationend='fetch("/ran")'>x`,
	} {
		if !testenv.Tried(name, 6) {
			continue
		}
		s.put("/before/"+name, "<p>before")
		s.put("/first/"+name, body)
		s.put("/second/"+name, body)
		c := fetching(t, tr)
		for _, address := range []string{"/first/" + name, "/before/" + name, "/second/" + name} { // the last in the document of the one before it
			v, err := c.Visit(tr.ctx, server.URL+address, ample)
			if strings.HasPrefix(address, "/before") {
				if err != nil || v.Page.Content != "before" {
					t.Errorf("%s: %+v %v", address, v, err)
				}
				continue
			}
			expect(t, fault.BlockedDomain, err)
		}
	}
	for _, path := range s.requests() {
		if strings.HasPrefix(path, "/ran") {
			t.Errorf("%s was requested", path)
		}
	}
}

// TestFetchedPagesAreReadSideBySide reads pages of two sites at the same time.
func TestFetchedPagesAreReadSideBySide(t *testing.T) {
	s := &fetchedSite{pages: map[string]string{}}
	for i := range 8 {
		s.pages[fmt.Sprintf("/p%d", i)] = fmt.Sprintf("%s<p>page %d", doctype, i)
	}
	server := listen(t, s)
	tr := start(t)
	c := fetching(t, tr)
	var wg sync.WaitGroup
	for i := range 8 {
		base := server.URL
		if i%2 == 1 {
			base = elsewhere(server)
		}
		wg.Go(func() {
			v, err := c.Visit(tr.ctx, fmt.Sprintf("%s/p%d", base, i), ample)
			if err != nil || v.Page.Content != fmt.Sprintf("page %d", i) {
				t.Errorf("page %d: %+v %v", i, v, err)
			}
		})
	}
	wg.Wait()
	if got := s.requests(); len(got) != 8 {
		t.Errorf("requested %q", got)
	}
	must(t, c.Close(tr.ctx))
}
