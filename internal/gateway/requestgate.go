package gateway

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// requestGate puts requests that leave a browser to the gate, which is opened after
// the sessions.
type requestGate Gateway

// Outgoing judges a request. Faults: those of the gate.
func (h *requestGate) Outgoing(ctx context.Context, s action.Session, from action.Sender, r action.Request) (action.Ruling, error) {
	return h.Gate.Outgoing(ctx, s, from, r)
}

// Receipt records what became of a request.
func (h *requestGate) Receipt(s action.Session, e action.Effect) { h.Gate.Receipt(s, e) }

// Over forgets what is known of a session's requests.
func (h *requestGate) Over(session string) { h.Gate.Over(session) }
