package workflow

import (
	"sync"
	"time"
)

// lanes see that a host is asked for few pages at a time, and not too often.
// They are safe for concurrent use.
type lanes struct {
	most  int           // pages of one host at a time
	delay time.Duration // between two of them

	mu    sync.Mutex
	known map[string]*lane
}

type lane struct {
	active int
	delay  time.Duration // what the host itself asks for
	next   time.Time     // when it may be asked again
}

func (l *lanes) lane(address string) *lane {
	h := host(address)
	if l.known[h] == nil {
		l.known[h] = &lane{}
	}
	return l.known[h]
}

// slow makes a host's pages as far apart as it asks for.
func (l *lanes) slow(address string, delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lane(address).delay = delay
}

// enter takes a place in a page's lane. Where there is none, wait says how long
// there will be none for; 0 means until a page of the host has ended.
func (l *lanes) enter(address string) (ok bool, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.lane(address)
	if at.active >= l.most {
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
func (l *lanes) leave(address string, asked bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.lane(address)
	at.active--
	if !asked {
		at.next = time.Time{}
		return
	}
	if at.delay > l.delay {
		at.next = time.Now().Add(at.delay)
	}
}
