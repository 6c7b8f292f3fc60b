package session

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const maxHostRequests = 16 // to be told; more are forgotten

// hostRequest is an address that a page wanted to show and was refused.
type hostRequest struct {
	session action.Session
	address string
}

// passOn tells of wishes that a person could fulfil, until ctx ends.
func (r *refusals) passOn(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case w := <-r.requests:
			host := r.networks.missingHost(w.session.ID, w.address)
			if host != "" && r.onRequest != nil {
				r.onRequest(w.session, host)
			}
		}
	}
}
