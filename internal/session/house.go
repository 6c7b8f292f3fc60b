package session

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	reapEvery   = time.Minute // for boxes that could not be ended at once
	retainEvery = time.Hour   // for what has grown old
)

// cleanUp removes what is left over, until ctx ends.
func (l *lifecycle) cleanUp(ctx context.Context) {
	round, old := time.NewTicker(reapEvery), time.NewTicker(retainEvery)
	defer round.Stop()
	defer old.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-round.C:
			l.creds.forgetSecrets(time.Now())
			err = l.boxes.reap(ctx)
		case <-old.C:
			err = l.retain(ctx)
		}
		if err != nil && ctx.Err() == nil {
			l.log.ErrorContext(ctx, "cannot keep house", "error", err)
		}
	}
}

// reap ends boxes that are recorded and nobody here looks after.
func (bs *boxes) reap(ctx context.Context) error {
	ids, err := bs.store.boxes(ctx)
	if err != nil {
		return err
	}
	var faults []error
	for _, id := range ids {
		if !bs.owns(id) {
			faults = append(faults, bs.discard(ctx, id))
		}
	}
	return errors.Join(faults...)
}

// discard ends a box that belongs to no session.
func (bs *boxes) discard(ctx context.Context, box string) error {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	if err := bs.driver.Stop(ctx, box); err != nil {
		return fmt.Errorf("cannot end left-over box %s: %w", box, err)
	}
	bs.audit.boxEvent(box, "", "", "left-over box ended")
	return bs.store.removeBox(ctx, box)
}

// retain removes ended sessions and artifacts that are older than the
// configured retention.
func (l *lifecycle) retain(ctx context.Context) error {
	if l.config.Retention < 0 {
		return nil
	}
	before := time.Now().Add(-l.config.Retention)
	files, err := l.files.artifacts.Prune(ctx, before)
	sessions, errSessions := l.store.deleteBefore(ctx, before)
	if files > 0 || sessions > 0 {
		l.log.InfoContext(ctx, "removed what is older than browser.artifacts_retention_days", "sessions", sessions, "artifacts", files)
	}
	return errors.Join(err, errSessions)
}
