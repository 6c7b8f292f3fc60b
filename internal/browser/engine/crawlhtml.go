package engine

import (
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

const (
	plainLimit   = 5 * time.Second // to fetch a page or a style sheet without the browser
	mostPlain    = 2 << 20         // bytes of a page or a style sheet, unpacked
	mostSheets   = 32              // style sheets that a crawl remembers
	mostFailures = 3               // pages of a host in a row that had to be rendered after all
)

// htmlCache has the style sheets of a crawl, by address, and counts the pages of
// each host that had to be rendered.
type htmlCache struct {
	mu       sync.Mutex
	sheets   map[string]response
	failures map[string]int // in a row, by host
}

func (h *htmlCache) sheet(address string) (r response, known, full bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, known = h.sheets[address]
	return r, known, len(h.sheets) >= mostSheets
}

func (h *htmlCache) addSheet(address string, r response) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sheets[address] = r
}

// hopeless reports whether the last pages of a host all had to be rendered: its
// pages are then not requested twice any more.
func (h *htmlCache) hopeless(host string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failures[host] >= mostFailures
}

// count notes whether a page of a host could be read without rendering it.
func (h *htmlCache) count(host string, read bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failures[host]++; read {
		h.failures[host] = 0
	}
}

// readHTML reads a page that it fetches without the browser. It returns nil if the
// page has to be rendered.
func (c *crawler) readHTML(ctx context.Context, address string, limit time.Duration) *action.CrawlVisit {
	u, err := url.Parse(address)
	if c.options.Way == nil || c.options.Resources || c.options.Extract == "html" || err != nil || u.User != nil || !plainAddress(address) {
		return nil
	}
	host := u.Hostname()
	if c.cache.hopeless(host) || !c.b.guardAllows(address) {
		return nil
	}
	if c.b.injection.signedIn(ctx, address) {
		return nil
	}
	out := c.fetched(ctx, address, host, limit)
	c.cache.count(host, out != nil)
	return out
}

// plainAddress reports whether all parsers read an address in the same way.
func plainAddress(address string) bool {
	read, err := parser.Parse(address)
	return err == nil && read.Href(true) == address && !strings.ContainsAny(address, "\"<>|\\^`{}[]") && len(address) <= pagetext.MostURL
}

// fetched fetches a page and reads it in the offline tab.
func (c *crawler) fetched(ctx context.Context, address, host string, limit time.Duration) *action.CrawlVisit {
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	if c.hasCookie(ctx, host) {
		return nil
	}
	agent := c.agent()
	page, ok := c.get(ctx, address, agent, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	if !ok || mediaType(page) != "text/html" || declarativeShadow.Match(page.body) {
		return nil
	}
	page.headers[policyHeader] = strings.TrimPrefix(page.headers[policyHeader]+", "+noScripts, ", ")
	v := &visit{address: address, reply: &reply{document: page, sheet: func(sheet string) (response, bool) {
		return c.sheet(ctx, sheet, address, agent)
	}}}
	t, err := c.offline.take(ctx)
	if err != nil {
		return nil
	}
	out, err := c.readOffline(ctx, t, v)
	c.offline.release(ctx, t, err == nil)
	return out
}

const policyHeader = "Content-Security-Policy"

// noScripts is a policy by which no script of a page runs. The parser still takes
// noscript elements for what a browser with scripts takes them for, which it does
// not after Emulation.setScriptExecutionDisabled.
const noScripts = "script-src 'none'; worker-src 'none'; connect-src 'none'; object-src 'none'; form-action 'none'"

// declarativeShadow matches pages that may have closed shadow roots, into which the
// script of the engine does not look for what needs a live page.
var declarativeShadow = regexp.MustCompile(`(?i)shadowroot`)

// readOffline reads a page in the offline tab. It returns nil for a page that may
// show something else when it is live, and an error if the tab may hang.
func (c *crawler) readOffline(ctx context.Context, t *tab, v *visit) (*action.CrawlVisit, error) {
	ctx, leave := c.b.enter(ctx, t, visitLimit)
	defer leave()
	reusable := c.offline.reusable(v)
	c.offline.reuse("")
	c.b.setVisit(t, v)
	written := false
	if reusable {
		var err error
		if written, err = c.write(ctx, t, v); err != nil {
			return nil, err
		}
	}
	if !written {
		if shown, err := c.load(ctx, t, v); err != nil || !shown {
			return nil, err
		}
	}
	state, err := c.complete(ctx, t)
	if err != nil || state.Live || c.missed(v) {
		return nil, err
	}
	out, err := c.read(ctx, t)
	if err == nil && !state.Marks && v.reply.document.headers[policyHeader] == noScripts {
		c.offline.reuse(originOf(v.address))
	}
	return out, err
}

// load has the offline tab navigate to a page. shown is false if it cannot.
func (c *crawler) load(ctx context.Context, t *tab, v *visit) (shown bool, err error) {
	before := c.b.effects.mark(t)
	var answer navigated
	if err := t.main.session.Call(ctx, "Page.navigate", map[string]string{"url": v.address}, &answer); err != nil {
		return false, err
	}
	if answer.Error != "" {
		return false, nil
	}
	return true, c.waitParsed(ctx, t, v, before, answer.Loader)
}

// write has the page take the place of the one before in the same document, which
// costs a tenth of a navigation. done is false if that is not possible.
func (c *crawler) write(ctx context.Context, t *tab, v *visit) (done bool, err error) {
	p, err := c.b.main(ctx, t)
	if err != nil {
		return false, err
	}
	if done, err = p.world.Readdress(ctx, v.address); err != nil || !done {
		return false, err
	}
	c.b.state.Do(func(*state) { v.begun = true })
	return true, t.main.session.Call(ctx, "Page.setDocumentContent", map[string]string{"frameId": t.root.id, "html": string(v.reply.document.body)}, nil)
}

// complete waits until the document in the offline tab has its style sheets.
func (c *crawler) complete(ctx context.Context, t *tab) (has injected.Fetched, err error) {
	idle := func(*state) bool { return t.closed || t.crashed || len(t.inflight) == 0 }
	for {
		if err := c.b.await(ctx, idle); err != nil {
			return has, err
		}
		p, err := c.b.main(ctx, t)
		if err != nil {
			return has, err
		}
		if has, err = p.world.Fetched(ctx); err != nil || !has.Loading {
			return has, err
		}
	}
}

func (c *crawler) missed(v *visit) bool {
	return guarded.Get(c.b.state, func(*state) bool { return v.missed })
}

// plainHeader reports whether an answer has none of the headers that only a
// browser acts on.
func plainHeader(h http.Header) bool {
	for _, name := range []string{"Set-Cookie", "Refresh", "Link", "Content-Disposition", "Content-Encoding", "X-Glovebox-Refused", "X-Glovebox-Failed", "Clear-Site-Data"} {
		if h.Get(name) != "" {
			return false
		}
	}
	return true
}

// hasCookie reports whether the browser has a cookie for a host: the browser may
// then get another page.
func (c *crawler) hasCookie(ctx context.Context, host string) bool {
	cookies, err := c.b.cookies.all(ctx)
	if err != nil {
		return true
	}
	for _, k := range cookies {
		if credentials.Within(host, strings.ToLower(bare(k.Domain))) {
			return true
		}
	}
	return false
}

// agent is the user agent that the browser sends.
func (c *crawler) agent() string {
	return guarded.Get(c.b.state, func(s *state) string { return s.options.userAgent(s.version) })
}

// passed are the headers of a server's answer that change how it is read.
var passed = []string{"Content-Type", "Content-Language", policyHeader, "X-Content-Type-Options"}

// get requests an address. ok is false for an error, a status other than 200, a
// header that only a browser acts on, and a body that is too large.
func (c *crawler) get(ctx context.Context, address, agent, accept string) (r response, ok bool) {
	ctx, stop := context.WithTimeout(ctx, plainLimit)
	defer stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return r, false
	}
	request.Header = http.Header{"User-Agent": {agent}, "Accept": {accept}, "Accept-Language": {"en-US,en;q=0.9"}}
	answer, err := c.options.Way.RoundTrip(request)
	if err != nil {
		return r, false
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK || !plainHeader(answer.Header) {
		return r, false
	}
	r.headers = map[string]string{}
	for _, name := range passed {
		if values := answer.Header.Values(name); len(values) > 0 {
			r.headers[name] = strings.Join(values, ", ")
		}
	}
	r.body, err = io.ReadAll(io.LimitReader(answer.Body, mostPlain+1))
	return r, err == nil && len(r.body) <= mostPlain
}

// mediaType returns the type of what a server sent, without parameters.
func mediaType(r response) string {
	kind, _, _ := mime.ParseMediaType(r.headers["Content-Type"])
	return kind
}

// sheet fetches a style sheet, once for the crawl.
func (c *crawler) sheet(ctx context.Context, address, page, agent string) (response, bool) {
	sheet, known, full := c.cache.sheet(address)
	if known {
		return sheet, true
	}
	if origin := originOf(address); full || origin == "" || origin != originOf(page) { // only the browser knows the cookies of another origin
		return response{}, false
	}
	sheet, ok := c.get(ctx, address, agent, "text/css,*/*;q=0.1")
	if !ok || mediaType(sheet) != "text/css" {
		return response{}, false
	}
	c.cache.addSheet(address, sheet)
	return sheet, true
}
