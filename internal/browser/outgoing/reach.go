package outgoing

import (
	"maps"
	"slices"
	"time"
)

// Reach is the part of a browser whose scripts can tell each other of an act: tabs, and the
// documents and workers of sites.
type Reach struct {
	Tabs  map[string]bool // by id
	Sites map[string]bool
}

// NewReach returns a Reach with a tab; without one for an empty id.
func NewReach(tab string) Reach {
	r := Reach{Tabs: map[string]bool{}, Sites: map[string]bool{}}
	if tab != "" {
		r.Tabs[tab] = true
	}
	return r
}

// Meets reports whether two parts have a tab or a site in common.
func (r Reach) Meets(other Reach) bool { return meet(r.Tabs, other.Tabs) || meet(r.Sites, other.Sites) }

func meet(a, b map[string]bool) bool {
	for key := range a {
		if b[key] {
			return true
		}
	}
	return false
}

// Add adds another part.
func (r Reach) Add(other Reach) {
	maps.Copy(r.Tabs, other.Tabs)
	maps.Copy(r.Sites, other.Sites)
}

// size grows with each tab and site that is added.
func (r Reach) size() int { return len(r.Tabs) + len(r.Sites) }

// Closure adds every part that meets r, also by way of others.
func (r Reach) Closure(parts []Reach) {
	for before := -1; before < r.size(); {
		before = r.size()
		for _, p := range parts {
			if r.Meets(p) {
				r.Add(p)
			}
		}
	}
}

// Extend adds a part of the browser to the reach of the live acts that meet it: what was
// told of an act stays told, wherever the page goes.
func (l *Ledger) Extend(now time.Time, r Reach) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.acts {
		if a.isLive(now) && a.reach.Meets(r) {
			a.reach.Add(r)
		}
	}
}

// Causes returns the acts that may have caused a request which a part of the browser makes,
// the newest first: those of some tabs, and those that have the part in reach. told are those
// of other tabs.
func (l *Ledger) Causes(now time.Time, from Reach, tabs ...string) (ids, told []string) {
	ids = l.live(now, func(a *act) bool {
		own := slices.Contains(tabs, a.tab)
		if !own && a.reach.Meets(from) {
			told = append(told, a.ID)
		}
		return own || a.reach.Meets(from)
	})
	return ids, told
}
