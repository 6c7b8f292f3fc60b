package gate

import (
	"fmt"

	"golang.org/x/time/rate"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	maxAddresses         = 500 // addresses of a session that are known
	maxUncausedQuestions = 3   // questions of a session that wait about requests which nobody acted for
	recordRate           = 10  // records of requests in a second, of a session in the long run
	recordBurst          = 300 // that may come at once
)

// sessionRequests is what is known of the requests of a session. deeds.mu guards it.
type sessionRequests struct {
	known           map[string]bool // addresses, and what people said of them
	records         *rate.Limiter
	skipped         int // records that were left out
	link            allowedLink
	waitingUncaused int // questions that wait about requests which nobody acted for
}

// session is what is known of the requests of a session. mu is held.
func (d *acts) session(session string) *sessionRequests {
	if d.sessions == nil {
		d.sessions = map[string]*sessionRequests{}
	}
	s := d.sessions[session]
	if s == nil {
		s = &sessionRequests{known: map[string]bool{}, records: rate.NewLimiter(recordRate, recordBurst)}
		d.sessions[session] = s
	}
	return s
}

// remembers reports whether a word was learnt for a session, and has it known from
// now on where learn is set.
func (d *acts) remembers(session, word string, learn bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.session(session)
	if s.known[word] {
		return true
	}
	if learn && len(s.known) < maxAddresses {
		s.known[word] = true
	}
	return false
}

// reserveUncaused takes a place for a question about a request that nobody acted for,
// and returns what gives it back. A page must not drown the questions of others.
// Fault: limit_reached.
func (d *acts) reserveUncaused(session string) (done func(), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.session(session)
	if s.waitingUncaused >= maxUncausedQuestions {
		return nil, fault.New(fault.LimitReached, "%d requests that this page makes by itself already wait for a person", s.waitingUncaused).
			Hinted("wait until they are answered").With("limit", "questions").With("max", maxUncausedQuestions)
	}
	s.waitingUncaused++
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		s.waitingUncaused--
	}, nil
}

// allowRecord reports whether a record about a request of a session is kept, and
// adds to it how many before it were not: a page that sends without end must not
// fill the disk.
func (d *acts) allowRecord(session string, r action.Record) (action.Record, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.session(session)
	if !s.records.Allow() {
		s.skipped++
		return r, false
	}
	if s.skipped > 0 {
		r.Detail = join(r.Detail, fmt.Sprintf("%d records of requests before it were left out", s.skipped))
		s.skipped = 0
	}
	return r, true
}
