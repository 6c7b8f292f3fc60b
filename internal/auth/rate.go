package auth

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rate bounds requests. The zero Rate does not.
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

// take counts one request. Where there have been too many it counts none, and
// says how long to wait. A nil limiter has no bound.
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

// Pace bounds the requests of each token from now on. It is called before the
// book is in use.
func (b *Book) Pace(r Rate) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rate = r
	b.paces.Rate = r
	for _, k := range b.known {
		k.limit = r.limiter()
	}
}

// mostPaces bounds the keys whose requests are counted apart.
const mostPaces = 10_000

// Paces holds each of many to a rate of its own, in bounded memory: those who
// come when all places are taken share one. It is safe for concurrent use.
type Paces[K comparable] struct {
	Rate Rate

	mu    sync.Mutex
	all   map[K]*rate.Limiter
	crowd *rate.Limiter
}

// Take counts one request of a key. Where there have been too many it counts
// none, and says how long to wait.
func (p *Paces[K]) Take(key K) (wait time.Duration, ok bool) { return take(p.of(key)) }

// of returns the limiter of a key; nil where there is no bound.
func (p *Paces[K]) of(key K) *rate.Limiter {
	if p.Rate.PerSecond <= 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if l, found := p.all[key]; found {
		return l
	}
	if len(p.all) >= mostPaces {
		p.forget()
	}
	if len(p.all) >= mostPaces {
		return p.crowd
	}
	if p.all == nil {
		p.all, p.crowd = map[K]*rate.Limiter{}, p.Rate.limiter()
	}
	p.all[key] = p.Rate.limiter()
	return p.all[key]
}

// forget drops those who have been still for so long that a new one would be
// the same.
func (p *Paces[K]) forget() {
	for key, l := range p.all {
		if l.Tokens() >= float64(l.Burst()) {
			delete(p.all, key)
		}
	}
}
