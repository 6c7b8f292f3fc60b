package workflow

import (
	"sync"
	"time"
)

// hostLimiter limits how many pages of a host are read at the same time, and how
// often. It is safe for concurrent use.
type hostLimiter struct {
	perHost int           // pages of one host at the same time
	delay   time.Duration // between two of them

	mu    sync.Mutex
	hosts map[string]*hostLimit
}

type hostLimit struct {
	active int
	delay  time.Duration // requested by the host
	next   time.Time     // time of the next request
}

func (l *hostLimiter) host(address string) *hostLimit {
	h := host(address)
	if l.hosts[h] == nil {
		l.hosts[h] = &hostLimit{}
	}
	return l.hosts[h]
}

// setDelay sets the delay between two pages that a host requests.
func (l *hostLimiter) setDelay(address string, delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.host(address).delay = delay
}

// enter reports whether a page may be read now, and counts it. If not, wait says
// when to try again; 0 means after a page of the host has ended.
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

// leave undoes enter. If the page was requested, the host's delay starts.
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
