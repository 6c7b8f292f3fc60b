// Package approval is the queue in which calls wait for a person: it stores the questions,
// merges identical ones, takes answers, and gives each answer once, to the call that it is
// for. A question that nobody answers is denied.
package approval

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/store"
)

const maxPending = 20 // waiting questions of a scope

// maxShownInput is the length of the text to be typed or run that people are shown, in
// characters. Scripts are shown whole: the policy refuses agents longer ones.
const maxShownInput = 4000

// Timeouts is how long a question of each risk waits, and how long its answer can be used
// afterwards.
type Timeouts struct {
	Medium   time.Duration
	High     time.Duration
	Critical time.Duration
}

// DefaultTimeouts are used where the configuration gives none. They are long enough for a
// person who looks at another window.
var DefaultTimeouts = Timeouts{Medium: 10 * time.Minute, High: 10 * time.Minute, Critical: 5 * time.Minute}

// of returns the waiting time for a risk. An unknown risk waits as briefly as the highest.
func (t Timeouts) of(r action.Risk) time.Duration {
	switch r {
	case action.Low, action.Medium:
		return t.Medium
	case action.High:
		return t.High
	}
	return t.Critical
}

// Options are what a queue needs.
type Options struct {
	DB       *store.DB
	Log      *slog.Logger
	Timeouts Timeouts         // DefaultTimeouts where one is zero
	Now      func() time.Time // time.Now when nil

	// OnEnded is called for each question that ended without an answer: it expired, or
	// the gateway ended before. It is called at least once for each, also after a crash.
	// It may be nil.
	OnEnded func(action.Question)
}

// Queue keeps the questions. It is safe for concurrent use. Close it.
type Queue struct {
	db       *store.DB
	log      *slog.Logger
	timeouts atomic.Pointer[Timeouts]
	now      func() time.Time
	ended    func(action.Question)

	newQuestion chan struct{} // gets a value when a question was asked or withdrawn
	stop        context.CancelFunc
	work        sync.WaitGroup

	mu      sync.Mutex
	waiting map[string]*waiter // by question id
}

// waiter wakes the calls that wait for one question.
type waiter struct {
	answered chan struct{} // closed when the question was answered
	count    int
}

// Open makes a queue over a store. Questions that still waited when the last gateway ended
// are denied: the calls that asked them are gone.
func Open(ctx context.Context, o Options) (*Queue, error) {
	if o.DB == nil || o.Log == nil {
		return nil, fault.New(fault.Internal, "the approval queue was opened without a store or a logger")
	}
	d := &Queue{db: o.DB, log: o.Log, now: o.Now, ended: o.OnEnded, newQuestion: make(chan struct{}, 1), waiting: map[string]*waiter{}}
	if d.now == nil {
		d.now = time.Now
	}
	d.SetTimeouts(o.Timeouts)
	done, err := d.db.Writer.ExecContext(ctx, `UPDATE questions SET state = 'denied', question = json_set(question, '$.reason', ?) WHERE state = 'pending'`, restarted)
	if err != nil {
		return nil, fmt.Errorf("cannot deny old questions: %w", err)
	}
	if n, err := done.RowsAffected(); err == nil && n > 0 {
		d.log.Info("questions of the last run were denied", "count", n)
	}
	ctx, d.stop = context.WithCancel(context.WithoutCancel(ctx))
	if d.ended != nil {
		d.work.Go(func() { d.reportEnded(ctx) })
	}
	return d, nil
}

// Close stops the reports of questions that end. The next queue over the same store reports
// those that were not reported.
func (d *Queue) Close() {
	d.stop()
	d.work.Wait()
}

// SetTimeouts changes how long questions wait that are asked from now on. A zero timeout is
// the default.
func (d *Queue) SetTimeouts(t Timeouts) {
	t.fill()
	d.timeouts.Store(&t)
}

// Timeouts returns how long questions wait.
func (d *Queue) Timeouts() Timeouts { return *d.timeouts.Load() }

func (t *Timeouts) fill() {
	for _, f := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{{&t.Medium, DefaultTimeouts.Medium}, {&t.High, DefaultTimeouts.High}, {&t.Critical, DefaultTimeouts.Critical}} {
		if *f.value <= 0 {
			*f.value = f.fallback
		}
	}
}

// subscribe returns a channel that is closed when a question is answered. Call leave once.
func (d *Queue) subscribe(id string) (answered <-chan struct{}, leave func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.waiting[id]
	if b == nil {
		b = &waiter{answered: make(chan struct{})}
		d.waiting[id] = b
	}
	b.count++
	return b.answered, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if b.count--; b.count == 0 && d.waiting[id] == b {
			delete(d.waiting, id)
		}
	}
}

// wake wakes the calls that wait for a question.
func (d *Queue) wake(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if b := d.waiting[id]; b != nil {
		close(b.answered)
		delete(d.waiting, id)
	}
}

// SetScreenshot adds the artifact of a screenshot to a question. Fault: internal.
func (d *Queue) SetScreenshot(ctx context.Context, id, artifact string) error {
	_, err := d.db.Writer.ExecContext(ctx, `UPDATE questions SET question = json_set(question, '$.screenshot', ?) WHERE id = ?`, artifact, id)
	if err != nil {
		return storeFault(err)
	}
	return nil
}
