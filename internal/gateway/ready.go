package gateway

import (
	"context"
	"sync"
	"time"
)

const (
	readinessAge   = 2 * time.Second // of an answer that is given again
	readinessLimit = 5 * time.Second // for one check
)

// readiness answers readiness probes. It checks at most once in readinessAge, so that probes
// of strangers cost nothing.
type readiness struct {
	gateway *Gateway

	mu      sync.Mutex
	checked time.Time
	names   []string
}

// missing names what keeps sessions from starting: what the container engine lacks, and
// "storage" if the audit trail cannot be written. A check outlives the probe that began it.
func (r *readiness) missing(ctx context.Context) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.checked) < readinessAge {
		return r.names
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readinessLimit)
	defer cancel()
	r.names = r.gateway.sessions.Missing(ctx)
	if r.gateway.audit.CheckStorage(ctx) != nil {
		r.names = append(r.names, "storage")
	}
	r.checked = time.Now()
	return r.names
}
