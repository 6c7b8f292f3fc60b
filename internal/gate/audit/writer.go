package audit

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// write is the goroutine that owns the end of the chain.
func (l *Log) write() {
	for {
		select {
		case e := <-l.queue:
			l.store(l.gather(e))
		case <-l.quit:
			return
		}
	}
}

// gather adds what waits by now to first.
func (l *Log) gather(first *entry) []*entry {
	batch := []*entry{first}
	for len(batch) < largestBatch {
		select {
		case e := <-l.queue:
			batch = append(batch, e)
		default:
			return batch
		}
	}
	return batch
}

// store commits a batch and tells every waiter.
func (l *Log) store(batch []*entry) {
	ctx, cancel := context.WithTimeout(context.Background(), commitTimeout)
	defer cancel()
	err := l.commit(ctx, batch)
	l.unsure = err != nil
	for _, e := range batch {
		e.done <- err
	}
}

// commit stores a batch in one transaction, after the newest record this log
// knows of: if someone cut the table's tail meanwhile, the gap stays to be
// found. Only after a failed commit does the table know better than we do
// where the trail ends.
func (l *Log) commit(ctx context.Context, batch []*entry) error {
	tx, err := l.db.Writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("cannot begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	end := l.end()
	if l.unsure {
		if end, err = readHead(ctx, tx); err != nil {
			return err
		}
	}
	insert, err := tx.PrepareContext(ctx, `INSERT INTO audit (seq, scope, session, actor, verb, record, hash) VALUES (?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return fmt.Errorf("cannot prepare: %w", err)
	}
	defer func() { _ = insert.Close() }()
	for _, e := range batch {
		for i := range e.records {
			if end, err = l.insert(ctx, insert, end, e.records[i]); err != nil {
				return err
			}
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("cannot commit: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.head = end
	return nil
}

// end is the newest record this log knows of.
func (l *Log) end() head {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head
}

// insert stores one record after end and returns the new end.
func (l *Log) insert(ctx context.Context, into *sql.Stmt, end head, r action.Record) (head, error) {
	r.Seq = end.seq + 1
	if r.Timestamp.IsZero() {
		r.Timestamp = l.now()
	}
	for _, filed := range []*string{&r.Scope, &r.SessionID, &r.Actor, &r.Action} {
		*filed = strings.ToValidUTF8(*filed, "\uFFFD") // as JSON writes it, or the columns would differ
	}
	r.Timestamp = r.Timestamp.UTC().Truncate(time.Microsecond)
	text, err := canonical(r)
	if err != nil {
		return end, err
	}
	next := head{seq: r.Seq, hash: link(end.hash, text)}
	_, err = into.ExecContext(ctx, r.Seq, r.Scope, r.SessionID, r.Actor, r.Action, string(text), hex.EncodeToString(next.hash[:]))
	if err != nil {
		return end, fmt.Errorf("cannot insert: %w", err)
	}
	return next, nil
}

// querier is what *sql.DB and *sql.Tx have in common.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// readHead reads the end of the chain.
func readHead(ctx context.Context, from querier) (head, error) {
	var h head
	var text string
	err := from.QueryRowContext(ctx, `SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1`).Scan(&h.seq, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return head{}, nil
	}
	if err != nil {
		return head{}, fmt.Errorf("cannot read the end of the trail: %w", err)
	}
	// A hash that cannot be read was tampered with. The trail goes on from
	// zero, so that verification finds the break and nothing is lost.
	h.hash, _ = parseHash(text)
	return h, nil
}
