package workflow

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/randid"
)

const (
	defaultPages   = 10
	defaultDepth   = 2
	defaultTabs    = 4
	defaultBytes   = 8 << 20           // of content and links together
	defaultTimeout = 120 * time.Second // of the whole crawl
	pageLimit      = 20 * time.Second  // of one page
	fileLimit      = 10 * time.Second  // of robots.txt or a sitemap
	endLimit       = 10 * time.Second  // to close the tabs
	maxKnown       = 50_000            // addresses that a crawl stores
	maxRedirects   = 10                // consecutive redirects
)

// The reasons for which a crawl ends.
const (
	stopDone      = "done"
	stopPages     = "max_pages"
	stopBytes     = "max_bytes"
	stopTimeout   = "timeout"
	stopCancelled = "cancelled"
	stopSession   = "session_over"
)

// crawlRun is one crawl. Except for robots and steps, only the goroutine that
// runs it uses its fields.
type crawlRun struct {
	call     action.Call // what each step's call is made from
	args     action.Crawl
	opened   *action.CrawlOpened
	observer action.CrawlWatch
	robots   robots
	steps    stepper

	seen        map[string]bool // by key: every address that was seen
	tooDeepKeys map[string]bool // by key: below the last depth
	kept        map[string]contentHash
	traps       trapDetector
	hosts       hostLimiter
	next        []candidate // of the next depth
	queued      int         // of this depth, not started
	leftOut     int         // skipped because the crawl ended
	bytes       int
	out         action.Crawled
}

// candidate is a page that may be read.
type candidate struct {
	url   string
	depth int
	hops  int // redirects to this page
}

// visited is the result of a candidate.
type visited struct {
	visit *action.CrawlVisit
	skip  string // why it was not requested
	err   error
}

// crawl opens a crawl at the gate, reads each page by a call through the gate,
// and ends it. A crawl that ends early returns the pages that were read.
func (o *Orchestrator) crawl(ctx context.Context, call action.Call) (action.Result, error) {
	call.ID = requestID(call)
	result, err := o.gate.Call(ctx, call)
	if err != nil || result.Pending != nil {
		return result, err
	}
	opened, ok := result.Data.(*action.CrawlOpened)
	args, is := call.Args.(*action.Crawl)
	if !ok || !is {
		return action.Result{}, fault.New(fault.Internal, "a crawl was let through and not opened").
			Hinted("look for the correlation id in the gateway's log").With("correlationId", call.ID)
	}
	c := newCrawlRun(o.gate, call, result.Session, *args, opened)
	defer c.end(ctx)
	limit := defaultTimeout
	if args.Timeout > 0 {
		limit = time.Duration(args.Timeout) * time.Millisecond
	}
	inner, stop := context.WithTimeout(ctx, limit)
	defer stop()
	c.run(inner)
	if ctx.Err() != nil && c.out.Stopped == stopTimeout && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		c.out.Stopped = stopCancelled
	}
	result.Data = &c.out
	return result, nil
}

func newCrawlRun(gate Gate, call action.Call, session string, args action.Crawl, opened *action.CrawlOpened) *crawlRun {
	args.MaxPages = cmp.Or(args.MaxPages, defaultPages)
	args.Parallel = cmp.Or(args.Parallel, defaultTabs)
	args.PerDomain = cmp.Or(args.PerDomain, 1)
	args.MaxBytes = cmp.Or(args.MaxBytes, defaultBytes)
	if args.MaxDepth == nil {
		args.MaxDepth = new(defaultDepth)
	}
	if args.Delay == nil {
		args.Delay = new(action.CrawlDelay)
	}
	c := &crawlRun{
		steps: stepper{gate: gate, id: call.ID}, args: args, opened: opened,
		call: action.Call{Caller: call.Caller, Session: session, Surface: call.Surface, Source: call.Source, Wait: time.Millisecond},
		seen: map[string]bool{}, tooDeepKeys: map[string]bool{}, kept: map[string]contentHash{},
		traps: trapDetector{maxAlike: max(maxAlikePages, args.MaxPages)},
		hosts: hostLimiter{perHost: args.PerDomain, delay: time.Duration(*args.Delay) * time.Millisecond, hosts: map[string]*hostLimit{}},
		out:   action.Crawled{Pages: []action.CrawledPage{}, Skipped: map[string]int{}},
	}
	if call.Crawl != nil {
		c.observer = *call.Crawl
	}
	c.robots.fetch = c.file
	return c
}

func newID() string { return randid.New("w", 8) }

// run reads the pages of one depth after the other.
func (c *crawlRun) run(ctx context.Context) {
	c.seen[key(c.opened.Start)] = true
	queue := []candidate{{url: c.opened.Start}}
	for depth := 0; len(queue) > 0; depth++ {
		left := c.level(ctx, queue)
		if depth == 0 && c.args.Sitemap && *c.args.MaxDepth > 0 && c.out.Stopped == "" {
			c.addLinks(c.fromSitemaps(ctx, origin(c.opened.Start)), 1)
		}
		queue, c.next = c.next, nil
		if c.out.Stopped == "" && c.pagesLeft() == 0 && len(left)+len(queue) > 0 {
			c.out.Stopped = stopPages
		}
		if c.out.Stopped != "" {
			c.leftOut += len(left) + len(queue)
			break
		}
	}
	c.out.TotalPages = len(c.out.Pages)
	c.out.Truncated = c.out.Stopped != ""
	c.out.Stopped = cmp.Or(c.out.Stopped, stopDone)
	if c.leftOut > 0 {
		c.out.Skipped["limit"] += c.leftOut
	}
}

// pagesLeft returns how many more pages may be read.
func (c *crawlRun) pagesLeft() int { return max(0, c.args.MaxPages-len(c.out.Pages)) }

// level reads the pages of one depth in batches: a duplicate or a redirect makes
// room for another page in the next batch. It returns the pages that it did not
// read.
func (c *crawlRun) level(ctx context.Context, queue []candidate) (left []candidate) {
	for len(queue) > 0 && c.pagesLeft() > 0 && c.out.Stopped == "" {
		n := min(len(queue), c.pagesLeft())
		c.queued = len(queue)
		again := c.readFrontier(ctx, queue[:n])
		queue = append(again, queue[n:]...)
		if ctx.Err() != nil && c.out.Stopped == "" {
			c.out.Stopped = stopTimeout
		}
	}
	return queue
}

// step makes one call of the crawl.
func (c *crawlRun) step(ctx context.Context, verb string, args any) (action.Result, error) {
	call := c.call
	call.Verb, call.Args = verb, args
	result, err := c.steps.call(ctx, call)
	if err == nil && result.Pending != nil { // cannot happen: the policy never asks about a step
		err = fault.New(fault.DeniedByPolicy, "a step of a crawl asks nobody").Hinted("go there with page.goto")
	}
	return result, err
}

// visit reads one page if robots.txt allows it.
func (c *crawlRun) visit(ctx context.Context, at candidate) visited {
	if !c.args.IgnoreRobots {
		rules := c.robots.of(ctx, origin(at.url))
		if ctx.Err() != nil {
			return visited{err: ctx.Err()}
		}
		c.hosts.setDelay(at.url, rules.delay())
		if u := canonical(at.url); u == nil || !rules.allow(u.RequestURI()) {
			return visited{skip: "robots"}
		}
	}
	args := &action.CrawlPage{Crawl: c.opened.ID, URL: at.url, Timing: action.Timing{Timeout: int(pageLimit.Milliseconds())}}
	result, err := c.step(ctx, action.VerbCrawlPage.Name, args)
	if err != nil {
		return visited{err: err}
	}
	v, ok := result.Data.(*action.CrawlVisit)
	if !ok || v == nil {
		return visited{err: fault.New(fault.Internal, "the page could not be read").Hinted("try again")}
	}
	return visited{visit: v}
}

// file fetches robots.txt or a sitemap. Each redirect is a separate call. A
// redirect that may not be followed gives 404.
func (c *crawlRun) file(ctx context.Context, address string) (status int, body []byte, err error) {
	for hop := range maxRobotsRedirects + 1 {
		args := &action.CrawlFile{Crawl: c.opened.ID, URL: address, Timing: action.Timing{Timeout: int(fileLimit.Milliseconds())}}
		result, err := c.step(ctx, action.VerbCrawlFile.Name, args)
		if err != nil && hop > 0 {
			break
		}
		if err != nil {
			return 0, nil, err
		}
		f, ok := result.Data.(*action.CrawlFetched)
		if !ok || f == nil {
			break
		}
		if f.Redirect == "" {
			return f.Status, f.Body, nil
		}
		address = f.Redirect
	}
	return 404, nil, nil
}

// end closes the crawl's tabs, even if the caller has disconnected.
func (c *crawlRun) end(ctx context.Context) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), endLimit)
	defer stop()
	_, _ = c.step(ctx, action.VerbCrawlEnd.Name, &action.CrawlEnd{Crawl: c.opened.ID}) // an ended session has no tabs
}

// within reports whether a host belongs to the crawl.
func (c *crawlRun) within(host string) bool {
	return slices.ContainsFunc(c.opened.Hosts, func(h string) bool { return action.HostCovers(h, host) })
}
