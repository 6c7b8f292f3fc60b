package auth

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rate limits requests. The zero Rate does not.
type Rate struct {
	PerSecond float64
	Burst     int // at least 1 where PerSecond is above 0
}

func (r Rate) limiter() *rate.Limiter {
	if r.PerSecond <= 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(r.PerSecond), max(r.Burst, 1))
}

// take counts one request. If there were too many, it does not count the request
// and returns how long to wait. A nil limiter has no limit.
func take(l *rate.Limiter) (wait time.Duration, ok bool) {
	if l == nil {
		return 0, true
	}
	r := l.Reserve()
	if wait = r.Delay(); wait > 0 {
		r.Cancel()
	}
	return wait, wait == 0
}

// LimitRate limits the requests of each token. It must be called before the store
// is in use.
func (b *TokenStore) LimitRate(r Rate) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rate = r
	b.issuerLimits.Rate = r
	for _, k := range b.known {
		k.limit = r.limiter()
	}
}

// maxRateKeys is how many keys have a limiter of their own.
const maxRateKeys = 10_000

// RateLimiters has a rate limiter for each of many keys, in bounded memory: when
// there are maxRateKeys, further keys share one limiter. It is safe for
// concurrent use.
type RateLimiters[K comparable] struct {
	Rate Rate

	mu     sync.Mutex
	all    map[K]*rate.Limiter
	shared *rate.Limiter
}

// Take counts one request of a key. If there were too many, it does not count the
// request and returns how long to wait.
func (p *RateLimiters[K]) Take(key K) (wait time.Duration, ok bool) { return take(p.of(key)) }

// of returns the limiter of a key; nil if there is no limit.
func (p *RateLimiters[K]) of(key K) *rate.Limiter {
	if p.Rate.PerSecond <= 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if l, found := p.all[key]; found {
		return l
	}
	if len(p.all) >= maxRateKeys {
		p.forget()
	}
	if len(p.all) >= maxRateKeys {
		return p.shared
	}
	if p.all == nil {
		p.all, p.shared = map[K]*rate.Limiter{}, p.Rate.limiter()
	}
	p.all[key] = p.Rate.limiter()
	return p.all[key]
}

// forget drops the limiters that are full again, as a new one would be.
func (p *RateLimiters[K]) forget() {
	for key, l := range p.all {
		if l.Tokens() >= float64(l.Burst()) {
			delete(p.all, key)
		}
	}
}
