package auth

import (
	"sync"

	"golang.org/x/time/rate"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// Rate bounds the requests of each token. The zero Rate does not.
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

// Pace bounds the requests of each token from now on. It is called before the
// book is in use.
func (b *Book) Pace(r Rate) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rate = r
	for _, k := range b.known {
		k.limit = r.limiter()
	}
}

// mostPaces bounds the callers of an issuer whose rate is kept apart. Whoever
// comes when all places are taken shares one.
const mostPaces = 10_000

// paces are the rates of callers that are not in the book. The zero paces is
// ready for use.
type paces struct {
	mu    sync.Mutex
	all   map[action.Caller]*rate.Limiter
	crowd *rate.Limiter
}

// of returns the rate of a caller.
func (p *paces) of(c action.Caller, r Rate) *rate.Limiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l, found := p.all[c]; found {
		return l
	}
	if len(p.all) >= mostPaces {
		p.forget()
	}
	if len(p.all) >= mostPaces {
		if p.crowd == nil {
			p.crowd = r.limiter()
		}
		return p.crowd
	}
	if p.all == nil {
		p.all = map[action.Caller]*rate.Limiter{}
	}
	l := r.limiter()
	p.all[c] = l
	return l
}

// forget drops the rates of callers that have been still for so long that a
// new one would be the same.
func (p *paces) forget() {
	for c, l := range p.all {
		if l == nil || l.Tokens() >= float64(l.Burst()) {
			delete(p.all, c)
		}
	}
}
