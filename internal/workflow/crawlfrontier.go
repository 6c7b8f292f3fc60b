package workflow

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// readFrontier reads some pages, several at the same time, and merges their
// results in the order of the pages. It returns the pages that redirects lead to.
func (c *crawlRun) readFrontier(ctx context.Context, pages []candidate) (again []candidate) {
	r := &frontier{c: c, pages: pages, visits: make([]*visited, len(pages)), started: make([]bool, len(pages))}
	runSteps(ctx, c.args.Parallel, r)
	for ; r.merged < len(pages); r.merged++ { // after an early end: pages that ended out of order still count
		switch {
		case r.visits[r.merged] != nil && c.out.Stopped == "":
			r.merge(ctx)
		default:
			c.leftOut++
		}
	}
	return r.again
}

// frontier is a group of pages that are read together, and the front end of their
// steps.
type frontier struct {
	c       *crawlRun
	pages   []candidate
	visits  []*visited
	started []bool
	merged  int // number of merged pages
	again   []candidate
}

// outcome is the result of the page at an index.
type outcome struct {
	index   int
	visited visited
}

// next returns the visit of the first page whose host may be requested now, or
// else how long to wait for one.
func (r *frontier) next(ctx context.Context) (step func(context.Context) outcome, wait time.Duration) {
	if ctx.Err() != nil || r.c.out.Stopped != "" {
		return nil, 0
	}
	for i, at := range r.pages {
		if r.started[i] {
			continue
		}
		ok, later := r.c.hosts.enter(at.url)
		if ok {
			r.started[i] = true
			return func(ctx context.Context) outcome { return outcome{i, r.c.visit(ctx, at)} }, 0
		}
		if later > 0 && (wait == 0 || later < wait) {
			wait = later
		}
	}
	return nil, wait
}

// take stores a visit and merges the pages that are next in order.
func (r *frontier) take(ctx context.Context, o outcome) {
	r.c.queued--
	r.visits[o.index] = &o.visited
	r.c.hosts.leave(r.pages[o.index].url, o.visited.skip == "")
	r.mergeInOrder(ctx)
}

// mergeInOrder merges the visited pages that are next in order.
func (r *frontier) mergeInOrder(ctx context.Context) {
	for r.merged < len(r.pages) && r.c.out.Stopped == "" && r.visits[r.merged] != nil {
		r.merge(ctx)
		r.merged++
	}
}

// merge merges the next page.
func (r *frontier) merge(ctx context.Context) {
	if to, ok := r.c.merge(ctx, r.pages[r.merged], *r.visits[r.merged]); ok {
		r.again = append(r.again, to)
	}
}

// contentHash is the hash of a kept page's content.
type contentHash [sha256.Size]byte

// merge adds the result of a page to the crawl, and returns where the page redirects to.
func (c *crawlRun) merge(ctx context.Context, at candidate, v visited) (candidate, bool) {
	switch {
	case v.skip != "":
		c.skip(at, v.skip, "robots.txt does not allow it")
	case v.err != nil:
		c.fail(ctx, at, v.err)
	case v.visit.Redirect != "":
		return c.follow(at, v.visit.Redirect)
	case c.isDuplicate(at, v.visit):
		c.out.Skipped["duplicate"]++
	default:
		c.keep(at, v.visit)
	}
	return candidate{}, false
}

// skip counts a skipped page. For the first page, the result says why.
func (c *crawlRun) skip(at candidate, reason, words string) {
	c.out.Skipped[reason]++
	if at.depth == 0 && len(c.out.Pages) == 0 {
		c.add(action.CrawledPage{URL: shown(at.url), Error: words}, at.depth)
	}
}

// fail adds a page that could not be read.
func (c *crawlRun) fail(ctx context.Context, at candidate, err error) {
	f := fault.From(err)
	switch {
	case ctx.Err() != nil:
		c.leftOut++
	case f.Code == fault.NotActive || f.Code == fault.SessionNotFound || f.Code == fault.Unauthenticated:
		c.out.Stopped = stopSession
		c.leftOut++
	case f.Code == fault.DeniedByPolicy || f.Code == fault.BlockedDomain:
		c.skip(at, "policy", f.Message)
	default:
		c.add(action.CrawledPage{URL: shown(at.url), Error: f.Message}, at.depth)
	}
}

// follow returns the page that another one redirects to, if it may be read.
func (c *crawlRun) follow(at candidate, to string) (candidate, bool) {
	next := candidate{url: address(to), depth: at.depth, hops: at.hops + 1}
	if next.hops > maxRedirects {
		c.add(action.CrawledPage{URL: shown(at.url), Error: "it redirects without end"}, at.depth)
		return next, false
	}
	if key(to) == key(at.url) && next.url != "" {
		return next, true // another address of the same page, for example after a cookie was set
	}
	if reason := c.admit(to); reason != "" {
		c.skip(at, reason, "it redirects to "+shown(to)+", which the crawl may not read")
		return next, false
	}
	return next, true
}

// admit stores an address, and returns why it is not read: "duplicate" if it is
// already known.
func (c *crawlRun) admit(to string) (reason string) {
	k := key(to)
	switch {
	case k == "":
		return "scheme"
	case c.seen[k]:
		return "duplicate"
	case len(c.seen) >= maxKnown:
		return "limit"
	}
	c.seen[k] = true
	switch {
	case !c.within(host(to)):
		return "foreign"
	case c.traps.isTrap(to):
		return "trap"
	}
	return ""
}

// isDuplicate reports whether a page names a kept page as its canonical address
// and has the same content.
func (c *crawlRun) isDuplicate(at candidate, v *action.CrawlVisit) bool {
	k, own := key(v.Canonical), key(at.url)
	if k == "" || k == own || host(v.Canonical) != host(at.url) {
		return false
	}
	samePath := canonical(v.Canonical).Path == canonical(at.url).Path
	if before, kept := c.kept[k]; kept {
		return samePath || before == sha256.Sum256([]byte(v.Page.Content))
	}
	if samePath {
		c.seen[k] = true // this page stands for it
		c.kept[k] = sha256.Sum256([]byte(v.Page.Content))
	}
	return false
}

// keep adds a page to the result, and its links to the next depth.
func (c *crawlRun) keep(at candidate, v *action.CrawlVisit) {
	c.kept[key(at.url)] = sha256.Sum256([]byte(v.Page.Content))
	if !c.add(v.Page, at.depth) {
		return
	}
	if v.Page.Status < 400 && (!v.NoFollow || c.args.IgnoreRobots) {
		c.addLinks(v.Leads, at.depth+1)
	}
}

// addLinks adds links to the pages of the next depth.
func (c *crawlRun) addLinks(links []string, depth int) {
	for _, to := range links {
		if depth > *c.args.MaxDepth {
			c.tooDeep(to)
			continue
		}
		switch reason := c.admit(to); reason {
		case "":
			c.next = append(c.next, candidate{url: address(to), depth: depth})
		case "duplicate": // repeated links are normal
		default:
			c.out.Skipped[reason]++
		}
	}
}

// tooDeep counts a link below the last depth. admit does not store it, since a
// redirect at a lesser depth may lead there.
func (c *crawlRun) tooDeep(to string) {
	k := key(to)
	if k == "" || c.seen[k] || c.tooDeepKeys[k] || len(c.tooDeepKeys) >= maxKnown || !c.within(host(to)) {
		return
	}
	c.tooDeepKeys[k] = true
	c.out.Skipped["depth"]++
}

// add adds a page if there is space for its content.
func (c *crawlRun) add(p action.CrawledPage, depth int) bool {
	p.Depth = depth
	if p.Links == nil {
		p.Links = []string{}
	}
	size := len(p.URL) + len(p.Title) + len(p.Content)
	for _, l := range p.Links {
		size += len(l)
	}
	if over := c.bytes + size - c.args.MaxBytes; over > 0 {
		p.Content, p.Links, p.Cut = cut(p.Content, len(p.Content)-over), []string{}, true
		c.out.Stopped = stopBytes
	}
	c.bytes += size
	c.out.Pages = append(c.out.Pages, p)
	if c.observer.Page != nil {
		c.observer.Page(p)
	}
	if c.observer.Progress != nil {
		c.observer.Progress(action.CrawlProgress{Pages: len(c.out.Pages), Waiting: max(0, c.queued) + len(c.next), URL: p.URL})
	}
	return c.out.Stopped == ""
}
