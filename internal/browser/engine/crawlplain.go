package engine

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/extract"
	"github.com/gloveboxhq/glovebox/internal/browser/htmlonly"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
	"github.com/gloveboxhq/glovebox/internal/credentials"
)

const (
	plainLimit = 5 * time.Second // to fetch a page and its style sheets without the browser
	mostPlain  = 512 << 10       // bytes of a page or a style sheet, unpacked
	mostSheets = 32              // style sheets that a crawl remembers
	mostVain   = 3               // pages of a host in a row that needed the browser after all
)

// plainKnown are the style sheets of a crawl, by address, and the hosts whose pages
// need the browser. It is guarded by Browser.mu.
type plainKnown struct {
	sheets map[string]string
	vain   map[string]int // pages in a row, by host
}

// plainly reads a page without the browser: nil where that might tell anything
// else than the browser would.
func (c *crawler) plainly(ctx context.Context, address string) *action.CrawlVisit {
	u, err := url.Parse(address)
	if c.options.Way == nil || c.options.Resources || c.options.Extract == "html" || err != nil || u.User != nil || !plainAddress(address) {
		return nil
	}
	host := u.Hostname()
	if c.inVain(host) || c.b.options.Guard == nil || c.b.options.Guard(address) != nil {
		return nil
	}
	if c.b.signedIn(ctx, address) {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, plainLimit)
	defer stop()
	out := c.fetched(ctx, address, host)
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	if c.known.vain[host]++; out != nil {
		c.known.vain[host] = 0
	}
	return out
}

// inVain reports whether a host's pages needed the browser again and again: it
// is not asked twice for each.
func (c *crawler) inVain(host string) bool {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	return c.known.vain[host] >= mostVain
}

// plainAddress reports whether every parser reads an address alike.
func plainAddress(address string) bool {
	read, err := parser.Parse(address)
	return err == nil && read.Href(true) == address && !strings.ContainsAny(address, "\"<>|\\^`{}[]") && len(address) <= pagetext.MostURL
}

func (c *crawler) fetched(ctx context.Context, address, host string) *action.CrawlVisit {
	if c.remembered(ctx, host) {
		return nil
	}
	source, header, ok := c.get(ctx, address, c.agent(), "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	if !ok || !unremarkable(header) {
		return nil
	}
	p, ok := htmlonly.Open(source, header.Get("Content-Type"), address)
	if !ok || p.Styled() && header.Get("Content-Security-Policy") != "" {
		return nil
	}
	var sheets []string
	for _, at := range p.Sheets() {
		sheet, ok := c.sheet(ctx, at, address, c.agent())
		if !ok {
			return nil
		}
		sheets = append(sheets, sheet)
	}
	if !p.Style(sheets) {
		return nil
	}
	return c.written(p, address)
}

// unremarkable reports whether an answer says nothing that only a browser would
// heed.
func unremarkable(h http.Header) bool {
	for _, name := range []string{"Set-Cookie", "Refresh", "Link", "Content-Disposition", "Content-Encoding", "X-Glovebox-Refused", "X-Glovebox-Failed", "Clear-Site-Data"} {
		if h.Get(name) != "" {
			return false
		}
	}
	return true
}

// remembered reports whether the browser has a cookie for a host: what it would
// be sent is for the browser.
func (c *crawler) remembered(ctx context.Context, host string) bool {
	cookies, err := c.b.jar(ctx)
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

// agent is the name that servers are told.
func (c *crawler) agent() string {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	return c.b.options.userAgent(c.b.version)
}

// get fetches what fits within bounds and is there: anything else is for the
// browser.
func (c *crawler) get(ctx context.Context, address, agent, accept string) ([]byte, http.Header, bool) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, nil, false
	}
	request.Header = http.Header{"User-Agent": {agent}, "Accept": {accept}, "Accept-Language": {"en-US,en;q=0.9"}}
	response, err := c.options.Way.RoundTrip(request)
	if err != nil {
		return nil, nil, false
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, nil, false
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, mostPlain+1))
	return body, response.Header, err == nil && len(body) <= mostPlain
}

// sheet fetches a style sheet, once for the crawl.
func (c *crawler) sheet(ctx context.Context, address, page, agent string) (string, bool) {
	c.b.mu.Lock()
	text, known := c.known.sheets[address]
	full := len(c.known.sheets) >= mostSheets
	c.b.mu.Unlock()
	if known {
		return text, true
	}
	if full || !sameOrigin(address, page) {
		return "", false
	}
	body, header, ok := c.get(ctx, address, agent, "text/css,*/*;q=0.1")
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	if !ok || !strings.EqualFold(strings.TrimSpace(kind), "text/css") || !unremarkable(header) {
		return "", false
	}
	c.b.mu.Lock()
	c.known.sheets[address] = string(body)
	c.b.mu.Unlock()
	return string(body), true
}

// sameOrigin: cookies of another host, and what a page may load from there, are
// the browser's to know.
func sameOrigin(a, b string) bool {
	x, errX := url.Parse(a)
	y, errY := url.Parse(b)
	return errX == nil && errY == nil && x.Scheme == y.Scheme && x.Host == y.Host
}

// written makes of a page what the crawl wants.
func (c *crawler) written(p *htmlonly.Page, address string) *action.CrawlVisit {
	title, ok := p.Title()
	leads, fine := p.Leads()
	if !ok || !fine {
		return nil
	}
	out := &action.CrawlVisit{Canonical: leads.Canonical, NoFollow: leads.NoFollow, Leads: leads.Leads}
	out.Page = action.CrawledPage{URL: pagetext.MaskURL(address), Title: title, Status: http.StatusOK, Links: []string{}}
	for _, to := range leads.Leads {
		out.Page.Links = append(out.Page.Links, pagetext.MaskURL(to))
	}
	if out.Page.Content, ok = c.plainContent(p, out.Page.Links); !ok || len(out.Page.Content) > visitBytes {
		return nil
	}
	return out
}

func (c *crawler) plainContent(p *htmlonly.Page, links []string) (string, bool) {
	switch c.options.Extract {
	case "links":
		return strings.Join(links, "\n"), true
	case "text":
		return p.Text()
	}
	markup, ok := p.Markup(pagetext.MaskURL)
	if !ok {
		return "", false
	}
	text, err := extract.Markdown(markup)
	return text, err == nil
}
