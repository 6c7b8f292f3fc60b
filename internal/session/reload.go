package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// set changes what sessions may reach. Those that run lose what is not
// configured any more, unless an operator chose or allowed it, and gain
// nothing. Faults: invalid_request naming the entry that cannot be read; then
// nothing changes.
func (nw *networks) set(n action.Network) error {
	if err := nw.door.Open(probeBoxID, n); err != nil {
		return fmt.Errorf("security.network: %w", err)
	}
	nw.door.Close(probeBoxID)
	n.Navigation, n.Listed, n.AllowPrivate, n.Ports = slices.Clone(n.Navigation), slices.Clone(n.Listed), slices.Clone(n.AllowPrivate), slices.Clone(n.Ports)
	nw.network.Store(&n)
	running := nw.sessions.all()
	for _, sess := range running {
		nw.narrow(sess, n)
	}
	return nil
}

// narrow holds a running session to a new configuration. A box whose rules
// cannot be replaced has none from then on.
func (nw *networks) narrow(sess *openSession, configured action.Network) {
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
	if err := nw.door.Open(box, n); err != nil {
		nw.door.Close(box)
		nw.log.Error("a session may reach nothing any more", "session", sess.id, "error", err)
	}
	if !isOpen(sess.now().State) && sess.now().State != starting {
		nw.door.Close(box) // it ended meanwhile, and its rules with it
	}
}

// without returns what of a list is not in another.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(item string) bool { return slices.Contains(other, item) })
}
