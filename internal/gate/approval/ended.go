package approval

import (
	"context"
	"database/sql"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const (
	restarted   = "the gateway restarted" // the reason of questions that were denied at a restart
	retryDelay  = time.Second             // after the store failed
	reportBatch = 100                     // questions reported at a time
)

// reportEnded reports questions that end without an answer, until ctx ends.
func (d *Queue) reportEnded(ctx context.Context) {
	for ctx.Err() == nil {
		left, err := d.reportOnce(ctx)
		if err != nil {
			left = retryDelay
			if ctx.Err() == nil {
				d.log.Error("cannot tell which questions ended", "error", err)
			}
		}
		d.waitNext(ctx, left)
	}
}

// waitNext waits until the next question expires, left from now, or a question is asked. A
// negative time means that no question waits.
func (d *Queue) waitNext(ctx context.Context, left time.Duration) {
	var over <-chan time.Time
	if left >= 0 {
		timer := time.NewTimer(left)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
	case <-d.newQuestion:
	case <-ctx.Done():
	}
}

// wakeReporter has reportEnded look again at when the next question ends.
func (d *Queue) wakeReporter() {
	select {
	case d.newQuestion <- struct{}{}:
	default: // a wake-up waits already
	}
}

// reportOnce reports the questions that have ended, and returns the time until the next one
// expires; less than zero when none waits. A question is marked after it was reported.
func (d *Queue) reportOnce(ctx context.Context) (left time.Duration, err error) {
	now := d.now()
	if err := expire(ctx, d.db.Writer, now); err != nil {
		return 0, err
	}
	ended, err := d.unreported(ctx)
	if err != nil {
		return 0, err
	}
	for _, q := range ended {
		d.ended(q)
		if _, err := d.db.Writer.ExecContext(ctx, `UPDATE questions SET noted = 1 WHERE id = ?`, q.ID); err != nil {
			return 0, err
		}
	}
	if len(ended) == reportBatch {
		return 0, nil
	}
	var next sql.NullInt64
	err = d.db.Reader.QueryRowContext(ctx, `SELECT min(expires) FROM questions WHERE noted = 0 AND state = 'pending'`).Scan(&next)
	if err != nil || !next.Valid {
		return -1, err
	}
	return max(0, time.UnixMilli(next.Int64).Sub(now)), nil
}

// unreported reads the questions whose end was not reported yet.
func (d *Queue) unreported(ctx context.Context) ([]action.Question, error) {
	rows, err := d.db.Reader.QueryContext(ctx, `SELECT state, question FROM questions WHERE noted = 0 AND state IN ('denied', 'expired') ORDER BY expires LIMIT ?`, reportBatch)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var all []action.Question
	for rows.Next() {
		q, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, q)
	}
	return all, rows.Err()
}
