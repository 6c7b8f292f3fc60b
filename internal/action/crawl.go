package action

import "net/http"

// The verbs of this file.
var (
	VerbPageCrawl = Define[Crawl, Crawled](Verb{Name: "page.crawl", Class: Write, Risk: Low, Counts: true, Method: http.MethodPost, Path: "/browser/crawl", Tool: "browser_crawl", Command: "crawl", Summary: "Read the pages that can be reached from one, breadth first, in tabs of their own"})
	VerbCrawlPage = Define[CrawlPage, CrawlVisit](Verb{Name: "crawl.page", Class: Write, Risk: Low, Inner: true, Summary: "Read one page of a crawl"})
	VerbCrawlFile = Define[CrawlFile, CrawlFetched](Verb{Name: "crawl.file", Class: Write, Risk: Low, Inner: true, Summary: "Fetch robots.txt or a sitemap for a crawl"})
	VerbCrawlEnd  = Define[CrawlEnd, None](Verb{Name: "crawl.end", Class: Write, Risk: Low, Inner: true, Summary: "End a crawl and close its tabs"})
)

// Crawl asks for the pages that can be reached from one, breadth first.
type Crawl struct {
	URL            string   `json:"url" minLength:"1" maxLength:"8192" doc:"Where to begin. Without a scheme: http for localhost, IP addresses and ports, else https" example:"https://example.com/docs"`
	MaxPages       int      `json:"maxPages,omitempty" minimum:"0" maximum:"1000" default:"10" doc:"10 when 0; more than 100 for operators only"`
	MaxDepth       *int     `json:"maxDepth,omitempty" minimum:"0" maximum:"20" default:"2" doc:"Links away from the first page; 2 when absent"`
	AllowedDomains []string `json:"allowedDomains,omitempty" maxItems:"50" doc:"Hosts to stay on, or *.example.com for sub-domains; the first page's host when empty" example:"[\"docs.example.com\"]"`
	Extract        string   `json:"extract,omitempty" enum:"markdown,html,text,links" doc:"What content holds; markdown when empty, html for those who may read page.content"`
	Render         string   `json:"render,omitempty" enum:"always,auto" doc:"always when empty: each page is rendered. auto: pages without scripts are fetched without the browser, and laid out in a tab without network"`
	Sitemap        bool     `json:"sitemap,omitempty" doc:"Begin with the pages of the host's sitemaps too"`
	IgnoreRobots   bool     `json:"ignoreRobots,omitempty" doc:"Do not ask robots.txt; operators only"`
	Resources      bool     `json:"resources,omitempty" doc:"Load images, fonts and media too"`
	Effects        string   `json:"effects,omitempty" enum:"none" doc:"none: nothing but what reads may leave the crawl's pages; as the session has it when empty"`
	Delay          *int     `json:"delay,omitempty" minimum:"0" maximum:"10000" doc:"Milliseconds between pages of a host; 200 when absent, less for operators only"`
	Parallel       int      `json:"parallel,omitempty" minimum:"0" maximum:"8" doc:"Tabs at most; 4 when 0"`
	PerDomain      int      `json:"perDomain,omitempty" minimum:"0" maximum:"8" doc:"Pages of one host at a time; 1 when 0, more for operators only"`
	MaxBytes       int      `json:"maxBytes,omitempty" minimum:"0" maximum:"33554432" doc:"Of content in total; 8 MiB when 0"`
	Timeout        int      `json:"timeout,omitempty" minimum:"0" maximum:"270000" doc:"Of the whole crawl, in milliseconds; 120000 when 0. What was done by then is returned"`
}

// Limits of politeness, and of the number of pages, that only an operator may
// exceed.
const (
	CrawlPages = 100 // pages
	CrawlDelay = 200 // milliseconds between pages of a host
)

// Ruthless reports whether the call exceeds the limits for callers other than
// operators.
func (c Crawl) Ruthless() bool {
	return c.IgnoreRobots || c.MaxPages > CrawlPages || c.PerDomain > 1 || c.Delay != nil && *c.Delay < CrawlDelay
}

// Crawled are the pages of a crawl, in breadth-first order.
type Crawled struct {
	Pages      []CrawledPage  `json:"pages"`
	TotalPages int            `json:"totalPages"`
	Truncated  bool           `json:"truncated"`         // there was more: see Stopped
	Stopped    string         `json:"stopped"`           // done, max_pages, max_bytes, timeout, cancelled, session_over
	Skipped    map[string]int `json:"skipped,omitempty"` // links that were not followed, by reason: foreign, robots, depth, trap, duplicate, policy, scheme, limit
}

// CrawledPage is one page of a crawl. One that failed has an Error and no
// content.
type CrawledPage struct {
	URL       string   `json:"url"` // token-like parameters masked
	Title     string   `json:"title"`
	Content   string   `json:"content"`
	Links     []string `json:"links"` // where it leads, token-like parameters masked
	Status    int      `json:"status"`
	Depth     int      `json:"depth"`
	MediaType string   `json:"mediaType,omitempty"` // of what is no HTML: it was not rendered
	Cut       bool     `json:"cut,omitempty"`       // the content was longer
	Error     string   `json:"error,omitempty"`
}

// CrawlProgress is the progress of a crawl.
type CrawlProgress struct {
	Pages   int    `json:"pages"`  // done
	Waiting int    `json:"queued"` // known and not begun, of this depth and the next
	URL     string `json:"url"`    // the page that was done last
}

// CrawlWatch receives the progress of a crawl. Its functions must not block;
// they are called one at a time.
type CrawlWatch struct {
	Page     func(CrawledPage) // each page, in breadth-first order
	Progress func(CrawlProgress)
}

// CrawlOpened is the gate's answer to page.crawl: the crawl may begin. Its
// pages are calls of crawl.page with this id.
type CrawlOpened struct {
	ID    string   `json:"id"`
	Start string   `json:"start"` // the first page, normalised
	Hosts []string `json:"hosts"` // and "*." patterns that its pages may be on
}

// CrawlPage asks for one page of an open crawl; no surface offers it.
type CrawlPage struct {
	Crawl string `json:"crawl" minLength:"1" maxLength:"64" doc:"Id of the crawl"`
	URL   string `json:"url" minLength:"1" maxLength:"8192" doc:"Of the page"`
	Timing
}

// CrawlVisit is one page of a crawl, with what the crawl needs to continue.
type CrawlVisit struct {
	Page      CrawledPage `json:"page"`
	Redirect  string      `json:"redirect,omitempty"`  // it leads elsewhere, which was not loaded
	Canonical string      `json:"canonical,omitempty"` // its link rel=canonical
	Leads     []string    `json:"-"`                   // where it leads, as it is; may hold tokens
	NoFollow  bool        `json:"nofollow,omitempty"`  // its robots meta tag says so
}

// CrawlFile asks for robots.txt or a sitemap of an open crawl, without the
// browser; no surface offers it.
type CrawlFile struct {
	Crawl string `json:"crawl" minLength:"1" maxLength:"64" doc:"Id of the crawl"`
	URL   string `json:"url" minLength:"1" maxLength:"8192" doc:"Of the file"`
	Timing
}

// CrawlFetched is the content of such a file.
type CrawlFetched struct {
	Status   int    `json:"status"`
	Body     []byte `json:"-"` // unpacked, 4 MiB at most
	Redirect string `json:"redirect,omitempty"`
}

// CrawlEnd ends a crawl and closes its tabs; no surface offers it.
type CrawlEnd struct {
	Crawl string `json:"crawl" minLength:"1" maxLength:"64" doc:"Id of the crawl"`
}

// CrawlGrant is what a person, or the policy, permitted to a crawl.
type CrawlGrant struct {
	Start string        // its first page, as it was judged
	Hosts []string      // and "*." patterns, in lower case
	Also  []Destination // one for each host that was named beside the first page's
}

// Destination is where the crawl begins.
func (a *Crawl) Destination() string { return a.URL }

// Destination is the page.
func (a *CrawlPage) Destination() string { return a.URL }

// Destination is the file.
func (a *CrawlFile) Destination() string { return a.URL }
