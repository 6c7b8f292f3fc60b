package workflow

import (
	"sync"
	"time"
)

// hostLimiter bounds how many pages of a host are read at a time, and how often. It is
// safe for concurrent use.
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

// setDelay sets the delay between two pages that a host asks for.
func (l *hostLimiter) setDelay(address string, delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.host(address).delay = delay
}

// enter reports whether a page may be read now, and counts it. If not, wait says when
// to try again; 0 means when a page of the host has ended.
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

// leave ends what enter counted. A page that was not requested causes no delay. After
// one that was, the host's own delay begins.
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
