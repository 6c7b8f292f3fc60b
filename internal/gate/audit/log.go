// Package audit is the trail of everything that was asked, done and refused:
// an append-only table whose records are chained by hash, so that a record
// that was changed, taken out or moved is found. A chain by itself shows
// neither a cut tail nor a rewrite of the whole trail.
package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/store"
)

const (
	queueTimeout  = 5 * time.Second // longest wait for a record's commit to begin; a guess, above the store's busy time-out
	commitTimeout = 8 * time.Second // longest time of one commit; above the store's busy time-out
	largestBatch  = 256             // records in one commit, so that a commit stays short
)

// Options are what a log needs.
type Options struct {
	DB        *store.DB
	Log       *slog.Logger     // logs events that could not be stored
	Now       func() time.Time // time.Now when nil
	Signing   Signing          // how the trail is signed; not at all when it has no key
	Retention time.Duration    // records older than this are removed, in whole signed segments; never when 0
	// Redact is called for each record before it is stored, and returns the record to
	// store, without secrets. nil changes nothing.
	Redact func(action.Record) action.Record

	NoFlush bool // intents are not flushed to the disk before their calls run: a power cut may lose them
}

// Log writes the trail. One of the callers that wait commits the records of all of
// them in one statement, so that many share one commit, and a single caller needs no
// other goroutine. It is safe for concurrent use.
type Log struct {
	db      *store.DB
	log     *slog.Logger
	now     func() time.Time
	redact  func(action.Record) action.Record
	noFlush bool
	inserts [2][2]*sql.Stmt // of one record, and of two; without and with a flush
	leader  chan struct{}   // holds a value while a caller commits: the leader
	signer  *signer         // nil when nothing is signed
	retain  *retentionJob   // nil when all records are kept

	checks atomic.Int32 // so that each CheckStorage writes

	headUnknown bool // the last commit failed; only the leader uses it

	mu      sync.Mutex
	head    chainHead // the newest record stored
	waiting []*entry  // not in a commit yet, in order
	closed  bool
	grown   chan struct{} // closed when head moves; nil while nobody follows
}

// entry is records that are stored together or not at all.
type entry struct {
	records []action.Record
	flush   bool       // it must be on the disk before its caller goes on
	done    chan error // gets exactly one value; buffered
}

// Open starts a log at the end of the trail that db holds. Close it. Faults:
// audit_unavailable, internal.
func Open(ctx context.Context, o Options) (*Log, error) {
	if o.DB == nil || o.Log == nil {
		return nil, fault.New(fault.Internal, "the audit log was opened without a store or a logger")
	}
	l := &Log{db: o.DB, log: o.Log, now: o.Now, redact: o.Redact, noFlush: o.NoFlush, leader: make(chan struct{}, 1)}
	if l.now == nil {
		l.now = time.Now
	}
	h, err := readChainHead(ctx, o.DB.Reader)
	if err != nil {
		return nil, unavailable(err)
	}
	l.head = h
	if err := l.prepare(ctx); err != nil {
		l.release()
		return nil, unavailable(err)
	}
	if o.Signing.Key != nil {
		if l.signer, err = newSigner(ctx, l, o.Signing); err != nil {
			l.release()
			return nil, unavailable(err)
		}
		if o.Retention > 0 {
			l.retain = newRetentionJob(l, o.Retention)
		}
	}
	return l, nil
}

// prepare prepares the statements that are used most.
func (l *Log) prepare(ctx context.Context) (err error) {
	for flush := range l.inserts {
		for i := range l.inserts[flush] {
			if l.inserts[flush][i], err = l.db.Writer.PrepareContext(ctx, insertion(i+1, flush == 1)); err != nil {
				return fmt.Errorf("cannot prepare: %w", err)
			}
		}
	}
	return nil
}

// Close stores the records that were given before, signs a last checkpoint and stops.
// Later records are refused with audit_unavailable.
func (l *Log) Close() {
	if l.retain != nil {
		l.retain.close()
	}
	l.mu.Lock()
	before := l.closed
	l.closed = true
	l.notifyFollowers()
	l.mu.Unlock()
	if before {
		return
	}
	l.drain()
	if l.signer != nil {
		l.signer.close()
	}
	l.release()
}

// drain stores the records that wait.
func (l *Log) drain() {
	l.leader <- struct{}{} // bounded: a leader makes one commit
	defer func() { <-l.leader }()
	for batch := l.take(); len(batch) > 0; batch = l.take() {
		l.store(batch)
	}
}

// Begin stores the intent of a call and returns when it is on the disk. A write or raw
// call may run only after Begin returned nil. Fault: audit_unavailable, also while
// checkpoints cannot be written. No method takes a context: records of a caller that goes
// away are stored all the same, and every wait is bounded here.
func (l *Log) Begin(intent action.Record) error {
	intent.EventType = action.EventIntent
	if l.noFlush {
		return l.Append(intent)
	}
	if l.signer != nil {
		if err := l.signer.failure(); err != nil {
			l.signer.requestSign() // so that a later call may pass; this one does not wait for the disk
			return unsigned(err)
		}
	}
	return l.append(true, intent)
}

// End stores the outcome of a call.
func (l *Log) End(outcome action.Record) error {
	outcome.EventType = action.EventOutcome
	return l.Append(outcome)
}

// BeginAndEnd stores intent and outcome of a call in one commit: for calls that change
// nothing, and for calls that were refused before anything ran.
func (l *Log) BeginAndEnd(intent, outcome action.Record) error {
	intent.EventType, outcome.EventType = action.EventIntent, action.EventOutcome
	return l.Append(intent, outcome)
}

// Record stores an event that no caller depends on: a record that is neither intent nor
// outcome. It returns when the event is stored, and logs an event that could not
// be.
func (l *Log) Record(event action.Record) {
	if err := l.Append(event); err != nil {
		l.log.Error("an audit event was lost", "event", event.EventType,
			"action", event.Action, "session", event.SessionID, "error", err)
	}
}

// CheckStorage checks that the trail's file can be written: it writes a number of its
// header that says nothing. Fault: audit_unavailable.
func (l *Log) CheckStorage(ctx context.Context) error {
	if _, err := l.db.Writer.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", l.checks.Add(1))); err != nil {
		return unavailable(err)
	}
	return nil
}

// Append stores records together, one directly after the other. After it returns the end
// of the process cannot undo it; a power cut can, until the next intent or checkpoint. It
// sets Seq, Hash and, where that is zero, Timestamp. Fault: audit_unavailable; none of the
// records was stored then.
func (l *Log) Append(records ...action.Record) error {
	return l.append(false, records...)
}

func (l *Log) append(flush bool, records ...action.Record) error {
	if len(records) == 0 {
		return nil
	}
	if l.redact != nil {
		records = slices.Clone(records) // the caller's are not changed
		for i := range records {
			records[i] = l.redact(records[i])
		}
	}
	e := &entry{records: records, flush: flush, done: make(chan error, 1)}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return unavailable(errors.New("the audit log is closed"))
	}
	l.waiting = append(l.waiting, e)
	l.mu.Unlock()
	if err := l.committed(e); err != nil {
		return unavailable(err)
	}
	if l.signer != nil && slices.ContainsFunc(records, endsSession) {
		l.signer.requestSign()
	}
	return nil
}

// unavailable is the fault of a trail that cannot be written or read.
func unavailable(err error) *fault.Fault {
	return fault.New(fault.AuditUnavailable, "the audit trail cannot be stored").
		Hinted("nothing runs without its record: make room on the gateway's disk and check that its state folder can be written").
		Because(err)
}
