package workflow

import (
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	maxPendingBatches     = 1000             // batches that wait for a person; approval.Queue holds far fewer questions
	pendingBatchRetention = 10 * time.Minute // after its question expires, for its caller to hear the answer
)

// pendingBatch is a batch of which a part is done.
type pendingBatch struct {
	done    []action.BatchStep
	session string // id of the one it runs in
	until   time.Time
	running bool
}

// pendingBatches holds the batches that are on their way or wait for a person. They end
// with the gateway, as their questions do. The zero pendingBatches is empty.
type pendingBatches struct {
	mu  sync.Mutex
	all map[string]pendingBatch // by fingerprint
}

// session is the session of a batch of which a part is done; empty for others.
func (h *pendingBatches) session(key string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if at := h.all[key]; time.Now().Before(at.until) {
		return at.session
	}
	return ""
}

// take returns what is done of a batch. Until release nobody else gets it: fault
// already_active.
func (h *pendingBatches) take(key string) (pendingBatch, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := h.all[key]
	if at.running {
		return pendingBatch{}, fault.New(fault.AlreadyActive, "the same batch is on its way").Hinted("wait for its answer before you make it again")
	}
	if time.Now().After(at.until) {
		at = pendingBatch{}
	}
	if h.all == nil {
		h.all = map[string]pendingBatch{}
	}
	h.all[key] = pendingBatch{running: true}
	return at, nil
}

// release keeps what is done of a batch that waits, and forgets others.
func (h *pendingBatches) release(key string, at pendingBatch, waits *action.Pending) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.all, key)
	for other, kept := range h.all {
		if !kept.running && time.Now().After(kept.until) {
			delete(h.all, other)
		}
	}
	if waits == nil || len(h.all) >= maxPendingBatches {
		return
	}
	at.until = waits.Expires.Add(pendingBatchRetention)
	h.all[key] = at
}
