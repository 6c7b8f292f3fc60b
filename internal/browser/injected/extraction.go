package injected

import "context"

// MarkupOptions says what Markup keeps.
type MarkupOptions struct {
	Full   bool `json:"full,omitempty"`   // navigation, page header, footer and asides too
	Images bool `json:"images,omitempty"` // addresses of images too
	Hints  bool `json:"hints,omitempty"`  // write id and class names of parts into class attributes: see extract.Article
}

// Markup is a frame as plain HTML. It has only the attributes href, src, alt,
// start, spans, the language of code, and hints if they are asked for. An image
// without an address is an element x-image.
type Markup struct {
	Title  string `json:"title"`
	Type   string `json:"type,omitempty"` // media type of the document, where it is not HTML
	HTML   string `json:"html"`
	Hidden int    `json:"hidden"`        // pieces of text left out because a person could not see them
	Cut    bool   `json:"cut,omitempty"` // there was more than 1 MiB

	Declared bool `json:"declared,omitempty"` // with hints: the page declares that it is an article
}

// Markup reads what a person can see of the frame, with its structure.
func (f Frame) Markup(ctx context.Context, q MarkupOptions) (Markup, error) {
	var m Markup
	err := f.read(ctx, "markup", q, &m)
	return m, err
}

// HTML is the source of an element.
type HTML struct {
	HTML string `json:"html"`
	Gone bool   `json:"gone,omitempty"`
	Cut  bool   `json:"cut,omitempty"` // there were more than 8 Mi characters
}

// HTML returns the inner HTML of an element, or the outer HTML of the document
// when node is 0. It is not filtered.
func (f Frame) HTML(ctx context.Context, node int) (HTML, error) {
	var h HTML
	err := f.call(ctx, "html", byNode{Node: node}, &h)
	return h, err
}

// Link is an address and what the page shows for it.
type Link struct {
	Href string `json:"href"` // absolute; token-like parameters masked
	Text string `json:"text"`
}

// Links are a frame's links in document order, each address once.
type Links struct {
	Title string `json:"title"`
	Links []Link `json:"links"`
	Cut   bool   `json:"cut,omitempty"` // there were more than 5000
}

// Links lists the links of the frame.
func (f Frame) Links(ctx context.Context) (Links, error) {
	var l Links
	err := f.read(ctx, "links", struct{}{}, &l)
	return l, err
}

// ScrapeItem asks for one list: the texts, or an attribute, of the elements
// that a selector matches.
type ScrapeItem struct {
	Selector  string `json:"selector"`
	Attribute string `json:"attribute,omitempty"`
	Seen      bool   `json:"seen,omitempty"` // only of visible elements
}

// ScrapeResult has one list for each ScrapeItem. Error and At name an item that could
// not be read.
type ScrapeResult struct {
	Title   string     `json:"title"`
	Error   string     `json:"error,omitempty"` // invalid_selector, refused
	Message string     `json:"message,omitempty"`
	At      int        `json:"at,omitempty"`
	Lists   [][]string `json:"lists"`
	Hidden  int        `json:"hidden,omitempty"` // elements whose text a person could not see
	Cut     bool       `json:"cut,omitempty"`    // there was more than 1 MiB, or 5000 of one list
}

// Scrape reads lists of texts and attributes.
func (f Frame) Scrape(ctx context.Context, items []ScrapeItem) (ScrapeResult, error) {
	var h ScrapeResult
	err := f.read(ctx, "scrape", map[string]any{"items": items}, &h)
	return h, err
}
