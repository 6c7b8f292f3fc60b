package workflow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/store"
)

const (
	maxRuns           = 20              // active runs of a scope
	retentionInterval = time.Hour       // between two removals of old records
	recordLimit       = 5 * time.Second // wall time of storing a record
)

// RunsOptions configure Runs. With a negative Retention records are kept forever.
type RunsOptions struct {
	DB        *store.DB
	Log       *slog.Logger
	Retention time.Duration // of the records of ended runs
}

// Runs has the active runs of this gateway, and the records of all runs. It must
// be closed after the surfaces and before the gate. It is safe for concurrent
// use.
type Runs struct {
	store     runStore
	log       *slog.Logger
	retention time.Duration

	life context.Context //nolint:containedctx // of the runs, which continue after their calls
	stop context.CancelCauseFunc
	work sync.WaitGroup

	mu      sync.Mutex
	live    map[string]*activeRun // by id
	orphans []orphan              // whose browsers must still be ended
}

// errStopped is the cause when runs end with the gateway.
var errStopped = errors.New("the gateway ends")

// OpenRuns opens the records. Runs that an earlier gateway did not end have
// failed, since the result of their last action is unknown.
func OpenRuns(ctx context.Context, o RunsOptions) (*Runs, error) {
	if o.DB == nil || o.Log == nil || o.Retention == 0 {
		return nil, errors.New("runs need a database, a log and a retention")
	}
	r := &Runs{store: runStore{o.DB}, log: o.Log, retention: o.Retention, live: map[string]*activeRun{}}
	var err error
	if r.orphans, err = r.store.orphans(ctx); err != nil {
		return nil, err
	}
	for i := range r.orphans {
		end(&r.orphans[i].run, ending{action.RunFailed, "gateway_restarted", "the gateway ended while the run was under way"})
		if err := r.store.update(ctx, r.orphans[i].run); err != nil {
			return nil, err
		}
	}
	if len(r.orphans) > 0 {
		r.log.Info("runs of the last gateway have failed", "count", len(r.orphans))
	}
	r.life, r.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	r.work.Go(r.removeOld)
	return r, nil
}

// Close ends every active run, and waits until they have ended their browsers or
// ctx ends.
func (r *Runs) Close(ctx context.Context) error {
	r.stop(errStopped)
	done := make(chan struct{})
	go func() { // ends with the last run, whose waits are bounded
		defer close(done)
		r.work.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("runs are still ending: %w", context.Cause(ctx))
	}
}

// removeOld removes old records until the runs are closed.
func (r *Runs) removeOld() {
	old := time.NewTicker(retentionInterval)
	defer old.Stop()
	for r.retention > 0 {
		if n, err := r.store.forget(r.life, time.Now().Add(-r.retention)); err != nil && r.life.Err() == nil {
			r.log.Error("cannot remove old runs", "error", err)
		} else if n > 0 {
			r.log.Info("removed runs older than browser.artifacts_retention_days", "runs", n)
		}
		select {
		case <-r.life.Done():
			return
		case <-old.C:
		}
	}
}

// active returns an active run of a scope; nil if there is none.
func (r *Runs) active(scope, id string) *activeRun {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := r.live[id]; at != nil && at.caller.Scope == scope {
		return at
	}
	return nil
}

// add adds a run. Faults: limit_reached, browser_disabled when the gateway ends.
func (r *Runs) add(at *activeRun) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.life.Err() != nil {
		return fault.New(fault.BrowserDisabled, "the gateway is shutting down").Hinted("try again when it is back")
	}
	n := 0
	for _, other := range r.live {
		if other.caller.Scope == at.caller.Scope {
			n++
		}
	}
	if n >= maxRuns {
		return fault.New(fault.LimitReached, "%d runs of this scope are under way", n).
			Hinted("wait until some have ended, or cancel them").With("limit", "runs").With("max", maxRuns)
	}
	r.live[at.run.ID] = at
	r.work.Add(1) // execute calls Done
	return nil
}

// remove removes an ended run from the active ones.
func (r *Runs) remove(at *activeRun) {
	r.mu.Lock()
	delete(r.live, at.run.ID)
	r.mu.Unlock()
	r.work.Done()
}

// show returns a run as it is now.
func (r *Runs) show(ctx context.Context, scope, id string) (action.Run, error) {
	if at := r.active(scope, id); at != nil {
		return at.snapshot(), nil
	}
	return r.store.find(ctx, scope, id)
}

// save stores a run, even if ctx has ended.
func (r *Runs) save(ctx context.Context, run action.Run) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordLimit)
	defer cancel()
	if err := r.store.update(ctx, run); err != nil {
		r.log.Error("a run was not recorded", "run", run.ID, "error", err)
	}
}
