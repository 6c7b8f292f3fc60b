package engine

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
	"github.com/gloveboxhq/glovebox/internal/fault"
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
	// Way fetches pages that need no browser, by the browser's own way out; nil
	// has every page rendered.
	Way http.RoundTripper
}

// Crawler reads pages in tabs of its own, which nobody else sees.
type Crawler interface {
	// Visit reads one page. A redirect, of the server or of the page itself, is
	// not followed but told. Faults: invalid_url, navigation_failed,
	// page_crashed, limit_reached, browser_action_timeout, not_active, and what
	// the guard said.
	Visit(ctx context.Context, address string, limit time.Duration) (*action.CrawlVisit, error)
	// Close closes the tabs. A visit under way fails.
	Close(ctx context.Context) error
}

// crawler is a Crawler. Its fields are guarded by Browser.mu.
type crawler struct {
	b       *Browser
	options CrawlOptions
	tabs    map[*tab]bool // whether the tab is in use
	making  int
	closed  bool
	known   plainKnown
}

// Crawl makes a crawler; it has no tabs yet. Close it.
func (b *Browser) Crawl(o CrawlOptions) Crawler {
	known := plainKnown{sheets: map[string]string{}, vain: map[string]int{}}
	return &crawler{b: b, options: o, tabs: make(map[*tab]bool), known: known}
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
	if out := c.plainly(ctx, address); out != nil {
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
	c.giveBack(ctx, t)
	return out, nil
}

// take finds a tab that nobody uses, or opens one.
func (c *crawler) take(ctx context.Context) (*tab, error) {
	c.b.mu.Lock()
	if c.closed {
		c.b.mu.Unlock()
		return nil, errClosedTab
	}
	for t, used := range c.tabs {
		if !used && !t.closed && !t.crashed {
			c.tabs[t] = true
			c.b.mu.Unlock()
			return t, nil
		}
	}
	full := len(c.tabs)+c.making >= mostCrawlTabs
	if !full {
		c.making++
	}
	c.b.mu.Unlock()
	if full {
		return nil, fault.New(fault.LimitReached, "a crawl has %d tabs at most", mostCrawlTabs).
			Hinted("read fewer pages at a time").With("limit", "tabs").With("max", mostCrawlTabs)
	}
	t, err := c.b.newHiddenTab(ctx, c.options)
	c.b.mu.Lock()
	c.making--
	late := c.closed
	if err == nil && !late {
		c.tabs[t] = true
	}
	c.b.mu.Unlock()
	if err == nil && late {
		c.b.targets.discard(ctx, t)
		err = errClosedTab
	}
	return t, err
}

func (c *crawler) giveBack(ctx context.Context, t *tab) {
	c.b.mu.Lock()
	over := c.closed
	t.visit = nil
	if !over {
		c.tabs[t] = false
	}
	c.b.mu.Unlock()
	if over {
		c.b.targets.discard(ctx, t)
	}
}

// discard closes a tab that may hang.
func (c *crawler) discard(ctx context.Context, t *tab) {
	c.b.mu.Lock()
	delete(c.tabs, t)
	c.b.mu.Unlock()
	c.b.targets.discard(ctx, t)
}

// Close implements Crawler.
func (c *crawler) Close(ctx context.Context) error {
	c.b.mu.Lock()
	c.closed = true
	tabs := c.tabs
	c.tabs = nil
	c.b.mu.Unlock()
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
	c.b.mu.Lock()
	v := &visit{address: address, resources: c.options.Resources}
	t.visit = v
	c.b.mu.Unlock()
	var answer navigated
	if err := t.main.session.Call(ctx, "Page.navigate", map[string]string{"url": address}, &answer); err != nil {
		return nil, err
	}
	if out := c.told(t, v, answer); out != nil {
		return out, nil
	}
	if err := c.b.navigator.failed(ctx, t, address, answer); err != nil {
		return nil, err
	}
	if err := c.arrive(ctx, t, v, before, answer.Loader); err != nil {
		return nil, err
	}
	if err := c.b.navigator.proxyRefusal(t); err != nil {
		return nil, err
	}
	if out := c.told(t, v, answer); out != nil {
		return out, nil
	}
	if err := c.rest(ctx, t); err != nil && !moved(err) {
		return nil, err
	}
	out, err := c.read(ctx, t)
	if err != nil {
		return nil, err
	}
	if elsewhere := c.told(t, v, answer); elsewhere != nil {
		return elsewhere, nil // a script or a meta tag went on
	}
	return out, nil
}

// arrive waits until the document is parsed, or goes on elsewhere.
func (c *crawler) arrive(ctx context.Context, t *tab, v *visit, before mark, loader string) error {
	return c.b.await(ctx, func() bool {
		f := t.root
		return v.redirect != "" || (f.loader == loader || f.loader != before.loader) && f.events["DOMContentLoaded"]
	})
}

// told is the answer for what is no page to read: a redirect, a download, a
// document of another type.
func (c *crawler) told(t *tab, v *visit, n navigated) *action.CrawlVisit {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	page := action.CrawledPage{URL: pagetext.MaskURL(v.address), Status: v.status, Links: []string{}, Error: unsuccessful(v.status)}
	if v.redirect != "" {
		return &action.CrawlVisit{Page: page, Redirect: v.redirect}
	}
	kind, _, _ := mime.ParseMediaType(v.mime)
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

// rest waits until the document has come to rest: its requests are over, and
// its scripts, where it has some, change nothing any more. A page that never
// rests is read as it is.
func (c *crawler) rest(ctx context.Context, t *tab) error {
	bounded, stop := context.WithTimeout(ctx, quietLimit)
	defer stop()
	idle := func() bool { return t.closed || t.crashed || t.visit.redirect != "" || len(t.inflight) == 0 }
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
		c.b.mu.Lock()
		calm := idle()
		c.b.mu.Unlock()
		if calm || !script {
			return nil
		}
	}
}

// read takes out of the page what the crawl wants.
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
	c.b.mu.Lock()
	out.Page.Status = t.status[t.root.loader]
	c.b.mu.Unlock()
	out.Page.Error = unsuccessful(out.Page.Status)
	return out, nil
}

// unsuccessful says of a status that it is no success.
func unsuccessful(status int) string {
	if status < 400 {
		return ""
	}
	return "HTTP " + strconv.Itoa(status)
}

func (c *crawler) leads(ctx context.Context, t *tab, out *action.CrawlVisit) error {
	out.Page.Links = []string{}
	first, known := true, map[string]bool{}
	for _, p := range c.b.places(t) {
		l, err := p.world.Leads(ctx)
		if err != nil {
			if first || !moved(err) {
				return err
			}
			continue
		}
		if first { // the page speaks for itself in its main frame only
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
		if c.b.narrow(ctx) {
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
