package stream

import (
	"sync"
	"time"
)

const (
	minRate      = 150_000    // bits a second: the picture stays usable
	forgetRate   = 20_000_000 // bits a second: more than a session's picture needs
	heavyLoss    = 0.1        // of the packets: the line is full
	lightLoss    = 0.02       // of the packets: the line carries more
	rateDecrease = 0.8
	rateIncrease = 1.08 // for each report without loss, of which about one comes a second
)

// line estimates what the line of a viewer carries, from the loss that the viewer
// reports. Estimates of libraries follow the rate that is sent, which for a page
// that seldom changes is far below what the line carries. So a limit is set only
// when packets are lost, and rises again until it is forgotten.
type line struct {
	mu    sync.Mutex
	now   func() time.Time
	from  time.Time
	sent  int     // bytes since from
	rate  float64 // bits a second, of the last report's time
	limit float64 // bits a second; 0 if none is known
}

func newLine() *line { return &line{now: time.Now, from: time.Now()} }

func (l *line) add(bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent += bytes
}

// report takes a report of the viewer: the part of the packets that was lost, and
// the viewer's own estimate in bits per second, 0 if there is none. It returns the
// limit for the encoder, 0 for none, and whether it changed.
func (l *line) report(lost float64, estimate float64) (int, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if passed := l.now().Sub(l.from); passed >= time.Second/2 {
		l.rate = float64(l.sent) * 8 / passed.Seconds()
		l.from, l.sent = l.now(), 0
	}
	before := int(l.limit)
	switch {
	case lost > heavyLoss:
		base := l.rate
		if l.limit != 0 {
			base = min(base, l.limit)
		}
		if estimate != 0 {
			base = min(base, estimate/rateDecrease)
		}
		l.limit = max(minRate, base*rateDecrease)
	case lost < lightLoss && l.limit != 0:
		if l.limit *= rateIncrease; l.limit > forgetRate {
			l.limit = 0
		}
	}
	return int(l.limit), int(l.limit) != before
}
