package workflow

import (
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	mostHalves = 1000             // batches that wait for a person; approval.Desk holds far fewer questions
	halfLimit  = 10 * time.Minute // after its question expires, for its caller to hear the answer
)

// half is a batch of which a part is done.
type half struct {
	done    []action.BatchStep
	session string // id of the one it runs in
	until   time.Time
	busy    bool
}

// halves are the batches that are on their way or wait for a person. They end
// with the gateway, as their questions do. The zero halves are empty.
type halves struct {
	mu  sync.Mutex
	all map[string]half // by fingerprint
}

// session is that of a batch of which something is done; empty for others.
func (h *halves) session(key string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if at := h.all[key]; time.Now().Before(at.until) {
		return at.session
	}
	return ""
}

// take returns what is done of a batch. Until give nobody else gets it: fault
// already_active.
func (h *halves) take(key string) (half, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := h.all[key]
	if at.busy {
		return half{}, fault.New(fault.AlreadyActive, "the same batch is on its way").Hinted("wait for its answer before you make it again")
	}
	if time.Now().After(at.until) {
		at = half{}
	}
	if h.all == nil {
		h.all = map[string]half{}
	}
	h.all[key] = half{busy: true}
	return at, nil
}

// give keeps what is done of a batch that waits, and forgets others.
func (h *halves) give(key string, at half, waits *action.Pending) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.all, key)
	for other, kept := range h.all {
		if !kept.busy && time.Now().After(kept.until) {
			delete(h.all, other)
		}
	}
	if waits == nil || len(h.all) >= mostHalves {
		return
	}
	at.until = waits.Expires.Add(halfLimit)
	h.all[key] = at
}
