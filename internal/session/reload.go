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
	if err := r.door.Open(probeBoxID, n); err != nil {
		return fmt.Errorf("security.network: %w", err)
	}
	r.door.Close(probeBoxID)
	n.Navigation, n.Listed, n.AllowPrivate, n.Ports = slices.Clone(n.Navigation), slices.Clone(n.Listed), slices.Clone(n.AllowPrivate), slices.Clone(n.Ports)
	r.network.Store(&n)
	r.mu.Lock()
	running := slices.Collect(maps.Values(r.live))
	r.mu.Unlock()
	for _, sess := range running {
		r.narrow(sess, n)
	}
	return nil
}

// narrow holds a running session to a new configuration. A box whose rules
// cannot be replaced has none from then on.
func (r *Registry) narrow(sess *openSession, configured action.Network) {
	sess.reaching.Lock()
	defer sess.reaching.Unlock()
	sess.mu.Lock()
	before, n, box := sess.record.Allow, sess.terms.networkUnder(configured), sess.record.Box
	sess.network, sess.record.Allow = n, allowed(n)
	if lost := without(before, sess.record.Allow); len(lost) > 0 {
		sess.addNote("not allowed any more: " + strings.Join(lost, ", "))
	}
	sess.mu.Unlock()
	if box == "" {
		return // the rules it gets are these
	}
	if err := r.door.Open(box, n); err != nil {
		r.door.Close(box)
		r.log.Error("a session may reach nothing any more", "session", sess.id, "error", err)
	}
	if !isOpen(sess.now().State) && sess.now().State != starting {
		r.door.Close(box) // it ended meanwhile, and its rules with it
	}
}

// without returns what of a list is not in another.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(item string) bool { return slices.Contains(other, item) })
}
