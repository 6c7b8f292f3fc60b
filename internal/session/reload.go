package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// SetNetwork changes what sessions may reach. Those that run lose what is not
// configured any more, unless an operator chose or allowed it, and gain
// nothing. Faults: invalid_request naming the entry that cannot be read; then
// nothing changes.
func (r *Registry) SetNetwork(n action.Network) error {
	if err := r.door.Open(probe, n); err != nil {
		return fmt.Errorf("security.network: %w", err)
	}
	r.door.Close(probe)
	n.Navigation, n.Listed, n.AllowPrivate, n.Ports = slices.Clone(n.Navigation), slices.Clone(n.Listed), slices.Clone(n.AllowPrivate), slices.Clone(n.Ports)
	r.network.Store(&n)
	r.mu.Lock()
	running := slices.Collect(maps.Values(r.live))
	r.mu.Unlock()
	for _, l := range running {
		r.narrow(l, n)
	}
	return nil
}

// narrow holds a running session to a new configuration. A box whose rules
// cannot be replaced has none from then on.
func (r *Registry) narrow(l *live, configured action.Network) {
	l.reaching.Lock()
	defer l.reaching.Unlock()
	l.mu.Lock()
	before, n, box := l.record.Allow, l.terms.again(configured), l.record.Box
	l.network, l.record.Allow = n, allowed(n)
	if lost := without(before, l.record.Allow); len(lost) > 0 {
		l.note("not allowed any more: " + strings.Join(lost, ", "))
	}
	l.mu.Unlock()
	if box == "" {
		return // the rules it gets are these
	}
	if err := r.door.Open(box, n); err != nil {
		r.door.Close(box)
		r.log.Error("a session may reach nothing any more", "session", l.id, "error", err)
	}
	if !isOpen(l.now().State) && l.now().State != starting {
		r.door.Close(box) // it ended meanwhile, and its rules with it
	}
}

// without returns what of a list is not in another.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(item string) bool { return slices.Contains(other, item) })
}
