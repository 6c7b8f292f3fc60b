package workflow

import (
	"sync"
	"time"
)

// hostLimiter see that a host is asked for few pages at a time, and not too often.
// They are safe for concurrent use.
type hostLimiter struct {
	perHost int           // pages of one host at a time
	delay   time.Duration // between two of them

	mu    sync.Mutex
	hosts map[string]*hostLimit
}

type hostLimit struct {
	active int
	delay  time.Duration // what the host itself asks for
	next   time.Time     // when it may be asked again
}

func (l *hostLimiter) host(address string) *hostLimit {
	h := host(address)
	if l.hosts[h] == nil {
		l.hosts[h] = &hostLimit{}
	}
	return l.hosts[h]
}

// setDelay makes a host's pages as far apart as it asks for.
func (l *hostLimiter) setDelay(address string, delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.host(address).delay = delay
}

// enter takes a place in a page's lane. Where there is none, wait says how long
// there will be none for; 0 means until a page of the host has ended.
func (l *hostLimiter) enter(address string) (ok bool, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.host(address)
	if at.active >= l.perHost {
		return false, 0
	}
	now := time.Now()
	if at.next.After(now) {
		return false, at.next.Sub(now)
	}
	at.active++
	at.next = now.Add(max(l.delay, at.delay))
	return true, 0
}

// leave gives the place back. A page that was not asked for costs no delay;
// one that was is the more reason to wait where the host asks for that.
func (l *hostLimiter) leave(address string, asked bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.host(address)
	at.active--
	if !asked {
		at.next = time.Time{}
		return
	}
	if at.delay > l.delay {
		at.next = time.Now().Add(at.delay)
	}
}
