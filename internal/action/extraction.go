package action

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"unicode/utf8"
)

// The verbs of this file.
var (
	VerbPageExtract  = Define[Extract, Extracted](Verb{Name: "page.extract", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/browser/extract", Tool: "browser_read", Command: "extract", Summary: "Extract the page's text or title"})
	VerbPageContent  = Define[Content, HTML](Verb{Name: "page.content", Class: Raw, Risk: High, Method: http.MethodGet, Path: "/browser/content", Command: "content", Summary: "Read the page's HTML, or an element's"})
	VerbPageMarkdown = Define[Markdown, Marked](Verb{Name: "page.markdown", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/browser/markdown", Tool: "browser_markdown", Command: "markdown", Summary: "Read the page as markdown"})
	VerbPageLinks    = Define[None, LinkListing](Verb{Name: "page.links", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/browser/links", Command: "links", Summary: "List where the page leads"})
	VerbPageScrape   = Define[Scrape, Scraped](Verb{Name: "page.scrape", Class: Read, Risk: Low, Method: http.MethodPost, Path: "/browser/scrape", Command: "scrape", Summary: "Read the text or an attribute of all that selectors match"})
	VerbPageExecute  = Define[Execute, Executed](Verb{Name: "page.execute", Class: Raw, Risk: High, Method: http.MethodPost, Path: "/browser/execute", Tool: "browser_evaluate", Command: "execute", Summary: "Run a script in the page"})
	VerbPagePDF      = Define[PrintPDF, PDF](Verb{Name: "page.pdf", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/browser/pdf", Command: "pdf", Summary: "Print the page as PDF"})
)

// Content asks for the unchanged HTML.
type Content struct {
	Selector string `json:"selector,omitempty" query:"selector" maxLength:"4096" doc:"The inner HTML of the first element that matches; the whole document when empty" example:"main"`
}

// Markdown asks for the page as markdown.
type Markdown struct {
	Full   bool `json:"full,omitempty" query:"full" doc:"All of the page: navigation, header, footer, asides, and what stands around an article"`
	Images bool `json:"images,omitempty" query:"images" doc:"Addresses of images too, beside their alternative text"`
	Paging
}

// Scrape asks for the text or an attribute of the elements that selectors
// match. With a URL it navigates there first, and is judged as a navigation.
type Scrape struct {
	Selectors map[string]string `json:"selectors" minItems:"1" maxItems:"100" doc:"Name of each list, and the CSS selector of what goes in it; selector@attribute reads an attribute in place of the text" example:"{\"title\": \"h1\", \"pictures\": \"img@src\"}"`
	URL       string            `json:"url,omitempty" maxLength:"8192" doc:"Navigate there first"`
	Timing
}

// Navigates reports whether the call navigates before it reads.
func (s Scrape) Navigates() bool { return s.URL != "" }

// Execute runs a script in the page's own world.
type Execute struct {
	Expression   string `json:"expression" minLength:"1" maxLength:"1000000" doc:"JavaScript; the value of its last statement is the result" example:"document.title"`
	AwaitPromise bool   `json:"awaitPromise,omitempty" doc:"Wait for the promise that it returns"`
	Timing
}

// PrintPDF asks for the page as a PDF document.
type PrintPDF struct {
	Format          string  `json:"format,omitempty" query:"format" enum:"a4,letter,legal" default:"a4" doc:"Paper; a4 when empty"`
	Landscape       bool    `json:"landscape,omitempty" query:"landscape" doc:"Wider than high"`
	PrintBackground bool    `json:"printBackground,omitempty" query:"printBackground" doc:"Backgrounds too"`
	Scale           float64 `json:"scale,omitempty" query:"scale" minimum:"0" maximum:"2" default:"1" doc:"0.1 to 2; 1 when 0"`
}

// HTML is HTML read from the page.
type HTML struct {
	HTML  string `json:"html"`
	URL   string `json:"url"`
	Title string `json:"title"`
}

// Marked is the page as markdown.
type Marked struct {
	Markdown string `json:"markdown"`
	URL      string `json:"url"`
	Title    string `json:"title"`
	Hidden   int    `json:"hidden,omitempty"`  // pieces of text left out because a person could not see them
	Article  bool   `json:"article,omitempty"` // it is the page's article; full gives what is around it

	Document *Document `json:"document,omitempty"` // its kind, if it is not HTML
	Paged
}

// Link is a link of the page.
type Link struct {
	Href string `json:"href"` // absolute; token-like parameters masked
	Text string `json:"text"`
}

// LinkListing is the page's links, in document order, each address once.
type LinkListing struct {
	Links []Link `json:"links"`
	URL   string `json:"url"`
}

// Scraped contains what selectors matched, each list in document order.
type Scraped struct {
	Data  map[string][]string `json:"data"`
	URL   string              `json:"url"`
	Title string              `json:"title"`
}

// Executed is the value of a script. Values that JSON cannot represent are
// written as text: "NaN", "-0", the digits of a bigint, "[circular]",
// "[function f]".
type Executed struct {
	Result any    `json:"result"`
	Type   string `json:"type"` // as typeof says it
}

// PDF is the page as a PDF document.
type PDF struct {
	Bytes []byte `json:"bytes"`
}

// Extract reads content of the page.
type Extract struct {
	Mode string `json:"mode,omitempty" query:"mode" enum:"text,title" doc:"text when empty"`
	Paging
}

// Extracted is text read from the page.
type Extracted struct {
	Mode  string `json:"mode"`
	Text  string `json:"text"`
	URL   string `json:"url"`
	Title string `json:"title"`

	Document *Document `json:"document,omitempty"` // its kind, if it is not HTML
	Paged
}

// Sound refuses paging for a title, which is always returned whole.
func (a *Extract) Sound() error {
	if a.Mode == "title" {
		return Without(a, "mode title", "max_tokens", "offset")
	}
	return a.Paging.Sound()
}

// Sound refuses a scale that browsers do not print.
func (a *PrintPDF) Sound() error {
	if a.Scale != 0 && a.Scale < 0.1 {
		return invalid("scale", "must be at least 0.1").Hinted("give 0.1 to 2, or leave scale out")
	}
	return nil
}

// Destination is the address to which the page navigates first.
func (a *Scrape) Destination() string { return a.URL }

// Subject is the element as the caller named it.
func (a *Content) Subject() string { return Locator{Selector: a.Selector}.Words() }

// Recorded identifies the script by its hash, without its text.
func (a *Execute) Recorded() string {
	return fmt.Sprintf("script of %d characters, sha256 %x", utf8.RuneCountInString(a.Expression), sha256.Sum256([]byte(a.Expression)))
}
