package engine

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

const (
	mostCrawlTabs = 8                      // tabs of one crawl; each costs about 16 MiB
	visitLimit    = 20 * time.Second       // of one page
	quietLimit    = 3 * time.Second        // for requests and scripts to come to rest after DOMContentLoaded
	stillFor      = 100 * time.Millisecond // without a change, where a page has scripts
	visitBytes    = 1 << 20                // of one page's content
)

// CrawlOptions say what a crawl reads.
type CrawlOptions struct {
	Extract   string // markdown (also when empty), html, text, links
	Resources bool   // load images, fonts and media too
	// Way fetches pages without the browser, through the same proxy as the browser's
	// own requests. Pages without scripts are then laid out in a tab without network,
	// and only others are rendered. nil: every page is rendered.
	Way http.RoundTripper
}

// Crawler reads pages in tabs of its own, which no other caller sees.
type Crawler interface {
	// Visit reads one page. A redirect, of the server or of the page itself, is
	// returned and not followed. Faults: invalid_url, navigation_failed,
	// page_crashed, limit_reached, browser_action_timeout, not_active, and those
	// of Options.Guard.
	Visit(ctx context.Context, address string, limit time.Duration) (*action.CrawlVisit, error)
	// Close closes the tabs. A visit under way fails.
	Close(ctx context.Context) error
}

// crawler is a Crawler.
type crawler struct {
	b       *Browser
	options CrawlOptions
	cache   htmlCache
	offline *offlineTab

	mu     sync.Mutex    // the lock of the state is taken after it
	tabs   map[*tab]bool // whether the tab is in use
	making int           // tabs that are being opened
	closed bool
}

// Crawl makes a crawler, which has no tabs yet. It is to be closed.
func (b *Browser) Crawl(o CrawlOptions) Crawler {
	return &crawler{
		b: b, options: o, tabs: make(map[*tab]bool), offline: newOfflineTab(b.targets),
		cache: htmlCache{sheets: map[string]response{}, failures: map[string]int{}},
	}
}

// Visit implements Crawler.
func (c *crawler) Visit(ctx context.Context, address string, limit time.Duration) (*action.CrawlVisit, error) {
	if limit <= 0 {
		limit = visitLimit
	}
	address, err := Address(address)
	if err != nil {
		return nil, err
	}
	address, _, _ = strings.Cut(address, "#")
	if out := c.readHTML(ctx, address, limit); out != nil {
		return out, nil
	}
	t, err := c.take(ctx)
	if err != nil {
		return nil, c.b.toFault(ctx, "crawl", limit, err)
	}
	ctx, leave := c.b.enter(ctx, t, limit)
	defer leave()
	out, err := c.visit(ctx, t, address)
	if err != nil {
		c.discard(ctx, t)
		return nil, c.b.toFault(ctx, "crawl", limit, err)
	}
	c.release(ctx, t)
	return out, nil
}

// take finds a tab that nobody uses, or opens one.
func (c *crawler) take(ctx context.Context) (*tab, error) {
	t, err := c.reserve()
	if t != nil || err != nil {
		return t, err
	}
	t, err = c.b.targets.newHiddenTab(ctx, hiddenTab{intercept: intercepted(true, c.options.Resources)})
	c.mu.Lock()
	c.making--
	late := c.closed
	if err == nil && !late {
		c.tabs[t] = true
	}
	c.mu.Unlock()
	if err == nil && late {
		c.b.targets.discard(ctx, t)
		err = errClosedTab
	}
	return t, err
}

// reserve returns a tab that is free. Without one it counts a tab that the caller
// is to open, and returns nil. Fault: limit_reached.
func (c *crawler) reserve() (*tab, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosedTab
	}
	for t, used := range c.tabs {
		if !used && c.b.usable(t) {
			c.tabs[t] = true
			return t, nil
		}
	}
	if len(c.tabs)+c.making >= mostCrawlTabs {
		return nil, fault.New(fault.LimitReached, "a crawl has %d tabs at most", mostCrawlTabs).
			Hinted("read fewer pages at a time").With("limit", "tabs").With("max", mostCrawlTabs)
	}
	c.making++
	return nil, nil
}

// release makes a tab free again.
func (c *crawler) release(ctx context.Context, t *tab) {
	c.b.setVisit(t, nil)
	c.mu.Lock()
	closed := c.closed
	if !closed {
		c.tabs[t] = false
	}
	c.mu.Unlock()
	if closed {
		c.b.targets.discard(ctx, t)
	}
}

// discard closes a tab that may hang.
func (c *crawler) discard(ctx context.Context, t *tab) {
	c.mu.Lock()
	delete(c.tabs, t)
	c.mu.Unlock()
	c.b.targets.discard(ctx, t)
}

// Close implements Crawler.
func (c *crawler) Close(ctx context.Context) error {
	c.mu.Lock()
	c.closed = true
	tabs := c.tabs
	c.tabs = nil
	c.mu.Unlock()
	c.offline.dispose(ctx, true)
	var all []error
	for t := range tabs {
		bounded, stop := context.WithTimeout(ctx, closeLimit)
		all = append(all, c.b.targets.shut(bounded, t))
		stop()
	}
	return errors.Join(all...)
}

// visit goes to a page in a hidden tab and reads it.
func (c *crawler) visit(ctx context.Context, t *tab, address string) (*action.CrawlVisit, error) {
	if err := c.b.guard.prepareAhead(ctx, t, address); err != nil {
		return nil, err
	}
	defer c.b.guard.endAhead(t)
	before := c.b.effects.mark(t)
	v := &visit{address: address, resources: c.options.Resources}
	c.b.setVisit(t, v)
	var answer navigated
	if err := t.main.session.Call(ctx, "Page.navigate", map[string]string{"url": address}, &answer); err != nil {
		return nil, err
	}
	if out := c.elsewhere(t, v, answer); out != nil {
		return out, nil
	}
	if err := c.b.navigator.failed(ctx, t, address, answer); err != nil {
		return nil, err
	}
	if err := c.waitParsed(ctx, t, v, before, answer.Loader); err != nil {
		return nil, err
	}
	if err := c.b.navigator.proxyRefusal(t); err != nil {
		return nil, err
	}
	if out := c.elsewhere(t, v, answer); out != nil {
		return out, nil
	}
	if err := c.waitQuiet(ctx, t); err != nil && !moved(err) {
		return nil, err
	}
	out, err := c.read(ctx, t)
	if err != nil {
		return nil, err
	}
	if other := c.elsewhere(t, v, answer); other != nil {
		return other, nil // a script or a meta tag navigated
	}
	return out, nil
}

// waitParsed waits until the document is parsed, or is redirected.
func (c *crawler) waitParsed(ctx context.Context, t *tab, v *visit, before mark, loader string) error {
	return c.b.await(ctx, func(*state) bool {
		f := t.root
		return v.redirect != "" || (f.loader == loader || f.loader != before.loader) && f.events["DOMContentLoaded"]
	})
}

// elsewhere is the result where there is no page to read: for a redirect, a
// download or a document of another type; nil where there is one.
func (c *crawler) elsewhere(t *tab, v *visit, n navigated) *action.CrawlVisit {
	was := guarded.Get(c.b.state, func(*state) visit { return *v })
	page := action.CrawledPage{URL: pagetext.MaskURL(was.address), Status: was.status, Links: []string{}, Error: unsuccessful(was.status)}
	if was.redirect != "" {
		return &action.CrawlVisit{Page: page, Redirect: was.redirect}
	}
	kind, _, _ := mime.ParseMediaType(was.mime)
	switch {
	case n.Download, kind != "" && kind != "text/html" && kind != "application/xhtml+xml":
		page.MediaType = kind
		if n.Download && kind == "" {
			page.MediaType = "application/octet-stream"
		}
		t.main.session.Send("Page.stopLoading", nil)
		return &action.CrawlVisit{Page: page}
	}
	return nil
}

// waitQuiet waits until the requests of the document have ended, and its scripts,
// where it has some, change nothing any more. A page that never gets there is read
// as it is.
func (c *crawler) waitQuiet(ctx context.Context, t *tab) error {
	bounded, stop := context.WithTimeout(ctx, quietLimit)
	defer stop()
	idle := func(*state) bool { return t.closed || t.crashed || t.visit.redirect != "" || len(t.inflight) == 0 }
	for {
		if err := c.b.await(bounded, idle); err != nil {
			return ended(ctx, err)
		}
		p, err := c.b.main(bounded, t)
		if err != nil {
			return ended(ctx, err)
		}
		script, err := p.world.Quiet(bounded, stillFor, quietLimit)
		if err != nil {
			return ended(ctx, err)
		}
		if !script || guarded.Get(c.b.state, idle) {
			return nil
		}
	}
}

// read reads the content of the page and its links.
func (c *crawler) read(ctx context.Context, t *tab) (*action.CrawlVisit, error) {
	if _, err := c.b.reader.readable(ctx, t); err != nil {
		return nil, err
	}
	out := &action.CrawlVisit{}
	if err := c.leads(ctx, t, out); err != nil {
		return nil, err
	}
	content, err := c.content(ctx, t, out.Page.Links)
	if err != nil {
		return nil, err
	}
	if len(content) > visitBytes {
		content, out.Page.Cut = strings.ToValidUTF8(content[:visitBytes], ""), true
	}
	out.Page.Content = content
	here := c.b.facts(t)
	out.Page.URL, out.Page.Title = pagetext.MaskURL(here.URL), here.Title
	out.Page.Status = guarded.Get(c.b.state, func(*state) int { return t.status[t.root.loader] })
	out.Page.Error = unsuccessful(out.Page.Status)
	return out, nil
}

// unsuccessful describes a status that is an error; "" for any other.
func unsuccessful(status int) string {
	if status < 400 {
		return ""
	}
	return "HTTP " + strconv.Itoa(status)
}

// leads reads the links of all frames.
func (c *crawler) leads(ctx context.Context, t *tab, out *action.CrawlVisit) error {
	out.Page.Links = []string{}
	first, known := true, map[string]bool{}
	for _, p := range c.b.places(t) {
		l, err := p.world.CrawlLinks(ctx)
		if err != nil {
			if first || !moved(err) {
				return err
			}
			continue
		}
		if first { // only the main frame says what holds for the page
			out.Canonical, out.NoFollow, first = l.Canonical, l.NoFollow, false
		}
		for i, lead := range l.Leads {
			if !known[lead] && len(out.Leads) < mostLinks && i < len(l.Shown) {
				known[lead] = true
				out.Leads, out.Page.Links = append(out.Leads, lead), append(out.Page.Links, l.Shown[i])
			}
		}
	}
	return nil
}

func (c *crawler) content(ctx context.Context, t *tab, links []string) (string, error) {
	switch c.options.Extract {
	case "links":
		return strings.Join(links, "\n"), nil
	case "text":
		text, _, err := c.b.reader.text(ctx, t)
		return text, err
	case "html":
		if c.b.restricted(ctx) {
			return "", fault.New(fault.DeniedByPolicy, "%s", action.WithheldWhy).
				Hinted("use extract markdown, text or links").With("rule", action.WithheldRule)
		}
		p, err := c.b.main(ctx, t)
		if err != nil {
			return "", err
		}
		got, err := p.world.HTML(ctx, 0)
		return got.HTML, err
	}
	m, _, err := c.b.reader.marked(ctx, t, &action.Markdown{}, false)
	if err != nil {
		return "", err
	}
	return m.Markdown, nil
}
