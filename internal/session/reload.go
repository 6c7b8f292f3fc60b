package session

import (
	"fmt"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// SetNetwork changes what sessions may reach that start from now on. Those that
// run keep what they were given. Faults: invalid_request naming the entry that
// cannot be read; then nothing changes.
func (r *Registry) SetNetwork(n action.Network) error {
	if err := r.door.Open(probe, n); err != nil {
		return fmt.Errorf("security.network: %w", err)
	}
	r.door.Close(probe)
	n.Navigation, n.Listed, n.AllowPrivate, n.Ports = slices.Clone(n.Navigation), slices.Clone(n.Listed), slices.Clone(n.AllowPrivate), slices.Clone(n.Ports)
	r.network.Store(&n)
	return nil
}
