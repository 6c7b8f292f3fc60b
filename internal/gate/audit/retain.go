package audit

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	retainInterval = 24 * time.Hour
	maxCut         = 2000        // records removed in one transaction, so that calls wait only briefly; one segment at least
	cutTimeout     = time.Minute // longest time of one transaction: what takes longer on a slow disk would never be removed
	cutDetail      = "removed the records up to %d, whose hash is %s"
)

// cutOf returns the number of the last record that a record of retention says was removed.
func cutOf(r action.Record) (upTo int64, isCut bool) {
	if r.EventType != action.EventRetention {
		return 0, false
	}
	var hash string
	n, _ := fmt.Sscanf(r.Detail, cutDetail, &upTo, &hash)
	return upTo, n == 2
}

// Retain removes records that are older than a time: whole segments, each of which ends at
// a signed checkpoint, and only when they verify. The checkpoints stay, and a record says
// up to where the trail was cut, so that verification can begin there. Faults:
// audit_unavailable, also for a trail that does not verify.
func (l *Log) Retain(ctx context.Context, before time.Time) (removed int64, err error) {
	if l.signer == nil {
		return 0, nil
	}
	e, err := l.evidence(ctx)
	if err != nil {
		return 0, unreadable(err)
	}
	if problem := e.checkpointProblem(); problem != "" {
		return 0, unverified(problem)
	}
	ends := segments(e, before)
	if len(ends) == 0 {
		return 0, nil
	}
	if err := l.verifyUpTo(ctx, e, ends[len(ends)-1]); err != nil {
		return 0, err
	}
	for _, c := range ends {
		n, err := l.cut(ctx, c)
		if removed += n; err != nil {
			return removed, unavailable(err)
		}
	}
	return removed, l.Sign()
}

// segments are the checkpoints to cut at, one after the other: the last one that was signed
// before a time, and others before it, so that no cut is larger than maxCut.
func segments(e evidence, before time.Time) (ends []Checkpoint) {
	from := e.kept.cut
	for i, c := range e.points {
		old := c.Seq > e.kept.cut && c.Time.Before(before)
		last := i+1 == len(e.points) || !e.points[i+1].Time.Before(before)
		if old && (last || e.points[i+1].Seq-from > maxCut) {
			ends, from = append(ends, c), c.Seq
		}
		if last {
			break
		}
	}
	return ends
}

// verifyUpTo verifies the trail up to a checkpoint.
func (l *Log) verifyUpTo(ctx context.Context, e evidence, end Checkpoint) error {
	w := &verifyWalk{e: &e, points: e.points}
	if err := w.all(ctx, l.db.Reader, end.Seq); err != nil {
		return unreadable(err)
	}
	if w.problem == "" && w.signed != end.Seq {
		w.fail(w.end.seq+1, "the trail ends at %s, before the checkpoint of record %d", w.last(), end.Seq)
	}
	if w.problem != "" {
		return unverified(w.problem)
	}
	return nil
}

func unverified(problem string) *fault.Fault {
	return fault.New(fault.AuditUnavailable, "old records are not removed, because the trail does not verify: %s", problem).
		Hinted("keep the state directory as it is, and compare it with a backup")
}

// cut removes the records up to a checkpoint, and adds a record about it in the same
// transaction. It is the leader meanwhile, so that nobody appends.
func (l *Log) cut(ctx context.Context, upTo Checkpoint) (removed int64, err error) {
	select {
	case l.leader <- struct{}{}:
		defer func() { <-l.leader }()
	case <-ctx.Done():
		return 0, fmt.Errorf("nothing was removed: %w", ctx.Err())
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cutTimeout)
	defer cancel()
	end := l.end()
	if l.headUnknown {
		if end, err = readChainHead(ctx, l.db.Writer); err != nil {
			return 0, err
		}
	}
	l.headUnknown = true // until the transaction is known to be committed
	removed, end, err = l.cutNow(ctx, upTo, end)
	if err != nil {
		return 0, err
	}
	l.headUnknown = false
	l.setEnd(end)
	return removed, nil
}

func (l *Log) cutNow(ctx context.Context, upTo Checkpoint, end chainHead) (removed int64, _ chainHead, err error) {
	end, values, err := l.add(nil, end, action.Record{
		EventType: action.EventRetention, Result: "ok", Detail: fmt.Sprintf(cutDetail, upTo.Seq, upTo.Hash),
	})
	if err != nil {
		return 0, end, err
	}
	conn, err := l.db.Writer.Conn(ctx)
	if err != nil {
		return 0, end, fmt.Errorf("cannot remove records: %w", err)
	}
	defer func() { _ = conn.Close() }()
	// Removed records are overwritten, because their pages are only used again later.
	if _, err := conn.ExecContext(ctx, flushing(true)+`PRAGMA secure_delete = ON`); err != nil {
		return 0, end, fmt.Errorf("cannot remove records: %w", err)
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return 0, end, fmt.Errorf("cannot remove records: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, `UPDATE audit_state SET cut = ?`, upTo.Seq); err != nil {
		return 0, end, fmt.Errorf("cannot say what is removed: %w", err)
	}
	gone, err := tx.ExecContext(ctx, `DELETE FROM audit WHERE seq <= ?`, upTo.Seq)
	if err != nil {
		return 0, end, fmt.Errorf("cannot remove records: %w", err)
	}
	if _, err := tx.ExecContext(ctx, recordInsertion(1), values...); err != nil {
		return 0, end, fmt.Errorf("cannot record what is removed: %w", err)
	}
	if err := tx.Commit(); err != nil {
		return 0, end, fmt.Errorf("cannot remove records: %w", err)
	}
	removed, _ = gone.RowsAffected() // SQLite supports it
	l.log.Info("old audit records were removed", "records", removed, "upTo", upTo.Seq)
	return removed, end, nil
}

// retentionJob removes old records at once and daily, in a goroutine that close ends.
type retentionJob struct {
	end  context.CancelFunc
	done sync.WaitGroup
}

func newRetentionJob(l *Log, keep time.Duration) *retentionJob {
	ctx, end := context.WithCancel(context.Background())
	t := &retentionJob{end: end}
	t.done.Go(func() {
		ticker := time.NewTicker(retainInterval)
		defer ticker.Stop()
		for {
			if _, err := l.Retain(ctx, l.now().Add(-keep)); err != nil && ctx.Err() == nil {
				l.log.Error("old audit records were not removed", "error", err)
				l.Record(action.Record{EventType: action.EventAlert, Result: "fault", Error: fault.From(err).Message})
			}
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	})
	return t
}

func (t *retentionJob) close() {
	t.end()
	t.done.Wait()
}
