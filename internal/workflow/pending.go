package workflow

import (
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	maxPendingBatches     = 1000             // batches that wait for a person; approval.Queue has a much lower limit of questions
	pendingBatchRetention = 10 * time.Minute // after its question expires, for its caller to get the answer
)

// pendingBatch is a partly finished batch.
type pendingBatch struct {
	done    []action.BatchStep
	session string // id of the one it runs in
	until   time.Time
	running bool
}

// pendingBatches has the batches that are running or wait for a person. They end
// with the gateway, as their questions do. The zero pendingBatches is empty.
type pendingBatches struct {
	mu  sync.Mutex
	all map[string]pendingBatch // by fingerprint
}

// session returns the session of a partly finished batch; empty for others.
func (h *pendingBatches) session(key string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if at := h.all[key]; time.Now().Before(at.until) {
		return at.session
	}
	return ""
}

// take returns the finished part of a batch and reserves the batch until release;
// meanwhile it faults with already_active.
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

// release stores the finished part of a waiting batch, and removes others.
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
