package session

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	maxFile      = 4 << 20 // bytes of robots.txt or a sitemap, unpacked
	fileLimit    = 10 * time.Second
	crawlTabs    = 5 * time.Second // to close the tabs of a crawl
	crawlerAgent = "Mozilla/5.0 (compatible; Glovebox)"
)

// crawl is a crawl that runs in a session.
type crawl struct {
	id     string
	grant  action.CrawlGrant
	reader engine.Crawler
	files  *http.Transport
	reads  bool // its pages may send only requests that read
}

// close closes its tabs and connections.
func (c *crawl) close(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, crawlTabs)
	defer stop()
	c.files.CloseIdleConnections()
	return c.reader.Close(ctx)
}

// lookAtCrawl returns the facts of a crawl before it starts: its first address,
// and the other hosts that it may visit, as the egress proxy judges them.
func (p *pages) lookAtCrawl(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	sess, err := p.sessions.admit(ctx, call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	args, err := argsOf[action.Crawl](call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	start, err := engine.Address(args.URL)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	_, leave, err := sess.enter(ctx, call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	defer leave()
	facts := action.Facts{Session: sess.facts(), Page: sess.stage().browser.Page()}
	pin := action.Pin{Session: sess.id}
	if err := p.control.exhausted(ctx, sess, call); err != nil {
		return facts, pin, err
	}
	to := p.networks.egress.Judge(facts.Session.Box, start)
	facts.Destination = &to
	facts.Crawl, err = p.grantOf(facts.Session.Box, args, to)
	return facts, pin, err
}

// grantOf returns what a crawl would be allowed to do. Faults: invalid_request
// for an invalid host.
func (p *pages) grantOf(box string, args *action.Crawl, start action.Destination) (*action.CrawlGrant, error) {
	grant := &action.CrawlGrant{Start: withoutFragment(start.URL)}
	if len(args.AllowedDomains) == 0 {
		grant.Hosts = []string{start.Host}
		return grant, nil
	}
	for _, domain := range args.AllowedDomains {
		domain = normalizeHost(domain)
		name, wild := strings.CutPrefix(domain, "*.")
		probe := name
		if wild {
			probe = "any." + name // one sub-domain stands for all of a pattern
		}
		to := p.networks.judgeHost(box, probe)
		if probe == "" || to.Host != probe {
			return nil, fault.New(fault.InvalidRequest, "allowedDomains holds what is no host").
				Hinted("give hosts such as docs.example.com, or *.example.com for sub-domains").With("field", "allowedDomains")
		}
		grant.Hosts, grant.Also = append(grant.Hosts, domain), append(grant.Also, to)
	}
	if !slices.Contains(grant.Hosts, start.Host) {
		grant.Hosts = append(grant.Hosts, start.Host)
	}
	return grant, nil
}

func withoutFragment(address string) string {
	address, _, _ = strings.Cut(address, "#")
	return address
}

// beginCrawl opens a crawl. A session has at most one. The crawl counts as one
// action, its pages do not count.
func (p *pages) beginCrawl(ctx context.Context, call action.Call) (action.Result, error) {
	facts, _, err := p.lookAtCrawl(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	if d := facts.Destination; !d.Allowed {
		return action.Result{}, blockedFault(*d)
	}
	args, err := argsOf[action.Crawl](call)
	if err != nil {
		return action.Result{}, err
	}
	sess, err := p.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	verb, _ := action.Lookup(call.Verb)
	files := p.networks.egress.Transport(facts.Session.Box)
	options := engine.CrawlOptions{Extract: args.Extract, Resources: args.Resources}
	if args.Render == "auto" {
		options.Way = files
	}
	c := &crawl{id: newID(), grant: *facts.Crawl, files: files, reader: sess.stage().browser.Crawl(options), reads: action.Sending(args.Effects) == action.SendNone}
	if !sess.setCrawl(c) {
		return action.Result{}, fault.New(fault.LimitReached, "a crawl runs in this session already").
			Hinted("wait until it has ended, or use another session").With("limit", "crawls").With("max", 1)
	}
	if err := p.count(ctx, sess, verb, call); err != nil {
		sess.dropCrawl(c.id)
		return action.Result{}, err
	}
	defer p.saver.ask()
	return action.Result{Session: sess.id, Data: &action.CrawlOpened{ID: c.id, Start: c.grant.Start, Hosts: c.grant.Hosts}}, nil
}

// lookAtStep returns the facts of a step of a crawl: what its crawl is allowed to
// do, and the address of the step.
func (p *pages) lookAtStep(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	sess, err := p.sessions.admit(ctx, call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	facts, pin := action.Facts{Session: sess.facts()}, action.Pin{Session: sess.id}
	id, address := crawlStep(call.Args)
	c := sess.crawlOf(id)
	if c == nil {
		return facts, pin, noCrawlFault()
	}
	facts.Crawl = &c.grant
	if address != "" {
		to := p.networks.egress.Judge(facts.Session.Box, address)
		facts.Destination = &to
	}
	return facts, pin, nil
}

// crawlStep returns the crawl of a step, and its address.
func crawlStep(args any) (id, address string) {
	switch a := args.(type) {
	case *action.CrawlPage:
		return a.Crawl, a.URL
	case *action.CrawlFile:
		return a.Crawl, a.URL
	case *action.CrawlEnd:
		return a.Crawl, ""
	}
	return "", ""
}

func noCrawlFault() error {
	return fault.New(fault.NotFound, "no such crawl is open").Hinted("begin one with page.crawl")
}

// stepInCrawl does a step. Steps do not wait for their turn, and count neither as
// actions nor as failures of the session.
func (p *pages) stepInCrawl(ctx context.Context, call action.Call) (action.Result, error) {
	sess, err := p.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	ctx, leave, err := sess.enter(ctx, call)
	if err != nil {
		return action.Result{Session: sess.id}, err
	}
	defer leave()
	id, _ := crawlStep(call.Args)
	c := sess.crawlOf(id)
	if c == nil {
		return action.Result{}, noCrawlFault()
	}
	result := action.Result{Session: sess.id}
	switch args := call.Args.(type) {
	case *action.CrawlPage:
		result.Data, err = c.reader.Visit(withRights(ctx, call), args.URL, args.Limit(0))
	case *action.CrawlFile:
		result.Data, err = c.file(ctx, args.URL, args.Limit(fileLimit))
	case *action.CrawlEnd:
		sess.dropCrawl(c.id)
		err = c.close(ctx)
	}
	if err == nil {
		return result, nil
	}
	if over := sess.over(); over != nil {
		return action.Result{}, over.Because(err)
	}
	return action.Result{}, err
}

// file fetches a file without the browser, through the box's egress proxy.
func (c *crawl) file(ctx context.Context, address string, limit time.Duration) (*action.CrawlFetched, error) {
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, fault.New(fault.InvalidURL, "the address cannot be read").Hinted("give an http or https URL")
	}
	request.Header.Set("User-Agent", crawlerAgent)
	response, err := c.files.RoundTrip(request)
	if err != nil {
		return nil, fetchFault(address, err)
	}
	defer func() { _ = response.Body.Close() }()
	if said := response.Header.Get("X-Glovebox-Refused") + response.Header.Get("X-Glovebox-Failed"); said != "" && request.URL.Scheme == "http" {
		return nil, fetchFault(address, nil).With("error", said)
	}
	out := &action.CrawlFetched{Status: response.StatusCode}
	if to, err := response.Location(); err == nil && response.StatusCode/100 == 3 {
		out.Redirect = to.String()
		return out, nil
	}
	if out.Body, err = unpack(response.Body); err != nil {
		return nil, fetchFault(address, err)
	}
	return out, nil
}

// unpack reads a file and decompresses it if it is gzip.
func unpack(body io.Reader) ([]byte, error) {
	whole, err := io.ReadAll(io.LimitReader(body, maxFile))
	if err != nil || len(whole) < 2 || whole[0] != 0x1f || whole[1] != 0x8b { // RFC 1952 section 2.3.1
		return whole, err
	}
	return gunzip(whole)
}

func fetchFault(address string, err error) *fault.Fault {
	f := fault.New(fault.NavigationFailed, "%s could not be fetched", bare(address)).
		Hinted("check the address; the server may be down or unreachable")
	if err != nil {
		f = f.Because(err)
	}
	return f
}

// setCrawl makes c the session's crawl, unless there is one.
func (o *openSession) setCrawl(c *crawl) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state.crawl != nil {
		return false
	}
	o.state.crawl = c
	return true
}

// crawlOf returns the session's crawl of that id, nil when there is none.
func (o *openSession) crawlOf(id string) *crawl {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state.crawl == nil || id == "" || o.state.crawl.id != id {
		return nil
	}
	return o.state.crawl
}

func (o *openSession) dropCrawl(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state.crawl != nil && o.state.crawl.id == id {
		o.state.crawl = nil
	}
}

// gunzip decompresses a file, up to maxFile bytes: a small file can decompress to
// a thousand times its size.
func gunzip(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, maxFile))
}
