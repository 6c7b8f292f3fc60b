package audit

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// committed waits until this caller or another one has committed e, and returns the
// result.
func (l *Log) committed(e *entry) error {
	select {
	case l.leader <- struct{}{}: // there is no leader: the usual case, without a timer
		if err, done := l.lead(e); done {
			return err
		}
	default:
	}
	timer := time.NewTimer(queueTimeout)
	defer timer.Stop()
	for {
		select {
		case err := <-e.done:
			return err
		case l.leader <- struct{}{}:
			if err, done := l.lead(e); done {
				return err
			}
		case <-timer.C:
			if l.removeWaiting(e) {
				return fmt.Errorf("no commit took the record for %s", queueTimeout)
			}
			return <-e.done // bounded: each commit has commitTimeout
		}
	}
}

// lead makes one commit and lets the next caller lead. e may have been committed before,
// or may not fit into the commit.
func (l *Log) lead(e *entry) (err error, done bool) {
	defer func() { <-l.leader }()
	if len(e.done) == 0 {
		l.store(l.take())
	}
	select {
	case err = <-e.done:
		return err, true
	default:
		return nil, false
	}
}

// take removes from the queue as many entries as fit into one commit.
func (l *Log) take() []*entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, records := 0, 0
	for n < len(l.waiting) && (n == 0 || records+len(l.waiting[n].records) <= largestBatch) {
		records += len(l.waiting[n].records)
		n++
	}
	batch := l.waiting[:n:n]
	if l.waiting = l.waiting[n:]; len(l.waiting) == 0 {
		l.waiting = nil
	}
	return batch
}

// removeWaiting removes e from the queue. It returns false if a commit has taken it.
func (l *Log) removeWaiting(e *entry) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := len(l.waiting)
	l.waiting = slices.DeleteFunc(slices.Clone(l.waiting), func(other *entry) bool { return other == e })
	return len(l.waiting) < before
}

// store commits a batch and gives its callers the result.
func (l *Log) store(batch []*entry) {
	ctx, cancel := context.WithTimeout(context.Background(), commitTimeout)
	defer cancel()
	err := errors.New("the commit broke off") // the result after a panic
	defer func() {
		l.headUnknown = err != nil
		for _, e := range batch {
			e.done <- err
		}
	}()
	err = l.commit(ctx, batch)
}

// commit stores a batch in one statement, all of it or nothing, after the newest record
// that this log has stored: if somebody cut the table's tail meanwhile, verification finds
// the gap. Only after a failed commit the end of the trail is read from the table.
func (l *Log) commit(ctx context.Context, batch []*entry) (err error) {
	end := l.end()
	if l.headUnknown {
		if end, err = readChainHead(ctx, l.db.Writer); err != nil {
			return err
		}
	}
	var values []any
	flush := false
	for _, e := range batch {
		flush = flush || e.flush
		for i := range e.records {
			if end, values, err = l.add(values, end, e.records[i]); err != nil {
				return err
			}
		}
	}
	if err := l.insert(ctx, values, flush); err != nil {
		return fmt.Errorf("cannot insert: %w", err)
	}
	l.setEnd(end)
	return nil
}

// setEnd stores the new end of the trail, and notifies followers and the signer.
func (l *Log) setEnd(end chainHead) {
	l.mu.Lock()
	l.head = end
	l.notifyFollowers()
	l.mu.Unlock()
	if l.signer != nil {
		l.signer.noteGrowth(end.seq)
	}
}

const columns = 7 // of the table; a statement may have 32,766 values (SQLite, limit 9)

// flushing returns the setting of SQLite with which a commit is on the disk when it
// returns, or without a flush survives the end of the process but not a power cut
// (https://sqlite.org/pragma.html#pragma_synchronous, with a write-ahead log). It is sent
// with the commit, because another user of the connection may have changed it.
func flushing(flush bool) string {
	if flush {
		return `PRAGMA synchronous = FULL; `
	}
	return `PRAGMA synchronous = NORMAL; `
}

// insertion is the statement that stores n records and commits them.
func insertion(n int, flush bool) string { return flushing(flush) + recordInsertion(n) }

func recordInsertion(n int) string {
	return `INSERT INTO audit (seq, scope, session, actor, verb, record, hash) VALUES (?, ?, ?, ?, ?, ?, ?)` +
		strings.Repeat(`, (?, ?, ?, ?, ?, ?, ?)`, n-1)
}

func (l *Log) insert(ctx context.Context, values []any, flush bool) (err error) {
	n, kept := len(values)/columns, l.inserts[0]
	if flush {
		kept = l.inserts[1]
	}
	if n <= len(kept) {
		_, err = kept[n-1].ExecContext(ctx, values...)
	} else {
		_, err = l.db.Writer.ExecContext(ctx, insertion(n, flush), values...)
	}
	return err
}

// release closes the statements.
func (l *Log) release() {
	for _, kept := range l.inserts {
		for _, s := range kept {
			if s != nil {
				_ = s.Close()
			}
		}
	}
}

// end is the newest record that this log has stored.
func (l *Log) end() chainHead {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head
}

// add chains one record to end. It appends the row to values and returns the new end.
func (l *Log) add(values []any, end chainHead, r action.Record) (chainHead, []any, error) {
	r.Seq = end.seq + 1
	if r.Timestamp.IsZero() {
		r.Timestamp = l.now()
	}
	for _, column := range []*string{&r.Scope, &r.SessionID, &r.Actor, &r.Action} {
		*column = strings.ToValidUTF8(*column, "\uFFFD") // as JSON writes it, so that column and record are equal
	}
	r.Timestamp = r.Timestamp.UTC().Truncate(time.Microsecond)
	text, err := canonical(r)
	if err != nil {
		return end, nil, err
	}
	next := chainHead{seq: r.Seq, hash: link(end.hash, text)}
	return next, append(values, r.Seq, r.Scope, r.SessionID, r.Actor, r.Action, string(text), hex.EncodeToString(next.hash[:])), nil
}

// readChainHead reads the end of the chain.
func readChainHead(ctx context.Context, from *sql.DB) (chainHead, error) {
	var h chainHead
	var text string
	err := from.QueryRowContext(ctx, `SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1`).Scan(&h.seq, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return chainHead{}, nil
	}
	if err != nil {
		return chainHead{}, fmt.Errorf("cannot read the end of the trail: %w", err)
	}
	// A hash that cannot be read was tampered with. The trail continues after a zero
	// hash, so that verification finds the break and no record is lost.
	h.hash, _ = parseHash(text)
	return h, nil
}
