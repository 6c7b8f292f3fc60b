package audit

import (
	"context"
	"errors"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const followed = 100 // records read at a time for a follower; bounds what one keeps in memory

// Follow delivers each stored record of a scope whose number is greater than
// after, in order, and then waits for new ones, until ctx ends or deliver
// fails: their error is returned. "" is every scope. It reads from the table,
// so that a slow follower holds up nobody and loses nothing. The fault is
// audit_unavailable, when the trail cannot be read or the log was closed.
func (l *Log) Follow(ctx context.Context, scope string, after int64, deliver func(action.Record) error) error {
	for {
		grown, err := l.grownChan() // before the look, or what is stored in between is not waited for
		if err != nil {
			return err
		}
		records, err := l.following(ctx, scope, after)
		if err != nil {
			return err
		}
		for _, r := range records {
			if err := deliver(r); err != nil {
				return err
			}
			after = r.Seq
		}
		if len(records) == followed {
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

// following reads the next records of a scope.
func (l *Log) following(ctx context.Context, scope string, after int64) ([]action.Record, error) {
	query, args := `SELECT seq, record, hash FROM audit WHERE seq > ? ORDER BY seq LIMIT ?`, []any{after, followed}
	if scope != "" {
		query, args = `SELECT seq, record, hash FROM audit WHERE scope = ? AND seq > ? ORDER BY seq LIMIT ?`, []any{scope, after, followed}
	}
	records, err := l.read(ctx, query, args...)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("the trail is no longer followed: %w", ctx.Err())
	}
	return records, err
}

// grownChan is closed when records have been stored that are not there now, and
// when the log closes.
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

// notifyFollowers wakes the followers. mu is held.
func (l *Log) notifyFollowers() {
	if l.grown != nil {
		close(l.grown)
		l.grown = nil
	}
}
