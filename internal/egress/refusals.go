package egress

import (
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const (
	maxRefusals    = 1000             // kept for each box; API section 3.8 keeps as many of everything
	reportInterval = 10 * time.Second // one refusal in that time is told of each host and reason
	maxReported    = 1000             // pairs of host and reason remembered for that
)

// refusalLog keeps the last refusals of a box.
type refusalLog struct {
	all      []action.Refusal
	next     int // where the next one goes once the ring is full
	reported map[refusalKey]time.Time
}

type refusalKey struct{ host, reason string }

// add keeps r and reports whether it is news: a page that asks for the same
// forbidden host a hundred times a second is one event for people.
func (g *refusalLog) add(r action.Refusal) bool {
	if len(g.all) < maxRefusals {
		g.all = append(g.all, r)
	} else {
		g.all[g.next] = r
		g.next = (g.next + 1) % maxRefusals
	}
	key := refusalKey{r.Host, r.Reason}
	if last, ok := g.reported[key]; ok && r.Time.Sub(last) < reportInterval {
		return false
	}
	if g.reported == nil || len(g.reported) >= maxReported {
		g.reported = map[refusalKey]time.Time{}
	}
	g.reported[key] = r.Time
	return true
}

// list returns what is kept, oldest first.
func (g *refusalLog) list() []action.Refusal {
	all := make([]action.Refusal, 0, len(g.all))
	all = append(all, g.all[g.next:]...)
	return append(all, g.all[:g.next]...)
}
