package injected

import (
	"context"
	"time"
)

// CrawlLinks are the links of a frame, and what it says to crawlers.
type CrawlLinks struct {
	Leads     []string `json:"leads"`     // as they are: http and https, absolute, each once, 2000 at most
	Shown     []string `json:"shown"`     // the same with token-like parameters masked
	Canonical string   `json:"canonical"` // its link rel=canonical
	NoFollow  bool     `json:"nofollow"`  // its robots meta tag says so
}

// CrawlLinks lists the links of the frame, also hidden ones.
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
