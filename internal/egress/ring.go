package egress

import (
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const (
	maxRefusals = 1000             // kept for each box; API section 3.8 keeps as many of everything
	quiet       = 10 * time.Second // one refusal in that time is told of each host and reason
	maxTold     = 1000             // pairs of host and reason remembered for that
)

// ring keeps the last refusals of a box.
type ring struct {
	all  []action.Refusal
	next int // where the next one goes once the ring is full
	told map[toldOf]time.Time
}

type toldOf struct{ host, reason string }

// add keeps r and reports whether it is news: a page that asks for the same
// forbidden host a hundred times a second is one event for people.
func (g *ring) add(r action.Refusal) bool {
	if len(g.all) < maxRefusals {
		g.all = append(g.all, r)
	} else {
		g.all[g.next] = r
		g.next = (g.next + 1) % maxRefusals
	}
	key := toldOf{r.Host, r.Reason}
	if last, ok := g.told[key]; ok && r.Time.Sub(last) < quiet {
		return false
	}
	if g.told == nil || len(g.told) >= maxTold {
		g.told = map[toldOf]time.Time{}
	}
	g.told[key] = r.Time
	return true
}

// list returns what is kept, oldest first.
func (g *ring) list() []action.Refusal {
	all := make([]action.Refusal, 0, len(g.all))
	all = append(all, g.all[g.next:]...)
	return append(all, g.all[:g.next]...)
}
