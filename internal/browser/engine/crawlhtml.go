package engine

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/extract"
	"github.com/gloveboxhq/glovebox/internal/browser/htmlonly"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

const (
	plainLimit   = 5 * time.Second // to fetch a page and its style sheets without the browser
	mostPlain    = 512 << 10       // bytes of a page or a style sheet, unpacked
	mostSheets   = 32              // style sheets that a crawl remembers
	mostFailures = 3               // pages of a host in a row that had to be rendered after all
)

// htmlCache has the style sheets of a crawl, by address, and counts the pages of
// each host that had to be rendered.
type htmlCache struct {
	mu       sync.Mutex
	sheets   map[string]string
	failures map[string]int // in a row, by host
}

func (h *htmlCache) sheet(address string) (text string, known, full bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	text, known = h.sheets[address]
	return text, known, len(h.sheets) >= mostSheets
}

func (h *htmlCache) addSheet(address, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sheets[address] = text
}

// hopeless reports whether the last pages of a host all had to be rendered: its
// pages are then not requested twice any more.
func (h *htmlCache) hopeless(host string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failures[host] >= mostFailures
}

// count notes whether a page of a host could be read without the browser.
func (h *htmlCache) count(host string, read bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failures[host]++; read {
		h.failures[host] = 0
	}
}

// readHTML reads a page without the browser; nil where the result could differ
// from what the browser shows.
func (c *crawler) readHTML(ctx context.Context, address string) *action.CrawlVisit {
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
	ctx, stop := context.WithTimeout(ctx, plainLimit)
	defer stop()
	out := c.fetched(ctx, address, host)
	c.cache.count(host, out != nil)
	return out
}

// plainAddress reports whether all parsers read an address the same way.
func plainAddress(address string) bool {
	read, err := parser.Parse(address)
	return err == nil && read.Href(true) == address && !strings.ContainsAny(address, "\"<>|\\^`{}[]") && len(address) <= pagetext.MostURL
}

func (c *crawler) fetched(ctx context.Context, address, host string) *action.CrawlVisit {
	if c.hasCookie(ctx, host) {
		return nil
	}
	source, header, ok := c.get(ctx, address, c.agent(), "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	if !ok || !plainHeader(header) {
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

// get requests an address. ok is false for an error, a status other than 200, and
// a body that is too large.
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
	text, known, full := c.cache.sheet(address)
	if known {
		return text, true
	}
	if full || !sameOrigin(address, page) {
		return "", false
	}
	body, header, ok := c.get(ctx, address, agent, "text/css,*/*;q=0.1")
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	if !ok || !strings.EqualFold(strings.TrimSpace(kind), "text/css") || !plainHeader(header) {
		return "", false
	}
	c.cache.addSheet(address, string(body))
	return string(body), true
}

// sameOrigin reports whether two addresses have the same origin. Only the browser
// knows the cookies of another one, and what a page may load from there.
func sameOrigin(a, b string) bool {
	x, errX := url.Parse(a)
	y, errY := url.Parse(b)
	return errX == nil && errY == nil && x.Scheme == y.Scheme && x.Host == y.Host
}

// written writes what a crawl reads of a page.
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
