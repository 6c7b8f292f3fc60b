package session

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const waitingWishes = 16 // to be told; more are forgotten

// wish is an address that a page wanted to show and was refused.
type wish struct {
	session action.Session
	address string
}

// passOn tells of wishes that a person could fulfil, until ctx ends.
func (r *Registry) passOn(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case w := <-r.wishes:
			host := r.RequestableHost(w.session.ID, w.address)
			if host != "" && r.wished != nil {
				r.wished(w.session, host)
			}
		}
	}
}
