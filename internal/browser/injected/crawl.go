package injected

import (
	"context"
	"time"
)

// CrawlLinks are where a frame leads, and what it says of itself to crawlers.
type CrawlLinks struct {
	Leads     []string `json:"leads"`     // as they are: http and https, absolute, each once, 2000 at most
	Shown     []string `json:"shown"`     // the same with token-like parameters masked
	Canonical string   `json:"canonical"` // its link rel=canonical
	NoFollow  bool     `json:"nofollow"`  // its robots meta tag says so
}

// CrawlLinks lists where the frame leads, hidden links too.
func (f Frame) CrawlLinks(ctx context.Context) (CrawlLinks, error) {
	var l CrawlLinks
	err := f.call(ctx, "leads", struct{}{}, &l)
	return l, err
}

// Quiet waits until nothing of the document has changed for as long as still,
// or until wait has passed. Without a script in it there is nothing to wait
// for, and it reports false.
func (f Frame) Quiet(ctx context.Context, still, wait time.Duration) (script bool, err error) {
	var answer struct{ Script bool }
	err = f.call(ctx, "quiet", map[string]int64{"still": still.Milliseconds(), "wait": wait.Milliseconds()}, &answer)
	return answer.Script, err
}
