package workflow

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// round reads some pages, several at a time, and takes them in in their order,
// whatever ends first. It returns the pages that redirects lead to.
func (c *crawling) round(ctx context.Context, pages []candidate) (again []candidate) {
	r := &round{c: c, pages: pages, results: make([]*visited, len(pages)), begun: make([]bool, len(pages)), ended: make(chan outcome, len(pages))}
	for r.merged < len(pages) {
		wait := r.begin(ctx)
		if r.active == 0 && (ctx.Err() != nil || c.out.Stopped != "") {
			break
		}
		r.await(ctx, wait)
	}
	for ; r.merged < len(pages); r.merged++ { // cut short: what ended out of turn still counts
		switch {
		case r.results[r.merged] != nil && c.out.Stopped == "":
			r.take(ctx)
		default:
			c.beyond++
		}
	}
	return r.again
}

// round is the state of one.
type round struct {
	c       *crawling
	pages   []candidate
	results []*visited
	begun   []bool
	ended   chan outcome
	active  int
	merged  int // taken in so far
	again   []candidate
}

// begin begins what may begin now, and returns how long until more may; 0 when
// only the end of a page makes room.
func (r *round) begin(ctx context.Context) (wait time.Duration) {
	for i, at := range r.pages {
		if r.active >= r.c.args.Parallel || ctx.Err() != nil || r.c.out.Stopped != "" {
			return 0
		}
		if r.begun[i] {
			continue
		}
		ok, later := r.c.lanes.enter(at.url)
		if !ok {
			if later > 0 && (wait == 0 || later < wait) {
				wait = later
			}
			continue
		}
		r.begun[i] = true
		r.active++
		go func() { r.ended <- outcome{i, r.c.visit(ctx, at)} }() // await waits for it
	}
	return wait
}

// await waits until a page has ended, or until another may begin.
func (r *round) await(ctx context.Context, wait time.Duration) {
	var timer <-chan time.Time
	if wait > 0 && ctx.Err() == nil {
		t := time.NewTimer(wait)
		defer t.Stop()
		timer = t.C
	}
	over := ctx.Done()
	if r.active > 0 && ctx.Err() != nil {
		over = nil // the pages under way end by the same context
	}
	select {
	case <-timer:
	case <-over:
	case o := <-r.ended:
		r.active--
		r.c.queued--
		r.results[o.index] = &o.visited
		r.c.lanes.leave(r.pages[o.index].url, o.visited.skip == "")
		r.inOrder(ctx)
	}
}

type outcome struct {
	index   int
	visited visited
}

// inOrder takes in the pages whose turn it is.
func (r *round) inOrder(ctx context.Context) {
	for r.merged < len(r.pages) && r.c.out.Stopped == "" && r.results[r.merged] != nil {
		r.take(ctx)
		r.merged++
	}
}

// take takes in the page whose turn it is.
func (r *round) take(ctx context.Context) {
	if to, ok := r.c.take(ctx, r.pages[r.merged], *r.results[r.merged]); ok {
		r.again = append(r.again, to)
	}
}

// print is what a kept page is recognised by.
type print [sha256.Size]byte

// take takes in what became of a page, and returns where it redirects to.
func (c *crawling) take(ctx context.Context, at candidate, v visited) (candidate, bool) {
	switch {
	case v.skip != "":
		c.leave(at, v.skip, "robots.txt does not allow it")
	case v.err != nil:
		c.fail(ctx, at, v.err)
	case v.visit.Redirect != "":
		return c.follow(at, v.visit.Redirect)
	case c.twin(at, v.visit):
		c.out.Skipped["duplicate"]++
	default:
		c.keep(at, v.visit)
	}
	return candidate{}, false
}

// leave counts a page that is left out. The first page is not left out without
// a word.
func (c *crawling) leave(at candidate, reason, words string) {
	c.out.Skipped[reason]++
	if at.depth == 0 && len(c.out.Pages) == 0 {
		c.add(action.CrawledPage{URL: shown(at.url), Error: words}, at.depth)
	}
}

// fail takes in a page that could not be read.
func (c *crawling) fail(ctx context.Context, at candidate, err error) {
	f := fault.From(err)
	switch {
	case ctx.Err() != nil:
		c.beyond++
	case f.Code == fault.NotActive || f.Code == fault.SessionNotFound || f.Code == fault.Unauthenticated:
		c.out.Stopped = stopSession
		c.beyond++
	case f.Code == fault.DeniedByPolicy || f.Code == fault.BlockedDomain:
		c.leave(at, "policy", f.Message)
	default:
		c.add(action.CrawledPage{URL: shown(at.url), Error: f.Message}, at.depth)
	}
}

// follow makes a page of where another redirects to, if it may be read.
func (c *crawling) follow(at candidate, to string) (candidate, bool) {
	next := candidate{url: address(to), depth: at.depth, hops: at.hops + 1}
	if next.hops > mostHops {
		c.add(action.CrawledPage{URL: shown(at.url), Error: "it redirects without end"}, at.depth)
		return next, false
	}
	if key(to) == key(at.url) && next.url != "" {
		return next, true // the same page by another name: a cookie was set, a parameter dropped
	}
	if reason := c.meet(to); reason != "" {
		c.leave(at, reason, "it redirects to "+shown(to)+", which the crawl may not read")
		return next, false
	}
	return next, true
}

// meet notes an address, and returns why it is not followed: known for one
// that was met before.
func (c *crawling) meet(to string) (reason string) {
	k := key(to)
	switch {
	case k == "":
		return "scheme"
	case c.seen[k]:
		return "duplicate"
	case len(c.seen) >= mostKnown:
		return "limit"
	}
	c.seen[k] = true
	switch {
	case !c.within(host(to)):
		return "foreign"
	case c.traps.caught(to):
		return "trap"
	}
	return ""
}

// twin reports whether a page says that it is another name of one that was
// kept. A page that names a wholly different one is not believed.
func (c *crawling) twin(at candidate, v *action.CrawlVisit) bool {
	k, own := key(v.Canonical), key(at.url)
	if k == "" || k == own || host(v.Canonical) != host(at.url) {
		return false
	}
	samePath := canonical(v.Canonical).Path == canonical(at.url).Path
	if before, kept := c.kept[k]; kept {
		return samePath || before == sha256.Sum256([]byte(v.Page.Content))
	}
	if samePath {
		c.seen[k] = true // this one stands for it
		c.kept[k] = sha256.Sum256([]byte(v.Page.Content))
	}
	return false
}

// keep adds a page that was read, and notes where it leads.
func (c *crawling) keep(at candidate, v *action.CrawlVisit) {
	c.kept[key(at.url)] = sha256.Sum256([]byte(v.Page.Content))
	if !c.add(v.Page, at.depth) {
		return
	}
	if v.Page.Status < 400 && (!v.NoFollow || c.args.IgnoreRobots) {
		c.lead(v.Leads, at.depth+1)
	}
}

// lead notes links for the next depth.
func (c *crawling) lead(links []string, depth int) {
	for _, to := range links {
		if depth > *c.args.MaxDepth {
			c.tooDeep(to)
			continue
		}
		switch reason := c.meet(to); reason {
		case "":
			c.next = append(c.next, candidate{url: address(to), depth: depth})
		case "duplicate": // links repeat: that says nothing
		default:
			c.out.Skipped[reason]++
		}
	}
}

// tooDeep counts a link beyond the deepest page. It is not met: a redirect may
// lead there from less deep.
func (c *crawling) tooDeep(to string) {
	k := key(to)
	if k == "" || c.seen[k] || c.deep[k] || len(c.deep) >= mostKnown || !c.within(host(to)) {
		return
	}
	c.deep[k] = true
	c.out.Skipped["depth"]++
}

// add adds a page as far as there is room for its content.
func (c *crawling) add(p action.CrawledPage, depth int) bool {
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
	if c.watch.Page != nil {
		c.watch.Page(p)
	}
	if c.watch.Progress != nil {
		c.watch.Progress(action.CrawlProgress{Pages: len(c.out.Pages), Waiting: max(0, c.queued) + len(c.next), URL: p.URL})
	}
	return c.out.Stopped == ""
}
