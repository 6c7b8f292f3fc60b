package egress

import (
	"context"
	"sync"
	"time"
)

const (
	maxDelay      = 10 * time.Second // a request that would wait longer is refused
	maxRatedHosts = 4096             // hosts whose rate is tracked

	// burst is how far the requests to a host may be ahead of the rate. A page
	// requests all its parts at once: at ten a second, 200 are allowed to one
	// host.
	burst = 20 * time.Second
)

// waitForRate delays a flow by the rate limit of its host. Private destinations
// are exempt: they belong to the operator, and a page of a development server
// loads a thousand modules at once.
func (b *box) waitForRate(f *flow) error {
	if f.private {
		return nil
	}
	return b.rate.wait(f.ctx, f.host)
}

// rateLimit limits the rate of requests to each host. An interval of zero means
// no limit.
type rateLimit struct {
	interval time.Duration // average time between two requests to one host
	slack    time.Duration // how far requests may be ahead of it
	mu       sync.Mutex
	next     map[string]time.Time // when the next request to a host would be sent without slack
}

// wait delays a request until its turn, or refuses it with tooOften.
func (p *rateLimit) wait(ctx context.Context, host string) error {
	if p.interval <= 0 {
		return nil
	}
	delay, err := p.reserve(host, time.Now())
	if err != nil || delay <= 0 {
		return err
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *rateLimit) reserve(host string, now time.Time) (time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.next) >= maxRatedHosts {
		for h, t := range p.next {
			if t.Before(now) {
				delete(p.next, h)
			}
		}
	}
	at := p.next[host]
	if at.Before(now) {
		at = now
	}
	delay := max(0, at.Sub(now)-p.slack)
	if _, known := p.next[host]; delay > maxDelay || !known && len(p.next) >= maxRatedHosts {
		return 0, tooOften
	}
	if p.next == nil {
		p.next = map[string]time.Time{}
	}
	p.next[host] = at.Add(p.interval)
	return delay, nil
}
