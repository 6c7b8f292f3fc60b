// Package audit is the trail of everything that was asked, done and refused:
// an append-only table whose records are chained by hash, so that a record
// that was changed, taken out or moved is found. A chain by itself shows
// neither a cut tail nor a rewrite of the whole trail.
package audit

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
	queueTimeout  = 5 * time.Second // longest wait for the writer to take a record; a guess, above the store's busy time-out
	commitTimeout = 8 * time.Second // longest time of one commit; above the store's busy time-out
	largestBatch  = 256             // entries in one commit, so that a commit stays short
)

// Options are what a log needs.
type Options struct {
	DB  *store.DB
	Log *slog.Logger     // told of events that could not be stored
	Now func() time.Time // time.Now when nil
}

// Log writes the trail. One goroutine owns the end of the chain and commits
// what waits in one transaction, so that many callers share one commit. It is
// safe for concurrent use.
type Log struct {
	db    *store.DB
	log   *slog.Logger
	now   func() time.Time
	queue chan *entry
	quit  chan struct{}
	once  sync.Once
	wg    sync.WaitGroup

	unsure bool // the last commit failed; only the writer looks

	mu   sync.Mutex
	head head // the newest record stored
}

// entry is records that are stored together, or not at all.
type entry struct {
	records []action.Record
	done    chan error // gets exactly one value; has room for it
}

// Open starts a log at the end of the trail that db holds. Close it.
func Open(ctx context.Context, o Options) (*Log, error) {
	if o.DB == nil || o.Log == nil {
		return nil, fault.New(fault.Internal, "the audit log was opened without a store or a logger")
	}
	l := &Log{
		db: o.DB, log: o.Log, now: o.Now,
		queue: make(chan *entry), quit: make(chan struct{}),
	}
	if l.now == nil {
		l.now = time.Now
	}
	h, err := readHead(ctx, o.DB.Reader)
	if err != nil {
		return nil, unavailable(err)
	}
	l.head = h
	l.wg.Go(l.write)
	return l, nil
}

// Close stores what was handed in before it and stops. Later records are
// refused with audit_unavailable.
func (l *Log) Close() {
	l.once.Do(func() { close(l.quit) })
	l.wg.Wait()
}

// Begin stores the intent of a call and returns when it is durable. A write or
// raw call may run only after Begin returned nil; its fault is
// audit_unavailable. No method takes a context: a caller that goes away leaves
// its records all the same, and every wait is bounded here.
func (l *Log) Begin(intent action.Record) error {
	intent.EventType = Intent
	return l.Append(intent)
}

// End stores the outcome of a call.
func (l *Log) End(outcome action.Record) error {
	outcome.EventType = Outcome
	return l.Append(outcome)
}

// Both stores intent and outcome of a call in one commit: for calls that
// change nothing, and for those that were refused before anything ran.
func (l *Log) Both(intent, outcome action.Record) error {
	intent.EventType, outcome.EventType = Intent, Outcome
	return l.Append(intent, outcome)
}

// Record stores an event that no caller waits for: session, box, blocked,
// question, answer, config. It returns when the event is durable; that it
// could not be stored is logged.
func (l *Log) Record(event action.Record) {
	if err := l.Append(event); err != nil {
		l.log.Error("an audit event was lost", "event", event.EventType,
			"action", event.Action, "session", event.SessionID, "error", err)
	}
}

// Append stores records together, next to each other, and returns when they
// are durable. Seq, Hash and, where it is zero, Timestamp are set here. The
// fault is audit_unavailable, and then none of them was stored.
func (l *Log) Append(records ...action.Record) error {
	if len(records) == 0 {
		return nil
	}
	e := &entry{records: records, done: make(chan error, 1)}
	timer := time.NewTimer(queueTimeout)
	defer timer.Stop()
	select {
	case l.queue <- e:
	case <-l.quit:
		return unavailable(errors.New("the audit log is closed"))
	case <-timer.C:
		return unavailable(fmt.Errorf("the writer took no record for %s", queueTimeout))
	}
	if err := <-e.done; err != nil { // bounded: the writer gives each batch commitTimeout
		return unavailable(err)
	}
	return nil
}

// unavailable is the fault of a trail that cannot be written or read.
func unavailable(err error) *fault.Fault {
	return fault.New(fault.AuditUnavailable, "the audit trail cannot be stored").
		Hinted("nothing runs without its record: make room on the gateway's disk and check that its state folder can be written").
		Because(err)
}
