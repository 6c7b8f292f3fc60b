package injected

import (
	"context"
	"time"
)

// CrawlLinks are the links of a frame, and what it says to crawlers.
type CrawlLinks struct {
	Leads     []string `json:"leads"`     // unmasked: http and https, absolute, each once, at most 2000
	Shown     []string `json:"shown"`     // the same with token-like parameters masked
	Canonical string   `json:"canonical"` // its link rel=canonical
	NoFollow  bool     `json:"nofollow"`  // its robots meta tag says so
}

// CrawlLinks lists the links of the frame, including hidden ones.
func (f Frame) CrawlLinks(ctx context.Context) (CrawlLinks, error) {
	var l CrawlLinks
	err := f.call(ctx, "crawlLinks", struct{}{}, &l)
	return l, err
}

// Quiet waits until the document has not changed for the time still, at most for the
// time wait. script reports whether the document has scripts; without any, Quiet
// does not wait.
func (f Frame) Quiet(ctx context.Context, still, wait time.Duration) (script bool, err error) {
	var answer struct{ Script bool }
	err = f.call(ctx, "waitQuiet", map[string]int64{"still": still.Milliseconds(), "wait": wait.Milliseconds()}, &answer)
	return answer.Script, err
}

// Fetched describes a document that was fetched without the browser.
type Fetched struct {
	Loading bool `json:"loading"` // some style sheets have not loaded yet; the other fields are then unknown
	Live    bool `json:"live"`    // it may look different when its scripts run and its frames are loaded
	Marks   bool `json:"marks"`   // it may affect how the next document in the same window is shown
}

// Fetched describes the document.
func (f Frame) Fetched(ctx context.Context) (Fetched, error) {
	return ask[Fetched](ctx, f, "fetched", struct{}{})
}

// Readdress changes the address of the document to another one of its origin
// without a navigation, and reports whether that succeeded.
func (f Frame) Readdress(ctx context.Context, address string) (bool, error) {
	return ask[bool](ctx, f, "readdress", address)
}
