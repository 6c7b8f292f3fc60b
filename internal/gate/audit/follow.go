package audit

import (
	"context"
	"errors"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const followPage = 100 // records that a follower reads at a time and keeps in memory

// Follow calls deliver for each record of a scope whose number is greater than after, in
// order, and then waits for new records. It returns the error of deliver, or of ctx when
// that ends. "" is every scope. It reads from the table, so that a slow follower neither
// delays others nor misses records. Fault: audit_unavailable, when the trail cannot be
// read or the log was closed.
func (l *Log) Follow(ctx context.Context, scope string, after int64, deliver func(action.Record) error) error {
	for {
		grown, err := l.grownChan() // before reading, so that a record stored in between is not missed
		if err != nil {
			return err
		}
		records, err := l.nextRecords(ctx, scope, after)
		if err != nil {
			return err
		}
		for _, r := range records {
			if err := deliver(r); err != nil {
				return err
			}
			after = r.Seq
		}
		if len(records) == followPage {
			continue
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return fmt.Errorf("the trail is no longer followed: %w", ctx.Err())
		}
	}
}

// Last is the number of the newest record.
func (l *Log) Last() int64 { return l.end().seq }

// nextRecords reads the next records of a scope.
func (l *Log) nextRecords(ctx context.Context, scope string, after int64) ([]action.Record, error) {
	query, args := `SELECT seq, record, hash FROM audit WHERE seq > ? ORDER BY seq LIMIT ?`, []any{after, followPage}
	if scope != "" {
		query, args = `SELECT seq, record, hash FROM audit WHERE scope = ? AND seq > ? ORDER BY seq LIMIT ?`, []any{scope, after, followPage}
	}
	records, err := l.read(ctx, query, args...)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("the trail is no longer followed: %w", ctx.Err())
	}
	return records, err
}

// grownChan returns a channel that is closed when the next record is stored, and when the
// log is closed.
func (l *Log) grownChan() (<-chan struct{}, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, unreadable(errors.New("the audit log is closed"))
	}
	if l.grown == nil {
		l.grown = make(chan struct{})
	}
	return l.grown, nil
}

// notifyFollowers wakes the followers. The caller holds mu.
func (l *Log) notifyFollowers() {
	if l.grown != nil {
		close(l.grown)
		l.grown = nil
	}
}
