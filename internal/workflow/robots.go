package workflow

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/temoto/robotstxt"
)

const (
	robotName          = "Glovebox"
	robotsSize         = 500 << 10        // bytes that are read; RFC 9309 section 2.5
	maxRobotsRedirects = 5                // redirects; RFC 9309 section 2.3.1.2
	maxCrawlDelay      = 10 * time.Second // of a Crawl-delay
)

// rules are the rules of an origin's robots.txt for us (RFC 9309).
type rules struct {
	group    *robotstxt.Group
	closed   bool // the server failed: nothing is allowed
	sitemaps []string
}

func (r rules) allow(pathAndQuery string) bool {
	return !r.closed && (r.group == nil || r.group.Test(pathAndQuery))
}

// delay returns the Crawl-delay, at most 10 s.
func (r rules) delay() time.Duration {
	if r.group == nil {
		return 0
	}
	return min(max(r.group.CrawlDelay, 0), maxCrawlDelay)
}

// robots caches the rules of each origin. It is safe for concurrent use.
type robots struct {
	fetch func(ctx context.Context, address string) (status int, body []byte, err error)

	mu    sync.Mutex
	known map[string]func() rules
}

// of returns the rules of an origin, which are fetched once. After a 4xx answer
// all pages are allowed; after a 5xx answer, or if the server cannot be reached,
// none (RFC 9309 section 2.3.1).
func (r *robots) of(ctx context.Context, origin string) rules {
	r.mu.Lock()
	if r.known == nil {
		r.known = map[string]func() rules{}
	}
	get := r.known[origin]
	if get == nil {
		get = sync.OnceValue(func() rules { return r.read(ctx, origin) })
		r.known[origin] = get
	}
	r.mu.Unlock()
	return get()
}

func (r *robots) read(ctx context.Context, origin string) rules {
	status, body, err := r.fetch(ctx, origin+"/robots.txt")
	switch {
	case err != nil, status >= http.StatusInternalServerError, status == http.StatusTooManyRequests:
		return rules{closed: true}
	case status != http.StatusOK:
		return rules{}
	}
	parsed, err := robotstxt.FromBytes(body[:min(len(body), robotsSize)])
	if err != nil {
		return rules{} // an invalid file forbids nothing
	}
	return rules{group: parsed.FindGroup(robotName), sitemaps: parsed.Sitemaps}
}
