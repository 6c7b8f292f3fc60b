package session

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	reapEvery  = time.Minute // for boxes that could not be ended at once
	retainEvery = time.Hour   // for what has grown old
)

// keepHouse removes what is left over, until ctx ends.
func (r *Registry) keepHouse(ctx context.Context) {
	round, old := time.NewTicker(reapEvery), time.NewTicker(retainEvery)
	defer round.Stop()
	defer old.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-round.C:
			r.forgetSecrets(time.Now())
			err = r.reap(ctx)
		case <-old.C:
			err = r.retain(ctx)
		}
		if err != nil && ctx.Err() == nil {
			r.log.ErrorContext(ctx, "cannot keep house", "error", err)
		}
	}
}

// reap ends boxes that are recorded and nobody here looks after.
func (r *Registry) reap(ctx context.Context) error {
	ids, err := r.ledger.boxes(ctx)
	if err != nil {
		return err
	}
	var faults []error
	for _, id := range ids {
		if !r.owns(id) {
			faults = append(faults, r.discard(ctx, id))
		}
	}
	return errors.Join(faults...)
}

// discard ends a box that belongs to no session.
func (r *Registry) discard(ctx context.Context, box string) error {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	if err := r.driver.Stop(ctx, box); err != nil {
		return fmt.Errorf("cannot end left-over box %s: %w", box, err)
	}
	r.boxEvent(box, "", "", "left-over box ended")
	return r.ledger.removeBox(ctx, box)
}

// retain removes ended sessions and artifacts that are older than the
// configured retention.
func (r *Registry) retain(ctx context.Context) error {
	if r.config.Retention < 0 {
		return nil
	}
	before := time.Now().Add(-r.config.Retention)
	files, err := r.artifacts.Prune(ctx, before)
	sessions, errSessions := r.ledger.deleteBefore(ctx, before)
	if files > 0 || sessions > 0 {
		r.log.InfoContext(ctx, "removed what is older than browser.artifacts_retention_days", "sessions", sessions, "artifacts", files)
	}
	return errors.Join(err, errSessions)
}
